# SPDX-License-Identifier: Apache-2.0
"""Sweeps in the viewer: listed always, started and stopped only when allowed, and only by files below its directory."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from mindscope.sweep.directory import SweepDirectory, SweepStatus
from tests.sweep.scripts import QUADRATIC, RANDOM

from .live_viewer import GrowingLog, LiveViewer, eventually, running_viewer

SLOW = QUADRATIC + "\nimport time\ntime.sleep(0.4)\n"


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """A directory with a script and the file of a sweep of six trials."""
    folder = tmp_path / "logs"
    folder.mkdir()
    GrowingLog(folder / "other").scalar(1, 0.5)
    (folder / "train.py").write_text(SLOW)
    (folder / "search.yaml").write_text(RANDOM)
    (folder / "other.yaml").write_text("batch: 3\n")
    return folder


def listed(viewer: LiveViewer) -> dict[str, dict[str, Any]]:
    return {entry["id"]: entry for entry in viewer.http.get("/api/sweeps").json()["sweeps"]}


def change(viewer: LiveViewer, what: str, sweep: str, **headers: str) -> Any:
    return viewer.http.post(f"/api/sweeps/{what}", json={"sweep": sweep}, headers=headers, timeout=60)


def put(folder: Path, file: Path, **values: Any) -> None:
    """Write the status of a sweep without processes, and a run of it."""
    directory = SweepDirectory(folder)
    directory.create()
    GrowingLog(directory.trial(0)).scalar(1, 0.5)
    status = SweepStatus("old", str(file), "grid", "loss", False, 4, 1, 0, 0, 1, 0.5, "trial-0000", "")
    directory.write_status(status)
    if values:
        text = json.loads((folder / "sweep.json").read_text())
        (folder / "sweep.json").write_text(json.dumps({**text, **values}))


def test_a_sweep_is_started_stopped_and_resumed(logs: Path, tmp_path: Path) -> None:
    with running_viewer(logs, tmp_path, "--allow-sweeps") as viewer:
        entry = listed(viewer)["search.yaml"]
        assert (entry["can_start"], entry["is_running"], entry["total"], entry["best"]) == (True, False, 6, None)
        started = change(viewer, "start", "search.yaml")
        assert started.status_code == 200, started.text
        eventually(lambda: listed(viewer).get("search", {}).get("complete", 0) >= 1)
        assert listed(viewer)["search"]["is_running"]
        again = change(viewer, "start", "search")
        assert (again.status_code, again.json()["error"]["code"]) == (409, "sweep_is_running")
        assert change(viewer, "stop", "search").status_code == 200
        eventually(lambda: not listed(viewer)["search"]["is_running"])
        stopped = listed(viewer)["search"]
        assert stopped["can_start"]
        assert 1 <= stopped["complete"] < 6
        time.sleep(0.5)
        assert listed(viewer)["search"]["complete"] == stopped["complete"]
        assert change(viewer, "start", "search").status_code == 200
        eventually(lambda: listed(viewer)["search"]["complete"] == 6)
        eventually(lambda: not listed(viewer)["search"]["is_running"])
        done = listed(viewer)["search"]
        assert not done["can_start"]
        assert done["best_run"].startswith("search/trial-")
        eventually(lambda: done["best_run"] in viewer.runs())


def test_nothing_is_started_unless_allowed(logs: Path, tmp_path: Path) -> None:
    put(logs / "old", logs / "search.yaml")
    with running_viewer(logs, tmp_path) as viewer:
        eventually(lambda: "old" in listed(viewer))
        assert not listed(viewer)["old"]["can_start"]
        assert "search.yaml" not in listed(viewer)
        for what in ("start", "stop"):
            refused = change(viewer, what, "old")
            assert refused.status_code == 403
            assert refused.json()["error"]["code"] == "sweeps_not_allowed"
            assert "--allow-sweeps" in refused.json()["error"]["remedy"]
    assert not (logs / "old" / "sweep.stop").exists()


def test_only_files_below_the_directory_are_started(logs: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside.yaml"
    outside.write_text(RANDOM.replace("program: train.py", f"command: [touch, {tmp_path / 'harm'}]"))
    (logs / "link.yaml").symlink_to(outside)
    put(logs / "old", outside)
    put(logs / "linked", logs / "link.yaml")
    put(logs / "up", logs / "old" / ".." / ".." / "outside.yaml")
    put(logs / "script", logs / "train.py")
    put(logs / "inside", logs / "search.yaml")
    put(logs / "damaged", logs / "search.yaml", complete="many")
    with running_viewer(logs, tmp_path, "--allow-sweeps") as viewer:
        eventually(lambda: "inside" in listed(viewer))
        sweeps = listed(viewer)
        assert {id for id, sweep in sweeps.items() if sweep["can_start"]} == {"inside", "search.yaml"}
        assert "damaged" not in sweeps
        for id in ("old", "linked", "up", "script"):
            refused = change(viewer, "start", id)
            assert (refused.status_code, refused.json()["error"]["code"]) == (409, "sweep_outside")
        for id in ("../outside.yaml", "link.yaml", str(outside), "none", "search.yaml\0"):
            refused = change(viewer, "start", id)
            assert (refused.status_code, refused.json()["error"]["code"]) == (404, "sweep_missing")
        foreign = change(viewer, "start", "search.yaml", origin="http://evil.example")
        assert foreign.status_code == 403
        form = viewer.http.post("/api/sweeps/start", content=b'{"sweep": "search.yaml"}')
        assert form.status_code == 415
    assert not (tmp_path / "harm").exists()
    assert not (logs / "sweep").exists()
    assert os.listdir(logs / "old" / "workers") == []  # noqa: PTH208
