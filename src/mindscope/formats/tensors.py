# SPDX-License-Identifier: Apache-2.0
"""Makes numpy arrays from the numbers of tensor messages: dtypes by name; checks shapes before it allocates."""

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
"""Limit of NumPy 2; NumPy 1 has 32 and raises its own error."""


def dtype_by_name(name: str) -> np.dtype[Any] | None:
    """Return the numpy dtype of that name; None if NumPy has no such dtype.

    The files are little-endian, as are all platforms of the compiled module.
    """
    if name in _BEYOND_NUMPY:
        return np.dtype(_BEYOND_NUMPY[name])
    return np.dtype(name) if name in _IN_NUMPY else None


def array_from_bytes(data: bytes, dtype_name: str, shape: Sequence[int]) -> NDArray[Any]:
    """Return an array over the little-endian bytes ``data``. Raises FormatError if shape and size disagree."""
    dtype = dtype_by_name(dtype_name)
    if dtype is None:
        raise FormatError(Reason("tensor_dtype", dtype=dtype_name))
    if len(data) % dtype.itemsize:
        raise FormatError(Reason("tensor_bytes", dtype=dtype_name, size=len(data), each=dtype.itemsize))
    return _shaped(np.frombuffer(data, dtype), shape)


def reshape(values: NDArray[Any], dtype_name: str, shape: Sequence[int]) -> NDArray[Any]:
    """Return ``values`` in the declared dtype and shape; they keep their own dtype if the declared one is unknown.

    Raises FormatError if the count does not match the shape.
    """
    array = _shaped(np.asarray(values), shape)
    dtype = dtype_by_name(dtype_name)
    if dtype is None or dtype == array.dtype:
        return array
    with np.errstate(invalid="ignore", over="ignore"):
        return array.astype(dtype)


def _shaped(values: NDArray[Any], shape: Sequence[int]) -> NDArray[Any]:
    if len(shape) > MOST_DIMENSIONS:  # check before the product, which may have millions of digits
        raise FormatError(Reason("tensor_dimensions", got=len(shape), most=MOST_DIMENSIONS))
    if any(size < 0 for size in shape) or math.prod(shape) != values.size:
        raise FormatError(Reason("tensor_shape", shape=str(tuple(shape)), got=values.size, want=math.prod(shape)))
    try:
        return values.reshape(tuple(shape))
    except ValueError as error:  # an empty array with other sizes whose product exceeds NumPy's limit
        raise FormatError(Reason("value_malformed", kind="tensor", why=f"shape {tuple(shape)}: {error}")) from None
