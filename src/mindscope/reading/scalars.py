# SPDX-License-Identifier: Apache-2.0
"""The points of one scalar tag."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mindscope.analysis.scalar_statistics import ScalarStatistics, scalar_statistics
from mindscope.reading.displays import scalars_html
from mindscope.table.columns import Ids
from mindscope.table.schema import EQUAL, MIN, Unit
from mindscope.table.table import Table

MEAN_OF = 10
"""Default number of last points in the mean of a curve."""


class ScalarPoint(NamedTuple):
    """One point; ``wall_time`` in seconds since 1970."""

    step: int
    wall_time: float
    value: float


@dataclass(frozen=True, eq=False)
class Scalars(Table):
    """Snapshot of the points of one tag; three read-only arrays of shape (n,).

    ``value`` is float32, or float64 if one of the values does not fit float32.
    Iteration yields ``ScalarPoint`` objects.
    """

    FACTS = (*Table.FACTS, "tag")

    tag: str
    step: Ids
    wall_time: Annotated[NDArray[np.float64], Unit.SECONDS, MIN]
    value: Annotated[NDArray[np.floating[Any]], Unit.VALUE, EQUAL]

    def __iter__(self) -> Iterator[ScalarPoint]:
        return map(ScalarPoint, self.step.tolist(), self.wall_time.tolist(), self.value.tolist())

    def _repr_html_(self) -> str:
        return scalars_html(self.tag, self.step, self.value)

    def statistics(self) -> ScalarStatistics:
        """Return first, last, minimum, maximum and mean value. Raises ValueError without points."""
        return scalar_statistics(self.step, self.value)
