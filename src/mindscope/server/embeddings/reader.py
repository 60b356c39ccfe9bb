# SPDX-License-Identifier: Apache-2.0
"""Reads embeddings in the background and keeps those open that were used last."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from mindscope.artifacts.open_below import open_below
from mindscope.artifacts.problems import readable
from mindscope.embeddings.config import EmbeddingFiles
from mindscope.embeddings.embedding import Embedding, read_embedding
from mindscope.embeddings.neighbors import NeighborGraph, neighbor_graph
from mindscope.server.http.disconnect import check_connected
from mindscope.server.jobs.background import BackgroundJobs, Worker
from mindscope.server.jobs.task import Outcome, Task, with_problem

MOST_OPEN = 2
_BUDGET_S = 0.3
_PATIENCE_S = 20.0

Key = tuple[str, str]
"""The directory of a run, and the name of an embedding."""


class EmbeddingReader:
    """The embeddings that were used last, and their graphs. For any thread."""

    def __init__(self) -> None:
        self._worker = Worker("embeddings")
        self._embeddings: BackgroundJobs[Key, Task[Embedding]] = BackgroundJobs(
            MOST_OPEN, self._worker, _BUDGET_S, _PATIENCE_S
        )
        self._graphs: BackgroundJobs[tuple[Key, int], Task[NeighborGraph]] = BackgroundJobs(
            MOST_OPEN, self._worker, _BUDGET_S, _PATIENCE_S
        )

    @with_problem
    def embedding(self, run: Path, files: EmbeddingFiles, version: str) -> Outcome[Embedding]:
        """Return an embedding, or the progress of its reading, which the first call begins."""

        def make() -> Task[Embedding]:
            return Task(lambda task: _read(run, files, task), _size_of(run, files))

        return self._embeddings.request((str(run), files.name), version, make).outcome

    @with_problem
    def graph(
        self, run: Path, files: EmbeddingFiles, version: str, count: int, read: Callable[[], Embedding]
    ) -> Outcome[NeighborGraph]:
        """Return the graph of an embedding that was read, or the progress of its computation."""

        def make() -> Task[NeighborGraph]:
            embedding = read()
            return Task(lambda task: _graph(embedding, count, task), len(embedding.vectors.values))

        return self._graphs.request(((str(run), files.name), count), version, make).outcome

    def close(self) -> None:
        """Stop reading, and wait for the worker."""
        self._worker.close()


def _size_of(run: Path, files: EmbeddingFiles) -> int:
    if files.problem is not None:
        return 0
    descriptor = open_below(run, files.tensor_path)
    try:
        return os.fstat(descriptor).st_size
    finally:
        os.close(descriptor)


def _read(run: Path, files: EmbeddingFiles, task: Task[Embedding]) -> Embedding:
    def on_progress(read: int) -> None:
        check_connected()
        task.read_bytes = max(task.read_bytes, read)

    task.phase = "reading"
    with readable(run / files.tensor_path):
        return read_embedding(run, files, on_progress)


def _graph(embedding: Embedding, count: int, task: Task[NeighborGraph]) -> NeighborGraph:
    def on_rows(rows: int) -> None:
        check_connected()
        task.read_bytes = rows

    task.phase = "comparing"
    return neighbor_graph(embedding.vectors.values, count, on_rows)
