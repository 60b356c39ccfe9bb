# SPDX-License-Identifier: Apache-2.0
"""The row of a training in the lineage table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mindscope.torch import SummaryCollector
from tests.lineage_row import row_of

__all__ = ["half", "recorded", "row_of"]


def recorded(directory: Path, **parts: Any) -> dict[str, Any]:
    """The row of a loop of one's own with one step."""
    with SummaryCollector(directory) as collector:
        collector.step(0.5, **parts)
    return row_of(directory)


def half(rate: float, step: int) -> float:
    return rate / 2
