# SPDX-License-Identifier: Apache-2.0
"""A slice of a tensor as a heat map of at most so many cells."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.analysis.slices import SliceError, sliced_shape
from mindscope.analysis.tensor_statistics import as_numbers, moments_of
from mindscope.analysis.tensors import TensorSource
from mindscope.reasons import Reason
from mindscope.server.http.columns import ColumnData, Packed, join
from mindscope.server.tensors.schema import HeatColumns, HeatHeader
from mindscope.server.tensors.table import axis_spans, table_key

Floats = NDArray[np.float64]
NAN, POSITIVE, NEGATIVE = 1, 2, 3


@dataclass(slots=True)
class Cells:
    """Lowest and highest finite number of every cell (NaN without any), and the worst of what is not finite."""

    low: Floats
    high: Floats
    odd: NDArray[np.uint8]

    def add(self, block: Floats, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> None:
        """Take in a block whose row i belongs to row ``rows[i]`` of the map, and so its columns; both ascending."""
        finite = np.where(np.isfinite(block), block, np.nan)
        odd = np.isnan(block) * NAN + (block == np.inf) * POSITIVE + (block == -np.inf) * NEGATIVE
        (top, row_starts), (left, column_starts) = _groups(rows), _groups(columns)
        place = np.ix_(top, left)
        self.low[place] = np.fmin(self.low[place], _grouped(np.fmin, finite, row_starts, column_starts))
        self.high[place] = np.fmax(self.high[place], _grouped(np.fmax, finite, row_starts, column_starts))
        self.odd[place] = np.maximum(self.odd[place], _grouped(np.maximum, odd, row_starts, column_starts))


def pack_heat(source: TensorSource, texts: Sequence[str], rows: int, columns: int) -> Packed:
    """The map of a slice of at most two dimensions. Raises SliceError."""
    key = table_key(source, texts)
    if source.dtype == object:
        raise SliceError(Reason("slice_of_texts"))
    moments = moments_of(source, key)
    shape = _as_map(sliced_shape(key))
    size = min(rows, shape[0]), min(columns, shape[1])
    cells = Cells(np.full(size, np.nan), np.full(size, np.nan), np.zeros(size, np.uint8))
    for origin, block in source.blocks(key):
        first = _as_map_origin(origin)
        numbers = as_numbers(block).astype(np.float64).reshape(_as_map(block.shape))
        places = [_cell_of(first[axis], numbers.shape[axis], shape[axis], size[axis]) for axis in (0, 1)]
        cells.add(numbers, places[0], places[1])
    data = ColumnData()
    down, across = axis_spans(key)
    header = HeatHeader(
        shape=list(shape),
        cells=list(size),
        rows=across if len(sliced_shape(key)) < 2 else down,
        columns=down if len(sliced_shape(key)) < 2 else across,
        is_reduced=size != shape,
        minimum=_finite(moments.low),
        maximum=_finite(moments.high),
        columns_data=HeatColumns(
            value=data.add(_farthest(cells, moments.mean).reshape(-1)),
            odd=data.add(cells.odd.astype(np.float32).reshape(-1), 4),
        ),
    )
    return join(header, data)


def _farthest(cells: Cells, mean: float) -> Floats:
    """Of every cell the number that is farther from the mean."""
    return np.where(cells.high - mean >= mean - cells.low, cells.high, cells.low)


def _as_map(shape: tuple[int, ...]) -> tuple[int, int]:
    """A vector lies: its elements are the columns."""
    rows, columns = (1, 1, *shape)[-2:]
    return rows, columns


def _as_map_origin(origin: tuple[int, ...]) -> tuple[int, int]:
    row, column = (0, 0, *origin)[-2:]
    return row, column


def _cell_of(first: int, count: int, size: int, cells: int) -> NDArray[np.intp]:
    """The cell of each of ``count`` indices from ``first`` on, when ``size`` indices are spread over ``cells``."""
    return (np.arange(first, first + count) * cells) // size


def _groups(cells: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The cells in a row of ascending ones, each once, and where each begins."""
    starts = np.flatnonzero(np.diff(cells, prepend=-1))
    return cells[starts], starts


def _grouped(ufunc: np.ufunc, block: NDArray[Any], rows: NDArray[np.intp], columns: NDArray[np.intp]) -> NDArray[Any]:
    return ufunc.reduceat(ufunc.reduceat(block, columns, axis=1), rows, axis=0)


def _finite(number: Any) -> float | None:
    return float(number) if number is not None and math.isfinite(float(number)) else None
