# SPDX-License-Identifier: Apache-2.0
"""Reads tables of SQLite files that profilers export, without changing them and without running what they contain."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from mindscope.artifacts.problems import Problems
from mindscope.errors import FormatError
from mindscope.reasons import Reason
from mindscope.table.columns import TextColumn

NONE = int(np.iinfo(np.int64).min)
"""Value of a cell that is no integer."""
_MAGIC = b"SQLite format 3\x00"
_ROWS = 20_000
"""Largest number of rows that are held as Python objects at once."""
_LENGTH, _LONGEST_CELL = 0, 16 << 20
"""The number of SQLite's limit, and bytes."""
_WHOLE = re.compile(r"\s*[+-]?\d{1,19}\s*", re.ASCII)


@dataclass(frozen=True, slots=True)
class SqliteRows:
    """Rows of a table, as columns by the names that were asked for. A column that the table lacks has no entry."""

    count: int
    integers: Mapping[str, NDArray[np.int64]]
    """``NONE`` for a cell that is no integer."""
    texts: Mapping[str, TextColumn]
    """Empty for no text."""
    row_id: NDArray[np.int64]
    """-1 in a table without."""
    table: str = ""

    def whole(self, name: str, missing: int = NONE) -> NDArray[np.int64]:
        """Return a column of integers, ``missing`` for cells that are none."""
        found = self.integers.get(name)
        return np.full(self.count, missing, np.int64) if found is None else np.where(found == NONE, missing, found)

    def text(self, name: str) -> TextColumn:
        """Return a column of texts."""
        found = self.texts.get(name)
        return TextColumn.constant("", self.count) if found is None else found

    def has(self, *names: str) -> NDArray[np.bool_]:
        """Return the rows that have an integer in each of these columns."""
        found = np.ones(self.count, np.bool_)
        for name in names:
            found &= self.whole(name) != NONE
        return found

    def select(self, mask: NDArray[np.bool_]) -> SqliteRows:
        """Return the rows where the mask is True."""
        return SqliteRows(
            int(mask.sum()),
            {name: column[mask] for name, column in self.integers.items()},
            {name: column.select(mask) for name, column in self.texts.items()},
            self.row_id[mask],
            self.table,
        )


class SqliteFile:
    """The tables of one file; views and virtual tables are none. What can't be read of it is noted in ``problems``."""

    def __init__(self, path: Path, connection: sqlite3.Connection, problems: Problems) -> None:
        """``open_sqlite`` calls it. Raises sqlite3.Error."""
        self.path, self.problems = path, problems
        self._connection = connection
        self.tables = _tables(connection)
        """Name of each table -> its columns."""

    def rows(self, table: str, integers: Sequence[str] = (), texts: Sequence[str] = ()) -> SqliteRows | None:
        """Return all rows of a table; None if the file has no such table.

        A column is named by its possible names, separated by ``|``; upper and lower case do not differ. After damage,
        the rows before it.
        """
        known = {each.lower(): each for each in self.tables.get(table, ())}
        if not known:
            return None
        chosen = {
            wanted: known[name]
            for wanted in (*integers, *texts)
            if (name := next((word for word in wanted.lower().split("|") if word in known), None))
        }
        blocks = [
            ({wanted: block[1 + index] for index, wanted in enumerate(chosen)}, block[0])
            for block in self._blocks(table, list(chosen.values()))
        ]
        none = np.empty(0, np.int64)
        return SqliteRows(
            count=sum(len(ids) for _, ids in blocks),
            integers={
                wanted.partition("|")[0]: np.concatenate([none, *(_integers(block[wanted]) for block, _ in blocks)])
                for wanted in integers
                if wanted in chosen
            },
            texts={
                wanted.partition("|")[0]: TextColumn.of(
                    each if isinstance(each, str) else "" if each is None else str(each)
                    for block, _ in blocks
                    for each in block[wanted]
                )
                for wanted in texts
                if wanted in chosen
            },
            row_id=np.concatenate([none, *(_integers(ids) for _, ids in blocks)]),
            table=table,
        )

    def first_row(self, table: str, column: str, value: int) -> dict[str, Any]:
        """Return the cells of the first row with a value in a column, or in ``rowid``; empty without one.

        Raises sqlite3.Error if it can't be read.
        """
        columns = self.tables.get(table, [])
        known = {each.lower(): _quoted(each) for each in columns} | {"rowid": "rowid"}
        if not columns or column.lower() not in known:
            return {}
        names = ", ".join(map(_quoted, columns))
        found = self._connection.execute(
            f"SELECT {names} FROM {_quoted(table)} WHERE {known[column.lower()]} = ? LIMIT 1", (value,)
        ).fetchone()
        return {} if found is None else dict(zip(columns, found, strict=True))

    def count(self, table: str) -> int:
        """Return rows of a table, 0 if it can't be read."""
        with suppress(sqlite3.Error):
            return int(self._connection.execute(f"SELECT count(*) FROM {_quoted(table)}").fetchone()[0])
        return 0

    def named_rows(self, table: str, most: int = 10_000) -> list[dict[str, Any]]:
        """Return the first rows of a small table as Python objects; empty if there is no such table."""
        if table not in self.tables:
            return []
        try:
            cursor = self._connection.execute(f"SELECT * FROM {_quoted(table)} LIMIT {most}")
            names = [each[0] for each in cursor.description]
            return [dict(zip(names, row, strict=True)) for row in cursor]
        except sqlite3.Error as error:
            self._note(table, error)
            return []

    def strings(self, *tables: str, value: str = "value") -> dict[int, str]:
        """Return texts by their numbers, of the first of these tables that is there."""
        for table in tables:
            rows = self.rows(table, integers=("id",), texts=(value,))
            if rows is not None:
                return dict(zip(rows.whole("id").tolist(), rows.text(value), strict=True))
        return {}

    def _blocks(self, table: str, columns: Sequence[str]) -> Iterator[list[Sequence[Any]]]:
        """Yield rows as columns, the first of which is the number of each row."""
        names = ", ".join(map(_quoted, columns))
        try:
            try:
                cursor = self._connection.execute(
                    f"SELECT rowid{', ' * bool(names)}{names} FROM {_quoted(table)}"
                )  # fmt: skip
            except sqlite3.OperationalError:
                cursor = self._connection.execute(f"SELECT -1{', ' * bool(names)}{names} FROM {_quoted(table)}")
            while rows := cursor.fetchmany(_ROWS):
                yield list(zip(*rows, strict=True))
        except sqlite3.Error as error:
            self._note(table, error)

    def _note(self, table: str, error: sqlite3.Error) -> None:
        self.problems[f"{self.path.name}: {table}"] = Reason("profile_table_failed", detail=str(error))


