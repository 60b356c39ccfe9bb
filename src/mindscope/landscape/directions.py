# SPDX-License-Identifier: Apache-2.0
"""Directions in weight space.

Weights are vectors of length d: the trainable parameters, concatenated; ``sizes`` or ``shapes`` describe them in order.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from mindscope.landscape.blocks import Matrix, States, Vector, blocks, combine, length, product, rows

Shape = Sequence[int]


@dataclass(frozen=True, slots=True)
class PrincipalDirections:
    """Up to two directions of greatest variance: fewer if the states lie on a line or in one point, up to rounding."""

    vectors: tuple[Vector, ...]
    explained_variance: tuple[float, ...]
    """The share of the variance of the centered differences along each, 0 to 1."""


def principal_directions(states: States) -> PrincipalDirections:
    """Return the directions along which n states of the weights differ most from the last one.

    They are the first two left singular vectors, times their singular values, of the matrix whose columns are the
    differences to the last state, each minus its mean over the parameters; the largest entry of a direction is
    positive. MindSpore computes the same. Here they come from the Gram matrix of shape (n - 1, n - 1), so nothing is
    larger than the states. Where the centered differences span less than the differences, as always with one or two
    parameters, they are not centered.

    Source: Li et al., Visualizing the Loss Landscape of Neural Nets, 2018, section 7.
    """
    centered = _principal_directions(states, _means(states))
    if len(centered.vectors) == 2:
        return centered
    plain = _principal_directions(states, np.zeros(len(states) - 1))
    return plain if len(plain.vectors) > len(centered.vectors) else centered


def _principal_directions(states: States, means: NDArray[np.float64]) -> PrincipalDirections:
    """Return the principal directions of the differences minus ``means``."""
    gram: Matrix = np.zeros((len(states) - 1, len(states) - 1))
    for differences in _differences(states, means):
        gram += product(differences, np.transpose(differences))
    if not len(gram):
        return PrincipalDirections((), ())
    values, vectors = cast("tuple[Matrix, Matrix]", cast(Any, np.linalg).eigh(gram))
    values, vectors = np.maximum(values[::-1], 0.0), vectors[:, ::-1]
    noise = max(_rounding(states) ** 2, len(values) * float(np.finfo(np.float64).eps) * float(values[0]))
    kept = [index for index in range(min(2, len(values))) if values[index] > noise]
    return PrincipalDirections(
        tuple(_direction(states, means, vectors[:, index]) for index in kept),
        tuple(float(values[index] / values.sum()) for index in kept),
    )


def _means(states: States) -> NDArray[np.float64]:
    """Return the mean over the parameters of each difference."""
    sums = np.zeros(len(states) - 1)
    for differences in _differences(states, sums):
        sums = sums + differences.sum(axis=1)
    return sums / len(states[0])


def _differences(states: States, means: NDArray[np.float64]) -> Iterator[Matrix]:
    """Yield, by blocks, the states minus the last state and minus ``means``.

    ``means`` are read as they are when a caller begins.
    """
    for block in blocks(len(states[0])):
        values = rows(states, block)
        yield values[:-1] - values[-1] - means[:, np.newaxis]


def _direction(states: States, means: NDArray[np.float64], factors: NDArray[np.float64]) -> Vector:
    """Return the sum of centered differences times factors, with the sign of its largest entry."""
    direction = combine(np.append(factors, -factors.sum()), states)
    direction -= direction.dtype.type(factors @ means)
    largest = direction[np.argmax(np.abs(direction))]
    return -direction if largest < 0 else direction


def _rounding(states: States) -> float:
    """Return a singular value that the rounding of the states alone explains."""
    precision = np.finfo(states[0].dtype).eps
    return 2.0 * float(precision) * math.sqrt(len(states)) * length(states[-1])


def scale_to_weights(direction: Vector, weights: Vector, sizes: Sequence[int]) -> Vector:
    """Return the direction with each parameter's part scaled to the norm of the parameter; parts of norm 0 stay 0.

    MindSpore scales this way. Source: Li et al., 2018, section 4: filter normalization, here by parameter.
    """
    scaled: Vector = np.array(direction)
    for part, of in zip(_parts(scaled, sizes), _parts(weights, sizes), strict=True):
        norm = length(part)
        if norm:
            part *= length(of) / norm
    return scaled


def filter_normalized(weights: Vector, shapes: Sequence[Shape], seed: int | Sequence[int]) -> Vector:
    """Return a random direction: each filter has the norm of the filter in the weights.

    A filter is an entry along the first dimension of a parameter of at least two dimensions. Parameters of fewer
    dimensions, which are biases and those of normalization layers, do not move.

    Source: Li et al., 2018, section 4 and the remark on biases and batch normalization.
    """
    generator = np.random.default_rng(seed)
    direction = np.zeros_like(weights)
    sizes = parameter_sizes(shapes)
    for shape, part, of in zip(shapes, _parts(direction, sizes), _parts(weights, sizes), strict=True):
        if len(shape) < 2 or not part.size:
            continue
        filters = generator.standard_normal((shape[0], part.size // shape[0]), np.float32)
        norms = np.linalg.norm(of.reshape(shape[0], -1), axis=1) / np.linalg.norm(filters, axis=1)
        filters *= norms[:, np.newaxis].astype(np.float32)
        part[:] = filters.reshape(-1)
    return direction


def parameter_sizes(shapes: Sequence[Shape]) -> list[int]:
    """Return the elements of each parameter."""
    return [math.prod(shape) for shape in shapes]


def _parts(vector: Vector, sizes: Sequence[int]) -> list[Vector]:
    """Return views of the parameters in a vector."""
    ends = np.cumsum(sizes)
    if len(vector) != (int(ends[-1]) if len(ends) else 0):
        raise ValueError(f"a vector has {len(vector)} elements, its parameters {sum(sizes)}")
    return np.split(vector, ends[:-1])
