# SPDX-License-Identifier: Apache-2.0
"""A viewer that reads a run while its recorder goes from file to file."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import mindscope

from .live_viewer import eventually, running_viewer

BLOCKS, STEPS = 8, 1000
"""Times that the viewer looks, and steps between them: about as many as a file holds."""


def test_every_point_is_shown_once_while_files_rotate(tmp_path: Path):
    run = tmp_path / "logs" / "run"
    run.mkdir(parents=True)
    with running_viewer(tmp_path / "logs", tmp_path, "--reload-interval", "0.1") as viewer:
        with mindscope.SummaryRecord(run, max_file_size=1 << 16) as record:
            for block in range(BLOCKS):
                for step in range(block * STEPS + 1, (block + 1) * STEPS + 1):
                    record.add_value("scalar", "loss", 1.0 / step)
                    record.add_value("scalar", "rate", float(step))
                    record.record(step)
                record.add_value("histogram", "weight", np.arange(100.0))
                record.record((block + 1) * STEPS)
                record.flush()
                last = (block + 1) * STEPS
                eventually(lambda: viewer.runs().get("run", {}).get("last_step") == last)  # noqa: B023
                check(viewer.curves(("run", "loss"), pixels=4096).column(0, "step"), last)
        assert len(list(run.glob("*_MS"))) > 4
        curve = viewer.curves(("run", "rate"), pixels=4096)
        assert curve.header["series"][0]["points"] == BLOCKS * STEPS
        np.testing.assert_array_equal(curve.column(0, "value"), curve.column(0, "step"))
        answer = viewer.http.get("/api/values", params={"run": "run", "kind": "histogram", "tag": "weight"}).json()
        assert answer["step"] == [STEPS * (block + 1) for block in range(BLOCKS)]
        assert viewer.runs()["run"]["damages"] == 0
    opened = mindscope.open_run(run)
    assert opened.scalars("loss").step.tolist() == list(range(1, BLOCKS * STEPS + 1))
    assert not opened.damages


def check(steps: np.ndarray, last: int) -> None:
    """All steps until now, each once."""
    assert steps.tolist() == list(range(1, last + 1))
