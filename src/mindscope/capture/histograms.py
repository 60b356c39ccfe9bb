# SPDX-License-Identifier: Apache-2.0
"""Histograms as MindSpore's readers expect them: up to 90 buckets of one width over the finite values."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mindscope.capture.values import Array
from mindscope.types import Message

_MAX = float(np.finfo(np.float64).max)
_LARGEST_COUNTED_BY_TEN = 880


def bucket_count(valid: int) -> int:
    """How many buckets ``valid`` finite values get: about ten values a bucket, at most 90 buckets."""
    if valid <= 10:
        return (0, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3)[valid]
    return valid // 10 + 1 if valid <= _LARGEST_COUNTED_BY_TEN else 90


def histogram_message(array: Array) -> Message:
    """The ``Summary.Histogram`` of all elements. Buckets, extremes and sum are over finite values, in float64."""
    flat = array.reshape(-1)
    message: Message = {"count": flat.size, "nan_count": 0, "pos_inf_count": 0, "neg_inf_count": 0}
    if flat.dtype.kind in "biu" and flat.itemsize < 4:
        flat = flat.astype(np.int32)  # NumPy sorts these ten times as fast
    elif flat.dtype.kind == "V" or flat.dtype == np.float16:
        flat = flat.astype(np.float32)  # exact, and NumPy is fast on it
    elif flat.itemsize > 8:
        flat = flat.astype(np.float64)
    if flat.dtype.kind == "f":
        flat = _take_finite(flat, message)
    if flat.size == 0:
        return {**message, "min": 0.0, "max": 0.0, "sum": 0.0}
    low, high = float(flat.min()), float(flat.max())
    edges = bucket_edges(low, high, bucket_count(flat.size))
    counts, _ = np.histogram(flat, bins=edges)  # compares in float64, whatever the dtype
    with np.errstate(over="ignore", invalid="ignore"):  # a sum beyond float64 is infinite or NaN
        total = float(flat.sum(dtype=np.float64))
    widths = edges[1:] - edges[:-1]
    message["buckets"] = [
        {"left": left, "width": width, "count": count}
        for left, width, count in zip(edges.tolist(), widths.tolist(), counts.tolist(), strict=False)
    ]
    return {**message, "min": low, "max": high, "sum": total}


def _take_finite(flat: Array, message: Message) -> Array:
    """The finite elements; the others are counted into ``message``."""
    with np.errstate(invalid="ignore", over="ignore"):
        if flat.size and np.isfinite(flat.min()) and np.isfinite(flat.max()):  # NaN spreads through both
            return flat
    message["nan_count"] = int(np.count_nonzero(np.isnan(flat)))
    message["pos_inf_count"] = int(np.count_nonzero(np.isposinf(flat)))
    message["neg_inf_count"] = int(np.count_nonzero(np.isneginf(flat)))
    return flat[np.isfinite(flat)]


def bucket_edges(low: float, high: float, count: int) -> NDArray[np.float64]:
    """Rising edges of at most ``count`` buckets from ``low`` to ``high``; fewer where float64 has no room for them.

    A single value gets half a unit on both sides (more where half a unit is lost in its rounding).
    """
    if low == high:
        reach = max(0.5, abs(low) * 2.0**-50)
        low, high = max(low - reach, -_MAX), min(high + reach, _MAX)
    edges = np.linspace(low / 4, high / 4, count + 1) * 4  # a quarter: high - low may be beyond float64
    edges[0], edges[-1] = low, high
    return edges if np.all(edges[1:] > edges[:-1]) else np.unique(edges)
