# SPDX-License-Identifier: Apache-2.0
"""Rows of operators and kernels page by page, one of them in detail, modules, and all of them as files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from fastapi import APIRouter
from fastapi.responses import Response, StreamingResponse

from mindscope.reasons import Reason, reason_of
from mindscope.server.http.access import READS
from mindscope.server.http.context import CurrentViewer, Viewer
from mindscope.server.http.errors import failure
from mindscope.server.http.json_response import JsonResponse
from mindscope.server.http.schema import FailureAnswer
from mindscope.server.profiles.access import READABLE, open_parts
from mindscope.server.profiles.reader import OpenParts
from mindscope.server.profiles.rows.query import (
    MergedTables,
    RowsError,
    lines_of_rows,
    modules_answer,
    modules_of,
    ordered_rows,
    row_answer,
    rows_answer,
    table_of,
)
from mindscope.server.profiles.rows.schema import (
    ModulesAnswer,
    ModulesFileQuery,
    RowAnswer,
    RowQuery,
    RowsAnswer,
    RowsFileQuery,
    RowsQuery,
)
from mindscope.table.file import Line, csv_text, lines_of, xlsx_bytes

router = APIRouter()

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_FILES: dict[int | str, dict[str, Any]] = {
    **READABLE,
    200: {"content": {"text/csv": {}, XLSX: {}}, "description": "The file."},
    501: {"model": FailureAnswer, "description": "A package for this format is not installed."},
}


@router.post("/profiles/rows", openapi_extra=READS, response_model=RowsAnswer, responses=READABLE)
def query_rows(query: RowsQuery, viewer: CurrentViewer) -> Response:
    """Operators or kernels, merged, narrowed, filtered and ordered: one page of them, and the greatest of all."""
    return _answer(viewer, query.run, query.profile, lambda parts: rows_answer(parts, query, _merged(viewer)))


@router.post("/profiles/row", openapi_extra=READS, response_model=RowAnswer, responses=READABLE)
def query_row(query: RowQuery, viewer: CurrentViewer) -> Response:
    """Return a row with all of its texts, and the kernels that it launched or the operators that launched it."""
    return _answer(viewer, query.run, query.profile, lambda parts: row_answer(parts, query, _merged(viewer)))


@router.post("/profiles/rows/file", openapi_extra=READS, response_class=StreamingResponse, responses=_FILES)
def save_rows(query: RowsFileQuery, viewer: CurrentViewer) -> Response:
    """All rows that a query shows, as CSV or as a workbook of Excel."""

    def write(parts: OpenParts) -> Response:
        merged = _merged(viewer).get(parts, query, table_of(parts, query.part))
        return _file(lines_of_rows(merged, ordered_rows(merged, query)), query.format)

    return _with_parts(viewer, query.run, query.profile, write)


@router.get("/profiles/modules", response_model=ModulesAnswer, responses=READABLE)
def get_modules(run: str, profile: str, viewer: CurrentViewer) -> Response:
    """The tree of modules with their times, operations and memory."""
    return _answer(viewer, run, profile, modules_answer)


@router.post("/profiles/modules/file", openapi_extra=READS, response_class=StreamingResponse, responses=_FILES)
def save_modules(query: ModulesFileQuery, viewer: CurrentViewer) -> Response:
    """All modules as CSV or as a workbook of Excel."""

    def write(parts: OpenParts) -> Response:
        modules = modules_of(parts)
        columns = {name: column for name, column in modules.columns().items() if name not in ("parent", "name")}
        return _file(lines_of(columns, modules.schema()), query.format)

    return _with_parts(viewer, query.run, query.profile, write)


def _answer(viewer: Viewer, run: str, profile: str, make: Callable[[OpenParts], Any]) -> Response:
    def respond(parts: OpenParts) -> Response:
        made = make(parts)
        if made is None:
            what = Reason("profile_row_not_found", profile=profile)
            return failure(404, what, "POST /api/profiles/rows has the numbers of rows")
        return JsonResponse(made)

    return _with_parts(viewer, run, profile, respond)


def _with_parts(viewer: Viewer, run: str, profile: str, respond: Callable[[OpenParts], Response]) -> Response:
    parts = open_parts(viewer, run, profile)
    if isinstance(parts, Response):
        return parts
    try:
        return respond(parts)
    except RowsError as error:
        return failure(422, reason_of(error), "POST /api/profiles/rows without by, where and sort says what there is")


def _file(lines: Iterator[Line], format: str) -> Response:
    if format == "csv":
        return StreamingResponse(csv_text(lines), media_type="text/csv")
    return Response(xlsx_bytes(lines), media_type=XLSX)


def _merged(viewer: Viewer) -> MergedTables:
    return viewer.shared(MergedTables)
