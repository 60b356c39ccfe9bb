# SPDX-License-Identifier: Apache-2.0
"""Rows of a table that a training recorded: filtered, searched and sorted."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from mindscope.lineage.column import Column, ColumnKey, Group
from mindscope.lineage.filter import Filter
from mindscope.lineage.table import Table
from mindscope.table.cells import cell_text
from mindscope.table.order import sorted_rows
from mindscope.types import RecordedTable

Rows = NDArray[np.intp]

_CSV_ROWS = 1000
"""Rows of one part of a file."""


class TableRows:
    """The rows of a table that match. ``check`` is called between columns and parts of rows, and may raise."""

    def __init__(self, table: RecordedTable, check: Callable[[], None] = lambda: None) -> None:
        self.table, self._check = table, check
        self.rows: Rows = np.arange(table.rows)
        """Numbers of the matching rows, counted from 0 as recorded, in their order."""

    def filter(self, condition: str) -> TableRows:
        """Keep rows for which an expression such as ``score > 0.5 and label == "cat"`` holds.

        A column with an image or a sound has the number of its file. Raises ExpressionError.
        """
        if condition:
            keys = [ColumnKey(Group.PARAMETER, column.name) for column in self.table.columns]
            columns = {
                key: Column(key, column.values, self.table.rows)
                for key, column in zip(keys, self.table.columns, strict=True)
            }
            matches = Filter(condition).matches(Table([""] * self.table.rows, columns))
            self.rows = self.rows[matches[self.rows]]
        return self

    def search(self, text: str) -> TableRows:
        """Keep rows whose cells contain each word of ``text``, without regard to case."""
        words = text.lower().split()
        if words:
            matches = np.zeros((len(words), len(self.rows)), np.bool_)
            for column in self.table.columns:
                self._check()
                if column.type != "media":
                    for at, row in enumerate(self.rows.tolist()):
                        value = column.values[row]
                        cell = "" if value is None else cell_text(value).lower()
                        matches[:, at] |= [word in cell for word in words]
            self.rows = self.rows[matches.all(axis=0)]
        return self

    def sort(self, by: Sequence[tuple[int, bool]]) -> TableRows:
        """Sort by columns, counted from 0; True for a descending one. Columns that the table lacks have no effect."""
        keys: list[tuple[NDArray[np.object_], bool]] = []
        for number, is_descending in by:
            if number < len(self.table.columns) and len(self.rows):
                self._check()
                values = self.table.columns[number].values
                keys.append((np.fromiter(values, object, len(values))[self.rows], is_descending))
        if keys:
            self.rows = self.rows[sorted_rows(keys)]
        return self

    def csv_parts(self) -> Iterator[str]:
        """Yield the rows as CSV with a header; a cell with an image or a sound holds the number of its file."""
        yield _csv([[column.name for column in self.table.columns]])
        for start in range(0, len(self.rows), _CSV_ROWS):
            part: list[int] = self.rows[start : start + _CSV_ROWS].tolist()
            yield _csv([[column.values[row] for column in self.table.columns] for row in part])


def _csv(rows: Sequence[Sequence[object]]) -> str:
    file = io.StringIO()
    csv.writer(file).writerows(rows)
    return file.getvalue().encode("utf-8", "backslashreplace").decode()
