# SPDX-License-Identifier: Apache-2.0
"""Figures of whole series, compared with numpy over the oracle's points."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from .live_viewer import DATA, GrowingLog, LiveViewer, eventually, running_viewer

RUN, TAG = "tensorboard/tb_all/run_a", "loss/train"
ORACLE = DATA / "tensorboard" / "tb_all.expected.json"


def test_figures_are_over_all_points(viewer: LiveViewer):
    answer = viewer.http.post("/api/statistics", json={"runs": ["nix", RUN], "tags": ["nix", TAG]}).json()
    (one,) = answer["series"]
    points = np.array(json.loads(ORACLE.read_text())["run_a"][TAG]["values"], np.float32)
    assert (one["run"], one["tag"], one["points"]) == (1, 1, len(points))
    assert (one["first"], one["last"]) == (points[0], points[-1])
    assert (one["minimum"], one["maximum"]) == (points.min(), points.max())
    assert one["mean"] == pytest.approx(points.mean(dtype=np.float64))


def test_values_that_are_no_numbers_are_named(tmp_path: Path):
    log = GrowingLog(tmp_path / "logs" / "run")
    for step, value in enumerate([float("nan"), 1.0, float("-inf")]):
        log.scalar(step, value)
        log.scalar(step, float("nan"), "nothing")
    with running_viewer(tmp_path / "logs", tmp_path) as live:
        eventually(lambda: live.runs() and live.runs()["run"]["tags"])
        answer = live.http.post("/api/statistics", json={"runs": ["run"], "tags": ["loss", "nothing"]}).json()
    loss, nothing = answer["series"]
    assert (loss["first"], loss["last"], loss["minimum"], loss["maximum"]) == ("NaN", "-Infinity", 1.0, 1.0)
    assert (nothing["minimum"], nothing["maximum"], nothing["mean"]) == (None, None, None)
