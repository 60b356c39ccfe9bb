# SPDX-License-Identifier: Apache-2.0
"""Real logs of other trackers, packed, and what their own readers find in them."""

from __future__ import annotations

import json
import tarfile
from pathlib import Path
from typing import Any

from mindscope.reading import Run

DATA = Path(__file__).parent / "data"


def unpack(name: str, to: Path) -> Path:
    to.mkdir(parents=True, exist_ok=True)
    with tarfile.open(DATA / f"{name}.tar.xz") as archive:
        archive.extractall(to, filter="data")
    return to


def expected(name: str) -> dict[str, Any]:
    return json.loads((DATA / f"{name}.expected.json").read_text("utf-8"))


def rows(run: Run, tag: str) -> list[tuple[int, float, str]]:
    """All rows of a scalar in the order in which they were recorded: step, wall time and the digits of the value."""
    points = run.scalars(tag, overwritten=True)
    columns = points.step.tolist(), points.wall_time.tolist(), points.value.tolist()
    return [(step, round(time, 3), repr(float(value))) for step, time, value in zip(*columns, strict=True)]
