# SPDX-License-Identifier: Apache-2.0
"""Lines of tables as CSV and as workbooks of Excel. A spreadsheet runs no text of them as a formula."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from io import BytesIO, StringIO
from itertools import groupby, islice
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.errors import MissingPackageError
from mindscope.reasons import Reason
from mindscope.table.cells import cell_text
from mindscope.table.columns import Column, Rows, array_of, rows_of
from mindscope.table.schema import ColumnField, Unit

_FORMULA = re.compile("[=+\\-@\t\r\n\uff1d\uff0b\uff0d\uff20]")
"""The first character of a formula, including full-width forms of East Asian keyboards, a tab or a line break."""
_ROWS, _LINES, _CHARACTERS = 10_000, 256, 1 << 16
"""Rows of columns, lines and characters of CSV that are made at a time."""
_MOST_SHEET_ROWS = 1_048_575
_MOST_CELL = 32_767
_NS = 1_000_000

Line = Sequence[Any]
"""Cells: texts, numbers, truth values, tuples; None for a missing one."""


def lines_of(
    columns: Mapping[str, Column],
    schema: Mapping[str, ColumnField],
    rows: Rows | None = None,
    distinct: Mapping[str, NDArray[np.int64]] | None = None,
) -> Iterator[Line]:
    """Yield a header, then all rows, or those of ``rows``; nanoseconds are milliseconds, as the header says.

    A row of ``distinct`` texts says how many they are.
    """
    counts, units = distinct or {}, {name: schema[name].unit for name in columns}
    yield [f"{name}_ms" if units[name] is Unit.NS else name for name in columns]
    if rows is None:
        rows = np.arange(len(next(iter(columns.values()), ())))
    for begin in range(0, len(rows), _ROWS):
        part = rows[begin : begin + _ROWS]
        cells = [_cells(column, units[name], part, counts.get(name)) for name, column in columns.items()]
        yield from zip(*cells, strict=True)


def csv_text(lines: Iterable[Line]) -> Iterator[str]:
    """Yield lines as CSV in pieces: numbers with all digits, NaN, Infinity, -Infinity, tuples as JSON."""
    buffer = StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    for _, alike in groupby(lines, len):
        while some := list(islice(alike, _LINES)):
            columns = [_csv_cells(cells) for cells in zip(*some, strict=True)]
            writer.writerows(zip(*columns, strict=True) if columns else some)
            if buffer.tell() > _CHARACTERS:
                yield buffer.getvalue()
                buffer.seek(0)
                buffer.truncate()
    yield buffer.getvalue()


def text_cell(text: str) -> str:
    """Return ``text``, with a leading apostrophe if a spreadsheet would run it."""
    return f"'{text}" if _FORMULA.match(text) else text


def xlsx_bytes(lines: Iterable[Line]) -> bytes:
    """Return a workbook with one sheet; texts are texts, whatever they begin with.

    Raises:
        MissingPackageError: XlsxWriter is not installed.
    """
    try:
        xlsxwriter: Any = import_module("xlsxwriter")
    except ImportError as error:
        raise MissingPackageError(Reason("excel_missing")) from error
    buffer = BytesIO()
    book = xlsxwriter.Workbook(buffer, {"in_memory": True})
    sheet = book.add_worksheet()
    sheet.freeze_panes(1, 1)
    sheet.set_column(0, 0, 40)
    bold = book.add_format({"bold": True})
    for row, line in enumerate(lines):
        if row > _MOST_SHEET_ROWS:
            break
        for column, cell in enumerate(line):
            if isinstance(cell, int | float) and isfinite(cell):
                sheet.write_number(row, column, cell)
            elif cell is not None:
                sheet.write_string(row, column, cell_text(cell)[:_MOST_CELL], bold if row == 0 else None)
    book.close()
    return buffer.getvalue()


def _cells(column: Column, unit: Unit, rows: Rows, counts: NDArray[np.int64] | None) -> list[Any]:
    values = array_of(rows_of(column, rows), unit)
    if unit is Unit.NS:
        values = values / _NS
    cells: list[Any] = values.tolist()
    if values.dtype == np.float32:
        cells = list(map(float, map(str, values)))  # the shortest decimals of the same bits
    if values.dtype.kind == "f" and unit is not Unit.VALUE and np.isnan(values).any():
        cells = [None if cell != cell else cell for cell in cells]
    if counts is None:
        return cells
    return [f"({n} different)" if n > 1 else cell for cell, n in zip(cells, counts[rows].tolist(), strict=True)]


def _csv_cells(cells: Sequence[Any]) -> Iterable[Any]:
    """Return the cells of a column as the writer takes them; a column of numbers as it is."""
    types = set(map(type, cells))
    if types == {int} or (types == {float} and all(map(isfinite, cells))):
        return cells
    if types == {str}:
        texts = {text: text_cell(text) for text in set(cells)}
        return map(texts.__getitem__, cells)
    return map(_csv_cell, cells)


def _csv_cell(cell: Any) -> Any:
    if type(cell) is int or cell is None or (type(cell) is float and isfinite(cell)):
        return cell
    return text_cell(cell) if isinstance(cell, str) else cell_text(cell)
