# SPDX-License-Identifier: Apache-2.0
"""Groups rows that agree in some columns of texts, and merges the values of a group."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from mindscope.table.columns import Column, TextColumn, integers_of

_N = TypeVar("_N", np.int64, np.float64)
_SMALL_TABLE = 1 << 20
"""Entries of a table that costs less than sorting."""
_REDUCTIONS: Mapping[str, Any] = {"min": np.minimum, "max": np.maximum}


def group_of_rows(columns: Mapping[str, Column], names: Sequence[str], weight: NDArray[Any]) -> NDArray[np.int64]:
    """Return the group of each row, by equal texts in the columns ``names``; the greatest sum of ``weight`` first.

    Raises ValueError for a column that is not there or that is no text.
    """
    group, first = groups_of([_texts(columns, name).codes for name in names], len(weight))
    order = np.lexsort((np.arange(len(first)), -sums_of(group, weight, len(first))))
    rank = np.empty(len(first), np.int64)
    rank[order] = np.arange(len(first))
    return rank[group]


def _texts(columns: Mapping[str, Column], name: str) -> TextColumn:
    column = columns.get(name)
    if not isinstance(column, TextColumn):
        texts = [each for each, other in columns.items() if isinstance(other, TextColumn)]
        raise ValueError(f"{name!r} is no column of texts here, want one of {', '.join(texts)}")
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


def sums_of(group: NDArray[Any], values: NDArray[_N], count: int | None = None) -> NDArray[_N]:
    """Return the sum of the values of each of ``count`` groups; without it, up to the last group."""
    sums = np.zeros(int(group.max(initial=-1)) + 1 if count is None else count, values.dtype)
    np.add.at(sums, group, values)
    return sums


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


def heaviest_rows(group: NDArray[np.int64], weight: NDArray[Any]) -> NDArray[np.int64]:
    """Return the row of the greatest weight in each group, the first of equal ones."""
    order = np.lexsort((-np.arange(len(group)), weight))
    rows = np.zeros(int(group.max(initial=-1)) + 1, np.int64)
    rows[group[order]] = order
    return rows


def merge_column(
    column: Column, rule: str, weight: NDArray[Any] | None, group: NDArray[np.int64], heaviest: NDArray[np.int64]
) -> Column:
    """Return the values of a column where the rows of each group are merged.

    Args:
        column: the values of all rows.
        rule: the merge rule. Numbers that can't be merged are NaN where they differ; a text is that of the heaviest.
        weight: weights of the rows, for a mean.
        group: the group of each row.
        heaviest: the row of the greatest weight in each group.
    """
    if isinstance(column, TextColumn):
        return column.select(heaviest)
    if weight is not None:
        return _mean(column, weight, group, heaviest)
    first: NDArray[Any] = column[heaviest]
    if rule in _REDUCTIONS:
        _REDUCTIONS[rule].at(first, group, column)
        return first
    if rule == "sum":
        return sums_of(group, column, len(heaviest))
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
