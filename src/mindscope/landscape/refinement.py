# SPDX-License-Identifier: Apache-2.0
"""The order in which the points of a grid are computed: a coarse grid, then points where the surface bends.

Each round computes a sixteenth of the points: those where two interpolations, of orders 2 and 3, differ most, a quarter
of them at random so that a detail between the points has a chance, and those at a jump or a border of NaN or Infinity.
It ends when the interpolation had predicted the losses of a round, and the two interpolations agree elsewhere. Errors
are relative to the range of the losses and, for positive losses, to that of their logarithms, because a page can show
both.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from mindscope.landscape.interpolation import Mask, Surface, interpolate, shifted

TOLERANCE = 0.01
"""Error that an interpolated loss may have, as a share of the range; a round must stay within half of it."""
COARSE = 4
"""The coarse grid has every fourth point along each axis, and the last one."""
ROUNDS = 16
"""A round has one point of this many."""
_RANDOM = 4
"""Ratio of all points of a round to the random ones."""
_LEAST_BATCH = 3
_JUMP = 0.1
"""Third difference of a surface, as a share of its range, that no smooth one has."""
_BORDER = 3
"""A point within this distance of a finite loss and of another one is computed, not interpolated."""

Indices = NDArray[np.int64]
"""Indices into the losses, row by row."""


def coarse_points(shape: tuple[int, int]) -> Mask:
    """Return the points of the coarse grid: about a sixteenth of all, and at least three along an axis."""
    mask = np.zeros(shape, np.bool_)
    mask[np.ix_(*(_coarse(size) for size in shape))] = True
    return mask


def _coarse(size: int) -> Indices:
    count = min(size, max(3, -(-size // COARSE)))
    return np.round(np.linspace(0, size - 1, count)).astype(np.int64)


class Refinement:
    """Chooses the points of one grid, round by round.

    Args:
        shape: of the losses.
        full: choose every point, coarse to fine.
    """

    def __init__(self, shape: tuple[int, int], full: bool = False) -> None:
        self._coarse = coarse_points(shape)
        self._full = full
        self._predicted: Surface | None = None
        """The losses that the interpolation predicted before the last round."""
        self._chosen: Indices = np.zeros(0, np.int64)

    def next_points(self, z: Surface, known: Mask) -> Indices:
        """Return the points to compute next; none if all others can be interpolated.

        ``z`` is of any value where not known.
        """
        coarse = self._coarse & ~known
        if coarse.any() or known.all():
            return np.flatnonzero(coarse)
        if self._full:
            return _next_level(known)
        predicted, rough = interpolate(z, known), interpolate(z, known, order=2)
        between: Surface = np.where(known, 0.0, error(rough, predicted, z[known]))
        border = _border(z, known) | (~known & _is_jump(predicted))
        if not border.any() and between.max() <= TOLERANCE and self._has_predicted(z, known):
            return np.zeros(0, np.int64)
        self._predicted = predicted
        self._chosen = _choose(np.where(border, np.inf, between), ~known)
        return self._chosen

    def _has_predicted(self, z: Surface, known: Mask) -> bool:
        if self._predicted is None:
            return False
        found = error(self._predicted, z, z[known]).reshape(-1)[self._chosen]
        return bool((found <= TOLERANCE / 2).all())


def error(got: Surface, want: Surface, losses: Surface) -> Surface:
    """Return the difference as a share of the range of ``losses``, or of that of their logarithms if it is larger.

    0 where both are not finite, Infinity where one is.
    """
    finite = losses[np.isfinite(losses)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 0.0)
    smallest = max(abs(low), abs(high)) * 1e-12 or 1.0
    both, one = np.isfinite(got) & np.isfinite(want), np.isfinite(got) != np.isfinite(want)
    got, want = np.where(both, got, low), np.where(both, want, low)
    found = np.abs(got - want) / max(high - low, smallest)
    if high > 3 * low > 0:
        floor = low / 2
        logarithms = np.log(np.maximum(got, floor)) - np.log(np.maximum(want, floor))
        found = np.maximum(found, np.abs(logarithms) / math.log(high / low))
    return np.where(one, np.inf, found)


def _next_level(known: Mask) -> Indices:
    """Return the unknown points of every second row and column, then all."""
    even = np.zeros(known.shape, np.bool_)
    even[::2, ::2] = True
    level = even & ~known
    return np.flatnonzero(level if level.any() else ~known)


def _is_jump(surface: Surface) -> Mask:
    """Return the points of a third difference above _JUMP: in the middle of a jump all interpolations agree, and are
    wrong.
    """
    finite = surface[np.isfinite(surface)]
    surface = np.where(np.isfinite(surface), surface, np.nan)  # the border of these is another matter
    limit = _JUMP * float(np.ptp(finite)) if finite.size else 0.0
    jump = np.zeros(surface.shape, np.bool_)
    for axis, size in enumerate(surface.shape):
        if size > 3 and limit:
            large = np.abs(np.diff(surface, 3, axis)) > limit
            for start in range(4):
                jump[(slice(None),) * axis + (slice(start, size - 3 + start),)] |= large
    return jump


def _border(z: Surface, known: Mask) -> Mask:
    """Return unknown points between finite losses and others: about as far from both, and near."""
    finite = known & np.isfinite(z)
    if finite.sum() == known.sum() or not finite.any():
        return np.zeros(known.shape, np.bool_)
    inside, outside = _distances(finite), _distances(known & ~finite)
    return ~known & (np.maximum(inside, outside) <= _BORDER) & (np.abs(inside - outside) <= 1)


def _distances(mask: Mask) -> NDArray[np.int64]:
    """Return the steps of a king to the mask, up to _BORDER + 2."""
    distances = np.where(mask, 0, _BORDER + 2)
    reached = mask
    for step in range(1, _BORDER + 1):
        beside = reached | shifted(reached, 0, 1) | shifted(reached, 0, -1)
        beside = beside | shifted(beside, 1, 1) | shifted(beside, 1, -1)
        distances[beside & ~reached] = step
        reached = beside
    return distances


def _choose(errors: Surface, unknown: Mask) -> Indices:
    """Return the points with the largest errors, no two beside each other, and random ones."""
    count = max(_LEAST_BATCH, errors.size // ROUNDS)
    wanted = count - count // _RANDOM
    free, chosen = np.array(unknown), np.zeros(unknown.shape, np.bool_)
    for index in np.argsort(np.where(unknown, -errors, np.inf), axis=None)[: int(unknown.sum())].tolist():
        row, column = divmod(index, errors.shape[1])
        if free[row, column]:
            chosen[row, column] = True
            free[max(row - 1, 0) : row + 2, max(column - 1, 0) : column + 2] = False
            wanted -= 1
        if not wanted:
            break
    others = np.flatnonzero(unknown & ~chosen)
    generator = np.random.default_rng(len(others))
    sampled = generator.choice(others, min(len(others), count - int(chosen.sum())), replace=False)
    return np.concatenate([np.flatnonzero(chosen), sampled])
