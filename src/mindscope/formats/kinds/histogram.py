# SPDX-License-Identifier: Apache-2.0
"""Histograms: counts of values in buckets for each step."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mindscope.errors import FormatError
from mindscope.formats.kinds.descriptor import KindDescriptor, mindspore_value, tensorboard_value
from mindscope.formats.tensorboard_tensors import decode_tensor
from mindscope.reasons import Reason
from mindscope.types import Histogram, Kind, Message

_ROUNDING = 1e-3
"""Share of the mean width of buckets: an edge differs from the next one by less, since MindSpore stores widths."""


def _from_tensorboard(value: Message) -> Histogram:
    if "histo" in value:
        return _from_limits(value["histo"])
    if "obsolete_old_style_histogram" in value:
        raise FormatError(Reason("histogram_old", tag=value.get("tag", "")))
    buckets = decode_tensor(value["tensor"]).astype(np.float64).reshape(-1, 3)
    left, right, count = (np.ascontiguousarray(buckets[:, column]) for column in range(3))
    seen = count > 0
    low, high = (float(left[seen][0]), float(right[seen][-1])) if seen.any() else (0.0, 0.0)
    with np.errstate(invalid="ignore", over="ignore"):  # edges may be infinite
        middle = float(((left[seen] / 2 + right[seen] / 2) * count[seen]).sum())
    return Histogram(left, right, count, low, high, middle, float(count.sum()))


def _from_limits(histogram: Message) -> Histogram:
    """Return buckets from their upper limits, without empty ones at both ends: the outer edges are then min and max."""
    limits = histogram.get("bucket_limit", np.empty(0))
    count = histogram.get("bucket", np.empty(0))
    if len(limits) != len(count):
        raise FormatError(Reason("histogram_limits", limits=len(limits), counts=len(count)))
    low, high = histogram.get("min", 0.0), histogram.get("max", 0.0)
    total = histogram.get("num", float(count.sum()))
    seen = np.flatnonzero(count > 0)
    first, last = (int(seen[0]), int(seen[-1])) if seen.size else (0, -1)
    inner = limits[first : max(last, 0)]
    left = np.concatenate([[low], inner]) if seen.size else np.empty(0)
    right = np.concatenate([inner, [high]]) if seen.size else np.empty(0)
    sums = histogram.get("sum", 0.0), total, 0, 0, 0, histogram.get("sum_squares")
    return Histogram(left, right, count[first : last + 1], low, high, *sums)


def histogram_to_tensorboard(
    tag: str,
    statistics: tuple[float, float, float, float, float | None],
    limits: NDArray[np.float64],
    counts: NDArray[np.float64],
) -> Message:
    """Return the Summary.Value of a histogram.

    ``statistics`` are minimum, maximum, number, sum and sum of squares, which is None if it is not known; ``limits``
    the upper edges of the buckets.
    """
    names = ("min", "max", "num", "sum", "sum_squares")
    numbers = zip(names, statistics, strict=True)
    histogram: Message = {name: float(number) for name, number in numbers if number is not None}
    return {"tag": tag, "histo": {**histogram, "bucket_limit": limits, "bucket": counts}}


def _to_tensorboard(tag: str, histogram: Histogram) -> Message:
    """Return the buckets by their upper limits.

    A reader takes the limit before a bucket for its lower edge: an empty bucket fills each gap, and the one before the
    first bucket.
    """
    left, right = histogram.left, histogram.right
    rounding = (right[-1] - left[0]) / left.size * _ROUNDING if left.size else 0.0
    has_gap = np.append(True, left[1:] - right[:-1] > rounding)[: left.size]
    limits = np.column_stack([left, right]).reshape(-1)
    counts = np.column_stack([np.zeros(left.size), histogram.count]).reshape(-1)
    kept = np.column_stack([has_gap, np.ones(left.size, np.bool_)]).reshape(-1)
    statistics = (histogram.minimum, histogram.maximum, histogram.total, histogram.sum)
    return histogram_to_tensorboard(tag, (*statistics, histogram.sum_squares), limits[kept], counts[kept])


def _from_mindspore(value: Message) -> Histogram:
    histogram = value["histogram"]
    buckets: list[Message] = histogram.get("buckets", [])
    left = np.array([bucket["left"] for bucket in buckets], dtype=np.float64)
    width = np.array([bucket["width"] for bucket in buckets], dtype=np.float64)
    with np.errstate(invalid="ignore", over="ignore"):  # edges may be infinite
        right = left + width
    return Histogram(
        left=left,
        right=np.where(np.isnan(right), width, right),  # from minus infinity to infinity
        count=np.array([bucket["count"] for bucket in buckets], dtype=np.float64),
        minimum=histogram.get("min", 0.0),
        maximum=histogram.get("max", 0.0),
        sum=histogram.get("sum", 0.0),
        total=histogram.get("count", 0),
        nan_count=histogram.get("nan_count", 0),
        positive_infinity_count=histogram.get("pos_inf_count", 0),
        negative_infinity_count=histogram.get("neg_inf_count", 0),
    )


HISTOGRAM = KindDescriptor(
    Kind.HISTOGRAM,
    tensorboard=tensorboard_value(Kind.HISTOGRAM, _from_tensorboard, 3, 5),
    mindspore=mindspore_value(Kind.HISTOGRAM, _from_mindspore, 9),
    plugins=("histograms", "distributions"),
    has_progress=True,
    export_directory="histograms",
    to_tensorboard=_to_tensorboard,
)
