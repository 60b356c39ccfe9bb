# SPDX-License-Identifier: Apache-2.0
"""The points of one scalar tag."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mindscope.analysis.scalar_statistics import ScalarStatistics, scalar_statistics
from mindscope.tables import arrow_table, pandas_table

if TYPE_CHECKING:
    import pandas

MEAN_OF = 10
"""Default number of last points in the mean of a curve."""


class ScalarPoint(NamedTuple):
    """One point; ``wall_time`` in seconds since 1970."""

    step: int
    wall_time: float
    value: float


@dataclass(frozen=True, slots=True, eq=False)
class Scalars:
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
        """First, last, minimum, maximum and mean value. Raises ValueError without points."""
        return scalar_statistics(self.step, self.value)

    def to_arrow(self) -> Any:
        """Return a ``pyarrow.Table`` with the columns step, wall_time, value."""
        return arrow_table(self._columns())

    def to_pandas(self) -> pandas.DataFrame:
        """A data frame with the columns step, wall_time, value. Raises MissingPackageError if pandas is missing."""
        return pandas_table(self._columns())

    def _columns(self) -> dict[str, NDArray[Any]]:
        return {"step": self.step, "wall_time": self.wall_time, "value": self.value}
