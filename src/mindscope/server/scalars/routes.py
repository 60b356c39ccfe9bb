# SPDX-License-Identifier: Apache-2.0
"""Scalar series: curves reduced for the pixels of a view, and all points as CSV."""

from __future__ import annotations

from anyio.to_thread import run_sync
from fastapi import APIRouter

from mindscope.reading.scalars import Scalars
from mindscope.server.http.access import READS
from mindscope.server.http.columns_response import COLUMNS, ColumnsResponse
from mindscope.server.http.context import CurrentViewer, Viewer
from mindscope.server.http.csv_response import CsvResponse, csv_file_name
from mindscope.server.http.errors import NOT_FOUND
from mindscope.server.scalars.cache import SHORT_QUERY, CurveCache
from mindscope.server.scalars.query import count_points, find_series, pack_curves
from mindscope.server.scalars.schema import CurvesQuery

router = APIRouter()


@router.post(
    "/curves",
    openapi_extra=READS,
    response_class=ColumnsResponse,
    responses=COLUMNS,
)
async def query_curves(query: CurvesQuery, viewer: CurrentViewer) -> ColumnsResponse:
    """The rows that a view of ``pixels`` pixels needs. An unknown run or tag has an error in its place."""
    cache = viewer.shared(CurveCache)
    is_short = count_points(viewer.catalog, query) <= SHORT_QUERY
    return await run_sync(_answer, viewer, query, cache, limiter=cache.short_queries if is_short else None)


def _answer(viewer: Viewer, query: CurvesQuery, cache: CurveCache) -> ColumnsResponse:
    return ColumnsResponse(pack_curves(viewer.catalog, query, cache))


@router.get(
    "/scalars.csv",
    response_class=CsvResponse,
    responses={200: {"content": {"text/csv": {"schema": {"type": "string"}}}}, **NOT_FOUND},
)
def get_scalars_csv(run: str, tag: str, viewer: CurrentViewer) -> CsvResponse:
    """All points as the columns ``step``, ``wall_time``, ``value``."""
    points = find_series(viewer.catalog, run, tag).visible()
    scalars = Scalars(tag, points.step, points.wall_time, points.value)
    disposition = f'attachment; filename="{csv_file_name(run, tag)}"'
    return CsvResponse(scalars.csv_lines(), headers={"content-disposition": disposition})
