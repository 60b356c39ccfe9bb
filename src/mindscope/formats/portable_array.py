# SPDX-License-Identifier: Apache-2.0
"""Converts arrays of dtypes from other packages to dtypes that every NumPy reads."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

REGISTERED = 2
"""Value of ``isbuiltin`` for dtypes that another package added to NumPy."""


def portable_array(array: NDArray[Any]) -> NDArray[Any]:
    """Return the array in a dtype that every NumPy reads.

    bfloat16 and 8-bit floats become float32 and int4 int8, all exactly; texts become one fixed-width dtype.
    """
    if array.dtype == object:
        return np.array([_text(each) for each in array.reshape(-1)], dtype=np.str_).reshape(array.shape)
    if array.dtype.isbuiltin != REGISTERED:
        return array
    return array.astype(np.int8 if "int" in array.dtype.name else np.float32)


def _text(value: Any) -> str:
    return value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else str(value)
