# SPDX-License-Identifier: Apache-2.0
"""Messages about embeddings."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from mindscope.server.http.columns import Float32, Float64, Int32, Uint32, Utf8Column
from mindscope.server.http.schema import MAX_RUNS, Answer, Query, ReasonEntry
from mindscope.server.jobs.schema import TaskAnswer


class EmbeddingsQuery(Query):
    """The runs whose embeddings are listed."""

    runs: Annotated[list[str], Field(max_length=MAX_RUNS)]


class EmbeddingEntry(Answer):
    """An embedding of a run; ``name`` and ``version`` name it in requests.

    ``step`` is None where the name says none. ``problem`` says why it can't be read; then ``version`` is empty.
    """

    run: str
    name: str
    tag: str
    step: int | None
    version: str
    problem: ReasonEntry | None


class UnlistedEmbeddings(Answer):
    """A run whose embeddings can't be listed."""

    run: str
    problem: ReasonEntry


class EmbeddingsAnswer(Answer):
    """The embeddings of runs, by run, tag and step."""

    embeddings: list[EmbeddingEntry]
    unlisted: list[UnlistedEmbeddings]


class EmbeddingColumn(Answer):
    """A column of metadata. ``distinct`` counts its values, ``is_number`` says that all are numbers or empty."""

    name: str
    distinct: int
    is_number: bool


class FileProblem(Answer):
    """What is wrong with a file of an embedding."""

    file: str
    problem: ReasonEntry


class EmbeddingFacts(Answer):
    """What an embedding holds.

    ``total`` counts the vectors of its file, of which every ``stride``-th was read, and ``points`` those that are
    drawn: ``not_finite`` have NaN or infinities. ``sprite`` is the width and height of one image, None without any.
    """

    version: str
    points: int
    total: int
    stride: int
    not_finite: int
    dimensions: int
    columns: list[EmbeddingColumn]
    sprite: tuple[int, int] | None
    problems: list[FileProblem]


class EmbeddingHeader(TaskAnswer):
    """Points of an embedding: ``rows`` are those of its file.

    ``coordinates`` are those along the first component of all points, then those along the next one. ``explained`` is
    the share of the variance of each component.
    """

    facts: EmbeddingFacts | None
    rows: Int32
    coordinates: Float32
    explained: Float64


class EmbeddingMetadataHeader(Answer):
    """One column: ``codes`` are indices into the distinct ``texts``.

    ``numbers`` has the value of each point where all are numbers, NaN for empty ones; else nothing.
    """

    texts: Utf8Column
    codes: Uint32
    numbers: Float64


class NeighborsAnswer(Answer):
    """The nearest points of a point, the nearest first."""

    points: list[int]
    distances: list[float]


class EmbeddingGraphHeader(TaskAnswer):
    """The nearest neighbors of each of the points ``sample`` among these, ``count`` for each, with their distances."""

    count: int
    sample: Int32
    neighbors: Int32
    distances: Float32
