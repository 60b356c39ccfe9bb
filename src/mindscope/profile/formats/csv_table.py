# SPDX-License-Identifier: Apache-2.0
"""Tables in text files of profilers, whose column names differ between versions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mindscope.artifacts.problems import Problems
from mindscope.errors import FormatError
from mindscope.formats.text_lines import csv_rows
from mindscope.profile.formats.json_values import bounded, whole_numbers
from mindscope.reasons import Reason
from mindscope.table.columns import TextColumn

_UNIT_NS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
_UNIT_BYTES = {"b": 1, "kb": 1 << 10, "mb": 1 << 20, "gb": 1 << 30}
_UNIT = re.compile(r"\((s|ms|us|ns|b|kb|mb|gb|%)[^()]*\)$", re.IGNORECASE)
_HEAD = 1 << 16
_MOST_LINE = 32 << 20
"""Characters of a line, and of a cell with line breaks: samples of a queue fill one cell."""
_MOST_BYTES = 512 << 20
"""Largest memory of the cells of a table; the rows after them are left out."""
_MOST_SHARED = 4096
"""Different cells of a column that are kept once: those of other columns, such as times, rarely repeat."""
_CELL_BYTES, _TEXT_BYTES = 8, 57
"""Bytes of a position in a list, and of a text beside its characters."""
_MOST_TEXT = 128 << 20
"""Bytes of a file that is read whole."""
_MOST_COLUMNS = 12
_DIGITS = 9
"""Digits of the fraction of a time: as exact as nanoseconds of seconds."""


def columns_missing(wanted: str, columns: Sequence[str]) -> Reason:
    """Return the reason that a table has none of the columns for the ``wanted`` data, but others."""
    return Reason("profile_columns_missing", wanted=wanted, columns=", ".join(columns[:_MOST_COLUMNS]) or "-")


class CsvTable:
    """Columns of texts by their names without case, spaces and units.

    Cells lose surrounding white space, since stamps end with a tab. Rows with another number of cells than the header
    are skipped and counted; so are those that don't fit in memory.
    """

    def __init__(self, header: list[str], rows: Iterable[list[str] | None], most_bytes: int = _MOST_BYTES) -> None:
        """A row is None where its line can't be read. The cells take at most about ``most_bytes``."""
        cells = [cell.strip() for cell in header]
        self._units = {_bare(cell): _unit(cell) for cell in cells}
        self.names = cells
        """Names of the columns in the file."""
        self.skipped = 0
        """Rows that could not be read."""
        self.left_out = 0
        """Rows after those that fit in memory."""
        self._columns: list[list[str]] = [[] for _ in cells]
        shared: list[dict[str, str]] = [{} for _ in cells]
        free = most_bytes
        for row in rows:
            if row is None or (len(row) != len(cells) and not _is_ended_by_comma(row, cells)):
                self.skipped += row is None or any(cell.strip() for cell in row)
            elif free < 0:
                self.left_out += 1
            else:
                free -= self._add(row, shared)
        self._indexes = {_bare(cell): index for index, cell in reversed(list(enumerate(cells)))}

    def note_gaps(self, problems: Problems, file: Path) -> None:
        """Note rows that could not be read, or that don't fit in memory."""
        if self.skipped:
            problems.note(file.name, Reason("profile_rows_skipped", count=self.skipped))
        if self.left_out:
            problems.note(file.name, Reason("profile_rows_left_out", count=self.left_out, read=len(self)))

    def _add(self, row: list[str], shared: list[dict[str, str]]) -> int:
        """Adds a row; returns the bytes that its cells take."""
        size = _CELL_BYTES * len(self._columns)
        for column, known, text in zip(self._columns, shared, row, strict=False):
            cell = text.strip()
            same = known.get(cell)
            if same is None:
                same = cell
                size += _TEXT_BYTES + len(cell)
                if len(known) < _MOST_SHARED:
                    known[cell] = cell
            column.append(same)
        return size

    def __len__(self) -> int:
        return len(self._columns[0]) if self._columns else 0

    def cells(self, *aliases: str) -> list[str] | None:
        """Return the column of the first alias that the table has; None without one."""
        name = self._found(aliases)
        return None if name is None else self._columns[self._indexes[name]]

    def column(self, index: int) -> list[str]:
        """Return the column at an index of ``names``."""
        return self._columns[index]

    def texts(self, *aliases: str) -> TextColumn | None:
        """Return the cells of a column, encoded."""
        cells = self.cells(*aliases)
        return None if cells is None else TextColumn.of(cells)

    def numbers(self, *aliases: str) -> NDArray[np.float64] | None:
        """Return the numbers of a column; NaN for what is no number, such as ``N/A``."""
        cells = self.cells(*aliases)
        return None if cells is None else np.array([_number(cell) for cell in cells], np.float64)

    def counts(self, *aliases: str) -> NDArray[np.int64] | None:
        """Return the whole numbers of a column; 0 for what is no number."""
        numbers = self.numbers(*aliases)
        return None if numbers is None else whole_numbers(numbers)

    def nanoseconds(self, *aliases: str, unit: str = "us", missing: int = 0) -> NDArray[np.int64] | None:
        """Return times or durations, exact, in the unit that the header names, else in ``unit``.

        It is ``missing`` for no number.
        """
        name = self._found(aliases)
        if name is None:
            return None
        scale = _UNIT_NS.get(self._units[name] or unit, _UNIT_NS[unit])
        cells = self._columns[self._indexes[name]]
        return np.array([fixed_point(cell, scale, missing) for cell in cells], np.int64)

    def bytes(self, *aliases: str, unit: str = "kb") -> NDArray[np.int64] | None:
        """Return sizes in bytes, as ``nanoseconds``."""
        name = self._found(aliases)
        if name is None:
            return None
        scale = _UNIT_BYTES.get(self._units[name] or unit, _UNIT_BYTES[unit])
        return np.array([fixed_point(cell, scale, 0) for cell in self._columns[self._indexes[name]]], np.int64)

    def rows(self) -> Iterator[list[str]]:
        """Return the cells of each row."""
        return (list(row) for row in zip(*self._columns, strict=True))

    def select(self, rows: Iterable[int]) -> CsvTable:
        """Return these rows as a table of their own."""
        return CsvTable(self.names, [[column[row] for column in self._columns] for row in rows])

    def _found(self, aliases: Iterable[str]) -> str | None:
        return next((name for alias in aliases if (name := _bare(alias)) in self._indexes), None)


