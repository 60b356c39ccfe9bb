# SPDX-License-Identifier: Apache-2.0
"""The lineage table of all runs: rows, filters, importance, data pipelines, files."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from fastapi.responses import Response

from mindscope.server.http.access import READS
from mindscope.server.http.context import CurrentViewer
from mindscope.server.http.errors import NO_COLUMN
from mindscope.server.http.json_response import JsonResponse, RawJsonResponse
from mindscope.server.lineage.file import MEDIA_TYPES, lineage_file
from mindscope.server.lineage.importance import ImportanceJobs
from mindscope.server.lineage.pipelines import answer_pipelines
from mindscope.server.lineage.query import answer_table, filter_runs, view_table
from mindscope.server.lineage.schema import (
    FileQuery,
    FilterAnswer,
    FilterQuery,
    ImportanceAnswer,
    ImportanceQuery,
    LineageAnswer,
    LineageTableQuery,
    PipelinesAnswer,
    PipelinesQuery,
)

FILES: dict[str, dict[str, Any]] = {
    "text/csv": {"schema": {"type": "string"}},
    "application/json": {"schema": {"type": "array", "items": {"type": "object"}}},
    "application/vnd.apache.parquet": {"schema": {"type": "string", "format": "binary"}},
}

router = APIRouter()


@router.post("/lineage", openapi_extra=READS, response_model=LineageAnswer)
def query_lineage(query: LineageTableQuery, viewer: CurrentViewer) -> RawJsonResponse:
    """Return a row per run, with a column per parameter, field, metric, fact or statistic of a scalar.

    With ``since``, the cursor of a response, the changes since that response.
    """
    return RawJsonResponse(answer_table(viewer, query))


@router.post("/lineage/filter", openapi_extra=READS, response_model=FilterAnswer)
def filter_lineage(query: FilterQuery, viewer: CurrentViewer) -> JsonResponse:
    """The runs that match a filter. The error of a bad filter has the ``position`` of the character."""
    return JsonResponse(filter_runs(viewer, query))


@router.post("/lineage/importance", openapi_extra=READS, response_model=ImportanceAnswer, responses=NO_COLUMN)
def query_importance(query: ImportanceQuery, viewer: CurrentViewer) -> RawJsonResponse:
    """Measure how much columns explain a numeric target, by four measures, and find pairs that interact."""
    return RawJsonResponse(viewer.shared(ImportanceJobs).answer(view_table(viewer, query), query))


@router.post("/lineage/pipelines", openapi_extra=READS, response_model=PipelinesAnswer)
def query_pipelines(query: PipelinesQuery, viewer: CurrentViewer) -> RawJsonResponse:
    """The data pipelines of runs, aligned operation by operation."""
    return RawJsonResponse(answer_pipelines(viewer, query))


@router.post(
    "/lineage/file",
    openapi_extra=READS,
    response_class=Response,
    responses={200: {"content": FILES}, **NO_COLUMN},
)
def export_lineage(query: FileQuery, viewer: CurrentViewer) -> Response:
    """The table as a file: CSV, JSON or Parquet."""
    headers = {"content-disposition": f'attachment; filename="lineage.{query.format.value}"'}
    return Response(lineage_file(viewer, query), media_type=MEDIA_TYPES[query.format], headers=headers)
