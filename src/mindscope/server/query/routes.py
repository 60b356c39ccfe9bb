# SPDX-License-Identifier: Apache-2.0
"""Statements of SQL over the runs, their results as files, and the tables that they read."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from fastapi.responses import Response

from mindscope.reasons import reason_of
from mindscope.server.http.access import READS
from mindscope.server.http.context import CurrentViewer
from mindscope.server.http.errors import failure
from mindscope.server.http.json_response import JsonResponse
from mindscope.server.http.schema import FailureAnswer
from mindscope.server.jobs.schema import fields_of
from mindscope.server.query.jobs import jobs_of
from mindscope.server.query.query import MEDIA_TYPES, result_file, result_message, tables_message
from mindscope.server.query.schema import SqlAnswer, SqlFileQuery, SqlQuery, SqlTablesAnswer

FILES: dict[str, dict[str, Any]] = {
    "text/csv": {"schema": {"type": "string"}},
    "application/json": {"schema": {"anyOf": [{"type": "array"}, {"$ref": "#/components/schemas/SqlAnswer"}]}},
    "application/vnd.apache.parquet": {"schema": {"type": "string", "format": "binary"}},
}
NOT_READY: dict[int | str, dict[str, Any]] = {
    200: {"content": FILES},
    202: {"model": SqlAnswer, "description": "The query runs; send the same message again."},
    409: {"model": FailureAnswer, "description": "The statement is refused, it failed, or it exceeded a limit."},
}

router = APIRouter()


@router.get("/query/tables", response_model=SqlTablesAnswer)
def get_query_tables() -> JsonResponse:
    """List the tables that a statement can read, with their columns."""
    return JsonResponse(tables_message())


@router.post("/query", openapi_extra=READS, response_model=SqlAnswer)
def post_query(query: SqlQuery, viewer: CurrentViewer) -> JsonResponse:
    """Run one SELECT statement over the runs, in the dialect of DuckDB.

    Returns the progress until there is a result or a problem: send the same message again. A query for which
    no request comes is ended.
    """
    outcome = jobs_of(viewer).outcome(query)
    result = None if outcome.value is None else result_message(outcome.value)
    return JsonResponse(SqlAnswer(result=result, **fields_of(outcome)))


@router.post("/query/file", openapi_extra=READS, response_class=Response, responses=NOT_READY)
def post_query_file(query: SqlFileQuery, viewer: CurrentViewer) -> Response:
    """All rows of a result as a file: CSV, JSON or Parquet. 202 until there is a result."""
    outcome = jobs_of(viewer).outcome(query)
    if outcome.problem is not None:
        reason = reason_of(outcome.problem)
        return failure(409, reason, reason.remedy)
    if outcome.value is None:
        answer = JsonResponse(SqlAnswer(result=None, **fields_of(outcome)))
        answer.status_code = 202
        return answer
    headers = {"content-disposition": f'attachment; filename="query.{query.format.value}"'}
    content = result_file(outcome.value, query.format)
    return Response(content, media_type=MEDIA_TYPES[query.format], headers=headers)