def read_csv(*paths: Path) -> CsvTable:
    """Return the table of a CSV file with a header, in UTF-8 or GBK, or of files that continue each other.

    An empty file is a table without columns.

    Raises:
        OSError: a file can't be read.
    """
    header: list[str] = []
    rows: list[Iterator[list[str] | None]] = []
    for path in paths:
        own = _rows(path)
        header = next(own, header) or header
        rows.append(own)
    return CsvTable(header, chain.from_iterable(rows))


def read_lines(path: Path) -> list[str]:
    """Return the lines of a text file. Raises FormatError if it is too large to be read whole, OSError."""
    check_size(path, _MOST_TEXT)
    return path.read_text(_encoding(path), errors="replace").splitlines()


def check_size(path: Path, most: int) -> None:
    """Raises FormatError if a file has more bytes than can be read whole, OSError."""
    size = path.stat().st_size
    if size > most:
        raise FormatError(Reason("profile_file_large", size=size, most=most))


def fixed_point(text: str, scale: int, missing: int = 0) -> int:
    """Return a decimal number times ``scale``, a power of ten or two, rounded down, without the error of a float64."""
    whole, _, fraction = text.partition(".")
    try:
        if fraction.isdecimal() and (whole[-1:].isdecimal() or whole in ("", "-")):
            digits = fraction[:_DIGITS]
            part = int(digits) * scale // 10 ** len(digits)
            return -(int(whole[1:] or "0") * scale + part) if whole[:1] == "-" else int(whole or "0") * scale + part
        if not fraction:
            return int(whole) * scale
    except ValueError:
        pass
    number = _number(text)
    return int(number * scale) if np.isfinite(number) and abs(number) < 1e18 else missing


def _rows(path: Path) -> Iterator[list[str] | None]:
    """Yield the cells of each line; None for a line that can't be read."""
    with path.open(encoding=_encoding(path), errors="replace", newline="") as file:
        yield from (row for row in csv_rows(file, _MOST_LINE, skips_spaces=True) if row != [])


def _encoding(path: Path) -> str:
    with path.open("rb") as file:
        head = file.read(_HEAD)
    try:
        head[: head.rfind(b"\n") + 1].decode("utf-8")
    except UnicodeDecodeError:
        return "gb18030"
    return "utf-8-sig"


def _is_ended_by_comma(row: list[str], header: list[str]) -> bool:
    """Rows of some versions end in a comma; headers may too."""
    return len(row) == len(header) + 1 and not row[-1].strip()


def _bare(name: str) -> str:
    return re.sub(r"[\s\"']", "", _UNIT.sub("", name.strip())).lower()


def _unit(name: str) -> str:
    found = _UNIT.search(name.strip())
    return found[1].lower() if found else ""


def _number(text: str) -> float:
    try:
        return bounded(float(text))
    except ValueError:
        return float("nan")
