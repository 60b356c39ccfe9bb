# SPDX-License-Identifier: Apache-2.0
"""Formats values for ``Print``: as text, and as bytes of MindSpore's print files."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import reduce
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mindscope.debug.model.elements import TensorElements
from mindscope.formats import wire
from mindscope.formats.print_schemas import PRINT

_MOST_CORNERS = 10_000
"""Elements of an abbreviated text: an axis of at most 6 has all of them."""
_EDGE, _LONGEST_AXIS = 3, 7
_WHOLE = 1000
"""Elements up to which a text has all."""
_DIGITS = {"Float16": 4, "BFloat16": 4, "Float32": 8, "Float64": 16}


def value_text(array: NDArray[Any], type_name: str) -> str:
    """Return shape, type and elements; for more than 1000 elements, the first and last of each axis.

    Args:
        array: the array to print; bfloat16 as float32.
        type_name: such as ``Int32``, ``Float32``, ``Bool``; it decides the digits of floating-point numbers.
    """
    return _text(array, array.shape, type_name, _WHOLE)


def elements_text(elements: TensorElements, type_name: str) -> str:
    """Return the text of ``value_text``, for which only the elements in it are read. Raises as ``elements.read``."""
    shape = elements.shape
    if elements.count <= _WHOLE:
        return value_text(elements.array(), type_name)
    if math.prod(min(size, _LONGEST_AXIS) for size in shape) > _MOST_CORNERS:
        return f"Tensor(shape={list(shape)}, dtype={type_name}, value=[...])"
    return _text(_corners(elements), shape, type_name, 0)


def _text(array: NDArray[Any], shape: Sequence[int], type_name: str, threshold: int) -> str:
    digits = _DIGITS.get(type_name, 8)

    def number_text(value: float) -> str:
        return f"{value: .{digits}e}"

    formatter: Any = {"float_kind": number_text}
    elements = np.array2string(array, separator=" ", threshold=threshold, edgeitems=_EDGE, formatter=formatter)
    lines = elements.replace("\n\n\n", "\n").replace("\n\n", "\n")
    begin = "\n" if array.ndim > 1 else ""
    return f"Tensor(shape={list(shape)}, dtype={type_name}, value={begin}{lines})"


def _corners(elements: TensorElements) -> NDArray[Any]:
    """Return the first four and last three elements of each axis that has more than seven: NumPy abbreviates them
    alike.
    """
    indexes = [list(range(size)) if size <= _LONGEST_AXIS else [*range(4), *range(size - 3, size)]
               for size in elements.shape]  # fmt: skip
    size = elements.shape[-1]
    runs = [(0, size)] if size <= _LONGEST_AXIS else [(0, 4), (size - 3, 3)]
    corners = np.empty(tuple(map(len, indexes)), elements.array_dtype)
    rows = corners.reshape(-1, corners.shape[-1])
    for number, index in enumerate(product(*indexes[:-1])):
        row = reduce(lambda row, axis: row * axis[0] + axis[1], zip(elements.shape, index, strict=False), 0)
        rows[number] = np.concatenate([elements.read(row * size + first, count) for first, count in runs])
    return corners


class PrintedTensor(NamedTuple):
    """A tensor to write to a print file."""

    shape: tuple[int, ...]
    type_name: str
    """Name of the type, such as ``Int32``, ``BFloat16``, ``Bool``."""
    content: bytes
    """Elements in C order, little-endian."""


def encode_printed(values: Iterable[str | PrintedTensor]) -> bytes:
    """Encode one call of ``Print``: a message to append to a print file, which has no framing between calls."""
    return wire.encode(PRINT, {"value": [_message(value) for value in values]})


def _message(value: str | PrintedTensor) -> dict[str, Any]:
    if isinstance(value, str):
        return {"desc": value}
    dims = np.array(value.shape, np.int64)
    return {"tensor": {"dims": dims, "tensor_type": value.type_name, "tensor_content": value.content}}
