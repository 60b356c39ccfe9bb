# SPDX-License-Identifier: Apache-2.0
"""All points of one scalar series as CSV."""

from __future__ import annotations

from fastapi import APIRouter
from fastapi.responses import StreamingResponse

from mindscope.server.context import TheViewer
from mindscope.server.curves import find_series
from mindscope.server.failures import NOT_FOUND
from mindscope.server.tables import csv_file_name, scalar_csv_chunks

router = APIRouter()


class CsvResponse(StreamingResponse):
    """Text with a header line, RFC 4180."""

    media_type = "text/csv"


@router.get(
    "/scalars.csv",
    response_class=CsvResponse,
    responses={200: {"content": {"text/csv": {"schema": {"type": "string"}}}}, **NOT_FOUND},
)
def get_scalars_csv(run: str, tag: str, viewer: TheViewer) -> CsvResponse:
    """Columns ``step``, ``wall_time``, ``value``; nothing reduced."""
    series = find_series(viewer.catalog, run, tag)
    disposition = f'attachment; filename="{csv_file_name(run, tag)}"'
    return CsvResponse(scalar_csv_chunks(series), headers={"content-disposition": disposition})
