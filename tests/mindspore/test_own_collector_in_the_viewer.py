# SPDX-License-Identifier: Apache-2.0
"""A user who keeps MindSpore's own collector sees what it recorded, as if it had been written well."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

import mindscope
from tests.server.live_viewer import LiveViewer, eventually, running_viewer

pytestmark = [pytest.mark.framework, pytest.mark.timeout(1200)]  # the first waits for the scripts


@pytest.fixture(scope="module")
def own(shapes: dict[str, Path]) -> Path:
    """What MindSpore's own classes wrote."""
    return shapes["own"]


@pytest.fixture(scope="module")
def viewer(own: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveViewer]:
    with running_viewer(own, tmp_path_factory.mktemp("viewer")) as live:
        eventually(lambda: len(live.runs()) == 13 and all(run["tags"] for run in live.runs().values()))
        yield live


def test_doubled_events_are_one_point(own: Path, viewer: LiveViewer) -> None:
    run = mindscope.open_run(own / "specified")
    assert list(run.scalars("loss/auto").step) == list(range(1, 13))
    assert len(run.scalars("loss/auto", overwritten=True).step) == 14
    assert list(run.histograms("conv1.weight/auto").step) == list(range(1, 13))
    drawn = viewer.curves(("specified", "loss/auto"))
    assert list(drawn.column(0, "step")) == list(range(1, 13))


def test_first_step_in_two_events_is_one(own: Path, viewer: LiveViewer) -> None:
    run = mindscope.open_run(own / "operators")
    steps = [1, *range(2, 49, 2)]
    assert list(run.scalars("my_loss").step) == list(run.scalars("loss/auto").step) == steps
    assert list(run.scalars("my_loss").value) == list(run.scalars("loss/auto").value)
    assert list(run.images("input_image").step) == steps
    drawn = viewer.curves(("operators", "my_loss"), ("operators", "loss/auto"))
    assert list(drawn.column(0, "step")) == list(drawn.column(1, "step")) == steps


def test_several_files_are_one_run(own: Path, viewer: LiveViewer) -> None:
    lineage = mindscope.open_run(own / "sweep" / "run_0").lineage
    assert lineage.train is not None
    assert lineage.train.optimizer == "Momentum"
    assert lineage.eval is not None
    assert lineage.eval.metric is not None
    landscapes = mindscope.open_run(own / "landscape" / "unit_step")
    assert set(landscapes.landscapes()) == {"landscape_[1, 5]", "landscape_[6, 12]", "landscape_[12]"}
    assert "loss/auto" in landscapes.tags("scalar")
    assert {"sweep/run_0", "landscape/unit_step"} <= set(viewer.runs())


def test_finished_and_unfinished_files_are_told_apart(own: Path, viewer: LiveViewer, tmp_path: Path) -> None:
    assert {run["state"] for run in viewer.runs().values()} == {"finished"}
    shutil.copytree(own / "fitted", tmp_path / "logs" / "fitted")
    for file in (tmp_path / "logs" / "fitted").iterdir():
        file.chmod(0o600)  # as they are while the training runs
        os.utime(file)
    with running_viewer(tmp_path / "logs", tmp_path) as live:
        eventually(lambda: live.runs().get("fitted", {}).get("state") in ("live", "idle"))  # by the age of the training


@pytest.mark.parametrize("kept", [0, 20, 4096, 8192, 40_960, -3])
def test_file_that_ends_in_a_record_is_read_as_far_and_on_later(own: Path, tmp_path: Path, kept: int) -> None:
    (whole,) = (own / "operators").glob("*_MS")
    data = whole.read_bytes()
    copy = tmp_path / whole.name
    copy.write_bytes(data[:kept])
    run = mindscope.open_run(tmp_path)
    assert not run.damages
    before = list(run.scalars("my_loss").step) if "my_loss" in run.tags("scalar") else []
    with copy.open("ab") as file:
        file.write(data[copy.stat().st_size :])
    after = mindscope.open_run(tmp_path)
    assert not after.damages
    steps = [1, *range(2, 49, 2)]
    assert before == steps[: len(before)]
    assert list(after.scalars("my_loss").step) == steps
    assert len(after.graphs()) == 1


def test_graph_of_every_run_is_there(own: Path) -> None:
    for name in ("specified", "operators", "fitted", "loop"):
        (graph,) = mindscope.open_run(own / name).graphs().values()
        names = [node.name for node in graph.operations]
        assert len(names) > 20
        assert len(set(names)) == len(names)
        assert all(names)
