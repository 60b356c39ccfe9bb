# SPDX-License-Identifier: Apache-2.0
"""A table that follows its rows is the table of these rows, whatever came before."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindscope.errors import ColumnNotFoundError
from mindscope.lineage.cell_json import cells_to_json
from mindscope.lineage.column import Column, ColumnKey, Group
from mindscope.lineage.index import TableIndex
from mindscope.lineage.table import Table

KEYS = [ColumnKey(group, name) for group in (Group.PARAMETER, Group.METRIC, Group.FACT) for name in "abc"]
CELLS = st.sampled_from([0, 0.0, -0.0, 1, True, False, "x", "", (), (1, 2), math.nan, math.inf])
ROWS = st.dictionaries(st.sampled_from(KEYS), CELLS, max_size=5)
RUNS = st.sampled_from([f"run_{n}" for n in range(5)])
UPDATES = st.tuples(st.dictionaries(RUNS, ROWS, max_size=4), st.sets(RUNS, max_size=2))


def content(table: Table) -> dict[str, Any]:
    columns = {key: (column.kind, list(map(repr, column.cells))) for key, column in table.columns.items()}
    return {"runs": table.runs, "columns": columns}


@given(st.lists(UPDATES, max_size=6))
def test_any_updates_give_the_table_of_their_rows(updates: list[Any]) -> None:
    index, rows = TableIndex(), dict[str, Any]()
    for new, gone in updates:
        gone = gone - new.keys()
        before = {run: {key: repr(cell) for key, cell in row.items()} for run, row in rows.items()}
        rows = {run: row for run, row in {**rows, **new}.items() if run not in gone}
        after = {run: {key: repr(cell) for key, cell in row.items()} for run, row in rows.items()}
        version = index.version
        changed = index.update(new, gone)
        assert changed == {run for run in before.keys() | after.keys() if before.get(run) != after.get(run)}
        assert index.changed_since(version) == changed
        got, want = content(index.table(rows)), content(Table.from_rows(rows))
        assert got["runs"] == want["runs"]
        assert got["columns"] == want["columns"]


def test_columns_that_no_changed_row_touches_are_kept() -> None:
    index = TableIndex()
    a, b = KEYS[0], KEYS[1]
    index.update({"x": {a: 1, b: 2}, "y": {a: 3}})
    before = index.table()
    index.update({"y": {a: 4}})
    after = index.table()
    assert after.columns[b] is before.columns[b]
    assert after.columns[a].cells.tolist() == [1, 4]
    assert before.columns[a].cells.tolist() == [1, 3]


def test_columns_are_found_by_id_and_by_bare_name() -> None:
    accuracy = ColumnKey(Group.METRIC, "Accuracy")
    size = ColumnKey(Group.DATASET, "size"), ColumnKey(Group.MODEL, "size")
    rate = ColumnKey(Group.PARAMETER, "rate"), ColumnKey(Group.CUSTOM, "rate")
    table = Table.from_rows({"x": dict.fromkeys((accuracy, *size, *rate), 1)})
    assert table.find("Accuracy") == table.find("metric/Accuracy") == accuracy
    assert table.find("model/size") == size[1]
    assert table.find("rate") == rate[0]
    with pytest.raises(ColumnNotFoundError, match="one of dataset/size, model/size"):
        table.find("size")
    with pytest.raises(ColumnNotFoundError, match="did you mean 'metric/Accuracy'"):
        table.find("acuracy")
    with pytest.raises(ColumnNotFoundError, match="no columns"):
        Table.from_rows({}).find("x")


@given(st.lists(CELLS | st.none(), max_size=5))
def test_what_a_column_says_of_itself_is_true(cells: list[Any]) -> None:
    column = Column(KEYS[0], cells, len(cells))
    distinct = {(type(cell).__name__, repr(cell)) for cell in cells if cell is not None}
    has_missing = any(cell is None for cell in cells)
    assert column.differs is (len(distinct) + has_missing > 1)
    assert column.json == cells_to_json(cells)
    other = column.replace({0: "other"} if cells else {})
    assert other.cells.tolist()[1:] == column.cells.tolist()[1:] or math.nan in cells
    assert other.json == cells_to_json(["other", *cells[1:]] if cells else [])


@given(st.lists(CELLS | st.none(), min_size=1, max_size=5), st.dictionaries(st.integers(0, 4), CELLS | st.none()))
def test_a_column_with_other_cells_is_the_column_of_these_cells(cells: list[Any], others: dict[int, Any]) -> None:
    others = {row: cell for row, cell in others.items() if row < len(cells)}
    got = Column(KEYS[0], cells, len(cells)).replace(others)
    want = Column(KEYS[0], [others.get(row, cell) for row, cell in enumerate(cells)], len(cells))
    for each in ("cells", "numbers", "is_missing", "count", "kind", "range", "differs", "json"):
        assert repr(getattr(got, each)) == repr(getattr(want, each))
