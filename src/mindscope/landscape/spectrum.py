# SPDX-License-Identifier: Apache-2.0
"""Eigenvalues, trace and spectral density of a symmetric matrix of which only products with vectors are known.

Vectors are one-dimensional arrays of NumPy, tensors of PyTorch, or anything else with ``+``, ``-``, ``*`` by a number
and ``@``; a Hessian is too large to exist. ``multiply(vector)`` returns the product, ``draw(number)`` returns a random
vector with independent entries of mean 0 and variance 1, a different one for each number. Rademacher entries, which are
-1 or 1, give the trace with the least variance.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from mindscope.landscape.blocks import Matrix

Multiply = Callable[[Any], Any]
Draw = Callable[[int], Any]
Numbers = NDArray[np.float64]

_DRAWS = 8
"""Further vectors that are drawn if those before are combinations of the pairs, as in few dimensions."""
_EXHAUSTED = 1e-6
"""A rest shorter than this share of the largest product is rounding of float32: the vectors span all that there is."""


@dataclass(frozen=True, slots=True)
class Eigenpair:
    """An eigenvalue and its vector of length 1."""

    value: float
    vector: Any
    residual: float
    """Length of ``multiply(vector) - value * vector``, as the Lanczos process estimates it."""
    products: int
    """Calls of ``multiply`` for this pair."""


@dataclass(frozen=True, slots=True)
class HessianTrace:
    """The sum of the eigenvalues, estimated."""

    value: float
    standard_error: float
    """NaN for one probe."""
    probes: int


@dataclass(frozen=True, slots=True)
class SpectralDensity:
    """The density of the eigenvalues: of integral 1, smoothed by a Gaussian."""

    values: Numbers
    """Shape (n,): eigenvalues at which the density is given, ascending."""
    density: Numbers
    """Densities, shape (n,)."""
    width: float
    """Standard deviation of the Gaussian."""
    nodes: Numbers
    """Shape (m,): the eigenvalues that the probes saw."""
    weights: Numbers
    """Shape (m,): their shares, of sum 1."""
    trace: HessianTrace
    """Trace, from the same products."""


def top_eigenpairs(
    multiply: Multiply, draw: Draw, count: int = 2, steps: int = 60, tolerance: float = 1e-5
) -> list[Eigenpair]:
    """Return the pairs of the largest eigenvalues, descending; fewer than ``count`` if the vectors are shorter.

    Each pair has its own Lanczos process, orthogonal to the pairs before it, so multiple eigenvalues are found as often
    as they occur. It ends when the residual is ``tolerance`` of the largest eigenvalue in magnitude, or after ``steps``
    products; it keeps as many vectors.
    """
    pairs: list[Eigenpair] = []
    hint: Any = None
    for number in range(count + _DRAWS):
        start = _unit(draw(number))
        start = start if hint is None else hint + start * 0.1
        found = lanczos(multiply, start, steps, [pair.vector for pair in pairs], tolerance)
        if found is not None:
            values, vectors = found.eigen()
            residual = found.rest * abs(float(vectors[-1, -1]))
            pairs.append(Eigenpair(float(values[-1]), _unit(found.combine(vectors[:, -1])), residual, len(values)))
            hint = found.combine(vectors[:, -2]) if len(values) > 1 else None
        if len(pairs) == count:
            break
    return sorted(pairs, key=lambda pair: -pair.value)


def trace(multiply: Multiply, draw: Draw, probes: int = 16) -> HessianTrace:
    """Return Hutchinson's estimate of the trace.

    Source: Hutchinson, A Stochastic Estimator of the Trace of the Influence Matrix, 1990.
    """
    vectors = (draw(number) for number in range(probes))
    return _mean([float(vector @ multiply(vector)) for vector in vectors])


def spectral_density(
    multiply: Multiply, draw: Draw, probes: int = 4, steps: int = 40, size: int = 512, width: float | None = None
) -> SpectralDensity:
    """Estimate the density by stochastic Lanczos quadrature with ``probes`` * ``steps`` products.

    ``width`` None is 1 % of the extent.

    Source: Ghorbani et al., An Investigation into Neural Net Optimization via Hessian Eigenvalue Density, 2019,
    algorithm 2.
    """
    nodes: list[Numbers] = []
    weights: list[Numbers] = []
    products: list[float] = []
    for number in range(probes):
        probe = draw(number)
        found = lanczos(multiply, probe, steps)
        if found is None:
            continue  # a vector of zeros
        values, vectors = found.eigen()
        nodes.append(values)
        weights.append(vectors[0] ** 2)
        products.append(float(found.diagonal[0]) * float(probe @ probe))
    if not nodes:
        raise ValueError("all probes are zero, want random vectors")
    return _smoothed(np.concatenate(nodes), np.concatenate(weights) / len(nodes), size, width, _mean(products))


@dataclass(frozen=True, slots=True)
class Lanczos:
    """A tridiagonal matrix that a Lanczos process found, and its orthonormal vectors."""

    diagonal: Sequence[float]
    beside: Sequence[float]
    """The entries beside the diagonal, one less."""
    vectors: Sequence[Any]
    rest: float
    """Length of the vector that would come next; 0 if the vectors span an invariant space."""

    def eigen(self) -> tuple[Numbers, Matrix]:
        """Return eigenvalues, ascending, and eigenvectors in columns."""
        matrix = np.diag(self.diagonal) + np.diag(self.beside, 1) + np.diag(self.beside, -1)
        return cast(Any, np.linalg).eigh(matrix)

    def combine(self, factors: Numbers) -> Any:
        """Return a vector of the space."""
        total = self.vectors[0] * float(factors[0])
        for factor, vector in zip(factors[1:].tolist(), self.vectors[1:], strict=True):
            total = total + vector * factor
        return total


def lanczos(
    multiply: Multiply, start: Any, steps: int, orthogonal_to: Sequence[Any] = (), tolerance: float = 0.0
) -> Lanczos | None:
    """Return a Lanczos process with full reorthogonalization; None if nothing is left of the first vector.

    It ends early if the largest eigenvalue has a residual of ``tolerance`` of the largest magnitude.
    """
    length = _length(start)
    current = _without(start, orthogonal_to)
    rest = _length(current)
    if not math.isfinite(length):
        raise ValueError("the first vector of a Lanczos process has NaN or Infinity")
    if rest <= _EXHAUSTED * length:
        return None
    diagonal: list[float] = []
    beside: list[float] = []
    vectors: list[Any] = []
    largest = 0.0
    while True:
        vectors.append(current * (1.0 / rest))
        following = multiply(vectors[-1])
        largest = max(_length(following), largest)  # in this order NaN stays
        diagonal.append(float(vectors[-1] @ following))
        if not math.isfinite(largest):
            raise ValueError("a product has NaN or Infinity: the loss has no finite curvature here")
        current = _without(following, [*orthogonal_to, *vectors])
        rest = _length(current)
        found = Lanczos(diagonal, beside, vectors, rest if rest > _EXHAUSTED * largest else 0.0)
        if not found.rest or len(vectors) == steps or _is_converged(found, tolerance):
            return found
        beside.append(rest)


def _is_converged(found: Lanczos, tolerance: float) -> bool:
    if not tolerance:
        return False
    values, vectors = found.eigen()
    return found.rest * abs(float(vectors[-1, -1])) <= tolerance * float(np.abs(values).max())


def _without(vector: Any, others: Sequence[Any]) -> Any:
    """Return the part of a vector that is orthogonal to orthonormal others; twice, because once leaves rounding."""
    for _ in range(2):
        for other in others:
            vector = vector - other * float(other @ vector)
    return vector


def _length(vector: Any) -> float:
    return math.sqrt(float(vector @ vector))


def _unit(vector: Any) -> Any:
    length = _length(vector)
    return vector * (1.0 / length) if length else vector


def _mean(numbers: Sequence[float]) -> HessianTrace:
    count = len(numbers)
    error = float(np.std(numbers, ddof=1)) / math.sqrt(count) if count > 1 else math.nan
    return HessianTrace(float(np.mean(numbers)), error, count)


def _smoothed(nodes: Numbers, weights: Numbers, size: int, width: float | None, found: HessianTrace) -> SpectralDensity:
    low, high = float(nodes.min()), float(nodes.max())
    width = width or 0.01 * ((high - low) or abs(high) or 1.0)
    values = np.linspace(low - 5 * width, high + 5 * width, size)
    exponents = -0.5 * ((values[:, np.newaxis] - nodes) / width) ** 2
    density = np.sum(weights * np.exp(exponents), axis=1) / (width * math.sqrt(2 * math.pi))
    return SpectralDensity(values, density, width, nodes, weights, found)
