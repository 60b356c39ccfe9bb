# SPDX-License-Identifier: Apache-2.0
"""Histograms of TensorBoard's format: counts below upper limits, which grow by a tenth from bucket to bucket."""

from __future__ import annotations

from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.capture.array_conversion import Array
from mindscope.capture.array_kind import ArrayKind, WarnOnce
from mindscope.errors import TypeRejectedError, ValueRejectedError
from mindscope.formats.kinds.histogram import histogram_to_tensorboard
from mindscope.formats.tensorboard_values import value_field

GROWING = "tensorflow"
"""The name of the usual buckets."""
_SMALLEST, _LARGEST, _GROWTH = 1e-12, 1e20, 1.1


def histogram_kind(bins: Any = GROWING, max_bins: int | None = None) -> ArrayKind:
    """Return the kind of histograms with ``bins``: ``tensorflow``, or what ``numpy.histogram`` takes."""
    edges = growing_edges() if isinstance(bins, str) and bins == GROWING else bins
    return ArrayKind(_check, partial(_encode, bins=edges, max_bins=max_bins))


@cache
def growing_edges() -> NDArray[np.float64]:
    """Return the edges of the usual buckets: from 1e-12 to 1e20 by a tenth, their negatives, and 0."""
    edges = [_SMALLEST]
    while edges[-1] * _GROWTH < _LARGEST:
        edges.append(edges[-1] * _GROWTH)
    return np.array([*(-edge for edge in reversed(edges)), 0.0, *edges])


def _check(array: Array) -> None:
    if array.dtype.kind == "c":
        raise TypeRejectedError(f"histogram has dtype {array.dtype}, want real numbers; record its real part")
    if array.size == 0:
        raise ValueRejectedError(f"histogram has shape {array.shape} with no element, want at least one")


def _encode(tag: str, array: Array, warn_once: WarnOnce, bins: Any, max_bins: int | None) -> bytes:
    values = array.reshape(-1).astype(np.float64)
    is_finite = np.isfinite(values)
    if not is_finite.all():
        lost = int(values.size - is_finite.sum())
        values = values[is_finite]
        if values.size == 0:
            raise ValueRejectedError("histogram has no finite element, and the format has no count of others")
        warn_once("NaN", tag, f"histogram {tag!r} has {lost} elements that are NaN or infinite; they are not counted")
    counts, edges = np.histogram(values, bins=bins)
    if max_bins is not None and counts.size > max_bins:
        counts, edges = _merged(counts, edges, counts.size // max_bins)
    limits, kept = _without_empty_ends(counts, edges)
    with np.errstate(over="ignore"):
        statistics = (values.min(), values.max(), values.size, values.sum(), values.dot(values))
    return value_field(histogram_to_tensorboard(tag, statistics, limits, kept))


def _merged(
    counts: NDArray[np.intp], edges: NDArray[np.float64], share: int
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Return buckets that are ``share`` as wide."""
    padded = np.pad(counts, (0, -counts.size % share))
    return padded.reshape(-1, share).sum(axis=-1), np.append(edges[:-1:share], edges[-1])


def _without_empty_ends(
    counts: NDArray[np.intp], edges: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return limits and counts from one bucket before the first count to the last one.

    A reader takes the limit before a bucket for its lower edge.
    """
    seen = np.flatnonzero(counts)
    if seen.size == 0:
        raise ValueRejectedError("histogram has no element in its bins; choose bins that cover the values")
    first, last = int(seen[0]), int(seen[-1])
    kept = counts[first : last + 1].astype(np.float64)
    return edges[first : last + 2].astype(np.float64), np.append(0.0, kept)


LIMIT_HISTOGRAM = histogram_kind()
