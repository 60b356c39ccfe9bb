# SPDX-License-Identifier: Apache-2.0
"""The order of rows by columns of numbers, texts or mixed cells."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.natural_order import natural_key
from mindscope.table.columns import Column, TextColumn


def sorted_rows(columns: Sequence[tuple[Column, bool]]) -> NDArray[np.intp]:
    """Return row numbers sorted by the first column, ties by the next; True for a descending one.

    Equal rows keep their order. Numbers come first, then texts (in natural order, without regard to case), booleans and
    lists. NaN, then None come last in both directions.
    """
    keys = [key for column, is_descending in reversed(columns) for key in _sort_keys(column, is_descending)]
    return np.lexsort(keys)


def _sort_keys(column: Column, is_descending: bool) -> list[NDArray[Any]]:
    """Return arrays whose order is that of the column, the most significant last."""
    further: list[NDArray[Any]] = []
    if isinstance(column, TextColumn):
        values = _ranks(map(_text_key, column.values))[column.codes] if len(column.values) else column.codes
    elif column.dtype != object:
        values = column
    else:
        is_ordinary = np.fromiter((cell == cell and cell is not None for cell in column), bool, len(column))
        values = np.full(len(column), np.nan)
        values[is_ordinary] = _ranks(map(_cell_key, column[is_ordinary]))
        further = [np.fromiter((cell is None for cell in column), bool, len(column))]
    if is_descending:
        values = -(values if values.dtype.kind == "f" else values.astype(np.int64))
    return [values, *further]


def _ranks(keys: Iterable[Any]) -> NDArray[np.int64]:
    """Return the rank of each key among the distinct ones."""
    all_keys = list(keys)
    ranks = {key: rank for rank, key in enumerate(sorted(set(all_keys)))}
    return np.array([ranks[key] for key in all_keys], np.int64)


def _text_key(text: str) -> tuple[Any, ...]:
    return natural_key(text.lower()), text


def _cell_key(cell: Any) -> tuple[Any, ...]:
    match cell:
        case bool():
            return 2, cell
        case str():
            return 1, *_text_key(cell)
        case tuple():
            return 3, tuple([_cell_key(each) for each in cell])  # pyright: ignore[reportUnknownVariableType]
        case None:
            return (4,)
        case _:
            return 0, cell
