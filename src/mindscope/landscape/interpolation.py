# SPDX-License-Identifier: Apache-2.0
"""Fills a grid between known losses with the surface that bends least."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

Surface = NDArray[np.float64]
Mask = NDArray[np.bool_]

_PRECISION = 1e-3
"""Limit of the error of the conjugate gradients, relative to the first energy: far below that of the interpolation."""
_STEPS = 1000


def interpolate(z: Surface, known: Mask, order: int = 3) -> Surface:
    """Return a copy of losses with the unknown ones filled in.

    The surface has the least sum of squared differences of an order, 2 or 3: an order of 3 reproduces quadratics. No
    difference crosses a loss that is NaN or Infinity. An unknown point whose nearest known point is not finite has the
    value of that one.

    Source: Duchon, Splines minimizing rotation-invariant semi-norms in Sobolev spaces, 1977, here by finite
    differences.
    """
    filled: Surface = np.where(known, z, np.nan)
    if known.all() or not known.any():
        return filled
    filled = np.where(known, z, nearest_known(z, known))
    finite = np.isfinite(filled)
    unknown = ~known & finite
    if unknown.any():
        scale = float(np.ptp(filled[finite & known])) or 1.0
        middle = float(filled[finite & known].mean())
        start = np.where(finite, (filled - middle) / scale, 0.0)
        for index in range(2, order + 1):  # the smoother one begins near its end
            start = _least_bending(start, unknown, finite, index)
        filled[unknown] = start[unknown] * scale + middle
    return filled


def nearest_known(z: Surface, known: Mask) -> Surface:
    """Return for each point the loss of a known point with the least distance along rows and columns.

    At least one point is known.
    """
    filled: Surface = np.where(known, z, np.nan)
    reached: Mask = np.array(known)
    while not reached.all():
        before, missing = np.array(reached), ~reached
        for axis, step in ((0, 1), (0, -1), (1, 1), (1, -1)):
            take = missing & ~reached & shifted(before, axis, step)
            filled[take] = shifted(filled, axis, step)[take]
            reached |= take
    return filled


def shifted(values: NDArray[Any], axis: int, step: int) -> NDArray[Any]:
    """Return values moved by one position, with zeros where none come from."""
    moved = np.zeros_like(values)
    ahead, back = [slice(None)] * 2, [slice(None)] * 2
    ahead[axis], back[axis] = (slice(1, None), slice(None, -1)) if step > 0 else (slice(None, -1), slice(1, None))
    moved[tuple(ahead)] = values[tuple(back)]
    return moved


@dataclass(frozen=True, slots=True)
class _Differences:
    """Differences of orders along rows and columns, with the weight of each in the energy."""

    orders: tuple[int, int]
    weights: Surface

    def of(self, surface: Surface) -> Surface:
        """Return all differences."""
        for axis, order in enumerate(self.orders):
            surface = np.diff(surface, order, axis) if order else surface
        return surface

    def gradient(self, surface: Surface) -> Surface:
        """Return half the gradient of the energy: the transposed differences of the weighted ones."""
        values: Surface = self.weights * self.of(surface)
        for axis, order in enumerate(self.orders):
            if order:
                margin = [(0, 0), (0, 0)]
                margin[axis] = (order, order)
                values = np.diff(np.pad(values, margin), order, axis) * (-1) ** order
        return values

    def diagonal(self, shape: tuple[int, ...]) -> Surface:
        """Return the share of each point in its own gradient."""
        total = np.zeros(shape)
        rows, columns = self.weights.shape
        for row in range(self.orders[0] + 1):
            for column in range(self.orders[1] + 1):
                factor = (comb(self.orders[0], row) * comb(self.orders[1], column)) ** 2
                total[row : row + rows, column : column + columns] += factor * self.weights
        return total


def _energy(finite: Mask, order: int) -> Iterator[_Differences]:
    """Yield the differences of an order, without those that a point that is not finite belongs to."""
    for down in range(order + 1):
        orders = (down, order - down)
        if any(size <= each for size, each in zip(finite.shape, orders, strict=True)):
            continue
        usable = finite
        for axis, each in enumerate(orders):
            for _ in range(each):
                size = usable.shape[axis]
                usable = np.take(usable, range(size - 1), axis) & np.take(usable, range(1, size), axis)
        yield _Differences(orders, comb(order, down) * usable.astype(np.float64))


def _least_bending(start: Surface, unknown: Mask, finite: Mask, order: int) -> Surface:
    """Return the minimum of the energy over the unknown points, by conjugate gradients from ``start``."""
    energy = list(_energy(finite, order))

    def gradient(surface: Surface) -> Surface:
        return np.where(unknown, sum((each.gradient(surface) for each in energy), np.zeros(surface.shape)), 0.0)

    diagonal = sum((each.diagonal(start.shape) for each in energy), np.zeros(start.shape))
    precondition = np.where(unknown & (diagonal > 0), 1.0 / np.maximum(diagonal, 1e-300), 0.0)
    surface: Surface = np.array(start)
    rest: Surface = -gradient(surface)
    scaled: Surface = precondition * rest
    direction, size = scaled, float(np.vdot(rest, scaled))
    enough = _PRECISION**2 * size
    for _ in range(_STEPS):
        if size <= enough:
            break
        image = gradient(direction)
        step = size / float(np.vdot(direction, image))
        surface += step * direction
        rest -= step * image
        scaled = precondition * rest
        size, before = float(np.vdot(rest, scaled)), size
        direction = scaled + size / before * direction
    return surface
