# SPDX-License-Identifier: Apache-2.0
"""Arguments of slices that are rows of SQLite tables: each row is read when its details are asked for."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from mindscope.artifacts.problems import Problems
from mindscope.profile.formats.recorded_runs import RecordedRuns
from mindscope.profile.formats.sqlite_file import SqliteFile, SqliteRows, open_sqlite

MOST_CHARACTERS = 1 << 20
"""Largest number of characters of a text."""
_MOST_BYTES = 32
"""Largest number of bytes of a value that is no text; they are written as digits."""
_MOST_TEXTS = 10_000
"""Largest number of texts that are kept while rows are read."""


class LookupTable(NamedTuple):
    """Names the table with the texts of numbers, by its column ``id``, and has texts for files without that table."""

    table: str
    column: str = "value"
    known: Mapping[int, str] = {}


class DetailTable(NamedTuple):
    """A table that says more about rows of another one, which has the same number in the column ``key``."""

    table: str
    key: str


@dataclass(frozen=True, slots=True)
class RowTables:
    """The tables of a format whose rows are slices, and what their cells mean. Names of columns are lower case."""

    tables: Sequence[str]
    hidden: frozenset[str] = frozenset()
    """Columns that say what is shown anyway, such as times."""
    texts: Mapping[str, LookupTable] = field(default_factory=dict[str, LookupTable])
    """Columns whose numbers have texts."""
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """Columns that are shown as one list, by its name."""
    details: Mapping[str, Sequence[DetailTable]] = field(default_factory=dict[str, Sequence[DetailTable]])
    nothing: frozenset[int] = frozenset()
    """Numbers that say that there is no value."""

    def located(self, runs: RecordedRuns, rows: SqliteRows) -> RecordedRuns:
        """Return the slices with the id of the row that each is made of."""
        number = self.tables.index(rows.table)
        return replace(runs, offset=np.maximum(rows.row_id, -1), size=np.full(rows.count, number, np.uint32))


class RowArguments:
    """The arguments of slices by the numbers of their rows and tables: see ``ArgumentReader``."""

    def __init__(self, path: Path, tables: RowTables) -> None:
        self._path, self._tables = path, tables
        self._texts: dict[tuple[str, int], Any] = {}

    def read(self, offset: int, size: int) -> dict[str, Any]:
        """Return the cells of a row by their columns; empty if there is none. Raises FormatError, OSError."""
        if offset < 0:
            return {}
        with open_sqlite(self._path, Problems()) as file:
            return self._arguments(file, offset, size)

    def read_all(self, locations: Iterable[tuple[int, int]]) -> Iterator[dict[str, Any]]:
        """Yield the arguments at each location (row, table), empty for a damaged row. Raises FormatError, OSError."""
        with open_sqlite(self._path, Problems()) as file:
            for offset, size in locations:
                try:
                    yield self._arguments(file, offset, size)
                except sqlite3.Error:
                    yield {}

    def _arguments(self, file: SqliteFile, row: int, number: int) -> dict[str, Any]:
        if row < 0 or number >= len(self._tables.tables):
            return {}
        table = self._tables.tables[number]
        cells = file.first_row(table, "rowid", row)
        for details in self._tables.details.get(table, ()):
            key = next((cell for name, cell in cells.items() if name.lower() == details.key.lower()), None)
            if isinstance(key, int):
                cells |= file.first_row(details.table, details.key, key)
        return self._grouped({name: self._value(file, name.lower(), cell) for name, cell in cells.items()})

    def _grouped(self, values: dict[str, Any]) -> dict[str, Any]:
        by_column = {name.lower(): value for name, value in values.items() if value is not None}
        lists = {
            name: [by_column[column] for column in columns]
            for name, columns in self._tables.groups.items()
            if by_column.keys() >= set(columns)
        }
        grouped = {column for name in lists for column in self._tables.groups[name]}
        dropped = grouped | self._tables.hidden
        return lists | {
            name: value for name, value in values.items() if value is not None and name.lower() not in dropped
        }

    def _value(self, file: SqliteFile, column: str, cell: Any) -> Any:
        """Return a cell as JSON; None for no value."""
        if isinstance(cell, int):
            if cell in self._tables.nothing:
                return None
            texts = self._tables.texts.get(column)
            return cell if texts is None else self._text(file, texts, cell)
        if isinstance(cell, float):
            return cell if math.isfinite(cell) else str(cell)
        if isinstance(cell, bytes):
            return cell[:_MOST_BYTES].hex(" ") + (f" ... ({len(cell)} bytes)" if len(cell) > _MOST_BYTES else "")
        return _cut(cell) if cell else None

    def _text(self, file: SqliteFile, texts: LookupTable, number: int) -> Any:
        """Return the text of a number, else the number."""
        key = texts.table, number
        if key not in self._texts:
            if len(self._texts) >= _MOST_TEXTS:
                self._texts.clear()
            found = file.first_row(texts.table, "id", number).get(texts.column)
            named = found if isinstance(found, str) else texts.known.get(number)
            self._texts[key] = number if named is None else _cut(named)
        return self._texts[key]


def _cut(text: str) -> str:
    return text if len(text) <= MOST_CHARACTERS else f"{text[:MOST_CHARACTERS]}..."
