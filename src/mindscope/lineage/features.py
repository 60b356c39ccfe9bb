# SPDX-License-Identifier: Apache-2.0
"""Converts columns to features for statistics: numbers or categories."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from mindscope.lineage.cell import Cell, CellKind
from mindscope.lineage.column import Column, ColumnKey, Group
from mindscope.lineage.table import Table
from mindscope.reasons import Reason

CAUSES = frozenset({Group.PARAMETER, Group.DATASET, Group.ALGORITHM, Group.MODEL})
"""Groups whose columns may explain a result: what was chosen before the training."""
LOSS = ColumnKey(Group.ALGORITHM, "loss")
"""The last loss of the training, a result."""
FEWEST_RUNS = 8
"""Least number of runs: with fewer, intervals are meaningless."""
NEARLY_UNIQUE = 0.5
"""A text column with more distinct values than this share of the runs holds names, not settings."""


@dataclass(frozen=True, slots=True, eq=False)
class Feature:
    """A column over the runs that have the target. ``values`` are numbers, or category codes; NaN is missing.

    ``names`` are the categories by code, empty for a number.
    """

    key: ColumnKey
    kind: Literal["number", "category"]
    values: NDArray[np.float64]
    names: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SetApart:
    """A column that can't explain the target, with the reason."""

    key: ColumnKey
    reason: Reason


def features_of(table: Table, keys: Iterable[ColumnKey]) -> tuple[list[Feature], list[SetApart]]:
    """Return columns that vary, and excluded columns."""
    features: list[Feature] = []
    apart: list[SetApart] = []
    for key in keys:
        feature = _feature(table.columns[key])
        if isinstance(feature, Feature):
            features.append(feature)
        else:
            apart.append(SetApart(key, feature))
    return features, apart


def cause_keys(table: Table, target: ColumnKey, also: Iterable[ColumnKey] = ()) -> list[ColumnKey]:
    """Return parameters, data, algorithm and model, and ``also``, in the order of the table."""
    named = frozenset(also)
    return [key for key in table.columns if key != target and (key in named or (key.group in CAUSES and key != LOSS))]


def possible_results(table: Table, target: ColumnKey, causes: Iterable[ColumnKey]) -> list[SetApart]:
    """Return custom fields that are not among ``causes``: a user may note them after the training, as an outcome."""
    known = {target, *causes}
    keys = [key for key in table.columns if key.group is Group.CUSTOM and key not in known]
    return [SetApart(key, Reason("column_custom")) for key in keys]


def _feature(column: Column) -> Feature | Reason:
    """Return the feature, or the reason why the column is excluded."""
    distinct = column.distinct
    if column.count < FEWEST_RUNS:
        return Reason("column_few", count=column.count, want=FEWEST_RUNS)
    if len(distinct) == 1 and column.count == len(column):
        return Reason("column_constant", value=_short(distinct[0]))
    if len(distinct) == 1:
        value = _short(distinct[0])
        return Reason("column_constant_or_missing", count=column.count, runs=len(column), value=value)
    if column.is_numeric:
        finite = np.where(np.isfinite(column.numbers), column.numbers, np.nan)
        if np.unique(finite[~np.isnan(finite)]).size < 2:
            return Reason("column_not_finite")
        return Feature(column.key, "number", finite)
    if len(distinct) > NEARLY_UNIQUE * column.count and column.kind is not CellKind.BOOL:
        return Reason("column_nearly_unique", values=len(distinct), count=column.count)
    codes = {repr(cell): code for code, cell in enumerate(distinct)}
    values = [np.nan if cell is None else codes[repr(cell)] for cell in column.cells]
    return Feature(column.key, "category", np.array(values, np.float64), tuple(_short(cell) for cell in distinct))


def _short(cell: Cell) -> str:
    text = cell if isinstance(cell, str) else repr(cell)
    return text if len(text) <= 40 else f"{text[:39]}…"
