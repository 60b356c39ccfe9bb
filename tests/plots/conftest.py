# SPDX-License-Identifier: Apache-2.0
"""Runs with known curves, and a workspace of their own."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from mindscope.capture import SummaryRecord


@pytest.fixture(autouse=True)
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    directory = tmp_path / "workspace"
    monkeypatch.setenv("MINDSCOPE_WORKSPACE", str(directory))
    return directory


def write_curve(run: Path, values: Iterable[float], tag: str = "loss", first_step: int = 1) -> None:
    with SummaryRecord(run) as record:
        for step, value in enumerate(values, first_step):
            record.add_value("scalar", tag, value)
            record.record(step)
