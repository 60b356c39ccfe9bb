# SPDX-License-Identifier: Apache-2.0
"""Nearest neighbors of vectors, exactly: of one, or of all as a graph."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.embeddings.vectors import Floats

MOST_GRAPH_POINTS = 20_000
"""Points of a graph; of more vectors, it has evenly spaced ones."""
MOST_GRAPH_NEIGHBORS = 150
_BLOCK_VALUES = 8_000_000


class Metric(str, Enum):
    """How far apart two vectors are: 1 - cos of their angle, or the length of their difference."""

    COSINE = "cosine"
    EUCLIDEAN = "euclidean"


def nearest(vectors: Floats, point: int, count: int, metric: Metric) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the nearest vectors of one of them without itself, the nearest first, and their distances.

    The cosine distance from or to a zero vector is 1. Equal distances are in the order of the vectors.
    """
    distances = np.empty(len(vectors))
    target = vectors[point].astype(np.float64)
    rows = max(1, _BLOCK_VALUES // vectors.shape[1])
    for start in range(0, len(vectors), rows):
        block = vectors[start : start + rows].astype(np.float64)
        distances[start : start + len(block)] = _distances(block, target, metric)
    distances[point] = np.inf
    count = min(count, len(vectors) - 1)
    chosen = np.argpartition(distances, count)[:count] if count < len(vectors) else np.arange(len(vectors))
    limit = distances[chosen].max(initial=-np.inf)
    chosen = np.flatnonzero(distances <= limit) if count else chosen
    order = chosen[np.lexsort((chosen, distances[chosen]))][:count]
    return order, distances[order]


def _distances(block: NDArray[np.float64], target: NDArray[np.float64], metric: Metric) -> NDArray[np.float64]:
    if metric is Metric.EUCLIDEAN:
        return np.sqrt(np.square(block - target).sum(axis=1))
    lengths = np.sqrt(np.square(block).sum(axis=1)) * np.sqrt(np.square(target).sum())
    cosines = np.divide(block @ target, lengths, out=np.zeros(len(block)), where=lengths > 0)
    return np.clip(1 - cosines, 0, 2)


@dataclass(frozen=True, slots=True, eq=False)
class NeighborGraph:
    """The nearest neighbors (M, K) of each of some vectors among these, with Euclidean distances.

    ``sample`` are the indices of the M vectors among all.
    """

    sample: NDArray[np.int64]
    neighbors: NDArray[np.int32]
    distances: Floats


def neighbor_graph(vectors: Floats, count: int, on_rows: Callable[[int], Any] = lambda rows: None) -> NeighborGraph:
    """Return the graph of at most 20,000 evenly spaced vectors.

    ``on_rows`` is called with the rows that are done, and ends the computation by raising.
    """
    sample = np.arange(0, len(vectors), max(1, -(-len(vectors) // MOST_GRAPH_POINTS)))
    chosen = vectors[sample] - vectors[sample].mean(axis=0)  # so that squares of large offsets lose no digits
    count = min(count, MOST_GRAPH_NEIGHBORS, len(sample) - 1)
    squares = np.square(chosen).sum(axis=1)
    neighbors = np.empty((len(sample), count), np.int32)
    distances = np.empty((len(sample), count), np.float32)
    rows = max(1, _BLOCK_VALUES // len(sample))
    for start in range(0, len(sample), rows):
        block = chosen[start : start + rows]
        apart = squares - 2 * (block @ chosen.T)
        apart[np.arange(len(block)), np.arange(start, start + len(block))] = np.inf
        near = np.argpartition(apart, count - 1, axis=1)[:, :count] if count else np.empty((len(block), 0), np.int64)
        kept = np.take_along_axis(apart, near, axis=1) + squares[start : start + len(block), None]
        order = np.argsort(kept, axis=1, kind="stable")
        neighbors[start : start + len(block)] = np.take_along_axis(near, order, axis=1)
        distances[start : start + len(block)] = np.sqrt(np.maximum(np.take_along_axis(kept, order, axis=1), 0))
        on_rows(start + len(block))
    return NeighborGraph(sample, neighbors, distances)
