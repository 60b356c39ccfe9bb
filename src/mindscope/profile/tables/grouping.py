# SPDX-License-Identifier: Apache-2.0
"""Merges rows of tables that agree in some columns of texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.tables.columns import Column, Table, TextColumn, integers_of
from mindscope.profile.tables.schema import Merge

_T = TypeVar("_T", bound=Table)
_SMALL_TABLE = 1 << 20
"""Entries of a table that costs less than sorting."""
_REDUCTIONS: Mapping[str, Any] = {"min": np.minimum, "max": np.maximum}


def group_rows(table: _T, names: Sequence[str], weight: NDArray[np.int64]) -> _T:
    """Merges rows that agree in the columns ``names``, and sorts them by the sum of ``weight``, the greatest first.

    The schema of the table says how each column merges. Numbers that can't be merged are NaN where the rows of a group
    differ; a text is that of the heaviest row. Raises ValueError for a column that the table does not have or that is
    no text.
    """
    groups = merged_groups(table, names, weight)
    count = int(groups.max(initial=-1)) + 1
    heaviest = _heaviest(groups, weight, count)
    schema = table.schema()
    merged = {
        name: _merge(table, column, schema[name].merge, groups, heaviest) for name, column in table.columns().items()
    }
    extra = {name: merged.pop(name) for name in table.extra}
    return replace(table, **merged, extra=extra)


def merged_groups(table: Table, names: Sequence[str], weight: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the row of ``group_rows`` into which each row is merged. Raises ValueError as ``group_rows`` does."""
    group, first = groups_of([_texts(table, name).codes for name in names], len(table))
    total = np.zeros(len(first), np.int64)
    np.add.at(total, group, weight)
    order = np.lexsort((np.arange(len(first)), -total))
    place = np.empty(len(first), np.int64)
    place[order] = np.arange(len(first))
    return place[group]


def _texts(table: Table, name: str) -> TextColumn:
    column = table.columns().get(name)
    if not isinstance(column, TextColumn):
        known = [each for each, found in table.columns().items() if isinstance(found, TextColumn)]
        raise ValueError(f"{name!r} is no column of texts here, want one of {', '.join(known)}")
    return column


def groups_of(codes: Sequence[NDArray[Any]], rows: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the group of each row, by equal codes of 0 and more in all columns, and the first row of each group.

    Groups are in the order of their first rows.
    """
    group, count = np.zeros(rows, np.int64), min(rows, 1)
    for column in codes:
        dense, values = _dense(column, int(column.max(initial=0)) + 1)
        group *= values
        group += dense
        del dense
        group, count = _dense(group, count * values)
    first = np.empty(count, np.int64)
    first[group[::-1]] = np.arange(rows - 1, -1, -1)  # the last assignment stays
    rank = np.empty(count, np.int64)
    order = np.argsort(first)
    rank[order] = np.arange(count)
    return rank[group], first[order]


def distinct_rows(*columns: NDArray[np.int64]) -> tuple[list[tuple[int, ...]], NDArray[np.int64]]:
    """Return the distinct rows of (n,) columns of any integers, and which one each row is."""
    codes = [np.unique(column, return_inverse=True)[1].reshape(-1) for column in columns]
    group, first = groups_of(codes, len(columns[0]))
    return list(zip(*(integers_of(column[first]) for column in columns), strict=True)), group


def _dense(keys: NDArray[Any], limit: int) -> tuple[NDArray[np.int64], int]:
    """Return keys from 0 to below ``limit`` as numbers without gaps, in the same order, and how many there are."""
    if limit > max(_SMALL_TABLE, 4 * len(keys)):
        unique, found = np.unique(keys, return_inverse=True)
        return found.reshape(-1).astype(np.int64), len(unique)
    occurs = np.zeros(limit, np.bool_)
    occurs[keys] = True
    rank = np.cumsum(occurs, dtype=np.int32)  # of at most 4 entries a row
    found = rank[keys].astype(np.int64)
    found -= 1
    return found, int(rank[-1]) if limit else 0


def _heaviest(group: NDArray[np.int64], weight: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """Return the row of the greatest weight in each group, the first of equal ones."""
    order = np.lexsort((-np.arange(len(group)), weight))
    found = np.zeros(count, np.int64)
    found[group[order]] = order
    return found


def _merge(table: Table, column: Column, merge: Merge, group: NDArray[np.int64], heaviest: NDArray[np.int64]) -> Column:
    if isinstance(column, TextColumn):
        return column.select(heaviest)
    if merge.rule == "mean":
        return _mean(column, getattr(table, merge.weight), group, heaviest)
    first: NDArray[Any] = column[heaviest]
    if merge.rule in _REDUCTIONS:
        _REDUCTIONS[merge.rule].at(first, group, column)
        return first
    if merge.rule == "sum":
        total = np.zeros(len(heaviest), column.dtype)
        np.add.at(total, group, column)
        return total
    return _equal(column, first, group)


def _mean(
    column: NDArray[Any], weight: NDArray[np.int64], group: NDArray[np.int64], heaviest: NDArray[np.int64]
) -> NDArray[Any]:
    """Return the weighted mean of the known values of each group, NaN without any; equal weights where all are 0.

    Differences from one value of the group are averaged, so that equal values keep all their digits.
    """
    is_known, count = np.isfinite(column), len(heaviest)
    of, weights = group[is_known], np.maximum(weight[is_known], 0).astype(np.float64)
    weights[np.bincount(of, weights, count)[of] == 0] = 1
    base = np.where(is_known, column, 0)[heaviest]
    differences = np.bincount(of, (column[is_known] - base[of]) * weights, count)
    total = np.bincount(of, weights, count)
    means = base + np.divide(differences, total, out=np.full(count, np.nan), where=total > 0)
    return np.rint(means).astype(column.dtype) if column.dtype.kind in "iu" else means


def _equal(column: NDArray[Any], first: NDArray[Any], group: NDArray[np.int64]) -> NDArray[Any]:
    """Return the value that all rows of a group have; NaN where they differ."""
    differs = ~((column == first[group]) | ((column != column) & (first != first)[group]))
    if not differs.any():
        return first
    merged = first.astype(np.float64)
    merged[group[differs]] = np.nan
    return merged
