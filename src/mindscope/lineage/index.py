# SPDX-License-Identifier: Apache-2.0
"""An incremental table: an update rebuilds only the columns that changed rows use."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import takewhile

from mindscope.lineage.cell import Cell
from mindscope.lineage.column import Column, ColumnKey
from mindscope.lineage.table import Table, in_group_order

Row = Mapping[ColumnKey, Cell]


class TableIndex:
    """Rows by run id. Only one thread may update; returned tables are immutable."""

    def __init__(self) -> None:
        self._rows: dict[str, Row] = {}
        self._users: dict[ColumnKey, int] = {}  # how many rows have the column
        self._columns: dict[ColumnKey, Column] = {}  # the columns that are up to date
        self._outdated: dict[ColumnKey, tuple[Column, set[str]]] = {}  # earlier columns, and the runs with other cells
        self._row_numbers: dict[str, int] = {}  # row numbers in the columns above
        self._table: Table | None = None
        self.version = 0
        """Grows with every change."""
        self.order_version = 0
        """The version that last added, removed or moved a row."""
        self._changed_at: dict[str, int] = {}  # by run: the version of its last change, in their order

    def row(self, run: str) -> Row | None:
        """Return the row of a run, None if there is none."""
        return self._rows.get(run)

    def update(self, rows: Mapping[str, Row], gone: Iterable[str] = ()) -> frozenset[str]:
        """Set ``rows`` and remove the runs of ``gone``; returns the runs whose row changed, is new or was removed."""
        changed = [run for run, row in rows.items() if not _is_same(self._rows.get(run), row)]
        removed = [run for run in gone if run in self._rows]
        is_same_length = not removed and all(run in self._rows for run in changed)
        if not is_same_length:
            self._forget_columns()
        for run in changed:
            self._replace(run, rows[run])
        for run in removed:
            self._replace(run, {})
            del self._rows[run]
        if changed or removed:
            self.version += 1
            self.order_version = self.order_version if is_same_length else self.version
            for run in (*changed, *removed):
                self._changed_at.pop(run, None)
                self._changed_at[run] = self.version
            self._table = None
        return frozenset((*changed, *removed))

    def changed_since(self, version: int) -> frozenset[str]:
        """Return the runs whose row changed, was added or removed after ``version``."""
        entries = takewhile(lambda entry: entry[1] > version, reversed(self._changed_at.items()))
        return frozenset(run for run, _ in entries)

    def table(self, order: Iterable[str] | None = None) -> Table:
        """Return all rows in the order of their runs: in insertion order, or in the order of ``order``."""
        runs = tuple(self._rows if order is None else order)
        if self._table is not None and self._table.runs == runs:
            return self._table
        if tuple(self._rows) != runs:
            self._rows = {run: self._rows[run] for run in runs}
            self._forget_columns()
        keys = in_group_order(self._users)
        self._table = Table(runs, {key: self._column(key) for key in keys})
        return self._table

    def _column(self, key: ColumnKey) -> Column:
        column = self._columns.get(key)
        if column is None:
            column = self._columns[key] = self._renewed(key)
        return column

    def _renewed(self, key: ColumnKey) -> Column:
        if key not in self._outdated:
            return Column.of_rows(key, self._rows)
        column, runs = self._outdated.pop(key)
        self._row_numbers = self._row_numbers or {run: number for number, run in enumerate(self._rows)}
        return column.replace({self._row_numbers[run]: self._rows[run].get(key) for run in runs})

    def _forget_columns(self) -> None:
        """Forget the columns, since they have another length or order."""
        self._columns.clear()
        self._outdated.clear()
        self._row_numbers = {}

    def _replace(self, run: str, row: Row) -> None:
        before = self._rows.get(run, {})
        for key in before.keys() | row.keys():
            if key not in before or key not in row or not is_same_cell(before[key], row[key]):
                if (column := self._columns.pop(key, None)) is not None:
                    self._outdated[key] = column, set()
                if key in self._outdated:
                    self._outdated[key][1].add(run)
        for key in row:
            if key not in before:
                self._users[key] = self._users.get(key, 0) + 1
        for key in before:
            if key not in row:
                self._users[key] -= 1
                if not self._users[key]:
                    del self._users[key]
                    self._outdated.pop(key, None)
        self._rows[run] = row


def _is_same(one: Row | None, other: Row) -> bool:
    if one is None or one.keys() != other.keys():
        return False
    return all(is_same_cell(cell, other[key]) for key, cell in one.items())


def is_same_cell(one: Cell, other: Cell) -> bool:
    """Return whether two cells are the same: ``1`` and ``1.0`` differ, NaN is NaN, 0.0 and -0.0 differ."""
    return one is other or (type(one) is type(other) and repr(one) == repr(other))
