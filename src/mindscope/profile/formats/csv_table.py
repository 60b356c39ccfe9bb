# SPDX-License-Identifier: Apache-2.0
"""Tables in text files of profilers, whose column names differ between versions."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.columns import TextColumn
from mindscope.profile.formats.json_values import bounded, whole_numbers

_UNIT_NS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
_UNIT_BYTES = {"b": 1, "kb": 1 << 10, "mb": 1 << 20, "gb": 1 << 30}
_UNIT = re.compile(r"\((s|ms|us|ns|b|kb|mb|gb|%)[^()]*\)$", re.IGNORECASE)
_HEAD = 1 << 16
_LARGEST_CELL = 1 << 30
_DIGITS = 9
"""Of the fraction of a time: as exact as nanoseconds of seconds."""


class CsvTable:
    """Columns of texts by their names without case, spaces and units.

    Cells lose surrounding white space, since stamps end with a tab. Rows with another number of cells than the header
    are skipped and counted.
    """

    def __init__(self, header: list[str], rows: Iterable[list[str]]) -> None:
        cells = [cell.strip() for cell in header]
        self._units = {_bare(cell): _unit(cell) for cell in cells}
        self.names = cells
        """As in the file."""
        self.skipped = 0
        """Rows that could not be read."""
        self._columns: list[list[str]] = [[] for _ in cells]
        for row in rows:
            if len(row) == len(cells) or _is_ended_by_comma(row, cells):
                for column, cell in zip(self._columns, row, strict=False):
                    column.append(cell.strip())
            elif any(cell.strip() for cell in row):
                self.skipped += 1
        self._places = {_bare(cell): place for place, cell in reversed(list(enumerate(cells)))}

    def __len__(self) -> int:
        return len(self._columns[0]) if self._columns else 0

    def cells(self, *aliases: str) -> list[str] | None:
        """The column of the first alias that the table has; None without one."""
        name = self._found(aliases)
        return None if name is None else self._columns[self._places[name]]

    def column(self, place: int) -> list[str]:
        """The column at a place in ``names``."""
        return self._columns[place]

    def texts(self, *aliases: str) -> TextColumn | None:
        """As ``cells``, encoded."""
        found = self.cells(*aliases)
        return None if found is None else TextColumn.of(found)

    def numbers(self, *aliases: str) -> NDArray[np.float64] | None:
        """As ``cells``; NaN for what is no number, such as ``N/A``."""
        found = self.cells(*aliases)
        return None if found is None else np.array([_number(cell) for cell in found], np.float64)

    def counts(self, *aliases: str) -> NDArray[np.int64] | None:
        """As ``numbers``, whole; 0 for what is no number."""
        found = self.numbers(*aliases)
        return None if found is None else whole_numbers(found)

    def nanoseconds(self, *aliases: str, unit: str = "us", missing: int = 0) -> NDArray[np.int64] | None:
        """Times or durations, exact, in the unit that the header names, else in ``unit``; ``missing`` for no number."""
        name = self._found(aliases)
        if name is None:
            return None
        scale = _UNIT_NS.get(self._units[name] or unit, _UNIT_NS[unit])
        cells = self._columns[self._places[name]]
        return np.array([fixed_point(cell, scale, missing) for cell in cells], np.int64)

    def bytes(self, *aliases: str, unit: str = "kb") -> NDArray[np.int64] | None:
        """Sizes in bytes, as ``nanoseconds``."""
        name = self._found(aliases)
        if name is None:
            return None
        scale = _UNIT_BYTES.get(self._units[name] or unit, _UNIT_BYTES[unit])
        return np.array([fixed_point(cell, scale, 0) for cell in self._columns[self._places[name]]], np.int64)

    def rows(self) -> Iterator[list[str]]:
        """The cells of each row."""
        return (list(row) for row in zip(*self._columns, strict=True))

    def select(self, rows: Iterable[int]) -> CsvTable:
        """These rows as a table of their own."""
        return CsvTable(self.names, [[column[row] for column in self._columns] for row in rows])

    def _found(self, aliases: Iterable[str]) -> str | None:
        return next((name for alias in aliases if (name := _bare(alias)) in self._places), None)


def read_csv(*paths: Path) -> CsvTable:
    """The table of a CSV file with a header, in UTF-8 or GBK, or of files that continue each other.

    An empty file is a table without columns.

    Raises:
        OSError: a file can't be read.
    """
    csv.field_size_limit(_LARGEST_CELL)  # samples of a queue fill one cell
    header: list[str] = []
    rows: list[Iterator[list[str]]] = []
    for path in paths:
        own = _rows(path)
        header = next(own, header)
        rows.append(own)
    return CsvTable(header, chain.from_iterable(rows))


def read_lines(path: Path) -> list[str]:
    """The lines of a text file. Raises OSError."""
    return path.read_text(_encoding(path), errors="replace").splitlines()


def fixed_point(text: str, scale: int, missing: int = 0) -> int:
    """A decimal number times ``scale``, a power of ten or two, rounded down, without the error of a float64."""
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


def _rows(path: Path) -> Iterator[list[str]]:
    with path.open(encoding=_encoding(path), errors="replace", newline="") as file:
        reader = csv.reader(file, skipinitialspace=True)
        while True:
            try:
                row = next(reader)
            except StopIteration:
                return
            except csv.Error:
                row = ["?", "?"]  # counted as skipped
            if row:
                yield row


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
