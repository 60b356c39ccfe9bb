# SPDX-License-Identifier: Apache-2.0
"""Types and values of the tensors in ONNX models."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.errors import FormatError
from mindscope.formats import wire
from mindscope.formats.message_columns import ByteRanges, Messages
from mindscope.formats.onnx_schemas import DTYPES, TENSOR, TENSOR_TYPE
from mindscope.formats.tensors import array_from_bytes, dtype_by_name, reshape
from mindscope.graph.data.columns import TensorType
from mindscope.types import Message

_TWO_IN_A_BYTE = ("uint4", "int4", "float4_e2m1fn")
_VALUES = ("float_data", "int32_data", "int64_data", "double_data", "uint64_data")


def tensor_types(tensors: ByteRanges) -> list[TensorType]:
    """Return the types of encoded TensorProtos, without their data."""
    messages = Messages(TENSOR_TYPE, tensors)
    row, sizes = messages.each_number("dims")
    first = np.searchsorted(row, np.arange(len(tensors) + 1)).tolist()
    shape: list[int] = sizes.tolist()
    numbers: list[int] = messages.numbers("data_type").tolist()
    types = [
        TensorType(dtype_name(number), tuple(shape[start:stop]))
        for number, start, stop in zip(numbers, first[:-1], first[1:], strict=True)
    ]
    for broken in messages.broken.tolist():  # also those with packed sizes
        types[broken] = _decoded_type(tensors.bytes_of(broken))
    return types


def decode_tensor(message: Message) -> Any:
    """Return the array of a TensorProto.

    A tensor in another file or too large to be read is a text; strings are a list of bytes.

    Raises FormatError if shape and data disagree.
    """
    type = _type_of(message)
    if message.get("data_location"):
        entries: list[Message] = message.get("external_data", [])
        return ", ".join(f"{each.get('key', '')}: {each.get('value', '')}" for each in entries)
    if "string_data" in message:
        return list(message["string_data"])
    if "raw_data" in message:
        return _array_of_bytes(message["raw_data"], type)
    for field in _VALUES:
        if field in message:
            return reshape(_numbers(message[field], type.dtype), type.dtype, type.shape or ())
    if math.prod(type.shape or (0,)):
        return f"{type.dtype} of shape {list(type.shape or ())}, not read"
    return reshape(np.empty(0), type.dtype, type.shape or ())


def _array_of_bytes(data: bytes, type: TensorType) -> Any:
    if type.dtype in _TWO_IN_A_BYTE:
        return f"{len(data)} bytes of {type.dtype}"
    return array_from_bytes(data, type.dtype, type.shape or ())


def _numbers(values: NDArray[Any], dtype: str) -> NDArray[Any]:
    """float16 and narrower floats are bit patterns; complex numbers are pairs."""
    known = dtype_by_name(dtype)
    if known is not None and values.dtype == np.int32 and (dtype.startswith(("bfloat", "float"))):
        return values.astype(f"u{known.itemsize}").view(known)
    if known is not None and known.kind == "c" and values.size % 2 == 0:
        return values.view(known)
    return values


def _decoded_type(encoded: bytes) -> TensorType:
    try:
        return _type_of(wire.decode(TENSOR, encoded))
    except FormatError:
        return TensorType()


def _type_of(message: Message) -> TensorType:
    return TensorType(
        dtype_name(int(message.get("data_type", 0))), tuple(int(size) for size in message.get("dims", ()))
    )


def dtype_name(number: int) -> str:
    """Return the name of a data type; "" if it is unknown."""
    return DTYPES[number] if 0 <= number < len(DTYPES) else ""
