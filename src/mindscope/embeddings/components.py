# SPDX-License-Identifier: Apache-2.0
"""Principal components of vectors.

The components are the right singular vectors of the centered matrix. They come from the eigenvectors of the smaller of
its two products with itself, which needs no copy of the matrix in float64. Of matrices that are large both ways,
a subspace iteration with a fixed seed finds the first components (Halko, Martinsson and Tropp 2011, algorithm 4.4).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.embeddings.vectors import Floats

MOST_COMPONENTS = 10
_MOST_EXACT = 2048
_ITERATIONS = 8
_OVERSAMPLING = 20
_BLOCK_VALUES = 2_000_000

Matrix = NDArray[np.float64]
Check = Callable[[], Any]


@dataclass(frozen=True, slots=True, eq=False)
class Components:
    """Coordinates (N, K) along the first K components, and the share of the variance that each explains."""

    coordinates: Floats
    explained: NDArray[np.float64]


def principal_components(vectors: Floats, check: Check = lambda: None) -> Components:
    """Return the coordinates of vectors (N, D) along at most 10 components.

    The sign of a component is that for which its largest weight is positive. ``check`` is called between blocks, and
    ends the computation by raising.
    """
    count = min(MOST_COMPONENTS, *vectors.shape)
    mean = _mean(vectors, check)
    variance = sum(float(np.square(block - mean).sum()) for block in _blocks(vectors, check))
    directions = _directions(vectors, mean, count, check)
    directions *= np.where(np.abs(directions).max(axis=0) == directions.max(axis=0), 1, -1)
    coordinates = np.concatenate([(block - mean) @ directions for block in _blocks(vectors, check)])
    explained = np.square(coordinates).sum(axis=0) / variance if variance > 0 else np.zeros(count)
    return Components(coordinates.astype(np.float32), explained)


def _mean(vectors: Floats, check: Check) -> Matrix:
    total = np.zeros(vectors.shape[1])
    for block in _blocks(vectors, check):
        total += block.sum(axis=0)
    return total / len(vectors)


def _directions(vectors: Floats, mean: Matrix, count: int, check: Check) -> Matrix:
    """Return orthonormal directions (D, K) of the largest variance, the largest first."""
    rows, dimensions = vectors.shape
    if dimensions <= min(rows, _MOST_EXACT):
        product: Matrix = np.zeros((dimensions, dimensions))
        for block in _blocks(vectors, check):
            centered: Matrix = block - mean
            product += _product(centered, centered)
        return np.linalg.eigh(product)[1][:, ::-1][:, :count]
    if rows <= _MOST_EXACT:
        centered: Matrix = vectors - mean
        weights, left = np.linalg.eigh(np.matmul(centered, np.swapaxes(centered, 0, 1)))
        scales = np.sqrt(np.maximum(weights[::-1][:count], 0))
        directions: Matrix = _product(centered, left[:, ::-1][:, :count])
        return np.linalg.qr(directions / np.where(scales > 0, scales, 1))[0]
    return _subspace(vectors, mean, count, check)


def _subspace(vectors: Floats, mean: Matrix, count: int, check: Check) -> Matrix:
    generator = np.random.default_rng(0)
    basis = np.linalg.qr(generator.normal(size=(vectors.shape[1], count + _OVERSAMPLING)))[0]
    for _ in range(_ITERATIONS):
        product: Matrix = np.zeros_like(basis)
        for block in _blocks(vectors, check):
            centered: Matrix = block - mean
            product += _product(centered, centered @ basis)
        basis, triangle = np.linalg.qr(product)
        basis = basis @ np.linalg.svd(triangle)[0]
    return basis[:, :count]


def _product(left: Matrix, right: Matrix) -> Matrix:
    """Return the transposed left matrix times the right one."""
    return np.matmul(np.swapaxes(left, 0, 1), right)


def _blocks(vectors: Floats, check: Check) -> Iterator[Matrix]:
    """Yield rows in float64, some megabytes at a time."""
    rows = max(1, _BLOCK_VALUES // vectors.shape[1])
    for start in range(0, len(vectors), rows):
        check()
        yield vectors[start : start + rows].astype(np.float64)
