# SPDX-License-Identifier: Apache-2.0
"""Embeddings as messages and columns."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from mindscope.artifacts.open_below import open_below
from mindscope.embeddings.config import EmbeddingFiles, embeddings_of
from mindscope.embeddings.embedding import Embedding
from mindscope.embeddings.metadata import MetadataColumn
from mindscope.embeddings.neighbors import Metric, NeighborGraph, nearest
from mindscope.errors import FormatError, MindscopeError
from mindscope.ingest import Catalog
from mindscope.reasons import Reason
from mindscope.server.embeddings.schema import (
    EmbeddingColumn,
    EmbeddingEntry,
    EmbeddingFacts,
    EmbeddingGraphHeader,
    EmbeddingHeader,
    EmbeddingMetadataHeader,
    EmbeddingsAnswer,
    FileProblem,
    NeighborsAnswer,
    UnlistedEmbeddings,
)
from mindscope.server.http.columns import Packed, Utf8Column, pack
from mindscope.server.http.run_stores import stores_of
from mindscope.server.http.schema import ReasonEntry
from mindscope.server.jobs.schema import fields_of
from mindscope.server.jobs.task import Outcome

MOST_SPRITE_BYTES = 64 << 20
_SPRITES = {b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg"}
_NOTHING = np.empty(0)


def list_embeddings(catalog: Catalog, runs: Sequence[str]) -> EmbeddingsAnswer:
    """Return the embeddings of each run that has any."""
    answer = EmbeddingsAnswer(embeddings=[], unlisted=[])
    for store in stores_of(catalog, runs):
        try:
            answer.embeddings += [
                _entry(store.id, Path(store.path), files) for files in embeddings_of(Path(store.path))
            ]
        except (MindscopeError, OSError) as error:
            answer.unlisted.append(UnlistedEmbeddings(run=store.id, problem=ReasonEntry.of(error)))
    return answer


def _entry(run: str, directory: Path, files: EmbeddingFiles) -> EmbeddingEntry:
    problem, version = files.problem, ""
    if problem is None:
        try:
            version = files.version(directory)
        except OSError as error:
            detail = error.strerror or str(error)
            problem = Reason("file_not_found", run=run, path=files.tensor_path, detail=detail)
    return EmbeddingEntry(
        run=run, name=files.name, tag=files.tag, step=files.step, version=version,
        problem=None if problem is None else ReasonEntry.of(problem),
    )  # fmt: skip


def pack_embedding(outcome: Outcome[Embedding], files: EmbeddingFiles, version: str) -> Packed:
    """Return the points of an embedding, or the progress of reading it."""
    value = outcome.value
    return pack(
        EmbeddingHeader(
            **fields_of(outcome),
            facts=None if value is None else _facts(value, files, version),
            rows=_NOTHING if value is None else value.vectors.rows,
            coordinates=_NOTHING if value is None else np.swapaxes(value.components.coordinates, 0, 1),
            explained=_NOTHING if value is None else value.components.explained,
        )
    )


def _facts(embedding: Embedding, files: EmbeddingFiles, version: str) -> EmbeddingFacts:
    vectors = embedding.vectors
    return EmbeddingFacts(
        version=version,
        points=len(vectors.values),
        total=vectors.total,
        stride=vectors.stride,
        not_finite=vectors.not_finite,
        dimensions=vectors.values.shape[1],
        columns=[
            EmbeddingColumn(name=column.name, distinct=len(column.texts), is_number=column.numbers is not None)
            for column in embedding.metadata
        ],
        sprite=files.sprite_size if files.sprite_path else None,
        problems=[
            FileProblem(file=file, problem=ReasonEntry.of(reason)) for file, reason in embedding.problems.items()
        ],
    )


def pack_metadata(column: MetadataColumn) -> Packed:
    """Return one column of metadata."""
    numbers = _NOTHING if column.numbers is None else column.numbers
    return pack(EmbeddingMetadataHeader(texts=Utf8Column.of(column.texts), codes=column.codes, numbers=numbers))


def neighbors_of(embedding: Embedding, point: int, count: int, metric: Metric) -> NeighborsAnswer:
    """Return the nearest points of a point."""
    points, distances = nearest(embedding.vectors.values, point, count, metric)
    return NeighborsAnswer(points=points.tolist(), distances=distances.tolist())


def pack_graph(outcome: Outcome[NeighborGraph]) -> Packed:
    """Return a graph of neighbors, or the progress of its computation."""
    value = outcome.value
    return pack(
        EmbeddingGraphHeader(
            **fields_of(outcome),
            count=0 if value is None else value.neighbors.shape[1],
            sample=_NOTHING if value is None else value.sample,
            neighbors=_NOTHING if value is None else value.neighbors,
            distances=_NOTHING if value is None else value.distances,
        )
    )


def read_sprite(run: Path, files: EmbeddingFiles) -> tuple[bytes, str]:
    """Return the picture with the images of all points, and its media type. Raises FormatError, OSError."""
    with os.fdopen(open_below(run, files.sprite_path), "rb") as file:
        size = os.fstat(file.fileno()).st_size
        head = file.read(8)
        kind = next((kind for magic, kind in _SPRITES.items() if head.startswith(magic)), None)
        if kind is None or size > MOST_SPRITE_BYTES:
            raise FormatError(Reason("embedding_sprite", file=files.sprite_path, most=MOST_SPRITE_BYTES))
        return head + file.read(MOST_SPRITE_BYTES), kind
