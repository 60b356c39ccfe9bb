# SPDX-License-Identifier: Apache-2.0
"""Tables: selecting, merging and joining rows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindscope.profile.tables.memory import UNKNOWN_TIME, MemoryBlocks
from mindscope.profile.tables.operators import Operators
from mindscope.table.columns import TextColumn
from mindscope.table.table import joined

found = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from("xy"), st.integers(0, 9), st.integers(0, 9)), max_size=12
)


def operators_of(rows: list[tuple[str, str, int, int]]) -> Operators:
    own = np.array([each[2] for each in rows], np.int64)
    return Operators(
        name=TextColumn.of(each[0] for each in rows),
        type=TextColumn.of(each[0] for each in rows),
        device=TextColumn.constant("CPU", len(rows)),
        shapes=TextColumn.of(each[1] for each in rows),
        count=np.ones(len(rows), np.int64),
        host_total=own + 1,
        host_self=own,
        max=np.array([each[3] for each in rows], np.int64),
    )


@given(found)
def test_merged_rows_have_the_sums_of_their_groups(rows: list[tuple[str, str, int, int]]) -> None:
    merged = operators_of(rows).group_by("name", "shapes")
    got = {
        (row["name"], row["shapes"]): (row["count"], row["host_self"], row["host_total"], row["max"])
        for row in merged.rows()
    }
    want = {
        key: (len(group), sum(each[2] for each in group), sum(each[2] + 1 for each in group), max(e[3] for e in group))
        for key in {each[:2] for each in rows}
        if (group := [each for each in rows if each[:2] == key])
    }
    assert got == want
    assert list(merged.self_time) == sorted(merged.self_time, reverse=True)


@given(found)
def test_a_merged_text_is_that_of_the_heaviest_row(rows: list[tuple[str, str, int, int]]) -> None:
    for row in operators_of(rows).group_by("name").rows():
        group = [each for each in rows if each[0] == row["name"]]
        assert row["shapes"] == max(group, key=lambda each: each[2])[1]


def test_grouping_by_a_column_that_is_not_there_names_those_that_are() -> None:
    with pytest.raises(ValueError, match="'stack' is no column of texts here, want one of name, type, device, shapes"):
        operators_of([("a", "x", 1, 1)]).group_by("stack")


def test_frames_have_recorded_and_derived_columns() -> None:
    table = operators_of([("a", "x", 1, 1), ("b", "y", 3, 4)])
    frame = table.to_pandas()
    assert table.to_arrow().to_pydict() == frame.to_dict("list")
    assert frame["name"].tolist() == ["a", "b"]
    assert frame["share"].tolist() == [0.25, 0.75]
    assert "stack" not in frame


def test_columns_of_different_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match="columns differ in length"):
        MemoryBlocks(
            device=TextColumn.of("a"), size=np.zeros(2, np.int64), allocated_at=np.zeros(1, np.int64),
            freed_at=np.zeros(1, np.int64),
        )  # fmt: skip


def test_live_blocks_are_those_between_birth_and_death() -> None:
    blocks = MemoryBlocks(
        device=TextColumn.of(["CPU", "CPU", "GPU 0", "CPU"]),
        size=np.array([1, 2, 3, 4]),
        allocated_at=np.array([UNKNOWN_TIME, 5, 5, 6]),
        freed_at=np.array([7, 6, UNKNOWN_TIME, UNKNOWN_TIME]),
    )
    assert blocks.live_at(5).size.tolist() == [3, 2, 1]
    assert blocks.live_at(6).size.tolist() == [4, 3, 1]
    assert blocks.live_at(9, "CPU").size.tolist() == [4]


def test_tables_are_joined_in_the_columns_of_all() -> None:
    def blocks(device: str, count: int, *, has_stack: bool) -> MemoryBlocks:
        numbers = np.arange(count)
        return MemoryBlocks(
            device=TextColumn.constant(device, count), size=numbers, allocated_at=numbers, freed_at=numbers,
            stack=TextColumn.constant("main", count) if has_stack else None,
        )  # fmt: skip

    tables = [blocks("GPU 0", 2, has_stack=True), blocks("CPU", 1, has_stack=False)]
    found = joined(tables)
    assert (list(found.device), found.size.tolist(), found.stack) == (["GPU 0", "GPU 0", "CPU"], [0, 1, 0], None)
    filled = joined(tables, fills_gaps=True).stack
    assert filled is not None
    assert list(filled) == ["main", "main", ""]
    assert joined(tables[::-1], fills_gaps=True).stack is None
