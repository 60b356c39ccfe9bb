# SPDX-License-Identifier: Apache-2.0
"""Tensors: descriptions, windows of slices, statistics, heat maps, and slices as files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import Response, StreamingResponse

from mindscope.analysis.slices import SliceError, default_slice, read_slice
from mindscope.analysis.tensor_statistics import whole
from mindscope.analysis.tensors import TensorSource
from mindscope.reasons import reason_of
from mindscope.server.http.columns import MEDIA_TYPE
from mindscope.server.http.columns_response import ColumnsResponse
from mindscope.server.http.context import CurrentViewer, Viewer
from mindscope.server.http.csv_response import CsvResponse, csv_file_name
from mindscope.server.http.errors import failure
from mindscope.server.http.immutable import READABLE, Id, immutable, value_not_found
from mindscope.server.http.json_response import JsonResponse
from mindscope.server.tensors.json_file import json_chunks
from mindscope.server.tensors.query import open_tensor, pack_heat, summarize_tensor
from mindscope.server.tensors.schema import TensorAnswer, TensorFile, TensorStatisticsAnswer, TensorWindowAnswer
from mindscope.server.tensors.table import csv_chunks, describe_tensor, npy_chunks, read_window, table_key

MAX_INDEX = 2**53
MAX_ROWS, MAX_COLUMNS = 1000, 500
MAX_CELLS = 1024
MAX_BINS = 1000

Slice = Annotated[
    list[str],
    Query(max_length=64, description="A text for each dimension, an index or a range in Python's slice syntax."),
]
"""Without texts: the default slice, for statistics the whole tensor."""

BINARY: dict[str, Any] = {"schema": {"type": "string", "format": "binary"}}
TEXT: dict[str, Any] = {"schema": {"type": "string"}}

router = APIRouter()


class JsonFileResponse(StreamingResponse):
    """A JSON file."""

    media_type = "application/json"


class NpyResponse(StreamingResponse):
    """A NumPy file, format version 1.0."""

    media_type = "application/x-npy"


@router.get("/tensor", response_model=TensorAnswer, responses=READABLE)
def get_tensor(run: str, tag: str, id: Id, viewer: CurrentViewer) -> Response:
    """The description of the tensor that ``/api/values`` calls ``id``."""
    return _answer(viewer, run, tag, id, lambda source: JsonResponse(describe_tensor(source)))


@router.get("/tensor/window", response_model=TensorWindowAnswer, responses=READABLE)
def get_tensor_window(
    run: str,
    tag: str,
    id: Id,
    viewer: CurrentViewer,
    slice: Slice = [],  # noqa: B006  FastAPI copies it
    row: Annotated[int, Query(ge=0, le=MAX_INDEX)] = 0,
    rows: Annotated[int, Query(ge=1, le=MAX_ROWS)] = 64,
    column: Annotated[int, Query(ge=0, le=MAX_INDEX)] = 0,
    columns: Annotated[int, Query(ge=1, le=MAX_COLUMNS)] = 32,
) -> Response:
    """The cells of a window of a slice. Reads nothing else of the tensor."""
    return _answer(
        viewer, run, tag, id, lambda source: JsonResponse(read_window(source, slice, row, rows, column, columns))
    )


@router.get("/tensor/statistics", response_model=TensorStatisticsAnswer, responses=READABLE)
def get_tensor_statistics(
    run: str,
    tag: str,
    id: Id,
    viewer: CurrentViewer,
    slice: Slice = [],  # noqa: B006
    bins: Annotated[int, Query(ge=0, le=MAX_BINS)] = 0,
) -> Response:
    """Statistics and a histogram of a slice, or of the whole tensor."""
    return _answer(viewer, run, tag, id, lambda source: JsonResponse(summarize_tensor(source, slice, bins)))


@router.get(
    "/tensor/heat",
    response_class=ColumnsResponse,
    response_model=None,
    responses={200: {"content": {MEDIA_TYPE: BINARY}}, **READABLE},
)
def get_tensor_heat(
    run: str,
    tag: str,
    id: Id,
    viewer: CurrentViewer,
    slice: Slice = [],  # noqa: B006
    rows: Annotated[int, Query(ge=1, le=MAX_CELLS)] = 256,
    columns: Annotated[int, Query(ge=1, le=MAX_CELLS)] = 256,
) -> Response:
    """A slice as a heat map of at most ``rows`` by ``columns`` cells; the header is HeatHeader."""
    return _answer(viewer, run, tag, id, lambda source: ColumnsResponse(pack_heat(source, slice, rows, columns)))


@router.get(
    "/tensor.csv",
    response_class=CsvResponse,
    response_model=None,
    responses={200: {"content": {"text/csv": TEXT}}, **READABLE},
)
def get_tensor_csv(run: str, tag: str, id: Id, viewer: CurrentViewer, slice: Slice = []) -> Response:  # noqa: B006
    """A slice of at most two dimensions as CSV, with exact values."""

    def answer(source: TensorSource) -> Response:
        name = csv_file_name(run, tag)
        return CsvResponse(csv_chunks(source, table_key(source, slice)), headers=_attachment(name))

    return _answer(viewer, run, tag, id, answer)


@router.get("/tensor.json", response_model=TensorFile, responses=READABLE)
def get_tensor_json(run: str, tag: str, id: Id, viewer: CurrentViewer, slice: Slice = []) -> Response:  # noqa: B006
    """A slice of at most two dimensions as JSON, with exact values."""

    def answer(source: TensorSource) -> Response:
        facts = {"run": run, "tag": tag, "slice": slice or default_slice(source.shape)}
        key = table_key(source, slice)
        return JsonFileResponse(json_chunks(source, key, facts), headers=_attachment(f"{_stem(run, tag)}.json"))

    return _answer(viewer, run, tag, id, answer)


@router.get(
    "/tensor.npy",
    response_class=NpyResponse,
    response_model=None,
    responses={200: {"content": {NpyResponse.media_type: BINARY}}, **READABLE},
)
def get_tensor_npy(run: str, tag: str, id: Id, viewer: CurrentViewer, slice: Slice = []) -> Response:  # noqa: B006
    """A slice, or the whole tensor, as a file for ``numpy.load``."""

    def answer(source: TensorSource) -> Response:
        key = read_slice(slice, source.shape) if slice else whole(source)
        return NpyResponse(npy_chunks(source, key), headers=_attachment(f"{_stem(run, tag)}.npy"))

    return _answer(viewer, run, tag, id, answer)


def _answer(viewer: Viewer, run: str, tag: str, id: str, look: Callable[[TensorSource], Response]) -> Response:
    """The result of ``look`` for a tensor; 422 if it has no such slice."""
    source = open_tensor(viewer.catalog, run, tag, id)
    if source is None:
        return value_not_found("tensor", run, tag, id)
    try:
        return immutable(look(source))
    except SliceError as error:
        shape = ", ".join(map(str, source.shape))
        return failure(422, reason_of(error), f"the tensor has the shape ({shape})")


def _stem(run: str, tag: str) -> str:
    return csv_file_name(run, tag).removesuffix(".csv")


def _attachment(name: str) -> dict[str, str]:
    return {"content-disposition": f'attachment; filename="{name}"'}
