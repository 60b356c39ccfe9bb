# SPDX-License-Identifier: Apache-2.0
"""Reduces a slice of a tensor to a heat map with a limited number of cells."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.analysis.slices import SliceError, SliceKey, check_table, sliced_shape
from mindscope.analysis.tensor_statistics import as_numbers, moments_of
from mindscope.analysis.tensors import TensorSource
from mindscope.reasons import Reason

Floats = NDArray[np.float64]
NAN, POSITIVE_INFINITY, NEGATIVE_INFINITY = 1, 2, 3


@dataclass(frozen=True, slots=True, eq=False)
class HeatMap:
    """A slice with ``shape`` rows and columns, reduced to the cells of ``value``.

    A cell that covers several elements has the one farthest from the mean of the slice, so that each spike is visible;
    NaN without a finite element. ``non_finite`` is 0, or 1, 2, 3 for NaN, +Inf, -Inf in the cell; the highest counts.
    ``minimum`` and ``maximum`` are over the finite elements, None without any.
    """

    shape: tuple[int, int]
    value: Floats
    non_finite: NDArray[np.uint8]
    minimum: float | None
    maximum: float | None

    @property
    def is_reduced(self) -> bool:
        """Whether a cell covers several elements."""
        return self.value.shape != self.shape


@dataclass(slots=True)
class Cells:
    """Lowest and highest finite number of each cell (NaN without any), and its code of non-finite numbers."""

    low: Floats
    high: Floats
    non_finite: NDArray[np.uint8]

    def add(self, block: Floats, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> None:
        """Add a block whose row i belongs to row ``rows[i]`` of the map; columns likewise. Both ascend."""
        finite = np.where(np.isfinite(block), block, np.nan)
        codes = np.isnan(block) * NAN + (block == np.inf) * POSITIVE_INFINITY + (block == -np.inf) * NEGATIVE_INFINITY
        (top, row_starts), (left, column_starts) = _groups(rows), _groups(columns)
        region = np.ix_(top, left)
        self.low[region] = np.fmin(self.low[region], _grouped(np.fmin, finite, row_starts, column_starts))
        self.high[region] = np.fmax(self.high[region], _grouped(np.fmax, finite, row_starts, column_starts))
        grouped = _grouped(np.maximum, codes, row_starts, column_starts)
        self.non_finite[region] = np.maximum(self.non_finite[region], grouped)


def heat_map(source: TensorSource, key: SliceKey, rows: int, columns: int) -> HeatMap:
    """Return a slice of at most two dimensions as at most ``rows`` by ``columns`` cells; a vector is one row.

    Raises SliceError for texts and for more dimensions.
    """
    check_table(key)
    if source.dtype == object:
        raise SliceError(Reason("slice_of_texts"))
    moments = moments_of(source, key)
    shape = _as_map(sliced_shape(key))
    size = min(rows, shape[0]), min(columns, shape[1])
    cells = Cells(np.full(size, np.nan), np.full(size, np.nan), np.zeros(size, np.uint8))
    for origin, block in source.blocks(key):
        first = _as_map_origin(origin)
        numbers = as_numbers(block).astype(np.float64).reshape(_as_map(block.shape))
        indexes = [_cell_of(first[axis], numbers.shape[axis], shape[axis], size[axis]) for axis in (0, 1)]
        cells.add(numbers, indexes[0], indexes[1])
    value = _farthest(cells, moments.mean)
    return HeatMap(shape, value, cells.non_finite, _finite(moments.low), _finite(moments.high))


def _farthest(cells: Cells, mean: float) -> Floats:
    """Return the number of each cell that is farther from the mean."""
    return np.where(cells.high - mean >= mean - cells.low, cells.high, cells.low)


def _as_map(shape: tuple[int, ...]) -> tuple[int, int]:
    """Return the shape as rows and columns: the elements of a vector are columns."""
    rows, columns = (1, 1, *shape)[-2:]
    return rows, columns


def _as_map_origin(origin: tuple[int, ...]) -> tuple[int, int]:
    row, column = (0, 0, *origin)[-2:]
    return row, column


def _cell_of(first: int, count: int, size: int, cells: int) -> NDArray[np.intp]:
    """Return the cell of each of ``count`` indices from ``first`` on, if ``cells`` cells cover ``size`` indices."""
    return (np.arange(first, first + count) * cells) // size


def _groups(cells: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the distinct values of ascending cells, and where each begins."""
    starts = np.flatnonzero(np.diff(cells, prepend=-1))
    return cells[starts], starts


def _grouped(ufunc: np.ufunc, block: NDArray[Any], rows: NDArray[np.intp], columns: NDArray[np.intp]) -> NDArray[Any]:
    return ufunc.reduceat(ufunc.reduceat(block, columns, axis=1), rows, axis=0)


def _finite(number: Any) -> float | None:
    return float(number) if number is not None and math.isfinite(float(number)) else None
