# SPDX-License-Identifier: Apache-2.0
"""The routes of a tensor, however a request names it: description, window, statistics, heat map, files of slices."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Protocol

from fastapi import APIRouter, Depends, Query
from fastapi.responses import Response, StreamingResponse

from mindscope.analysis.slices import SliceError, default_slice, read_slice
from mindscope.analysis.tensor_statistics import whole
from mindscope.analysis.tensors import TensorSource
from mindscope.reasons import reason_of
from mindscope.server.http.columns import MEDIA_TYPE
from mindscope.server.http.columns_response import ColumnsResponse
from mindscope.server.http.csv_response import CsvResponse, csv_file_name
from mindscope.server.http.errors import failure
from mindscope.server.http.json_response import JsonResponse
from mindscope.server.tensors.json_file import json_chunks
from mindscope.server.tensors.query import pack_heat, summarize_tensor
from mindscope.server.tensors.schema import SliceFile, TensorAnswer, TensorStatisticsAnswer, TensorWindowAnswer
from mindscope.server.tensors.table import csv_chunks, describe_tensor, npy_chunks, read_window, table_key

MAX_INDEX = 2**53
MAX_ROWS, MAX_COLUMNS = 1000, 500
MAX_CELLS = 1024
MAX_BINS = 1000

Slice = Annotated[
    list[str],
    Query(max_length=64, description="A text for each dimension, an index or a range in Python's slice syntax."),
]
"""Indexes and ranges as texts. Without texts it is the default slice, for statistics the whole tensor."""

BINARY: dict[str, Any] = {"schema": {"type": "string", "format": "binary"}}
TEXT: dict[str, Any] = {"schema": {"type": "string"}}


class RequestedTensor(Protocol):
    """The tensor that a request names."""

    @property
    def run(self) -> str: ...

    @property
    def name(self) -> str:
        """Name of the tensor in the run, for the names of files."""
        ...

    @property
    def facts(self) -> Mapping[str, Any]:
        """Origin of the tensor for a JSON file."""
        ...

    def answer(self, look: Callable[[TensorSource], Response]) -> Response:
        """Return the result of ``look`` for the tensor, or a response that says why it can't be read."""
        ...


class JsonFileResponse(StreamingResponse):
    """A JSON file."""

    media_type = "application/json"


class NpyResponse(StreamingResponse):
    """A NumPy file, format version 1.0."""

    media_type = "application/x-npy"


