# SPDX-License-Identifier: Apache-2.0
"""Summarizes a curve as a few cells of the lineage table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.lineage.cell import Cell
from mindscope.lineage.column import ColumnKey, Group

STATISTICS = ("last", "min", "max", "mean", "min_step", "max_step")


def scalar_cells(
    tag: str, steps: NDArray[np.int64], values: NDArray[np.floating[Any]], mean_of: int
) -> Iterator[tuple[ColumnKey, Cell]]:
    """``TAG:last``, ``:min``, ``:max``, ``:mean`` of the last ``mean_of`` points, and the first step of both extremes.

    ``steps`` and ``values`` have shape (n,). NaN counts in last and mean, but not as an extreme: if all values are NaN,
    there are no extremes.
    """
    if not values.size:
        return
    yield _key(tag, "last"), _shortest(values[-1])
    numbers = np.flatnonzero(~np.isnan(values))
    if numbers.size:
        for name, row in (
            ("min", numbers[np.argmin(values[numbers])]),
            ("max", numbers[np.argmax(values[numbers])]),
        ):
            yield _key(tag, name), _shortest(values[row])
            yield _key(tag, f"{name}_step"), int(steps[row])
    with np.errstate(invalid="ignore"):  # infinities of both signs
        yield _key(tag, "mean"), float(values[-mean_of:].astype(np.float64).mean())


def _shortest(value: Any) -> float:
    """A float32 as the shortest decimal number: 0.1, not 0.10000000149011612."""
    return float(str(value)) if value.dtype == np.float32 else float(value)


def _key(tag: str, statistic: str) -> ColumnKey:
    return ColumnKey(Group.SCALAR, f"{tag}:{statistic}")
