# SPDX-License-Identifier: Apache-2.0
"""Planes and lines through checkpoints."""

from __future__ import annotations

import logging
from collections.abc import Sequence

import numpy as np

from mindscope.landscape.blocks import States, Vector, check_states, combine, dot, length
from mindscope.landscape.directions import (
    Shape,
    filter_normalized,
    parameter_sizes,
    principal_directions,
    scale_to_weights,
)
from mindscope.landscape.plane import Plane

_LOG = logging.getLogger("mindscope")


def path_plane(states: States, shapes: Sequence[Shape], rescale: bool = True, seed: int = 0) -> Plane:
    """Return the plane through the last checkpoint along which the checkpoints moved most, as MindSpore computes it.

    ``rescale`` scales each parameter's part of a direction to the norm of the parameter. If the checkpoints lie on a
    line or in one point, the missing directions are random ones of ``seed``, orthogonal to the others.
    """
    check_states(states)
    weights, sizes = states[-1], parameter_sizes(shapes)
    found = list(principal_directions(states).vectors)
    if rescale:
        found = [scale_to_weights(each, weights, sizes) for each in found]
    return _completed(weights, found, shapes, seed)


def random_plane(weights: Vector, shapes: Sequence[Shape], seed: int = 0) -> Plane:
    """Return the plane along two filter-normalized random directions."""
    check_states([weights])
    v, w = (filter_normalized(weights, shapes, (seed, index)) for index in range(2))
    return Plane(weights, v, w)


def plane_through_three(states: States, shapes: Sequence[Shape], seed: int = 0) -> Plane:
    """Return the plane through three checkpoints, for mode connectivity: from the first, along an orthonormal basis.

    Source: Garipov et al., Loss Surfaces, Mode Connectivity, and Fast Ensembling of DNNs, 2018, appendix A.2.
    """
    if len(states) != 3:
        raise ValueError(f"{len(states)} checkpoints, want 3")
    check_states(states)
    first = states[0]
    directions = [combine(np.array([-1.0, 1.0]), [first, each]) for each in (states[1], states[2])]
    noise = 4.0 * float(np.finfo(first.dtype).eps) * max(length(state) for state in states)
    kept: list[Vector] = []
    for direction in directions:
        rest = _orthogonal(direction, kept)
        norm = length(rest)
        if norm > noise:
            kept.append(rest / rest.dtype.type(norm))
    return _completed(first, kept, shapes, seed)


def line_between(states: States) -> Plane:
    """Return the straight line between two checkpoints: the first at 0, the second at 1.

    Source: Goodfellow et al., Qualitatively characterizing neural network optimization problems, 2015.
    """
    if len(states) != 2:
        raise ValueError(f"{len(states)} checkpoints, want 2")
    check_states(states)
    direction = combine(np.array([-1.0, 1.0]), states)
    return Plane(states[0], direction, degenerate="" if direction.any() else "point")


def _completed(origin: Vector, directions: list[Vector], shapes: Sequence[Shape], seed: int) -> Plane:
    """Return a plane along these directions; random ones are added up to two, as long as the first."""
    degenerate = ("point", "line", "")[len(directions)]
    if degenerate:
        _LOG.warning("the checkpoints lie %s; the other directions are random", _LOCATIONS[degenerate])
    for index in range(len(directions), 2):
        added = _orthogonal(filter_normalized(origin, shapes, (seed, index)), directions)
        if directions and (norm := length(added)):
            added *= added.dtype.type(length(directions[0]) / norm)
        directions.append(added)
    return Plane(origin, directions[0], directions[1], degenerate)


_LOCATIONS = {"line": "on a line", "point": "in one point"}


def _orthogonal(vector: Vector, others: Sequence[Vector]) -> Vector:
    """Return the part of a vector that is orthogonal to others, which are orthogonal to each other."""
    for other in others:
        square = dot(other, other)
        if square:
            vector = vector - other * other.dtype.type(dot(vector, other) / square)
    return vector
