# SPDX-License-Identifier: Apache-2.0
"""Several viewers start from one index, which they only read, and answer alike."""

from __future__ import annotations

from pathlib import Path

from tests.event_log import append, steps
from tests.server.live_viewer import eventually, running_viewer

from .indexed import NAME, indexed, write_runs


def test_viewers_over_one_index_answer_alike(tmp_path: Path) -> None:
    base, place = tmp_path / "runs", tmp_path / "place"
    write_runs(base, 5)
    folder = indexed(base, place).manifest.folder.parent
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    flags = ("--index", str(place), "--reload-interval", "0.2")
    with running_viewer(base, tmp_path / "a", *flags) as one, running_viewer(base, tmp_path / "b", *flags) as other:
        for viewer in (one, other):
            eventually(lambda viewer=viewer: len(viewer.tags("run_4")) == 1 and viewer.runs()["run_4"]["tags"])
        assert one.runs() == other.runs()
        curves = [viewer.curves(("run_4", "loss"), ("a", "loss")) for viewer in (one, other)]
        assert curves[0] == curves[1]
        assert curves[0].header["series"][0]["points"] == 54
        append(base / "run_4" / NAME, steps([700]))
        for viewer in (one, other):
            eventually(lambda viewer=viewer: viewer.tags("run_4")["loss"]["points"] == 55)
        indexed(base, place)
    assert {path: path.stat().st_mtime_ns for path in before if path.suffix == ".chunk"} == {
        path: time for path, time in before.items() if path.suffix == ".chunk"
    }
    with running_viewer(base, tmp_path / "c", *flags) as late:
        eventually(lambda: late.tags("run_4")["loss"]["points"] == 55)
