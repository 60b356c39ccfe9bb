# SPDX-License-Identifier: Apache-2.0
"""Formats values for ``Print``: as text, and as bytes of MindSpore's print files."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mindscope.formats import wire
from mindscope.formats.print_schemas import PRINT

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


class PrintedTensor(NamedTuple):
    """A tensor to write to a print file."""

    shape: tuple[int, ...]
    type_name: str
    """Such as ``Int32``, ``BFloat16``, ``Bool``."""
    content: bytes
    """Elements in C order, little-endian."""


def encode_printed(values: Iterable[str | PrintedTensor]) -> bytes:
    """Encode one call of ``Print``: a message to append to a print file, which has no framing between calls."""
    return wire.encode(PRINT, {"value": [_message(each) for each in values]})


def _message(value: str | PrintedTensor) -> dict[str, Any]:
    if isinstance(value, str):
        return {"desc": value}
    dims = np.array(value.shape, np.int64)
    return {"tensor": {"dims": dims, "tensor_type": value.type_name, "tensor_content": value.content}}
