# SPDX-License-Identifier: Apache-2.0
"""Converts values of any framework to Python floats and NumPy arrays, without importing a framework.

It copies the caller's memory, because a training changes it in place before the recorder writes the value.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import ml_dtypes
import numpy as np
from numpy import ma  # NumPy would import it lazily, and a fork during that import hangs the child
from numpy.typing import NDArray

from mindscope.capture.framework_tensors import (
    element_count,
    is_mindspore,
    is_sharded,
    is_torch,
    jax_refusal,
    outline,
    read_mindspore,
    read_torch,
    torch_item,
)
from mindscope.errors import TypeRejectedError, ValueRejectedError

Array = NDArray[Any]

_SMALL_FLOATS = frozenset(
    np.dtype(getattr(ml_dtypes, name))
    for name in dir(ml_dtypes)
    if name.startswith(("bfloat", "float8", "float6", "float4"))
)
BFLOAT16 = np.dtype(ml_dtypes.bfloat16)


def to_scalar(value: Any) -> float:
    """Return one real number as float.

    Takes Python and NumPy numbers, and arrays of any framework that hold exactly one element. Raises ValueRejectedError
    for text, complex numbers, more or less than one element, and integers beyond float64.
    """
    kind = cast(Any, type(value))
    if kind is float or kind is int or kind is bool:
        return _to_float(value)
    if isinstance(value, (str, bytes, complex)):
        raise TypeRejectedError(f"scalar is {kind.__name__} {str(value)[:40]!r}, want one real number")
    number = to_item(value)
    if isinstance(number, (str, bytes, complex)) or not hasattr(number, "__float__"):
        raise TypeRejectedError(f"scalar holds {type(number).__name__} {str(number)[:40]!r}, want one real number")
    return _to_float(number)


def _to_float(number: Any) -> float:
    try:
        return float(number)
    except OverflowError:
        raise ValueRejectedError("scalar is an integer beyond 1.8e308, want a number that a float64 holds") from None


def to_item(value: Any) -> Any:
    """Return the only element of an array of any framework as a Python object; numbers of other classes unchanged.

    Raises ValueRejectedError for more or less than one element, and for objects that are not arrays of numbers.
    """
    if isinstance(value, (np.ndarray, np.generic)):
        return _only_item(value)
    if is_mindspore(value):
        return _only_item(_read_single(value))
    if is_torch(value):
        number = None if is_sharded(value) else torch_item(value)
        return _only_item(_read_single(value)) if number is None else number
    if hasattr(value, "item"):
        return _only_item(value)
    return value if hasattr(value, "__float__") else _only_item(to_array(value))


def _only_item(value: Any) -> Any:
    try:
        return value.item()
    except Exception as error:
        raise jax_refusal(value) or _wrong_size(value) from error


def _read_single(tensor: Any) -> Array:
    """Return a framework's tensor of one element as an array: ``item()`` of some dtypes crashes the process."""
    if element_count(tensor) != 1:
        raise _wrong_size(tensor)
    return to_array(tensor)


def _wrong_size(value: Any) -> ValueRejectedError:
    shape = tuple(getattr(value, "shape", ()))
    return ValueRejectedError(
        f"scalar is {type(value).__name__} of shape {shape}, want exactly one element; record it as a tensor or "
        "histogram, or reduce it first"
    )


def copy_array(array: Array) -> Array:
    """Return a C-ordered copy in native byte order."""
    native: Any = cast(Any, array.dtype).newbyteorder("=")
    return np.array(array, dtype=native, order="C", copy=True, subok=False)


def accept(array: Array) -> None:
    """Accept every array: a ``check`` that refuses nothing."""


def to_array(value: Any, copy: Callable[[Array], Array] = copy_array, check: Callable[[Array], None] = accept) -> Array:
    """Return a C-ordered copy of ``value``, which shares no memory with it.

    It calls ``copy`` unless the conversion copied.

    ``check`` raises for arrays that can't be recorded, by shape and dtype. It is called before anything is copied.

    Takes NumPy arrays, nested lists of numbers, and objects with ``detach``/``cpu`` (PyTorch, on any device),
    ``asnumpy`` (MindSpore), DLPack or ``__array__``. bfloat16 stays bfloat16.

    Raises:
        TypeRejectedError: it is none of these, or holds no numbers.
    """
    if check is not accept and (outlined := outline(value)) is not None:
        check(outlined)  # reading may copy from a device
    try:
        array, is_ours = _read(value)
    except ValueRejectedError:
        raise
    except Exception as error:
        raise jax_refusal(value) or TypeRejectedError(
            f"value is {type(value).__name__}, which is no array ({error}); hand over a NumPy array or a tensor"
        ) from error
    if array.dtype.kind not in "biufc" and array.dtype not in _SMALL_FLOATS:
        raise TypeRejectedError(
            f"value is {type(value).__name__} with elements of type {array.dtype}, want real or complex numbers of one "
            "type; convert it first, for instance to float32"
        )
    check(array if array.dtype.isnative else _in_native_order(array))
    if is_ours and array.flags.c_contiguous:
        return array
    return copy(array)


def _in_native_order(array: Array) -> Array:
    """Return the shape and dtype of the copy of ``array``, without its elements."""
    return np.broadcast_to(np.zeros((), cast(Any, array.dtype).newbyteorder("=")), array.shape)


def _read(value: Any) -> tuple[Array, bool]:
    """Return ``value`` as an array, and whether the array owns new memory."""
    if isinstance(value, ma.MaskedArray):
        raise ValueRejectedError("value is a masked array, want one without a mask; call .filled(numpy.nan) first")
    if isinstance(value, np.ndarray):
        return cast(Array, value), False
    if is_mindspore(value):
        return read_mindspore(value)
    if is_torch(value):
        return read_torch(value)
    if hasattr(value, "__array__") or hasattr(value, "__array_interface__"):
        return np.asarray(value), False
    if hasattr(value, "__dlpack__"):
        return _read_dlpack(value)
    if isinstance(value, (list, tuple, int, float, complex)):
        return np.asarray(cast(Any, value)), True
    if hasattr(value, "canvas") and hasattr(value, "savefig"):
        raise TypeRejectedError(
            "value is a figure, want an array; draw it and pass numpy.asarray(figure.canvas.buffer_rgba())"
        )
    raise TypeRejectedError(f"value is {type(value).__name__}, want a number, a NumPy array or a tensor")


def _read_dlpack(value: Any) -> tuple[Array, bool]:
    try:
        return np.from_dlpack(value), False
    except (BufferError, RuntimeError, TypeError):  # device memory: request a copy on the host (NumPy >= 2.1)
        return cast(Any, np.from_dlpack)(value, device="cpu", copy=True), True
