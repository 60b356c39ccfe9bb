# SPDX-License-Identifier: Apache-2.0
"""Reduces point clouds and meshes to a number of vertices that a browser paints."""

from __future__ import annotations

from math import sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

_CELLS_OF_SURFACE = 3
"""About how many cells of a grid a surface crosses, for the square of the cells along a side."""
_SHRINK = 0.95
_INDEX_BITS = 21
"""Of an index in the key of a face; three of them fit in 63 bits."""


class Reduced(NamedTuple):
    """Vertices, faces of indices in them, and a color for each vertex, or none."""

    vertex: NDArray[np.float32]
    face: NDArray[np.uint32]
    color: NDArray[np.uint8]


def sampled(mesh: Reduced, most: int) -> Reduced:
    """Return ``most`` points of a cloud in their order, drawn at random, but the same ones each time."""
    if len(mesh.vertex) <= most:
        return mesh
    rows = np.sort(np.random.default_rng(0).choice(len(mesh.vertex), most, replace=False))
    return Reduced(mesh.vertex[rows], mesh.face, mesh.color[rows] if len(mesh.color) else mesh.color)


def clustered(mesh: Reduced, most: int) -> Reduced:
    """Return a mesh of at most ``most`` of its vertices: the first one in each cell of a grid.

    Vertices of a cell become one, and faces that lie in a cell vanish, so that the surface stays closed.
    """
    if len(mesh.vertex) <= most:
        return mesh
    low, high = mesh.vertex.min(0).astype(np.float64), mesh.vertex.max(0).astype(np.float64)
    extent = max(float((high - low).max()), float(np.finfo(np.float32).tiny))
    cells = max(1.0, sqrt(most / _CELLS_OF_SURFACE))
    while True:
        keys = _cell_keys((mesh.vertex - low) / extent, max(1, int(cells)))
        _, first, cluster = np.unique(keys, return_index=True, return_inverse=True)
        if len(first) <= most:
            break
        cells *= min(_SHRINK, sqrt(most / len(first)))
    face = cluster.reshape(-1)[mesh.face].astype(np.uint32)
    color = mesh.color[first] if len(mesh.color) else mesh.color
    return Reduced(mesh.vertex[first], _distinct(face), color)


def _cell_keys(at: NDArray[np.float64], cells: int) -> NDArray[np.int64]:
    grid = np.minimum((at * cells).astype(np.int64), cells - 1)
    return (grid[:, 0] << 2 * _INDEX_BITS) | (grid[:, 1] << _INDEX_BITS) | grid[:, 2]


def _distinct(face: NDArray[np.uint32]) -> NDArray[np.uint32]:
    """Return the faces with three vertices, once each, in their order."""
    face = face[(face != np.roll(face, 1, axis=1)).all(1)]
    lowest = face.argmin(1)[:, np.newaxis]
    turned: NDArray[Any] = np.take_along_axis(face, (lowest + np.arange(3)) % 3, 1).astype(np.int64)
    keys = (turned[:, 0] << 2 * _INDEX_BITS) | (turned[:, 1] << _INDEX_BITS) | turned[:, 2]
    return face[np.sort(np.unique(keys, return_index=True)[1])]
