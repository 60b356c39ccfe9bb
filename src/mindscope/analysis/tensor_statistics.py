# SPDX-License-Identifier: Apache-2.0
"""Statistics and histogram of a slice of a tensor, in one or two passes over its blocks."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.analysis.slices import SliceKey, sliced_shape
from mindscope.analysis.tensors import TensorSource

Array = NDArray[Any]
Floats = NDArray[np.float64]


@dataclass(slots=True)
class Moments:
    """Running numbers over blocks; ``low`` and ``high`` are elements of the tensor, None before a finite one."""

    count: int = 0
    zeros: int = 0
    nan: int = 0
    positive_infinity: int = 0
    negative_infinity: int = 0
    finite: int = 0
    mean: float = 0.0
    squares: float = 0.0  # sum of squared distances to the mean
    low: Any = None
    high: Any = None

    def add(self, numbers: Array) -> None:
        """Add a block, flat and not empty."""
        self.count += numbers.size
        self.zeros += int(np.count_nonzero(numbers == 0))
        if numbers.dtype.kind == "f":
            self.nan += int(np.count_nonzero(np.isnan(numbers)))
            self.positive_infinity += int(np.count_nonzero(numbers == np.inf))
            self.negative_infinity += int(np.count_nonzero(numbers == -np.inf))
        finite = finite_of(numbers)
        if finite.size:
            self._add_finite(finite)

    def _add_finite(self, finite: Array) -> None:
        """Combine means and squared distances of two parts to those of both, by Chan, Golub and LeVeque (1979)."""
        low, high = finite.min(), finite.max()
        self.low = low if self.low is None else min(self.low, low)
        self.high = high if self.high is None else max(self.high, high)
        floats = finite.astype(np.float64)
        mean = float(floats.mean())
        total, apart = self.finite + floats.size, mean - self.mean
        self.squares += float(np.square(floats - mean).sum()) + apart * apart * self.finite * floats.size / total
        self.mean += apart * floats.size / total
        self.finite = total


@dataclass(frozen=True, slots=True, eq=False)
class TensorStatistics:
    """Statistics of a slice of ``shape``; of complex numbers, over their magnitudes.

    ``count`` counts all elements. ``minimum`` and ``maximum`` (elements of the tensor), ``mean``, ``deviation`` (of the
    population) and the histogram are over the finite elements; None without any. Bucket i of ``counts``, int64 of shape
    (n,), covers ``edges[i]`` to ``edges[i + 1]``, float64 of shape (n + 1,); the last one includes its right edge. Both
    are empty without a histogram.
    """

    shape: tuple[int, ...]
    count: int
    zeros: int
    nan: int
    positive_infinity: int
    negative_infinity: int
    minimum: Any
    maximum: Any
    mean: float | None
    deviation: float | None
    edges: Floats
    counts: NDArray[np.int64]


def tensor_statistics(source: TensorSource, key: SliceKey, bins: int = 0) -> TensorStatistics:
    """Return statistics over a slice, with a histogram of at most ``bins`` buckets unless ``bins`` is 0."""
    moments = moments_of(source, key)
    edges, counts = histogram(source, key, moments, bins)
    has_any = moments.finite > 0
    return TensorStatistics(
        shape=sliced_shape(key),
        count=math.prod(sliced_shape(key)),
        zeros=moments.zeros,
        nan=moments.nan,
        positive_infinity=moments.positive_infinity,
        negative_infinity=moments.negative_infinity,
        minimum=moments.low,
        maximum=moments.high,
        mean=moments.mean if has_any else None,
        deviation=math.sqrt(moments.squares / moments.finite) if has_any else None,
        edges=edges,
        counts=counts,
    )


def whole(source: TensorSource) -> SliceKey:
    """Return the slice of the whole tensor."""
    return tuple(range(size) for size in source.shape)


def moments_of(source: TensorSource, key: SliceKey) -> Moments:
    """Return running numbers over a slice; all 0 for texts."""
    moments = Moments()
    with np.errstate(over="ignore", invalid="ignore"):
        for numbers in number_blocks(source, key):
            moments.add(numbers)
    return moments


def number_blocks(source: TensorSource, key: SliceKey) -> Iterator[Array]:
    """Yield the slice as flat arrays of numbers that NumPy can compute with; none for texts."""
    if source.dtype != object:
        for _, block in source.blocks(key):
            yield as_numbers(block).reshape(-1)


def as_numbers(array: Array) -> Array:
    """Return booleans as 0 and 1, complex numbers as magnitudes, small floats widened; other numbers unchanged."""
    if array.dtype.kind == "b":
        return array.astype(np.uint8)
    if array.dtype.kind == "c":
        return np.abs(array)
    if array.dtype.kind not in "iuf" or array.dtype.itemsize < 2:
        return array.astype(np.int64 if is_whole(array.dtype) else np.float32)
    return array.astype(np.float32) if array.dtype == np.float16 else array


def histogram(source: TensorSource, key: SliceKey, moments: Moments, bins: int) -> tuple[Floats, NDArray[np.int64]]:
    """Return the edges and counts of at most ``bins`` buckets over the finite numbers; one bucket per integer if these
    fit.
    """
    if bins == 0 or moments.low is None:
        return np.empty(0), np.empty(0, np.int64)
    low, high = float(moments.low), float(moments.high)
    if (is_whole(source.dtype) and high - low < bins) or low == high:
        bins = int(high - low) + 1 if is_whole(source.dtype) else 1
        low, high = low - 0.5, high + 0.5
    scale = 1.0 if math.isfinite(high - low) else 0.25
    edges: Floats = np.linspace(low * scale, high * scale, bins + 1)
    if not (np.diff(edges) > 0).all():  # the numbers are too close for this number of buckets
        edges = np.array([low, np.nextafter(high, np.inf)]) * scale
    counts = np.zeros(edges.size - 1, np.int64)
    for numbers in number_blocks(source, key):
        counts += np.histogram(finite_of(numbers).astype(np.float64) * scale, edges)[0]
    return edges / scale, counts


def finite_of(numbers: Array) -> Array:
    """Return the finite numbers."""
    return numbers[np.isfinite(numbers)] if numbers.dtype.kind == "f" else numbers


def is_whole(dtype: np.dtype[Any]) -> bool:
    """Return whether the dtype is of integers."""
    return dtype.kind in "iub" or "int" in dtype.name
