# SPDX-License-Identifier: Apache-2.0
"""Routes of embeddings."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import Response

from mindscope.embeddings.config import EmbeddingFiles, embeddings_of
from mindscope.embeddings.embedding import Embedding
from mindscope.embeddings.neighbors import MOST_GRAPH_NEIGHBORS, Metric
from mindscope.errors import FormatError
from mindscope.reasons import Reason, reason_of
from mindscope.server.embeddings.query import (
    list_embeddings,
    neighbors_of,
    pack_embedding,
    pack_graph,
    pack_metadata,
    read_sprite,
)
from mindscope.server.embeddings.reader import EmbeddingReader
from mindscope.server.embeddings.schema import EmbeddingsAnswer, EmbeddingsQuery, NeighborsAnswer
from mindscope.server.http.access import READS
from mindscope.server.http.columns_response import COLUMNS, ColumnsResponse
from mindscope.server.http.context import CurrentViewer, Viewer
from mindscope.server.http.errors import NOT_FOUND, RefusedError
from mindscope.server.http.json_response import JsonResponse
from mindscope.server.http.schema import FailureAnswer

MOST_NEIGHBORS = 1000
_LIST = "POST /api/embeddings lists the embeddings of runs"
READABLE: dict[int | str, dict[str, Any]] = {
    **NOT_FOUND,
    404: {"model": FailureAnswer, "description": "No such run, embedding, column or point."},
    409: {"model": FailureAnswer, "description": "The embedding is not read yet, or has changed."},
}
Name = Annotated[str, Query(max_length=4096)]
Version = Annotated[str, Query(max_length=200, description="As in /api/embeddings.")]

router = APIRouter()


@router.post("/embeddings", openapi_extra=READS, response_model=EmbeddingsAnswer)
def query_embeddings(query: EmbeddingsQuery, viewer: CurrentViewer) -> JsonResponse:
    """The embeddings that runs have in files of TensorBoard's projector, by tag and step."""
    return JsonResponse(list_embeddings(viewer.catalog, query.runs))


@router.get("/embeddings/points", response_class=ColumnsResponse, responses={**READABLE, **COLUMNS})
def get_points(run: str, name: Name, version: Version, viewer: CurrentViewer) -> Response:
    """The principal components of an embedding, or the progress of computing them. The header is EmbeddingHeader."""
    directory, files = _files(viewer, run, name, version)
    outcome = viewer.shared(EmbeddingReader).embedding(directory, files, version)
    return ColumnsResponse(pack_embedding(outcome, files, version))


@router.get("/embeddings/metadata", response_class=ColumnsResponse, responses={**READABLE, **COLUMNS})
def get_metadata(run: str, name: Name, version: Version, column: Name, viewer: CurrentViewer) -> Response:
    """One column of the metadata of the points. The header is EmbeddingMetadataHeader."""
    embedding = _opened(viewer, run, name, version)
    chosen = next((field for field in embedding.metadata if field.name == column), None)
    if chosen is None:
        raise RefusedError(404, Reason("embedding_not_found", run=run, name=f"{name}: {column}"), _LIST)
    return ColumnsResponse(pack_metadata(chosen))


@router.get("/embeddings/neighbors", response_model=NeighborsAnswer, responses=READABLE)
def get_neighbors(
    run: str, name: Name, version: Version, point: Annotated[int, Query(ge=0, le=2**31)], viewer: CurrentViewer,
    metric: Metric = Metric.COSINE, count: Annotated[int, Query(ge=1, le=MOST_NEIGHBORS)] = 100,
) -> Response:  # fmt: skip
    """The nearest points of a point in all dimensions, with their distances."""
    embedding = _opened(viewer, run, name, version)
    points = len(embedding.vectors.values)
    if point >= points:
        raise RefusedError(404, Reason("embedding_point_not_found", name=name, point=point, points=points), _LIST)
    return JsonResponse(neighbors_of(embedding, point, count, metric))


@router.get("/embeddings/graph", response_class=ColumnsResponse, responses={**READABLE, **COLUMNS})
def get_neighbor_graph(
    run: str, name: Name, version: Version, count: Annotated[int, Query(ge=1, le=MOST_GRAPH_NEIGHBORS)],
    viewer: CurrentViewer,
) -> Response:  # fmt: skip
    """The nearest neighbors of all points, which t-SNE and UMAP begin with, or the progress of their computation.

    The header is EmbeddingGraphHeader.
    """
    directory, files = _files(viewer, run, name, version)
    outcome = viewer.shared(EmbeddingReader).graph(
        directory, files, version, count, lambda: _opened(viewer, run, name, version)
    )
    return ColumnsResponse(pack_graph(outcome))


@router.get("/embeddings/sprite", response_class=Response, response_model=None, responses=READABLE)
def get_sprite(run: str, name: Name, version: Version, viewer: CurrentViewer) -> Response:
    """The picture with one image for each vector of the file, row by row."""
    directory, files = _files(viewer, run, name, version)
    try:
        content, media_type = read_sprite(directory, files)
    except (OSError, FormatError) as error:
        reason = reason_of(error)
        if isinstance(error, OSError):
            detail = error.strerror or str(error)
            reason = Reason("file_not_found", run=run, path=files.sprite_path, detail=detail)
        raise RefusedError(404, reason, _LIST) from error
    return Response(content, media_type=media_type)


def _files(viewer: Viewer, run: str, name: str, version: str) -> tuple[Path, EmbeddingFiles]:
    """Return the directory of a run and the files of an embedding. Raises RefusedError, also for another version."""
    directory = Path(viewer.catalog.run(run).path)
    try:
        listed = {files.name: files for files in embeddings_of(directory)}
        is_same = listed[name].version(directory) == version if name in listed else False
    except (OSError, FormatError):
        listed, is_same = {}, False
    if name not in listed:
        raise RefusedError(404, Reason("embedding_not_found", run=run, name=name), _LIST)
    if not is_same:
        raise RefusedError(409, Reason("embedding_changed", name=name), _LIST)
    return directory, listed[name]


def _opened(viewer: Viewer, run: str, name: str, version: str) -> Embedding:
    """Return an embedding that was read. Raises RefusedError, which asks to come again while it is read."""
    directory, files = _files(viewer, run, name, version)
    outcome = viewer.shared(EmbeddingReader).embedding(directory, files, version)
    if outcome.value is not None:
        return outcome.value
    if outcome.problem is not None:
        raise RefusedError(409, reason_of(outcome.problem), _LIST)
    raise RefusedError(409, Reason("embedding_changed", name=name), _LIST, 1)
