# SPDX-License-Identifier: Apache-2.0
"""How far the values of a stretch of a file reach in time and steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar

from numpy.typing import NDArray

from mindscope.formats.scan import Scanned
from mindscope.types import Kind

T = TypeVar("T", int, float)

STEPPED = frozenset(
    {Kind.SCALAR, Kind.IMAGE, Kind.TENSOR, Kind.HISTOGRAM, Kind.TEXT, Kind.AUDIO, Kind.PR_CURVE, Kind.MESH}
)
"""Kinds whose steps tell how far a training has come."""


@dataclass(frozen=True, slots=True)
class Extent:
    """First and last wall time of all values, and the highest step of those whose steps count; None without any."""

    first_wall_time: float | None
    last_wall_time: float | None
    last_step: int | None

    @classmethod
    def of(cls, scanned: Scanned) -> Extent:
        stepped = [
            *scanned.scalars.values(),
            *(rows for (kind, _), rows in scanned.references.items() if kind in STEPPED),
        ]
        every = [*scanned.scalars.values(), *scanned.references.values()]
        return cls(
            first_wall_time=min((float(rows["wall_time"].min()) for rows in _filled(every)), default=None),
            last_wall_time=max((float(rows["wall_time"].max()) for rows in _filled(every)), default=None),
            last_step=max((int(rows["step"].max()) for rows in _filled(stepped)), default=None),
        )


def _filled(series: list[dict[str, NDArray[Any]]]) -> list[dict[str, NDArray[Any]]]:
    return [rows for rows in series if rows["step"].size]


def least(one: T | None, other: T | None) -> T | None:
    """The smaller of two, either of which may be unknown."""
    return min((each for each in (one, other) if each is not None), default=None)


def greatest(one: T | None, other: T | None) -> T | None:
    """The larger of two, either of which may be unknown."""
    return max((each for each in (one, other) if each is not None), default=None)
