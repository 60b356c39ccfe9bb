# SPDX-License-Identifier: Apache-2.0
"""Sorts rows by several columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mindscope.lineage.cell import Cell
from mindscope.lineage.column import Column, ColumnKey
from mindscope.lineage.table import Table
from mindscope.store.file_facts import natural_key


class SortKey(NamedTuple):
    """A column to sort by."""

    column: ColumnKey
    is_descending: bool = False


def sorted_rows(table: Table, keys: Sequence[SortKey]) -> NDArray[np.intp]:
    """Return row numbers sorted by the first key, ties by the next; equal rows keep their order.

    Numbers come first, then texts (in natural order), booleans and lists. NaN, then missing values come last in both
    directions.
    """
    if not keys:
        return np.arange(len(table))
    ranks = [_ranks(table.columns[key.column], key.is_descending) for key in reversed(keys)]
    return np.lexsort(ranks)


def _ranks(column: Column, is_descending: bool) -> NDArray[np.int64]:
    """Return the rank of each row's cell among the distinct cells; NaN and missing cells come last."""
    ranks = np.empty(len(column), np.int64)
    is_ordinary = ~column.is_missing
    if column.is_numeric and column.is_exact:
        is_ordinary &= ~np.isnan(column.numbers)
        _, ranks[is_ordinary] = np.unique(column.numbers[is_ordinary], return_inverse=True)
    else:
        is_ordinary &= np.fromiter((cell == cell for cell in column.cells), bool, len(column))
        keys = [_cell_key(cell) for cell in column.cells[is_ordinary]]
        places = {key: place for place, key in enumerate(sorted(set(keys)))}
        ranks[is_ordinary] = [places[key] for key in keys]
    if is_descending:
        ranks[is_ordinary] *= -1
    ranks[~is_ordinary] = len(column)
    ranks[column.is_missing] = len(column) + 1
    return ranks


def _cell_key(cell: Cell | None) -> tuple[Any, ...]:
    match cell:
        case bool():
            return 2, cell
        case int() | float():
            return 0, cell
        case str():
            return 1, natural_key(cell), cell
        case tuple():
            return 3, tuple([_cell_key(each) for each in cell])
        case None:
            return (4,)
