# SPDX-License-Identifier: Apache-2.0
"""How flat a minimum is: the rise of the loss with the distance from the end of a training, on its plane."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.types import Landscape, LandscapeFacts

DIRECTIONS = 72
"""Directions around the end, evenly on the plane: one every 5 degrees."""
MANTISSAS = (1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0)
"""Distances are these times powers of ten, so that landscapes of different reach share most of theirs."""
NEAR = 0.1
"""Distance up to which a minimum is described: a tenth of the norm of the weights."""
OFF_PLANE = 3.0
"""Least distance on the plane, as a multiple of the distance of the end from it: then they differ by 5 % at most."""
_PARALLEL = 1e-9
"""Determinant of two directions, as a share of the product of their squared lengths, below which they are one."""
_ROUNDING = 1e-9

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class LossRise:
    """The rise of the loss above the end of a training, at n distances from it.

    Arrays of shape (n,). Infinity is a loss that is infinite or NaN at this distance.
    """

    radius: Numbers
    """Distance in weight space, as a share of the norm of the weights at the origin of the plane; ascending."""
    mean: Numbers
    """Mean over the directions of the plane."""
    highest: Numbers
    lowest: Numbers
    """Below 0 if the loss falls in a direction: the training did not end in a minimum of this plane."""

    @property
    def near(self) -> int:
        """Index of the largest distance of at most ``NEAR``, or of the smallest one."""
        return max(int(np.searchsorted(self.radius, NEAR, side="right")) - 1, 0)


def loss_rise(landscape: Landscape) -> LossRise | None:
    """Return how the loss rises around the end of the training; None if the log can't say.

    It can't for a landscape that is not complete, without the lengths of the directions (older logs, and those of
    MindSpore itself), for an end far off the plane, and if fewer than two distances fit into the grid. The distances
    begin at one cell of the grid and end at its border. Losses between the points are those of local cubics, which are
    exact for a quadratic.
    """
    facts = landscape.facts
    if facts is None or not 0.0 < facts.weight_norm < math.inf or facts.points_done < facts.points_total:
        return None
    x, y = (np.asarray(axis, np.float64).reshape(-1) for axis in (landscape.x, landscape.y))
    basis = _unit_basis(facts, is_line=y.size == 1)
    if basis is None or x.size < 4 or 1 < y.size < 4 or not all((np.diff(axis) > 0.0).all() for axis in (x, y)):
        return None
    end = landscape.convergence_point or (0.0, 0.0, 0.0)
    losses = np.asarray(landscape.z, np.float64).reshape(y.size, x.size)
    radius = _distances(x, y, basis, end, facts.weight_norm)
    radius = radius[radius > OFF_PLANE * _off_plane(facts) / facts.weight_norm]
    return _rise(x, y, losses, end, radius, radius * facts.weight_norm, basis) if radius.size > 1 else None


def _rise(
    x: Numbers, y: Numbers, losses: Numbers, end: tuple[float, ...], radius: Numbers, distances: Numbers, basis: Numbers
) -> LossRise | None:
    """Return the rise around ``end``; None if its loss is not finite. Distances are in weights."""
    if y.size == 1:
        directions = np.array([[1.0, 0.0], [-1.0, 0.0]])
    else:
        angles = np.arange(DIRECTIONS) * (2.0 * math.pi / DIRECTIONS)
        directions = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    steps = np.einsum("d,ik,jk->dij", distances, directions, basis)
    around = _interpolated(x, y, losses, steps[..., 0] + end[0], steps[..., 1] + end[1])
    center = _interpolated(x, y, losses, np.array([end[0]]), np.array([end[1]]))[0]
    if not math.isfinite(center):
        return None
    rises = np.where(np.isfinite(around), around - center, math.inf)
    return LossRise(radius, rises.mean(axis=1), rises.max(axis=1), rises.min(axis=1))


def _unit_basis(facts: LandscapeFacts, is_line: bool) -> Numbers | None:
    """Return a matrix that maps vectors of length 1 in weight space to coordinates of the plane; None without lengths.

    It is the transposed inverse of the Cholesky factor of the products of the directions.
    """
    products = np.array(facts.direction_products, np.float64)
    if products.size != 3 or not np.isfinite(products).all() or products[0] <= 0.0:
        return None
    first, mixed, second = products
    if is_line:
        return np.array([[1.0 / math.sqrt(first), 0.0], [0.0, 0.0]])
    rest = second - mixed * mixed / first
    if rest <= _PARALLEL * second:
        return None
    side = math.sqrt(rest)
    return np.array([[1.0 / math.sqrt(first), -mixed / (first * side)], [0.0, 1.0 / side]])


def _off_plane(facts: LandscapeFacts) -> float:
    """Return how far the end of the training is from the plane."""
    distances = facts.path_distances
    return float(distances[-1]) if distances is not None and distances.size else 0.0


def _distances(x: Numbers, y: Numbers, basis: Numbers, end: tuple[float, ...], norm: float) -> Numbers:
    """Return the distances from one cell to the nearest border of the grid, as shares of the norm of the weights."""
    reach, cell = math.inf, 0.0
    for axis, at, row in zip((x, y), end, basis, strict=False):
        if axis.size > 1:
            extent = float(np.linalg.norm(row))  # of the coordinate, along a circle of radius 1
            reach = min(reach, (at - float(axis[0])) / extent, (float(axis[-1]) - at) / extent)
            cell = max(cell, float(np.diff(axis).max()) / extent)
    if not 0.0 < cell <= reach < math.inf:
        return np.empty(0)
    powers = range(math.floor(math.log10(cell / norm)), math.floor(math.log10(reach / norm)) + 1)
    numbers = np.array([float(f"{mantissa}e{power}") for power in powers for mantissa in MANTISSAS])
    return numbers[(numbers >= (1.0 - _ROUNDING) * cell / norm) & (numbers <= (1.0 + _ROUNDING) * reach / norm)]


def _interpolated(x: Numbers, y: Numbers, losses: Numbers, at_x: Numbers, at_y: Numbers) -> Numbers:
    """Return the losses at points within the grid, by cubics through the 4 x 4 points around each."""
    shape = at_x.shape
    columns, weights_x = _cubic(x, at_x.reshape(-1))
    rows, weights_y = _cubic(y, at_y.reshape(-1))
    around = losses[rows[:, :, np.newaxis], columns[:, np.newaxis, :]]
    found: Any = np.einsum("nij,ni,nj->n", around, weights_y, weights_x)
    return found.reshape(shape)


def _cubic(axis: Numbers, at: Numbers) -> tuple[NDArray[np.intp], Numbers]:
    """Return, for each of n points, four neighbors on the axis and their weights (Lagrange), of shape (n, 4).

    An axis of one point has one neighbor of weight 1.
    """
    if axis.size == 1:
        return np.zeros((at.size, 1), np.intp), np.ones((at.size, 1))
    first = np.clip(np.searchsorted(axis, at) - 2, 0, axis.size - 4)
    neighbors = first[:, np.newaxis] + np.arange(4)
    points = axis[neighbors]
    weights = np.ones(points.shape)
    for one in range(4):
        for other in range(4):
            if other != one:
                weights[:, one] *= (at - points[:, other]) / (points[:, one] - points[:, other])
    return neighbors, weights
