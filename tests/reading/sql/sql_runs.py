# SPDX-License-Identifier: Apache-2.0
"""Runs for queries: odd names, numbers that are none, a restart, parameters."""

from __future__ import annotations

import math
from pathlib import Path

from mindscope import SummaryRecord, SummaryWriter

ODD_RUN, ODD_TAG = 'it\'s "one"; 训练', "loss/'quoted' — 损失"


def write_runs(base: Path) -> Path:
    with SummaryRecord(str(base / "first")) as record:
        for step in range(1, 501):
            record.add_value("scalar", "loss", 1 / step)
            record.add_value("scalar", "accuracy", step / 500)
            record.record(step)
    with SummaryRecord(str(base / ODD_RUN)) as record:
        for step, value in enumerate([math.nan, math.inf, -math.inf, 2.0, math.nan]):
            record.add_value("scalar", ODD_TAG, value)
            record.record(step)
    write_restart(base / "restarted")
    writer = SummaryWriter(str(base / "tuned"))
    writer.add_hparams({"lr": 0.1, "optimizer": "adam", "nesterov": True}, {"metric/best": 0.9}, run_name=".")
    writer.close()
    return base


def write_restart(directory: Path) -> None:
    """Ten points, of which a second session replaces the last five."""
    for first, value in ((0, 1.0), (5, 2.0)):
        writer = SummaryWriter(str(directory))
        for step in range(first, 10):
            writer.add_scalar("loss", value, step)
        writer.close()
