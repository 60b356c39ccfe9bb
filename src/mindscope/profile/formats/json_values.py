# SPDX-License-Identifier: Apache-2.0
"""Values of files whose layout nobody guarantees: what is not as expected counts as empty."""

from __future__ import annotations

from collections.abc import Mapping
from math import nan
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

_MOST = 1e30


def mapping_of(value: Any) -> Mapping[str, Any]:
    """Return an object; empty for anything else."""
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def list_of(value: Any) -> list[Any]:
    """Return a list; empty for anything else."""
    return cast("list[Any]", value) if isinstance(value, list) else []


def whole_of(value: Any, other: int) -> int:
    """Return a whole number of 64 bits, also as a text; ``other`` for anything else."""
    try:
        found = int(value)
    except (TypeError, ValueError, OverflowError):
        return other
    return found if -(1 << 63) <= found < 1 << 63 else other


def number_of(value: Any) -> float:
    """Return a number, also as a text; 0 for anything else."""
    try:
        return bounded(float(value))
    except (TypeError, ValueError, OverflowError):
        return 0.0


def bounded(number: float) -> float:
    """Return a number, or NaN beyond any figure of a profile; sums and products of the others are finite."""
    return number if abs(number) < _MOST else nan


def whole_numbers(values: ArrayLike) -> NDArray[np.int64]:
    """Return rounded numbers; 0 for NaN, and for those that 64 bits can't hold."""
    found = np.rint(np.asarray(values, np.float64))
    return np.where(np.abs(found) < 1 << 63, found, 0).astype(np.int64)
