# SPDX-License-Identifier: Apache-2.0
"""Runs in a file or directory of another program are not deleted, moved or packed by it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

from mindscope.errors import ArchiveError
from mindscope.reading import open_runs
from mindscope.reading.pack import pack_runs
from mindscope.reading.repair import repair_runs
from tests.event_log import MINDSPORE_NAME, append, steps, version
from tests.server.live_viewer import LiveViewer, eventually, running_viewer

from .packed_logs import unpack

DATA = Path(__file__).parent / "data"
NAMES = ("mlflow", "mlflow_files", "trackio")
DIRECTORIES = ("wandb", "swanlab")
"""Logs with media, of which a run may have several directories."""


def contents(base: Path) -> dict[str, str]:
    return {
        str(path.relative_to(base)): hashlib.sha1(path.read_bytes()).hexdigest()
        for path in base.rglob("*")
        if path.is_file()
    }


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.mktemp("logs")
    for name in NAMES:
        unpack(name, base / name)
    for name in DIRECTORIES:
        copytree(DATA / name, base / name)
    return base


@pytest.fixture(scope="module")
def viewer(logs: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveViewer]:
    with running_viewer(logs, tmp_path_factory.mktemp("workspace"), "--allow-delete") as viewer:
        eventually(lambda: len(viewer.runs()) == len(open_runs(logs)))
        yield viewer


def test_no_request_deletes_or_moves_them(viewer: LiveViewer, logs: Path) -> None:
    before = contents(logs)
    for run in viewer.runs():
        answer: dict[str, Any] = viewer.http.post("/api/runs/deletion", json={"runs": [run]}).json()
        assert [refused["error"]["code"] for refused in answer["refused"]] == ["run_in_shared_file"]
        deleted = viewer.http.post("/api/runs/delete", json={"runs": [run], "token": answer["token"]})
        moved = viewer.http.post("/api/runs/move", json={"moves": [{"run": run, "to": "elsewhere"}]})
        for refused in (deleted, moved):
            assert refused.status_code == 409
            assert refused.json()["error"]["code"] == "run_in_shared_file"
    assert contents(logs) == before


@pytest.mark.parametrize("name", [*NAMES, *DIRECTORIES])
def test_they_are_not_packed_and_said(logs: Path, tmp_path: Path, name: str) -> None:
    with pytest.raises(ArchiveError, match="belongs to another program"):
        pack_runs([logs / name], tmp_path / "all.mscope")
    assert not list(tmp_path.iterdir())


def test_other_runs_beside_them_are_packed(logs: Path, tmp_path: Path) -> None:
    base = unpack("mlflow", tmp_path / "base")
    log = base / "own" / MINDSPORE_NAME.format(1)
    log.parent.mkdir()
    append(log, version() + steps([1]))
    report = pack_runs([base], tmp_path / "some.mscope")
    assert report.runs == ("own",)
    (problem,) = report.problems
    assert problem.startswith("4 runs are in")


@pytest.mark.parametrize("name", NAMES)
def test_they_are_not_repaired_as_event_files(logs: Path, tmp_path: Path, name: str) -> None:
    report = repair_runs(logs / name, tmp_path / "out")
    assert report.files == ()
    assert report.failures == ()
