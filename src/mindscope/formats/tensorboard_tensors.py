# SPDX-License-Identifier: Apache-2.0
"""Arrays in TensorFlow's TensorProto."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.errors import FormatError
from mindscope.formats.tensors import array_from_bytes, dtype_by_name, reshape
from mindscope.reasons import Reason
from mindscope.types import Message

_DTYPES = {
    1: "float32",
    2: "float64",
    3: "int32",
    4: "uint8",
    5: "int16",
    6: "int8",
    7: "string",
    8: "complex64",
    9: "int64",
    10: "bool",
    14: "bfloat16",
    17: "uint16",
    18: "complex128",
    19: "float16",
    22: "uint32",
    23: "uint64",
    24: "float8_e5m2",
    25: "float8_e4m3fn",
}
STRING = 7
"""The DataType of texts."""
_NUMBERS_BY_NAME = {name: number for number, name in _DTYPES.items()}


def decode_tensor(message: Message) -> NDArray[Any]:
    """Return the array of a TensorProto: numbers in their dtype, strings as an object array of bytes.

    If there are fewer numbers than the shape needs, the last one repeats, as the format specifies.
    """
    dims = [int(dim.get("size", 0)) for dim in message.get("tensor_shape", {}).get("dim", [])]
    number = message.get("dtype", 0)
    if number == STRING:
        strings = np.array(message.get("string_val", []), dtype=object)
        return reshape(strings, "", dims or [strings.size])
    name = data_type_name(number)
    dtype = dtype_by_name(name)
    if dtype is None:
        raise FormatError(Reason("tensor_dtype_number", number=number))
    if "tensor_content" in message:
        return array_from_bytes(message["tensor_content"], name, dims)
    try:
        numbers = _numbers(message, dtype)
    except ValueError as error:  # NumPy: the list has numbers of another size
        raise FormatError(Reason("tensor_numbers", dtype=name, why=str(error))) from None
    return reshape(_fill(numbers, int(np.prod(dims)) if dims else 1), name, dims)


def decode_strings(message: Message) -> list[bytes]:
    """Return the elements of a TensorProto of strings, row by row."""
    return list(message.get("string_val", []))


def dimensions(message: Message) -> list[int]:
    """Return the shape of a TensorProto."""
    return [int(dim.get("size", 0)) for dim in message.get("tensor_shape", {}).get("dim", [])]


def data_type_name(number: int) -> str:
    """Return the numpy name of a DataType; '' if NumPy has no such dtype."""
    return _DTYPES.get(number, "")


def data_type_number(dtype: np.dtype[Any]) -> int:
    """Return the DataType of a numpy dtype. Raises KeyError if the format has none."""
    return _NUMBERS_BY_NAME[dtype.name]


def _numbers(message: Message, dtype: np.dtype[Any]) -> NDArray[Any]:
    if "half_val" in message:
        return _halves(message["half_val"], dtype)
    if "float8_val" in message:
        return np.frombuffer(message["float8_val"], dtype)
    for field in ("scomplex_val", "dcomplex_val"):
        if field in message:
            return message[field].astype(dtype.type(0).real.dtype).view(dtype)
    for field in ("float_val", "double_val", "int_val", "int64_val", "bool_val", "uint32_val", "uint64_val"):
        if field in message:
            return message[field]
    return np.zeros(1, dtype)


def _halves(bits: NDArray[Any], dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return float16 or bfloat16 from bit patterns; PyTorch's ``add_tensor`` writes the patterns of float32 instead."""
    if bool(((bits < 0) | (bits > 0xFFFF)).any()):
        with np.errstate(over="ignore", invalid="ignore"):
            return bits.astype(np.int32).view(np.float32).astype(dtype)
    return bits.astype(np.uint16).view(dtype)


_MOST_REPEATED = 1 << 24  # a larger constant tensor means that the shape is corrupt


def _fill(values: NDArray[Any], size: int) -> NDArray[Any]:
    if 0 < len(values) < size <= _MOST_REPEATED:
        return np.concatenate([values, np.repeat(values[-1:], size - len(values))])
    return values[:size] if size == 0 else values
