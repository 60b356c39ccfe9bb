# SPDX-License-Identifier: Apache-2.0
"""Rows of tables as CSV and as workbooks of Excel: times in milliseconds, texts whole."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from io import BytesIO, StringIO
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.errors import MissingPackageError
from mindscope.profile.tables.columns import Column, Rows, TextColumn, integers_of, value_of
from mindscope.profile.tables.schema import ColumnField, Unit
from mindscope.profile.tables.table_rows import MergedRows
from mindscope.reasons import Reason
from mindscope.server.profiles.rows.query import figures_of

_FORMULA = "=+-@\t\r\n＝＋－＠"
"""A spreadsheet would run a text that begins with one of them."""
_MOST_SHEET_ROWS = 1_048_575
_MOST_CELL = 32_767
_NS = 1_000_000

Cell = str | int | float


def columns_of(merged: MergedRows) -> dict[str, Column]:
    """Return the columns of a file: those by which rows are merged, then figures, then the other texts."""
    columns = merged.columns
    texts = [name for name, column in columns.items() if isinstance(column, TextColumn) and any(column.values)]
    apart = [name for name in texts if name in merged.names and name != "stack"]
    rest = [name for name in texts if name not in apart]
    return {name: columns[name] for name in (*apart, *figures_of(merged), *rest)}


def cells_of(
    columns: Mapping[str, Column],
    schema: Mapping[str, ColumnField],
    rows: Rows,
    distinct: Mapping[str, NDArray[np.int64]] | None = None,
) -> Iterator[list[Cell]]:
    """Yield a header with units, then the rows. Where a row has several texts of a column, it says how many."""
    counts, units = distinct or {}, {name: schema[name].unit for name in columns}
    yield [f"{name}_ms" if units[name] is Unit.NS else name for name in columns]
    for row in integers_of(rows):
        yield [
            f"({counts[name][row]} different)"
            if name in counts and counts[name][row] > 1
            else _cell(column, units[name], row)
            for name, column in columns.items()
        ]


def csv_text(lines: Iterable[list[Cell]]) -> Iterator[str]:
    """Yield the lines of CSV. A text that a spreadsheet would run as a formula begins with a tick."""
    buffer = StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    for line in lines:
        writer.writerow([_harmless(cell) for cell in line])
        yield buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()


def xlsx_bytes(lines: Iterable[list[Cell]]) -> bytes:
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
    for place, line in enumerate(lines):
        if place > _MOST_SHEET_ROWS:
            break
        for column, cell in enumerate(line):
            if isinstance(cell, str):
                sheet.write_string(place, column, cell[:_MOST_CELL], bold if place == 0 else None)
            else:
                sheet.write_number(place, column, cell)
    book.close()
    return buffer.getvalue()


def _cell(column: Column, unit: Unit, row: int) -> Cell:
    value: Cell = value_of(column, unit, row)
    if not isinstance(value, str) and not isfinite(value):
        return ""
    return value / _NS if unit is Unit.NS and not isinstance(value, str) else value


def _harmless(cell: Cell) -> Cell:
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(tuple(_FORMULA)) else cell
