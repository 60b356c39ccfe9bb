# SPDX-License-Identifier: Apache-2.0
"""Exports all histograms of a tag into one file."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from mindscope.table.file import Line, csv_text
from mindscope.types import Histogram

Dated = tuple[int, float, Histogram]
"""Step, wall time and histogram."""

_NUMBERS = (
    "minimum", "maximum", "sum", "total", "nan_count", "positive_infinity_count", "negative_infinity_count",
)  # fmt: skip


def to_npz(histograms: Sequence[Dated]) -> bytes:
    """Return a NumPy archive with concatenated arrays of all n histograms.

    ``step`` and ``wall_time`` of shape (n,); ``left``, ``right`` and ``count`` of all buckets; ``bucket_start`` of
    shape (n + 1,): histogram i has the buckets ``bucket_start[i]:bucket_start[i + 1]``; ``minimum``, ``maximum``,
    ``sum``, ``total``, ``nan_count``, ``positive_infinity_count``, ``negative_infinity_count`` of shape (n,).
    """
    buckets = [histogram.left.size for _, _, histogram in histograms]
    columns: dict[str, NDArray[Any]] = {
        "step": np.array([step for step, _, _ in histograms], np.int64),
        "wall_time": np.array([wall_time for _, wall_time, _ in histograms], np.float64),
        "bucket_start": np.concatenate([[0], np.cumsum(buckets)]).astype(np.int64),
    }
    for name in ("left", "right", "count"):
        columns[name] = np.concatenate([np.empty(0), *(getattr(histogram, name) for _, _, histogram in histograms)])
    for name in _NUMBERS:
        columns[name] = np.array([getattr(histogram, name) for _, _, histogram in histograms], np.float64)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **cast(Any, columns))
    return buffer.getvalue()


def to_csv(histograms: Sequence[Dated]) -> bytes:
    """Return one row for each bucket: step, wall_time, left, right, count."""
    lines: list[Line] = [("step", "wall_time", "left", "right", "count")]
    for step, wall_time, histogram in histograms:
        buckets = zip(histogram.left.tolist(), histogram.right.tolist(), histogram.count.tolist(), strict=True)
        lines += [(step, wall_time, *bucket) for bucket in buckets]
    return "".join(csv_text(lines)).encode()
