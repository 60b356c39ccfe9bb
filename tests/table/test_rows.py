# SPDX-License-Identifier: Apache-2.0
"""Rows of tables as the page asks for them: conditions, groupings, filters, order."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindscope.profile.tables.operators import Operators
from mindscope.table.columns import TextColumn
from mindscope.table.rows import EACH, Condition, MergedRows, groups_in, merged_rows

ROW = st.tuples(
    st.sampled_from(["mm", "add"]),
    st.sampled_from(["", "Net", "Net/fc", "Network"]),
    st.sampled_from(["float", "float;int"]),
    st.integers(0, 9),
)


def operators_of(rows: list[tuple[str, str, str, int]]) -> Operators:
    own = np.array([each[3] for each in rows], np.int64)
    return Operators(
        name=TextColumn.of(f"aten::{each[0]}" for each in rows),
        type=TextColumn.of(each[0] for each in rows),
        device=TextColumn.constant("CPU", len(rows)),
        module=TextColumn.of(each[1] for each in rows),
        dtypes=TextColumn.of(each[2] for each in rows),
        count=np.ones(len(rows), np.int64),
        host_total=own + 1,
        host_self=own,
    )


def texts_of(merged: MergedRows[Operators], name: str) -> list[str]:
    column = merged.columns[name]
    assert isinstance(column, TextColumn)
    return list(column)


SOME = operators_of([("mm", "Net/fc", "float", 6), ("mm", "Net", "int", 3), ("add", "Net", "float", 1)])


@given(st.lists(ROW, min_size=1, max_size=12), st.sampled_from([*Operators.GROUPINGS, EACH]))
def test_each_grouping_has_the_sums_of_the_whole(rows: list[tuple[str, str, str, int]], by: str) -> None:
    table = operators_of(rows)
    if by not in groups_in(table):
        return
    merged = merged_rows(table, by)
    assert int(merged.weight.sum()) == merged.whole == sum(each[3] for each in rows)
    assert int(merged.table.count.sum()) == len(rows)
    assert list(merged.weight) == sorted(merged.weight, reverse=True)
    for name, counts in merged.distinct.items():
        texts = table.columns()[name]
        assert isinstance(texts, TextColumn)
        for row, count in enumerate(counts.tolist()):
            keys = [merged.table.columns()[each][row] for each in merged.names]
            places = [at for at in range(len(table)) if [table.columns()[each][at] for each in merged.names] == keys]
            assert count == len({texts[at] for at in places})


def test_groupings_are_those_of_which_the_profile_recorded_the_columns() -> None:
    assert groups_in(SOME) == ["type", "name", "module", "dtypes", EACH]
    with pytest.raises(
        ValueError, match="can’t be grouped by stack: this profile has type, name, module, dtypes, each"
    ):
        merged_rows(SOME, "stack")


def test_conditions_narrow_and_shares_stay_those_of_the_profile() -> None:
    merged = merged_rows(SOME, "name", [Condition("type", "mm")])
    assert list(merged.table.name) == ["aten::mm"]
    assert merged.columns["share"] == pytest.approx([0.9])
    assert merged.distinct["module"].tolist() == [2]
    with pytest.raises(ValueError, match="no texts in column shapes"):
        merged_rows(SOME, "name", [Condition("shapes", "")])


def test_a_module_holds_those_in_it_but_not_those_of_like_names() -> None:
    table = operators_of([("mm", "Net/fc", "float", 6), ("mm", "Network", "float", 3), ("add", "Net", "float", 1)])
    merged = merged_rows(table, EACH, [Condition("within", "Net")])
    assert sorted(texts_of(merged, "module")) == ["Net", "Net/fc"]


def test_every_word_and_the_expression_must_match() -> None:
    merged = merged_rows(SOME, EACH)

    def found(words: list[str], regex: str = "") -> list[tuple[str, str]]:
        types, dtypes = texts_of(merged, "type"), texts_of(merged, "dtypes")
        return [(types[row], dtypes[row]) for row in merged.matching(words, regex).tolist()]

    assert found(["ATEN", "float"]) == [("mm", "float"), ("add", "float")]
    assert found([], "::M+$") == [("mm", "float"), ("mm", "int")]
    assert found(["nothing"]) == []
    with pytest.raises(ValueError, match=r"missing \)"):
        found([], "(")


@pytest.mark.parametrize(
    ("column", "is_descending", "want"),
    [
        ("host_self", True, [6, 3, 1]),
        ("host_self", False, [1, 3, 6]),
        ("module", False, [3, 1, 6]),
        ("share", True, [6, 3, 1]),
    ],
)
def test_rows_are_ordered_by_any_column(column: str, is_descending: bool, want: list[int]) -> None:
    merged = merged_rows(SOME, EACH)
    rows = merged.ordered(np.arange(len(merged)), column, is_descending=is_descending)
    assert merged.weight[rows].tolist() == want


def test_an_unknown_column_orders_nothing() -> None:
    with pytest.raises(ValueError, match="no column nothing"):
        merged_rows(SOME, EACH).ordered(np.arange(3), "nothing", is_descending=True)


def test_a_table_without_rows_has_none() -> None:
    assert len(merged_rows(operators_of([]), EACH)) == 0
    assert len(merged_rows(SOME, "name", [Condition("type", "nothing")])) == 0
