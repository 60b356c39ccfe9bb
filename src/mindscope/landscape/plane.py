# SPDX-License-Identifier: Apache-2.0
"""A plane or a line in weight space."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from mindscope.landscape.blocks import Matrix, States, Vector, blocks, dot, length, product, rows

Points = NDArray[np.float64]
"""Shape (n, 2): coordinates on a plane; the second one is 0 on a line."""
_ROUNDING = 1e-24
"""Variance of equal states, as a share of their squared distance to the origin, that is left of rounding."""


@dataclass(frozen=True, slots=True)
class Projection:
    """States of the weights, seen from a plane. Lengths are Euclidean, in weights."""

    coordinates: Points
    """The nearest point of the plane to each state (least squares)."""
    distances: NDArray[np.float64]
    """Shape (n,): from each state to its nearest point."""
    lengths: NDArray[np.float64]
    """Shape (n,): from the origin of the plane to each state, in the whole weight space."""
    explained_variance: tuple[float, ...]
    """Shares of the variance of the states, 0 to 1: along the first direction, and along the rest of the plane.

    Empty if the states do not differ.
    """


@dataclass(frozen=True, slots=True)
class Plane:
    """All points ``origin + a * v + b * w``; without ``w`` a line. Vectors of length d."""

    origin: Vector
    v: Vector
    w: Vector | None = None
    degenerate: str = ""
    """``line`` or ``point`` if the checkpoints span no plane; the missing directions are random."""

    def at(self, a: float, b: float = 0.0) -> Vector:
        """Return the weights at a point, in the dtype of the vectors."""
        number = self.v.dtype.type  # a float64 of NumPy would make all vectors float64
        point = self.v * number(a)
        if self.w is not None and b:
            point += self.w * number(b)
        point += self.origin
        return point

    def coordinates(self, states: States) -> Points:
        """Return the nearest points of the plane to states of the weights (least squares)."""
        return self.project(states).coordinates

    def distances(self, states: States) -> NDArray[np.float64]:
        """Return the distances of states of the weights from the plane, shape (states,)."""
        return self.project(states).distances

    def project(self, states: States) -> Projection:
        """Return the coordinates and distances of n states, in two passes over them.

        The second pass sums the rests themselves: a difference of squared norms would lose the small ones.
        """
        count = len(self._basis)
        gram: Matrix = np.zeros((count, count))
        products: Matrix = np.zeros((len(states), count))
        squares = np.zeros(len(states))
        for basis, differences in self._pairs(states):
            gram += product(basis, np.transpose(basis))
            products += product(differences, np.transpose(basis))
            squares += np.einsum("ij,ij->i", differences, differences)
        solved: Matrix = cast(Any, np.linalg.lstsq)(gram, products.T, rcond=None)[0].T
        rests, spread = np.zeros(len(states)), 0.0
        for basis, differences in self._pairs(states):
            rest = differences - product(solved, basis)
            rests += np.einsum("ij,ij->i", rest, rest)
            rest -= rest.mean(axis=0)
            spread += float(np.einsum("ij,ij->", rest, rest))
        points = np.zeros((len(states), 2))
        points[:, :count] = solved
        return Projection(points, np.sqrt(rests), np.sqrt(squares), _explained(solved, gram, spread))

    def lengths(self) -> tuple[float, tuple[float, float, float]]:
        """Return the norm of the weights at the origin, and the scalar products v v, v w and w w; 0 without ``w``."""
        v, w = self.v, self.w
        products = (dot(v, v), 0.0, 0.0) if w is None else (dot(v, v), dot(v, w), dot(w, w))
        return length(self.origin), products

    @property
    def _basis(self) -> list[Vector]:
        return [self.v] if self.w is None else [self.v, self.w]

    def _pairs(self, states: States) -> Iterator[tuple[Matrix, Matrix]]:
        """Yield the basis and the differences of the states to the origin, by blocks."""
        for block in blocks(len(self.origin)):
            yield rows(self._basis, block), rows(states, block) - np.asarray(self.origin[block], np.float64)


def _explained(coordinates: Matrix, gram: Matrix, rest: float) -> tuple[float, ...]:
    """Return the shares of the variance; ``rest`` is the sum of squares off the plane around its mean.

    None without variance.
    """
    around = coordinates - coordinates.mean(axis=0)
    inside = float(np.einsum("ij,jk,ik->", around, gram, around))
    total = inside + rest
    if total <= _ROUNDING * float(np.einsum("ij,jk,ik->", coordinates, gram, coordinates)):
        return ()
    first = float(np.sum((around @ gram[:, 0]) ** 2)) / gram[0, 0] if gram[0, 0] else 0.0
    shares = (first, max(inside - first, 0.0)) if len(gram) > 1 else (inside,)
    return tuple(float(share) / total for share in shares)
