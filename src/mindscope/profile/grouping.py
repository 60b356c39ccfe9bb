# SPDX-License-Identifier: Apache-2.0
"""Merges rows of tables that agree in some columns of texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.columns import Column, Table, TextColumn

_T = TypeVar("_T", bound=Table)
_REDUCTIONS = {"min": np.minimum, "max": np.maximum}
"""Columns of these names keep the least or the greatest value; all other columns of numbers are added."""


def group_rows(table: _T, names: Sequence[str], weight: NDArray[np.int64]) -> _T:
    """Merges rows that agree in the columns ``names``, and sorts them by the sum of ``weight``, the greatest first.

    Numbers are added, but ``min`` and ``max``; a column of texts that differ in a group gets the text of its heaviest
    row. Raises ValueError for a column that the table does not have or that is no text.
    """
    group, first = groups_of([_texts(table, name).codes for name in names], len(table))
    count = len(first)
    heaviest = _heaviest(group, weight, count)
    total = np.zeros(count, np.int64)
    np.add.at(total, group, weight)
    order = np.lexsort((np.arange(count), -total))
    merged = {name: _merge(name, column, group, heaviest) for name, column in table.columns().items()}
    ordered = {name: _select(column, order) for name, column in merged.items()}
    extra = {name: ordered.pop(name) for name in table.extra}
    return replace(table, **ordered, extra=extra)


def _texts(table: Table, name: str) -> TextColumn:
    column = table.columns().get(name)
    if not isinstance(column, TextColumn):
        known = [each for each, found in table.columns().items() if isinstance(found, TextColumn)]
        raise ValueError(f"{name!r} is no column of texts here, want one of {', '.join(known)}")
    return column


def groups_of(codes: Sequence[NDArray[Any]], rows: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The group of each row, by equal codes in all columns, and the first row of each group.

    Groups are in the order of their first rows.
    """
    group = np.zeros(rows, np.int64)
    for column in codes:
        _, column = np.unique(column, return_inverse=True)
        column = column.reshape(-1).astype(np.int64)
        _, joined = np.unique(group * (int(column.max(initial=0)) + 1) + column, return_inverse=True)
        group = joined.reshape(-1).astype(np.int64)
    _, first = np.unique(group, return_index=True)
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[group], np.sort(first)


def _heaviest(group: NDArray[np.int64], weight: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """The row of the greatest weight in each group, the first of equal ones."""
    order = np.lexsort((-np.arange(len(group)), weight))
    found = np.zeros(count, np.int64)
    found[group[order]] = order
    return found


def _merge(name: str, column: Column, group: NDArray[np.int64], heaviest: NDArray[np.int64]) -> Column:
    if isinstance(column, TextColumn):
        return column.select(heaviest)
    merged: NDArray[Any] = column[heaviest] if name in _REDUCTIONS else np.zeros(len(heaviest), column.dtype)
    reduction: Any = _REDUCTIONS.get(name, np.add)
    reduction.at(merged, group, column)
    return merged


def _select(column: Column, rows: NDArray[np.int64]) -> Column:
    return column.select(rows) if isinstance(column, TextColumn) else column[rows]
