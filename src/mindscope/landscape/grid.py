# SPDX-License-Identifier: Apache-2.0
"""A grid is the points of a plane at which losses are computed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mindscope.landscape.plane import Points

MARGIN = 0.2
"""Margin around the path, as a share of its extent."""
REACH = 1.0
"""Extent to each side without a path: along a direction that is as long as the weights, these change by their norm."""
_ROUNDING = 1e-6
"""A path of a smaller extent along y, as a share of that along x, is a line with rounding."""


@dataclass(frozen=True, slots=True)
class Grid:
    """Axes of a grid on a plane, and points beside it: the path of the training and the convergence point.

    A line has one y, which is 0.
    """

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    path: Points | None = None
    numbers: tuple[int, ...] = ()
    """Steps or epochs along the path."""
    convergence: tuple[float, float] | None = (0.0, 0.0)

    @property
    def shape(self) -> tuple[int, int]:
        """Shape of the losses: (rows along y, columns along x)."""
        return len(self.y), len(self.x)

    def points(self) -> Points:
        """Return all points of the grid, row by row."""
        return np.stack([np.tile(self.x, len(self.y)), np.repeat(self.y, len(self.x))], axis=1)

    def marks(self) -> Points:
        """Return the points beside the grid: the path, then the convergence point."""
        path = np.zeros((0, 2)) if self.path is None else self.path
        return path if self.convergence is None else np.concatenate([path, [self.convergence]])


def grid_of_path(path: Points, numbers: Sequence[int], size: int, degenerate: str = "", line: bool = False) -> Grid:
    """Return a grid around a path whose last point is the convergence point.

    A path without extent along y, ``degenerate`` is ``line``, gets that of x there; one in a single point gets REACH.
    """
    x = _around(path[:, 0], size, REACH, flat=degenerate == "point")
    flat = bool(degenerate) or float(np.ptp(path[:, 1])) <= _ROUNDING * float(np.ptp(path[:, 0]))
    y = np.zeros(1) if line else _around(path[:, 1], size, float(x[-1] - x[0]) / 2, flat)
    return Grid(x, y, path, tuple(numbers), (float(path[-1, 0]), float(path[-1, 1])))


def grid_around(size: int) -> Grid:
    """Return a grid around the origin, which is the convergence point."""
    axis = np.linspace(-REACH, REACH, size)
    return Grid(axis, axis)


def _around(values: NDArray[np.float64], size: int, reach: float, flat: bool = False) -> NDArray[np.float64]:
    """Return an axis around values, with ``reach`` to each side of them if they are all equal, or if they are flat."""
    low, high = float(values.min()), float(values.max())
    margin = reach if flat or high <= low else MARGIN * (high - low)
    return np.linspace(low - margin, high + margin, size)
