# SPDX-License-Identifier: Apache-2.0
"""The points of one scalar tag."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mindscope.analysis.scalar_statistics import ScalarStatistics, scalar_statistics
from mindscope.tables import Tabular

MEAN_OF = 10
"""Default number of last points in the mean of a curve."""


class ScalarPoint(NamedTuple):
    """One point; ``wall_time`` in seconds since 1970."""

    step: int
    wall_time: float
    value: float


@dataclass(frozen=True, slots=True, eq=False)
class Scalars(Tabular):
    """Snapshot of the points of one tag; three read-only arrays of shape (n,).

    ``value`` is float32, or float64 if one of the values does not fit float32.
    Iteration yields ``ScalarPoint`` objects.
    """

    tag: str
    step: NDArray[np.int64]
    wall_time: NDArray[np.float64]
    value: NDArray[np.floating[Any]]

    def __len__(self) -> int:
        return self.step.size

    def __iter__(self) -> Iterator[ScalarPoint]:
        return map(ScalarPoint, self.step.tolist(), self.wall_time.tolist(), self.value.tolist())

    def statistics(self) -> ScalarStatistics:
        """Return first, last, minimum, maximum and mean value. Raises ValueError without points."""
        return scalar_statistics(self.step, self.value)

    def _columns(self) -> dict[str, NDArray[Any]]:
        return {"step": self.step, "wall_time": self.wall_time, "value": self.value}
