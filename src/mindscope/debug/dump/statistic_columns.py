# SPDX-License-Identifier: Apache-2.0
"""The statistics of ``statistic.csv``: their names in the configuration, their columns, their values."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

FIXED_COLUMNS = (
    "Op Type", "Op Name", "Task ID", "Stream ID", "Timestamp", "IO", "Slot", "Data Size", "Data Type", "Shape",
)  # fmt: skip
DEFAULT_CATEGORIES = ("max", "min", "l2norm")
DEVICE_CATEGORIES = ("max", "min", "avg", "l2norm")
"""Categories that MindSpore computes on the device."""
NULL = "null"
_SLICE_ELEMENTS = 20_480
_FLOATS = "fc"


def _norm(array: NDArray[Any]) -> float:
    values = array.astype(np.float64)
    largest = float(np.max(np.abs(values), initial=0.0))
    if not 1e150 < largest < math.inf:
        return float(np.sqrt(np.sum(np.square(values))))
    return largest * float(np.sqrt(np.sum(np.square(values / largest))))  # squares would overflow


def _sha1(array: NDArray[Any]) -> str:
    """Return the hash of the bytes; of a larger array, that of the digests of its slices."""
    flat = np.ravel(array)
    if flat.size <= _SLICE_ELEMENTS:
        return hashlib.sha1(flat.tobytes(), usedforsecurity=False).hexdigest()
    starts = range(0, flat.size, _SLICE_ELEMENTS)
    digests = (
        hashlib.sha1(flat[start : start + _SLICE_ELEMENTS].tobytes(), usedforsecurity=False).hexdigest()
        for start in starts
    )
    return hashlib.sha1("".join(digests).encode("ascii"), usedforsecurity=False).hexdigest()


def _md5(array: NDArray[Any]) -> str:
    return hashlib.md5(array.tobytes(), usedforsecurity=False).hexdigest()


def _nan_count(array: NDArray[Any]) -> int:
    return int(np.isnan(array).sum()) if array.dtype.kind in _FLOATS else 0


def _inf_count(array: NDArray[Any], sign: float) -> int:
    return int((array == sign * math.inf).sum()) if array.dtype.kind in _FLOATS else 0


def _mean(array: NDArray[Any]) -> float:
    return float(array.mean(dtype=np.float64))


_HASHES: dict[str, tuple[str, Callable[[NDArray[Any]], Any]]] = {
    "md5": ("MD5", _md5), "hash": ("SHA1", _sha1), "hash:sha1": ("SHA1", _sha1), "hash:md5": ("MD5", _md5),
}  # fmt: skip
_REAL: dict[str, tuple[str, Callable[[NDArray[Any]], Any]]] = {
    "max": ("Max Value", lambda array: array.max().item()),
    "min": ("Min Value", lambda array: array.min().item()),
    "avg": ("Avg Value", _mean),
    "count": ("Count", lambda array: array.size),
    "negative zero count": ("Negative Zero Count", lambda array: int((array < 0).sum())),
    "positive zero count": ("Positive Zero Count", lambda array: int((array > 0).sum())),
    "nan count": ("Nan Count", _nan_count),
    "negative inf count": ("Negative Inf Count", lambda array: _inf_count(array, -1)),
    "positive inf count": ("Positive Inf Count", lambda array: _inf_count(array, 1)),
    "zero count": ("Zero Count", lambda array: int((array == 0).sum())),
    "l2norm": ("L2Norm Value", _norm),
}
_ALL = _REAL | _HASHES
CATEGORIES = tuple(_ALL)
"""Categories that ``statistic_category`` may list."""


def columns(categories: Sequence[str]) -> list[str]:
    """Return the header of ``statistic.csv``."""
    return [*FIXED_COLUMNS, *(_ALL[name][0] for name in categories)]


def cells(array: NDArray[Any], categories: Sequence[str]) -> list[str]:
    """Return the statistics of a tensor with at least one element, in the order of ``categories``.

    One NaN makes max, min and avg NaN, and infinities take part, as in MindSpore 2.3 and newer: "negative zero count"
    is the number of elements below zero. Complex numbers have hashes only.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        return [_cell(array, name) for name in categories]


def _cell(array: NDArray[Any], name: str) -> str:
    if name in _HASHES:
        return str(_HASHES[name][1](array))
    if array.dtype.kind == "c":
        return NULL
    return number_text(_REAL[name][1](array))


def number_text(value: float | int | bool) -> str:
    """Return a number of a cell: bools as 0 and 1, floats with the digits that float64 needs."""
    return repr(value) if isinstance(value, float) else str(int(value))
