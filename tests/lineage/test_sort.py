# SPDX-License-Identifier: Apache-2.0
"""Orders of rows, goals and differences of two rows."""

from __future__ import annotations

import math
from functools import cmp_to_key
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindscope.lineage.column import Column, ColumnKey, Group
from mindscope.lineage.difference import compare_rows
from mindscope.lineage.goal import best_row, guess_goal
from mindscope.lineage.sort import SortKey, sorted_rows
from mindscope.lineage.table import Table
from mindscope.natural_order import natural_key

A, B, C = (ColumnKey(Group.PARAMETER, name) for name in "abc")
NUMBERS = st.sampled_from([0, 1, -2, 0.5, math.inf, -math.inf, math.nan, 2**53, 2**53 + 1])
CELLS = st.none() | NUMBERS | st.sampled_from(["a", "b2", "b10", ""]) | st.booleans() | st.just((1, "a"))


def order(one: Any, other: Any, is_descending: bool) -> int:
    """Two cells compared as the documentation says it."""

    def place(cell: Any) -> int:
        if cell is None:
            return 2
        return 1 if isinstance(cell, float) and math.isnan(cell) else 0

    def kind(cell: Any) -> int:
        return {int: 0, float: 0, str: 1, bool: 2, tuple: 3}[type(cell)]

    if place(one) or place(other):
        return place(one) - place(other)
    if kind(one) != kind(other):
        result = kind(one) - kind(other)
    else:
        left, right = (natural_key(one), natural_key(other)) if isinstance(one, str) else (one, other)
        result = (left > right) - (left < right)
    return -result if is_descending else result


@given(st.lists(st.tuples(CELLS, CELLS), max_size=8), st.booleans(), st.booleans())
def test_any_rows_are_in_the_order_of_pairwise_comparison(rows: list[Any], a: bool, b: bool) -> None:
    columns = {key: Column(key, [row[n] for row in rows], len(rows)) for n, key in enumerate((A, B))}
    table = Table([str(n) for n in range(len(rows))], columns)

    def compare(one: int, other: int) -> int:
        return order(rows[one][0], rows[other][0], a) or order(rows[one][1], rows[other][1], b)

    want = sorted(range(len(rows)), key=cmp_to_key(compare))
    assert sorted_rows(table, [SortKey(A, a), SortKey(B, b)]).tolist() == want


def test_without_a_key_rows_stay() -> None:
    assert sorted_rows(Table("xyz", {}), []).tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    "name", ["loss", "val_loss", "valLoss", "train/loss:last", "RMSE", "Top1Error", "word_error_rate", "latency_ms"]
)
def test_less_is_better(name: str) -> None:
    assert guess_goal(name) == "min"


@pytest.mark.parametrize("name", ["Accuracy", "F1", "glossary", "closs", "mirror", "top5", "errand"])
def test_more_is_better(name: str) -> None:
    assert guess_goal(name) == "max"


def test_the_best_row_is_the_first_with_the_best_finite_number() -> None:
    column = Column(A, [None, math.inf, 2, 5, 5.0, math.nan, -1, "9"], 8)
    assert (best_row(column, "max"), best_row(column, "min")) == (3, 6)
    assert best_row(Column(A, [math.nan, None, "x"], 3), "max") is None


def test_fields_that_differ_come_first() -> None:
    run = ColumnKey(Group.FACT, "run")
    one: Any = {run: "a", A: 1, B: math.nan, C: "x"}
    other: Any = {run: "b", A: 1.0, B: math.nan, ColumnKey(Group.METRIC, "m"): 2}
    got = [(pair.key.id, pair.one, pair.other, pair.differs) for pair in compare_rows(one, other)]
    assert got[:3] == [("a", 1, 1.0, True), ("c", "x", None, True), ("metric/m", None, 2, True)]
    assert [(got[3][0], got[3][3])] == [("b", False)]