def tensor_routes(
    path: str,
    noun: str,
    requested: Callable[..., RequestedTensor],
    file: type[SliceFile],
    responses: dict[int | str, dict[str, Any]],
) -> APIRouter:
    """Routes below a path.

    Args:
        path: such as ``/tensor``.
        noun: what the operations call the tensor.
        requested: a dependency of FastAPI.
        file: the message of a JSON file.
        responses: the errors of ``requested``.
    """
    router = APIRouter()
    tensor: Any = Depends(requested)

    @router.get(path, name=f"get_{noun}", response_model=TensorAnswer, responses=responses)
    def get_tensor(of: RequestedTensor = tensor) -> Response:  # pyright: ignore[reportUnusedFunction]
        """The description of the tensor."""
        return of.answer(lambda source: JsonResponse(describe_tensor(source)))

    @router.get(f"{path}/window", name=f"get_{noun}_window", response_model=TensorWindowAnswer, responses=responses)
    def get_tensor_window(  # pyright: ignore[reportUnusedFunction]
        of: RequestedTensor = tensor,
        slice: Slice = [],  # noqa: B006  FastAPI copies it
        row: Annotated[int, Query(ge=0, le=MAX_INDEX)] = 0,
        rows: Annotated[int, Query(ge=1, le=MAX_ROWS)] = 64,
        column: Annotated[int, Query(ge=0, le=MAX_INDEX)] = 0,
        columns: Annotated[int, Query(ge=1, le=MAX_COLUMNS)] = 32,
    ) -> Response:
        """The cells of a window of a slice. Reads nothing else of the tensor."""
        return _sliced(of, lambda source: JsonResponse(read_window(source, slice, row, rows, column, columns)))

    @router.get(
        f"{path}/statistics", name=f"get_{noun}_statistics", response_model=TensorStatisticsAnswer, responses=responses
    )
    def get_tensor_statistics(  # pyright: ignore[reportUnusedFunction]
        of: RequestedTensor = tensor,
        slice: Slice = [],  # noqa: B006
        bins: Annotated[int, Query(ge=0, le=MAX_BINS)] = 0,
    ) -> Response:
        """Statistics and a histogram of a slice, or of the whole tensor."""
        return _sliced(of, lambda source: JsonResponse(summarize_tensor(source, slice, bins)))

    @router.get(
        f"{path}/heat",
        name=f"get_{noun}_heat",
        response_class=ColumnsResponse,
        response_model=None,
        responses={200: {"content": {MEDIA_TYPE: BINARY}}, **responses},
    )
    def get_tensor_heat(  # pyright: ignore[reportUnusedFunction]
        of: RequestedTensor = tensor,
        slice: Slice = [],  # noqa: B006
        rows: Annotated[int, Query(ge=1, le=MAX_CELLS)] = 256,
        columns: Annotated[int, Query(ge=1, le=MAX_CELLS)] = 256,
    ) -> Response:
        """A slice as a heat map of at most ``rows`` by ``columns`` cells; the header is HeatHeader."""
        return _sliced(of, lambda source: ColumnsResponse(pack_heat(source, slice, rows, columns)))

    @router.get(
        f"{path}.csv",
        name=f"get_{noun}_csv",
        response_class=CsvResponse,
        response_model=None,
        responses={200: {"content": {"text/csv": TEXT}}, **responses},
    )
    def get_tensor_csv(of: RequestedTensor = tensor, slice: Slice = []) -> Response:  # noqa: B006  # pyright: ignore
        """A slice of at most two dimensions as CSV, with exact values."""

        def answer(source: TensorSource) -> Response:
            return CsvResponse(csv_chunks(source, table_key(source, slice)), headers=_attachment(of, "csv"))

        return _sliced(of, answer)

    @router.get(f"{path}.json", name=f"get_{noun}_json", response_model=file, responses=responses)
    def get_tensor_json(of: RequestedTensor = tensor, slice: Slice = []) -> Response:  # noqa: B006  # pyright: ignore
        """A slice of at most two dimensions as JSON, with exact values."""

        def answer(source: TensorSource) -> Response:
            facts = {**of.facts, "slice": slice or default_slice(source.shape)}
            key = table_key(source, slice)
            return JsonFileResponse(json_chunks(source, key, facts), headers=_attachment(of, "json"))

        return _sliced(of, answer)

    @router.get(
        f"{path}.npy",
        name=f"get_{noun}_npy",
        response_class=NpyResponse,
        response_model=None,
        responses={200: {"content": {NpyResponse.media_type: BINARY}}, **responses},
    )
    def get_tensor_npy(of: RequestedTensor = tensor, slice: Slice = []) -> Response:  # noqa: B006  # pyright: ignore
        """A slice, or the whole tensor, as a file for ``numpy.load``."""

        def answer(source: TensorSource) -> Response:
            key = read_slice(slice, source.shape) if slice else whole(source)
            return NpyResponse(npy_chunks(source, key), headers=_attachment(of, "npy"))

        return _sliced(of, answer)

    return router


def _sliced(of: RequestedTensor, look: Callable[[TensorSource], Response]) -> Response:
    """Return the result of ``look``; 422 if the tensor has no such slice."""

    def checked(source: TensorSource) -> Response:
        try:
            return look(source)
        except SliceError as error:
            shape = ", ".join(map(str, source.shape))
            return failure(422, reason_of(error), f"the tensor has the shape ({shape})")

    return of.answer(checked)


def _attachment(of: RequestedTensor, suffix: str) -> dict[str, str]:
    name = csv_file_name(of.run, of.name).removesuffix("csv") + suffix
    return {"content-disposition": f'attachment; filename="{name}"'}
