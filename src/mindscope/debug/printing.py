# SPDX-License-Identifier: Apache-2.0
"""Formats values for ``Print``."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

_DIGITS = {"Float16": 4, "BFloat16": 4, "Float32": 8, "Float64": 16}


def value_text(array: NDArray[Any], type_name: str) -> str:
    """Shape, type and elements; for more than 1000 elements, the first and last of each axis.

    Args:
        array: the array to print; bfloat16 as float32.
        type_name: such as ``Int32``, ``Float32``, ``Bool``; it decides the digits of floating-point numbers.
    """
    digits = _DIGITS.get(type_name, 8)
    elements = np.array2string(array, separator=" ", formatter={"float_kind": lambda value: f"{value: .{digits}e}"})
    lines = elements.replace("\n\n\n", "\n").replace("\n\n", "\n")
    begin = "\n" if array.ndim > 1 else ""
    return f"Tensor(shape={list(array.shape)}, dtype={type_name}, value={begin}{lines})"
