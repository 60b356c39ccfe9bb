# SPDX-License-Identifier: Apache-2.0
"""Time and step range of the values in a section of a file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from numpy.typing import NDArray

from mindscope.formats.kinds import KINDS
from mindscope.formats.tensor_statistics import is_tensors_tag
from mindscope.types import Kind

T = TypeVar("T", int, float)


@dataclass(frozen=True, slots=True)
class TimeRange:
    """First and last wall time of all values, and the highest step of kinds with progress; None if no value exists."""

    first_wall_time: float | None = None
    last_wall_time: float | None = None
    last_step: int | None = None

    @classmethod
    def of(cls, kind: Kind, rows: Mapping[str, NDArray[Any]], tag: str = "") -> TimeRange:
        """Return the range of one series, which must have at least one value."""
        wall_time = rows["wall_time"]
        has_progress = KINDS[kind].has_progress and not (kind is Kind.TENSOR_STATISTICS and is_tensors_tag(tag))
        last_step = int(rows["step"].max()) if has_progress else None
        return cls(float(wall_time.min()), float(wall_time.max()), last_step)

    @classmethod
    def union(cls, time_ranges: Iterable[TimeRange]) -> TimeRange:
        """Return the smallest range that covers all."""
        parts = list(time_ranges)
        return cls(
            first_wall_time=_least(part.first_wall_time for part in parts),
            last_wall_time=_greatest(part.last_wall_time for part in parts),
            last_step=_greatest(part.last_step for part in parts),
        )


EMPTY_RANGE = TimeRange()


def _least(parts: Iterable[T | None]) -> T | None:
    return min((part for part in parts if part is not None), default=None)


def _greatest(parts: Iterable[T | None]) -> T | None:
    return max((part for part in parts if part is not None), default=None)
