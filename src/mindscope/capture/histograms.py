# SPDX-License-Identifier: Apache-2.0
"""Histograms as MindSpore's readers expect them: up to 90 buckets of one width over the finite values."""

from __future__ import annotations

import numpy as np

from mindscope.capture._histogram import encode_histogram
from mindscope.capture.array_conversion import Array
from mindscope.capture.array_kind import ArrayKind, WarnOnce
from mindscope.errors import TypeRejectedError


def histogram_field(tag: str, array: Array) -> bytes:
    """Return the ``Summary.value`` field with the histogram of all elements of a C-ordered real array.

    Buckets, extremes and sum are over finite values, in float64.
    """
    flat = array.reshape(-1)
    if flat.dtype.kind == "b":
        flat = flat.view(np.uint8)
    elif flat.itemsize < 4 and flat.dtype.kind not in "iu":
        flat = flat.astype(np.float32)  # exact
    elif flat.itemsize > 8:
        flat = flat.astype(np.float64)
    return encode_histogram(tag.encode("utf-8", "backslashreplace"), flat)


def _check(array: Array) -> None:
    if array.dtype.kind == "c":
        raise TypeRejectedError(f"histogram has dtype {array.dtype}, want real numbers; record its real part")


def _encode(tag: str, array: Array, warn_once: WarnOnce) -> bytes:
    return histogram_field(tag, array)


HISTOGRAM = ArrayKind(_check, _encode)
