# SPDX-License-Identifier: Apache-2.0
"""Groups of rows with equal codes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindscope.table import grouping


@pytest.mark.parametrize("table", [0, 1 << 20])  # by sorting, by a table
@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3), st.integers(0, 2**31)), max_size=30))
def test_groups_are_those_of_a_dictionary(table: int, rows: list[tuple[int, int, int]]) -> None:
    known: dict[tuple[int, int, int], int] = {}
    expected = [known.setdefault(row, len(known)) for row in rows]
    columns = [np.array([row[place] for row in rows], np.uint32) for place in range(3)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grouping, "_SMALL_TABLE", table)
        group, first = grouping.groups_of(columns, len(rows))
    assert group.tolist() == expected
    assert first.tolist() == [rows.index(row) for row in known]


def test_rows_without_columns_are_one_group() -> None:
    group, first = grouping.groups_of([], 3)
    assert (group.tolist(), first.tolist()) == ([0, 0, 0], [0])
    group, first = grouping.groups_of([], 0)
    assert (group.tolist(), first.tolist()) == ([], [])
