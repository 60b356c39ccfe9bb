# SPDX-License-Identifier: Apache-2.0
"""The order of rows by columns of any type."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from mindscope.table.columns import Column, TextColumn
from mindscope.table.order import sorted_rows


def cells(values: list[Any]) -> Column:
    column = np.empty(len(values), object)
    column[:] = values
    return column


COLUMNS = [
    (np.array([2.0, math.nan, 1.0, math.inf]), [2, 0, 3, 1], [3, 0, 2, 1]),
    (np.array([3, 1, 2], np.uint8), [1, 2, 0], [0, 2, 1]),
    (np.array([True, False]), [1, 0], [0, 1]),
    (TextColumn.of(["b10", "B2", "a", "b2"]), [2, 1, 3, 0], [0, 3, 1, 2]),
    (cells(["Run_2", None, 10**20, "run_10", math.nan, 0.5, True]), [5, 2, 0, 3, 6, 4, 1], [6, 3, 0, 2, 5, 4, 1]),
    (TextColumn.of([]), [], []),
]


@pytest.mark.parametrize(("column", "ascending", "descending"), COLUMNS)
def test_missing_figures_come_last_in_both_directions(
    column: Column, ascending: list[int], descending: list[int]
) -> None:
    assert sorted_rows([(column, False)]).tolist() == ascending
    assert sorted_rows([(column, True)]).tolist() == descending


def test_rows_that_are_equal_in_all_columns_stay_as_they_are() -> None:
    first, second = TextColumn.of(["x", "y", "x", "x"]), np.array([1, 1, 2, 1])
    assert sorted_rows([(first, True), (second, False)]).tolist() == [1, 0, 3, 2]
