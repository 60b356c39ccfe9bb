# SPDX-License-Identifier: Apache-2.0
"""Networks that are spread over two processes: what is recorded of their parameters, and under which names."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from ranks import run_ranks

import mindscope
from mindscope.reading.run import Run

pytest.importorskip("torch")

pytestmark = [pytest.mark.framework, pytest.mark.timeout(600)]
TAGS = ["0.weight/auto", "0.bias/auto", "2.weight/auto", "2.bias/auto"]


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sharded")
    done = run_ranks(Path(__file__).with_name("sharded.py"), str(path))
    assert done.returncode == 0, done.stderr
    (path / "stderr").write_text(done.stderr)
    return path


def ranks(directory: Path, name: str) -> list[Run]:
    return [mindscope.open_run(directory / name / f"rank_{rank}") for rank in (0, 1)]


@pytest.mark.parametrize("kind", ["ddp", "fsdp1", "fsdp2", "gathered"])
def test_parameters_have_the_names_of_their_author_in_every_wrapper(kind: str, directory: Path) -> None:
    for run in ranks(directory, kind):
        assert not run.damages
        assert set(run.tags("histogram")) == set(TAGS)
        assert "mindscope/dropped" not in run.tags("scalar")
        assert all(list(run.histograms(tag).step) == [1, 2, 3] for tag in TAGS)
        assert run.lineage.train is not None
        assert run.lineage.train.network == "Sequential"
        (graph,) = run.graphs()
        assert graph.split()[0] == "Sequential"
        assert not re.search(r"\d\.\d", graph)  # an error of the tracer may hold elements of a weight


def test_histograms_of_shards_are_those_of_the_parts(directory: Path) -> None:
    whole = np.load(directory / "fsdp2.npz")
    for tag in TAGS:
        parts = [run.histograms(tag)[-1].value for run in ranks(directory, "fsdp2")]
        array = whole[tag.removesuffix("/auto")]
        assert sum(part.total for part in parts) == array.size
        assert min(part.minimum for part in parts if part.total) == array.min()
        assert max(part.maximum for part in parts if part.total) == array.max()
    assert [run.lineage.custom["env/model/histograms"] for run in ranks(directory, "fsdp2")] == [
        f"part of rank {rank} (DTensor, Shard(dim=0))" for rank in (0, 1)
    ]
    assert [run.lineage.custom["env/model/histograms"] for run in ranks(directory, "fsdp1")] == [
        f"part of rank {rank} (FullyShardedDataParallel)" for rank in (0, 1)
    ]
    assert all("env/model/histograms" not in run.lineage.custom for run in ranks(directory, "ddp"))


def test_whole_parameters_are_gathered_on_request(directory: Path) -> None:
    whole = np.load(directory / "gathered.npz")
    for run in ranks(directory, "gathered"):
        for tag in TAGS:
            value, array = run.histograms(tag)[-1].value, whole[tag.removesuffix("/auto")]
            assert (value.total, value.minimum, value.maximum) == (array.size, array.min(), array.max())
        text = "whole parameters, gathered from all processes (DTensor, Shard(dim=0))"
        assert run.lineage.custom["env/model/histograms"] == text


def test_recorder_keeps_the_part_of_its_process_and_refuses_summands(directory: Path) -> None:
    runs = ranks(directory, "values")
    rows = [run.tensors("rows")[-1].value.value for run in runs]
    assert np.array_equal(np.concatenate(rows), np.arange(6.0).reshape(3, 2))
    for run in runs:
        assert {tag: run.scalars(tag).value[-1] for tag in ("whole", "reduced", "operator")} == {
            "whole": 3, "reduced": 3, "operator": 4
        }  # fmt: skip
        assert not {"summand", "pair"} & set(run.tags("scalar"))
        assert run.scalars("mindscope/dropped").value[-1] == 2
    errors = (directory / "stderr").read_text()
    assert "tensor 'rows' is the part of this process of a DTensor of shape (3, 2), Shard(dim=0)" in errors
    assert "scalar 'summand' was not recorded: value is a DTensor of shape () with placements Partial(sum)" in errors


def test_collectors_that_share_a_directory_record_apart(directory: Path) -> None:
    assert sorted(mindscope.open_runs(directory / "shared")) == ["rank_0", "rank_1"]
    for rank, run in enumerate(ranks(directory, "shared")):
        assert list(run.scalars("loss/auto").value) == [rank, rank]
        assert list(run.scalars("loss/auto", overwritten=True).step) == [1, 2]
