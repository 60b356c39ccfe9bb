# SPDX-License-Identifier: Apache-2.0
"""Sums over long vectors, block by block: float32 vectors stay as they are, sums are float64.

A model can have 100 million parameters and 20 checkpoints. No function here makes a matrix of parameters x parameters,
or a copy of more than one block of each vector, so vectors can also be memory-mapped files.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[Any]
"""Weights or a direction, of shape (d,), float32 or float64."""
Matrix = NDArray[np.float64]
States = Sequence[Vector] | NDArray[Any]
"""States of the weights: n vectors of length d, such as memory-mapped files, or the rows of an array."""

BLOCK = 1 << 18
"""Elements of a vector in a block: 2 MB in float64."""


def blocks(length: int) -> Iterator[slice]:
    """Yield slices that cover a vector."""
    for start in range(0, length, BLOCK):
        yield slice(start, min(start + BLOCK, length))


def rows(vectors: States, block: slice) -> Matrix:
    """Return a block of all vectors, of shape (n, length of the block)."""
    return np.stack([np.asarray(vector[block], np.float64) for vector in vectors])


def product(first: NDArray[Any], second: NDArray[Any]) -> Matrix:
    """Return the matrix product."""
    return cast(Any, first) @ second


def combine(factors: NDArray[Any], vectors: States) -> Vector:
    """Return the sum of vectors times factors, in the dtype of the first vector."""
    total: Vector = np.empty(len(vectors[0]), vectors[0].dtype)
    for block in blocks(len(total)):
        total[block] = product(factors, rows(vectors, block))
    return total


def are_finite(vectors: States) -> list[bool]:
    """Return whether each vector is free of NaN and Infinity."""
    return [all(bool(np.isfinite(vector[block]).all()) for block in blocks(len(vector))) for vector in vectors]


def check_states(states: States) -> None:
    """Raises ValueError for states of different lengths, without elements, or with NaN or Infinity."""
    sizes = {len(state) for state in states}
    if len(sizes) != 1 or 0 in sizes:
        raise ValueError(f"checkpoints have {sorted(sizes)} weights, want one number above 0")
    broken = [number for number, finite in enumerate(are_finite(states), 1) if not finite]
    if broken:
        raise ValueError(f"checkpoints {broken} of {len(states)} have NaN or Infinity; leave them out")


def dot(first: Vector, second: Vector) -> float:
    """Return the scalar product."""
    parts = (rows([first, second], block) for block in blocks(len(first)))
    return float(sum(float(a @ b) for a, b in parts))


def length(vector: Vector) -> float:
    """Return the Euclidean norm."""
    return float(np.sqrt(dot(vector, vector)))
