# SPDX-License-Identifier: Apache-2.0
"""Locates the numbers of a tensor inside its encoded value, to read a part of a large tensor alone."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mindscope.formats import mindspore_schemas, mindspore_tensors, tensorboard_schemas, tensorboard_tensors, wire
from mindscope.formats.message_fields import FieldPosition, ReadAt, fields_of
from mindscope.formats.tensors import dtype_by_name
from mindscope.types import DialectName, Message

_TENSOR = 8  # the field of a Summary.Value, in both dialects
_PLAIN = {
    DialectName.MINDSPORE: {8: "", 6: "float64", 3: "float32"},
    DialectName.TENSORBOARD: {4: ""},
}
"""Fields whose bytes are the numbers, by precedence, and their dtype; "" means the declared dtype."""
_OTHERS = {DialectName.MINDSPORE: {4, 5, 7}, DialectName.TENSORBOARD: set[int]()}
"""Varint fields, which have precedence over the last of the plain fields."""
_MAX_FIELDS = 64
_MAX_DECLARED_BYTES = 1024  # bytes of a shape or a type; longer fields hold numbers


@dataclass(frozen=True, slots=True)
class TensorLayout:
    """Numbers of dtype ``stored`` that fill ``shape`` in C order, from byte ``offset`` of the encoded value on.

    ``dtype`` is the declared dtype. ``is_exact`` is False if the file holds float32 of a wider dtype, unless its writer
    marks the numbers as exact.
    """

    shape: tuple[int, ...]
    dtype: np.dtype[Any]
    stored: np.dtype[Any]
    offset: int
    is_exact: bool


class _Declared(NamedTuple):
    shape: tuple[int, ...]
    dtype: str
    is_exact_in_float32: bool


def find_tensor_layout(dialect: DialectName, read: ReadAt, length: int) -> TensorLayout | None:
    """Return the layout of the numbers in an encoded value of ``length`` bytes.

    None if the numbers are not stored byte by byte (texts, varints, one number for all): then decode the whole value,
    which also reports errors.
    """
    if dialect not in _PLAIN:
        return None
    tensor = next((field for field in fields_of(read, 0, length) if field.number == _TENSOR), None)
    if tensor is None:
        return None
    fields = list(fields_of(read, tensor.start, tensor.end))
    if len(fields) > _MAX_FIELDS:
        return None
    by_number = {field.number: field for field in fields}
    number = next((number for number in _PLAIN[dialect] if number in by_number), None)
    if number is None or (number == 3 and _OTHERS[dialect] & by_number.keys()):
        return None
    short = [
        field for field in fields if field.number not in _PLAIN[dialect] and field.end - field.key < _MAX_DECLARED_BYTES
    ]
    declared = _declared(dialect, b"".join(read(field.key, field.end - field.key) for field in short))
    return _layout(by_number[number], declared, _PLAIN[dialect][number] or declared.dtype)


def _layout(field: FieldPosition, declared: _Declared, stored_name: str) -> TensorLayout | None:
    shape, dtype, stored = declared.shape, dtype_by_name(declared.dtype), dtype_by_name(stored_name)
    if dtype is None or stored is None or any(size < 0 for size in shape):
        return None
    if math.prod(shape) * stored.itemsize != field.end - field.start:
        return None
    return TensorLayout(shape, dtype, stored, field.start, stored_name != "float32" or declared.is_exact_in_float32)


def _declared(dialect: DialectName, message: bytes) -> _Declared:
    if dialect is DialectName.MINDSPORE:
        decoded: Message = wire.decode(mindspore_schemas.TENSOR, message)
        dims = decoded.get("dims", ())
        name = mindspore_tensors.data_type_name(decoded.get("data_type", 0))
        return _Declared(tuple(int(size) for size in dims), name, mindspore_tensors.is_exact_in_float32(name, decoded))
    decoded = wire.decode(tensorboard_schemas.TENSOR, message)
    dims = (dim.get("size", 0) for dim in decoded.get("tensor_shape", {}).get("dim", []))
    name = tensorboard_tensors.data_type_name(decoded.get("dtype", 0))
    return _Declared(tuple(int(size) for size in dims), name, is_exact_in_float32=True)
