# SPDX-License-Identifier: Apache-2.0
"""How far the values of a stretch of a file reach in time and steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
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
        references = [rows for (kind, _), rows in scanned.references.items() if kind in STEPPED]
        wall_time = _joined("wall_time", [*scanned.scalars.values(), *scanned.references.values()])
        step = _joined("step", [*scanned.scalars.values(), *references])
        return cls(
            first_wall_time=float(wall_time.min()) if wall_time.size else None,
            last_wall_time=float(wall_time.max()) if wall_time.size else None,
            last_step=int(step.max()) if step.size else None,
        )


def _joined(column: str, series: list[dict[str, NDArray[Any]]]) -> NDArray[Any]:
    """One column of all series: one reduction costs less than one a series, of which there may be 20,000."""
    return np.concatenate([rows[column] for rows in series]) if series else np.empty(0)


def least(one: T | None, other: T | None) -> T | None:
    """The smaller of two, either of which may be unknown."""
    return min((each for each in (one, other) if each is not None), default=None)


def greatest(one: T | None, other: T | None) -> T | None:
    """The larger of two, either of which may be unknown."""
    return max((each for each in (one, other) if each is not None), default=None)
