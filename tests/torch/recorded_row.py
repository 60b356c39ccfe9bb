# SPDX-License-Identifier: Apache-2.0
"""The row of a training in the lineage table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mindscope
from mindscope.torch import SummaryCollector


def row_of(directory: Path) -> dict[str, Any]:
    (row,) = mindscope.open_runs(directory).lineage()
    return dict(row.items())


def recorded(directory: Path, **parts: Any) -> dict[str, Any]:
    """The row of a loop of one's own with one step."""
    with SummaryCollector(directory) as collector:
        collector.step(0.5, **parts)
    return row_of(directory)


def half(rate: float, step: int) -> float:
    return rate / 2
