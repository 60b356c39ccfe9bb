# SPDX-License-Identifier: Apache-2.0
"""Statistics and histogram of a tensor, or of a slice of it, in one or two readings of its parts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.analysis.slices import SliceKey, read_slice, sliced_shape
from mindscope.analysis.tensors import TensorSource
from mindscope.server.http.disconnect import while_connected
from mindscope.server.tensors.schema import TensorStatisticsAnswer
from mindscope.server.tensors.table import cell_texts, is_whole

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
        """Take in one block, flat and not empty."""
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
        """Chan, Golub, LeVeque 1979: means and squared distances of two parts make those of both."""
        low, high = finite.min(), finite.max()
        self.low = low if self.low is None else min(self.low, low)
        self.high = high if self.high is None else max(self.high, high)
        floats = finite.astype(np.float64)
        mean = float(floats.mean())
        total, apart = self.finite + floats.size, mean - self.mean
        self.squares += float(np.square(floats - mean).sum()) + apart * apart * self.finite * floats.size / total
        self.mean += apart * floats.size / total
        self.finite = total


def summarize_tensor(source: TensorSource, texts: Sequence[str], bins: int) -> TensorStatisticsAnswer:
    """Over a slice, or over everything without texts; with a histogram when ``bins`` is not 0. Raises SliceError."""
    key = read_slice(texts, source.shape) if texts else whole(source)
    moments = moments_of(source, key)
    edges, counts = histogram(source, key, moments, bins)
    has_any = moments.finite > 0
    return TensorStatisticsAnswer(
        shape=list(sliced_shape(key)),
        count=math.prod(sliced_shape(key)),
        zeros=moments.zeros,
        nan=moments.nan,
        positive_infinity=moments.positive_infinity,
        negative_infinity=moments.negative_infinity,
        minimum=_text(moments.low, source.dtype),
        maximum=_text(moments.high, source.dtype),
        mean=_finite(moments.mean) if has_any else None,
        deviation=_finite(math.sqrt(moments.squares / moments.finite)) if has_any else None,
        edges=edges,
        counts=counts,
    )


def whole(source: TensorSource) -> SliceKey:
    """The slice that is everything."""
    return tuple(range(size) for size in source.shape)


def moments_of(source: TensorSource, key: SliceKey) -> Moments:
    """Running numbers over a slice; nothing of texts."""
    moments = Moments()
    with np.errstate(over="ignore", invalid="ignore"):
        for numbers in number_blocks(source, key):
            moments.add(numbers)
    return moments


def number_blocks(source: TensorSource, key: SliceKey) -> Iterator[Array]:
    """The slice as flat arrays of numbers that NumPy can reckon with; none for texts."""
    if source.dtype != object:
        for _, block in while_connected(source.blocks(key)):
            yield as_numbers(block).reshape(-1)


def as_numbers(array: Array) -> Array:
    """Booleans as 0 and 1, complex numbers as magnitudes, small floats widened; the others as they are."""
    if array.dtype.kind == "b":
        return array.astype(np.uint8)
    if array.dtype.kind == "c":
        return np.abs(array)
    if array.dtype.kind not in "iuf" or array.dtype.itemsize < 2:
        return array.astype(np.int64 if is_whole(array.dtype) else np.float32)
    return array.astype(np.float32) if array.dtype == np.float16 else array


def histogram(source: TensorSource, key: SliceKey, moments: Moments, bins: int) -> tuple[list[float], list[int]]:
    """Edges and counts of at most ``bins`` buckets over the finite numbers; whole numbers that fit get one each."""
    if bins == 0 or moments.low is None:
        return [], []
    low, high = float(moments.low), float(moments.high)
    if (is_whole(source.dtype) and high - low < bins) or low == high:
        bins = int(high - low) + 1 if is_whole(source.dtype) else 1
        low, high = low - 0.5, high + 0.5
    scale = 1.0 if math.isfinite(high - low) else 0.25
    edges: Floats = np.linspace(low * scale, high * scale, bins + 1)
    if not (np.diff(edges) > 0).all():  # numbers too near to each other for so many buckets
        edges = np.array([low, np.nextafter(high, np.inf)]) * scale
    counts = np.zeros(edges.size - 1, np.int64)
    for numbers in number_blocks(source, key):
        counts += np.histogram(finite_of(numbers).astype(np.float64) * scale, edges)[0]
    return (edges / scale).tolist(), counts.tolist()


def finite_of(numbers: Array) -> Array:
    """The finite ones."""
    return numbers[np.isfinite(numbers)] if numbers.dtype.kind == "f" else numbers


def _text(element: Any, dtype: np.dtype[Any]) -> str | None:
    """An element as the tensor would write it; magnitudes of complex numbers as they are."""
    if element is None:
        return None
    cell = np.asarray(element).reshape(1, 1)
    return cell_texts(cell if dtype.kind == "c" else cell.astype(dtype))[0][0]


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None
