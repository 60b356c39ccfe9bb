# SPDX-License-Identifier: Apache-2.0
"""A plane in weight space, and the losses on it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from mindscope.landscape.directions import Vector
from mindscope.types import Landscape

MARGIN = 0.2
"""Margin around the path, as a share of its extent."""
REACH = 1.0
"""Extent of a landscape without a path to each side: a weight changes by its own norm."""

Points = NDArray[np.float64]
"""Shape (n, 2): coordinates on a plane."""
Evaluate = Callable[[Points], Sequence[float]]
"""Returns the losses at points, in order."""


@dataclass(frozen=True, slots=True)
class Plane:
    """All points ``origin + a * v + b * w``; vectors of length d."""

    origin: Vector
    v: Vector
    w: Vector

    def at(self, a: float, b: float) -> Vector:
        """The weights at a point."""
        return self.origin + a * self.v + b * self.w

    def coordinates(self, weights_nd: NDArray[np.float64]) -> Points:
        """The points of the plane nearest to states of the weights (least squares)."""
        basis = np.stack([self.v, self.w], axis=1)
        solved: NDArray[np.float64] = cast(Any, np.linalg.lstsq)(basis, (weights_nd - self.origin).T, rcond=None)[0]
        return np.transpose(solved)


def landscape_of_path(path: Points, numbers: Sequence[int], size: int, evaluate: Evaluate) -> Landscape:
    """The losses around a path that ends at the origin; ``numbers`` are the steps or epochs along it."""
    x, y = (_around(path[:, axis], size) for axis in (0, 1))
    losses = np.asarray(evaluate(np.concatenate([path, _grid(x, y)])), np.float64)
    on_path = losses[: len(path)]
    return Landscape(
        x=x, y=y, z=losses[len(path) :].reshape(size, size),
        path_intervals=tuple(numbers), path_x=path[:, 0], path_y=path[:, 1], path_z=on_path,
        convergence_point=(0.0, 0.0, float(on_path[-1])), decomposition="PCA",
    )  # fmt: skip


def landscape_of_result(size: int, evaluate: Evaluate) -> Landscape:
    """The losses around the origin, which is the convergence point."""
    axis = np.linspace(-REACH, REACH, size)
    losses = np.asarray(evaluate(np.concatenate([np.zeros((1, 2)), _grid(axis, axis)])), np.float64)
    return Landscape(
        x=axis, y=axis, z=losses[1:].reshape(size, size), convergence_point=(0.0, 0.0, float(losses[0])),
        decomposition="Random",
    )  # fmt: skip


def _around(values: NDArray[np.float64], size: int) -> NDArray[np.float64]:
    low, high = float(values.min()), float(values.max())
    margin = MARGIN * (high - low)
    return np.linspace(low - margin, high + margin, size)


def _grid(x: NDArray[np.float64], y: NDArray[np.float64]) -> Points:
    """All points of a grid, row by row."""
    return np.stack([np.tile(x, len(y)), np.repeat(y, len(x))], axis=1)
