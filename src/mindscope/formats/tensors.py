# SPDX-License-Identifier: Apache-2.0
"""Numpy arrays from the number runs of tensor messages: dtypes by name, shapes checked before anything is made."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from mindscope.errors import FormatError
from mindscope.reasons import Reason

_BEYOND_NUMPY: dict[str, Any] = {
    "bfloat16": ml_dtypes.bfloat16,
    "float8_e5m2": ml_dtypes.float8_e5m2,
    "float8_e4m3fn": ml_dtypes.float8_e4m3fn,
    "int4": ml_dtypes.int4,
}
_IN_NUMPY = set("bool int8 int16 int32 int64 uint8 uint16 uint32 uint64".split()) | set(
    "float16 float32 float64 complex64 complex128".split()
)


MOST_DIMENSIONS = 64
"""Of an array of NumPy 2; NumPy 1 has 32, and says so itself."""


def dtype_by_name(name: str) -> np.dtype[Any] | None:
    """The numpy dtype of that name, or None for a name that no array can have.

    The files are little-endian, and so is every machine that the compiled module is built for.
    """
    if name in _BEYOND_NUMPY:
        return np.dtype(_BEYOND_NUMPY[name])
    return np.dtype(name) if name in _IN_NUMPY else None


def array_from_bytes(data: bytes, dtype_name: str, shape: Sequence[int]) -> NDArray[Any]:
    """An array over the little-endian bytes ``data``. Raises FormatError when shape and bytes disagree."""
    dtype = dtype_by_name(dtype_name)
    if dtype is None:
        raise FormatError(Reason("tensor_dtype", dtype=dtype_name))
    if len(data) % dtype.itemsize:
        raise FormatError(Reason("tensor_bytes", dtype=dtype_name, size=len(data), each=dtype.itemsize))
    return _shaped(np.frombuffer(data, dtype), shape)


def reshape(values: NDArray[Any], dtype_name: str, shape: Sequence[int]) -> NDArray[Any]:
    """``values`` in the declared dtype and shape; they keep their own dtype where the declared one is unknown.

    Raises FormatError when the count does not fill the shape.
    """
    array = _shaped(np.asarray(values), shape)
    dtype = dtype_by_name(dtype_name)
    if dtype is None or dtype == array.dtype:
        return array
    with np.errstate(invalid="ignore", over="ignore"):
        return array.astype(dtype)


def _shaped(values: NDArray[Any], shape: Sequence[int]) -> NDArray[Any]:
    if len(shape) > MOST_DIMENSIONS:  # before their product, which may have millions of digits
        raise FormatError(Reason("tensor_dimensions", got=len(shape), most=MOST_DIMENSIONS))
    if any(size < 0 for size in shape) or math.prod(shape) != values.size:
        raise FormatError(Reason("tensor_shape", shape=str(tuple(shape)), got=values.size, want=math.prod(shape)))
    try:
        return values.reshape(tuple(shape))
    except ValueError as error:  # empty, beside sizes whose product no array has
        raise FormatError(Reason("value_malformed", kind="tensor", why=f"shape {tuple(shape)}: {error}")) from None
