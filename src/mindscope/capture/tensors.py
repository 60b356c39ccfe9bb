# SPDX-License-Identifier: Apache-2.0
"""Encodes tensors: every dtype exactly, and still readable by programs that know only ``float_data``."""

from __future__ import annotations

from typing import Any

import numpy as np

from mindscope.capture.array_conversion import BFLOAT16, Array
from mindscope.capture.array_kind import ArrayKind, WarnOnce, value_buffers
from mindscope.capture.encoded import Encoded, array_bytes, joined, nested
from mindscope.errors import TypeRejectedError, ValueRejectedError
from mindscope.formats import wire
from mindscope.formats.mindspore_schemas import DATA_TYPES
from mindscope.formats.mindspore_schemas import TENSOR as TENSOR_SCHEMA
from mindscope.types import Message

_NAMES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64".split()
_CODES: dict[Any, int] = {np.dtype(name): DATA_TYPES.index(name.upper()) for name in _NAMES}
_CODES[BFLOAT16] = DATA_TYPES.index("BFLOAT16")
_COMPLEX = frozenset(map(np.dtype, ("complex64", "complex128")))
_NARROW = frozenset(map(np.dtype, "bool int8 int16 uint8 uint16 float16 float32".split())) | {BFLOAT16}
_EXACT_INTEGERS = 1 << 24  # float32 holds every integer up to here
_BLOCK = 1 << 16  # elements that are compared at once
_NUMBERS = {field.name: field.number for field in TENSOR_SCHEMA.fields}
_LARGEST = (1 << 31) - (1 << 20)  # other readers reject messages of 2 GiB


def check_tensor(array: Array) -> None:
    """Raise TypeRejectedError for an unsupported dtype, ValueRejectedError for a size beyond the limit."""
    if array.dtype not in _CODES and array.dtype not in _COMPLEX:
        raise TypeRejectedError(
            f"tensor has dtype {array.dtype}, want one of {', '.join(_NAMES)}, bfloat16, complex64 or complex128; "
            "convert it to the next wider one"
        )
    if array.size * (4 + array.dtype.itemsize) > _LARGEST:
        raise ValueRejectedError(
            f"tensor of shape {array.shape} has {array.nbytes} bytes, want a record below 2 GiB; record slices of it"
        )


def planes(tag: str, array: Array) -> list[tuple[str, Array]]:
    """Return the tensors to write for ``array``: itself, or ``tag/real`` and ``tag/imag`` for complex numbers."""
    if array.dtype.kind != "c":
        return [(tag, array)]
    return [(f"{tag}/real", np.real(array)), (f"{tag}/imag", np.imag(array))]


def tensor_message(array: Array) -> Message:
    """Return the ``TensorProto`` of a real ``array``.

    ``float_data`` holds the values as float32, because MindSpore's own reader knows only this field. If float32 is not
    exact, ``raw_data`` also holds the little-endian elements of the declared ``data_type``; readers prefer it. If
    float32 is exact although the dtype is wider, ``is_float_exact`` is set: readers can't detect this otherwise.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        narrow = array.astype(np.float32, copy=False)
    message: Message = {
        "dims": list(array.shape),
        "data_type": _CODES[array.dtype],
        "float_data": narrow.reshape(-1),
    }
    if array.dtype in _NARROW:
        return message
    if _is_exact(array, narrow):
        message["is_float_exact"] = True
    else:
        message["raw_data"] = array_bytes(array)
    return message


def tensor_buffers(array: Array) -> Encoded:
    """Return the encoded ``tensor_message`` of ``array``, which is copied only where its memory has gaps."""
    message = tensor_message(array)
    numbers, exact = message.pop("float_data"), message.pop("raw_data", None)
    mark = {name: message.pop(name) for name in ("is_float_exact",) if name in message}
    parts: list[Encoded] = [wire.encode(TENSOR_SCHEMA, message)]
    if array.size:
        parts.append(nested(_NUMBERS["float_data"], (array_bytes(numbers),)))
    if exact is not None:
        parts.append(nested(_NUMBERS["raw_data"], (exact,)))
    return joined(*parts, wire.encode(TENSOR_SCHEMA, mark))


def _is_exact(array: Array, narrow: Array) -> bool:
    """Return whether the float32 values of ``narrow`` equal those of ``array``, which has a wider dtype."""
    if array.size == 0:
        return True
    if array.dtype.kind in "iu":
        return bool(int(array.min()) >= -_EXACT_INTEGERS and int(array.max()) <= _EXACT_INTEGERS)
    wide, rounded = array.reshape(-1), narrow.reshape(-1)
    blocks = (slice(start, start + _BLOCK) for start in range(0, wide.size, _BLOCK))  # without memory for all elements
    return all(np.array_equal(wide[block], rounded[block].astype(np.float64), equal_nan=True) for block in blocks)


def _encode(tag: str, array: Array, warn_once: WarnOnce) -> Encoded:
    with np.errstate(all="ignore"):
        return joined(*(value_buffers(name, "tensor", tensor_buffers(plane)) for name, plane in planes(tag, array)))


TENSOR = ArrayKind(check_tensor, _encode)