@contextmanager
def open_sqlite(path: Path, problems: Problems) -> Generator[SqliteFile]:
    """Opens a file for reading only; locks and journals beside it are ignored, and a journal is noted.

    Raises:
        FormatError: it is no SQLite file, or its schema is damaged.
        OSError: it can't be read.
    """
    if not is_sqlite(path):
        raise FormatError(Reason("profile_not_sqlite", file=path.name))
    journal = journal_of(path)
    if journal is not None:
        problems[journal.name] = Reason("profile_journal")
    try:
        with closing(_connect(path)) as connection:
            yield SqliteFile(path, connection, problems)
    except sqlite3.Error as error:
        raise FormatError(Reason("profile_sqlite_damaged", file=path.name, detail=str(error))) from error


def journal_of(path: Path) -> Path | None:
    """Return the file beside a database with changes that are not in it yet; None without any. Raises OSError."""
    journals = (path.with_name(path.name + suffix) for suffix in ("-wal", "-journal"))
    return next((journal for journal in journals if journal.is_file() and journal.stat().st_size), None)


def is_sqlite(path: Path) -> bool:
    """Return whether a file begins as a database of SQLite. Raises OSError."""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(_MAGIC)) == _MAGIC


def table_names(path: Path) -> frozenset[str]:
    """Return the names of the tables; empty if it is no database, or one that can't be read. Raises OSError."""
    if not is_sqlite(path):
        return frozenset()
    try:
        with closing(_connect(path)) as connection:
            return frozenset(_tables(connection))
    except sqlite3.Error:
        return frozenset()


def named(ids: NDArray[np.int64], strings: Mapping[int, str]) -> TextColumn:
    """Return the texts of numbers; empty for ``NONE``, the number itself in brackets where it has no text."""
    unique, codes = np.unique(ids, return_inverse=True)
    return TextColumn(
        codes.reshape(-1).astype(np.uint32),
        ["" if each == NONE else strings.get(each, f"[{each}]") for each in unique.tolist()],
    )


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"file:{quote(str(path.absolute()))}?mode=ro&immutable=1", uri=True, check_same_thread=False
    )
    connection.text_factory = _text
    limited: Any = connection
    if hasattr(limited, "setlimit"):  # from Python 3.11 on
        limited.setlimit(_LENGTH, _LONGEST_CELL)
    for pragma in ("trusted_schema = OFF", "query_only = ON", "mmap_size = 0"):
        connection.execute(f"PRAGMA {pragma}")
    return connection


def _tables(connection: sqlite3.Connection) -> dict[str, list[str]]:
    """Return plain tables; a virtual one has no root page.

    Generated columns, which could compute anything, are left out.
    """
    names = [
        str(name)
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0")
    ]
    found: dict[str, list[str]] = {}
    for name in names:
        with suppress(sqlite3.Error):
            columns = connection.execute(f"PRAGMA table_xinfo({_quoted(name)})").fetchall()
            found[name] = [str(column[1]) for column in columns if column[6] == 0]
    return found


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "backslashreplace")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _integers(cells: Sequence[Any]) -> NDArray[np.int64]:
    if set(map(type, cells)) <= {int}:
        return np.array(cells, np.int64)  # SQLite has integers of 64 bits
    return np.array([_integer(cell) for cell in cells], np.int64)


def _integer(cell: Any) -> int:
    """Return an integer; a text or float that is a whole number counts as one."""
    if isinstance(cell, str) and _WHOLE.fullmatch(cell):
        cell = int(cell)
    elif isinstance(cell, float) and abs(cell) < 1 << 62:
        cell = round(cell)
    return cell if isinstance(cell, int) and -(1 << 63) <= cell < 1 << 63 else NONE
