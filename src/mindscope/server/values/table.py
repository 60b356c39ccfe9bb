# SPDX-License-Identifier: Apache-2.0
"""Routes of a recorded table: some of its rows, all as CSV, and the images and sounds of its cells."""

from __future__ import annotations

import re
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import Response

from mindscope.analysis.recorded_tables import TableRows
from mindscope.analysis.stored_values import find_values
from mindscope.lru import LRU
from mindscope.reasons import Reason
from mindscope.server.http.context import CurrentViewer, Viewer
from mindscope.server.http.csv_response import CsvResponse, csv_file_name
from mindscope.server.http.errors import failure
from mindscope.server.http.immutable import IMMUTABLE, READABLE, Id, immutable, value_not_found
from mindscope.server.http.json_numbers import not_a_number
from mindscope.server.http.json_response import JsonResponse
from mindscope.server.http.response_limit import check_deadline, check_size
from mindscope.server.http.schema import Answer, FailureAnswer
from mindscope.types import Kind, RecordedTable, TableColumn

MAX_ROWS = 500
MAX_COLUMNS = 256
MAX_CHARACTERS = 2000
"""Limit of a text in a cell, and of the name of a column; the CSV file has all of it."""
MAX_CACHED_CELLS = 1 << 23
_IMAGES = ("image/png", "image/jpeg", "image/gif", "image/webp")
MEDIA_TYPES = (*_IMAGES, "audio/wav", "audio/flac", "audio/ogg", "audio/mpeg")
"""What is handed out: a browser runs nothing in it."""
_MEDIA_RESPONSES: dict[int | str, dict[str, Any]] = {
    200: {"content": {media_type: {"schema": {"type": "string", "format": "binary"}} for media_type in MEDIA_TYPES}},
    **READABLE,
    415: {"model": FailureAnswer, "description": "The file is none of these types."},
}

_SORT = re.compile(r"(?P<sign>-?)(?P<column>[0-9]{1,9})")

router = APIRouter()

Where = Annotated[
    str, Query(max_length=2000, description='Condition on columns, such as `score > 0.5 and label == "cat"`.')
]
Search = Annotated[str, Query(max_length=1000, description="Words that a row contains.")]
Sort = Annotated[
    list[str],
    Query(max_length=16, description="Numbers of columns; one with a minus is descending."),
]


class TableColumnEntry(Answer):
    """A column. ``values`` are those of the requested rows.

    ``type`` is number, text, bool or media. NaN and infinities are texts, an empty cell is null. A cell of type media
    is the number of its file.
    """

    name: str
    type: str
    values: list[str | float | int | bool | None]


class TableAnswer(Answer):
    """Some rows of a table.

    ``total`` counts the rows of the table, ``matching`` those that fulfil the condition and contain the words. ``rows``
    are the numbers of the returned ones, from 0 as recorded; the first is number ``first`` of the matching ones.
    ``total_columns`` counts all columns; the answer has the first ones. ``media`` are the types of the files of cells.
    """

    total: int
    total_columns: int
    matching: int
    first: int
    rows: list[int]
    columns: list[TableColumnEntry]
    media: dict[str, str]


class TableCache(LRU[tuple[str, str, str], RecordedTable]):
    """The decoded tables that were used last."""

    def __init__(self) -> None:
        super().__init__(
            MAX_CACHED_CELLS,
            lambda table: table.rows * len(table.columns) + sum(len(file) for _, file in table.media) // 64,
        )


@router.get("/table", response_model=TableAnswer, responses=READABLE)
def get_table(
    run: str,
    tag: str,
    id: Id,
    viewer: CurrentViewer,
    first: Annotated[int, Query(ge=0)] = 0,
    count: Annotated[int, Query(ge=0, le=MAX_ROWS)] = 100,
    where: Where = "",
    search: Search = "",
    sort: Sort = [],  # noqa: B006
) -> Response:
    """Return some rows of the table that ``/api/values`` calls ``id``, after a condition, a search and an order."""
    table = _find(viewer, run, tag, id)
    if table is None:
        return value_not_found("table", run, tag, id)
    return immutable(JsonResponse(_describe(_rows_of(table, where, search, sort), first, count)))


@router.get("/table/csv", response_class=CsvResponse, response_model=None, responses=READABLE)
def get_table_csv(
    run: str,
    tag: str,
    id: Id,
    viewer: CurrentViewer,
    where: Where = "",
    search: Search = "",
    sort: Sort = [],  # noqa: B006
) -> Response:
    """Return all matching rows of a table as CSV, with whole texts."""
    table = _find(viewer, run, tag, id)
    if table is None:
        return value_not_found("table", run, tag, id)
    disposition = f'attachment; filename="{csv_file_name(run, tag)}"'
    return CsvResponse(_rows_of(table, where, search, sort).csv_parts(), headers={"content-disposition": disposition})


@router.get("/table/media", response_class=Response, response_model=None, responses=_MEDIA_RESPONSES)
def get_table_media(run: str, tag: str, id: Id, viewer: CurrentViewer, file: Annotated[int, Query(ge=0)]) -> Response:
    """Return an image or a sound of a cell of a table, by the number of its file."""
    table = _find(viewer, run, tag, id)
    if table is None or file >= len(table.media):
        return value_not_found("table", run, tag, id)
    media_type, encoded = table.media[file]
    if media_type not in MEDIA_TYPES:
        return failure(415, Reason("table_media_type", type=media_type[:80], run=run, tag=tag), "export the run")
    return Response(encoded, media_type=media_type, headers=IMMUTABLE)


def _find(viewer: Viewer, run: str, tag: str, id: str) -> RecordedTable | None:
    """Return a table; None if no value has the id. Raises RunNotFoundError, TagNotFoundError, FormatError."""
    values = find_values(viewer.catalog.run(run), Kind.TABLE, tag)
    located = values.locate(id)
    if located is None:
        return None
    return viewer.shared(TableCache).get_or_add((run, tag, id), lambda: values.read(*located))


def _rows_of(table: RecordedTable, where: str, search: str, sort: list[str]) -> TableRows:
    matches = (_SORT.fullmatch(text) for text in sort)
    by = [(int(match["column"]), match["sign"] == "-") for match in matches if match]
    return TableRows(table, check_deadline).filter(where.strip()).search(search).sort(by)


def _describe(matching: TableRows, first: int, count: int) -> TableAnswer:
    table = matching.table
    rows: list[int] = matching.rows[first : first + count].tolist()
    columns = [_entry(column, rows) for column in table.columns[:MAX_COLUMNS]]
    check_size(sum(len(str(cell)) for column in columns for cell in column.values))
    files = {value for column in columns if column.type == "media" for value in column.values if type(value) is int}
    return TableAnswer(
        total=table.rows,
        total_columns=len(table.columns),
        matching=len(matching.rows),
        first=first,
        rows=rows,
        columns=columns,
        media={str(file): table.media[file][0][:80] for file in sorted(files)},
    )


def _entry(column: TableColumn, rows: list[int]) -> TableColumnEntry:
    values = [_cell(column.values[row]) for row in rows]
    return TableColumnEntry(name=_short(column.name), type=column.type, values=values)


def _cell(value: Any) -> str | float | bool | None:
    if isinstance(value, float):
        return not_a_number(value) or value
    return value if value is None or isinstance(value, bool | int) else _short(str(value))


def _short(text: str) -> str:
    cut = text if len(text) <= MAX_CHARACTERS else f"{text[:MAX_CHARACTERS]}…"
    return cut.encode("utf-8", "backslashreplace").decode()
