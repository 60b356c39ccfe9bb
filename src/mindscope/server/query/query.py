# SPDX-License-Identifier: Apache-2.0
"""Messages and files of the results of queries."""

from __future__ import annotations

from io import BytesIO, StringIO
from typing import Any

from mindscope.errors import MissingPackageError
from mindscope.formats.json_text import as_unicode
from mindscope.reading.sql.result import QueryResult, json_cell
from mindscope.reading.sql.schema import TABLES
from mindscope.server.http.response_limit import check_size
from mindscope.server.http.schema import ReasonEntry
from mindscope.server.query.jobs import raise_if_missing
from mindscope.server.query.schema import (
    MOST_COLUMNS,
    MOST_ROWS,
    SqlColumn,
    SqlColumnEntry,
    SqlFileFormat,
    SqlResult,
    SqlTableEntry,
    SqlTablesAnswer,
)
from mindscope.table.cells import cell_text

MEDIA_TYPES = {
    SqlFileFormat.CSV: "text/csv; charset=utf-8",
    SqlFileFormat.JSON: "application/json",
    SqlFileFormat.PARQUET: "application/vnd.apache.parquet",
}
MOST_TEXT = 2000
"""Characters of a cell; files have all of it."""
LARGEST_WHOLE = 1 << 53
"""Whole numbers beyond it are texts, because JavaScript rounds them."""


def result_message(result: QueryResult) -> SqlResult:
    """Return the first rows. Raises AnswerTooLargeError."""
    shown = result[:MOST_ROWS].to_arrow()
    columns = [
        SqlColumn(name=name, type=type, is_number=is_number, values=[_cell(cell) for cell in cells])
        for (name, type), is_number, cells in zip(
            list(result.columns.items())[:MOST_COLUMNS],
            result.numeric.values(),
            (column.to_pylist(maps_as_pydicts="lossy") for column in shown.columns),
            strict=False,
        )
    ]
    check_size(sum(len(str(cell)) for column in columns for cell in column.values))
    return SqlResult(
        rows=len(result),
        total_columns=len(result.columns),
        is_complete=result.is_complete,
        seconds=result.seconds,
        problems=list(result.problems),
        columns=columns,
    )


def _cell(cell: Any) -> str | float | int | bool | None:
    value = json_cell(cell)
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > LARGEST_WHOLE:
        return str(value)
    if value is None or isinstance(value, int | float):
        return value
    text = as_unicode(value if isinstance(value, str) else cell_text(value))
    return text if len(text) <= MOST_TEXT else f"{text[:MOST_TEXT]}…"


def result_file(result: QueryResult, format: SqlFileFormat) -> bytes:
    """Return all rows as a file."""
    if format is SqlFileFormat.CSV:
        return "".join(result.csv_lines()).encode()
    if format is SqlFileFormat.JSON:
        result.write_json(text := StringIO())
        return text.getvalue().encode()
    result.write_parquet(file := BytesIO())
    return file.getvalue()


def tables_message() -> SqlTablesAnswer:
    """Return the tables with their columns."""
    problem = None
    try:
        raise_if_missing()
    except MissingPackageError as error:
        problem = ReasonEntry.of(error)
    tables = [
        SqlTableEntry(
            name=name, columns=[SqlColumnEntry(name=column, type=type) for column, type in table.columns.items()]
        )
        for name, table in TABLES.items()
    ]
    return SqlTablesAnswer(tables=tables, problem=problem)
