# SPDX-License-Identifier: Apache-2.0
"""Values of any framework as Python floats and NumPy arrays, without importing a framework.

The caller's memory is copied: a training goes on to change it in place while the copy waits to be written.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, cast

import ml_dtypes
import numpy as np
from numpy import ma  # else NumPy imports it at its first use, and a fork in that moment hangs the child
from numpy.typing import NDArray

from mindscope.errors import TypeRejectedError, ValueRejectedError

Array = NDArray[Any]

_SMALL_FLOATS = frozenset(
    np.dtype(getattr(ml_dtypes, name))
    for name in dir(ml_dtypes)
    if name.startswith(("bfloat", "float8", "float6", "float4"))
)
BFLOAT16 = np.dtype(ml_dtypes.bfloat16)


def to_scalar(value: Any) -> float:
    """One real number as float.

    Takes Python and NumPy numbers, and arrays of any framework that hold exactly one element. Raises ValueRejectedError
    for text, complex numbers, more or less than one element, and integers beyond float64.
    """
    kind = cast(Any, type(value))
    if kind is float or kind is int or kind is bool:
        return _to_float(value)
    if isinstance(value, (str, bytes, complex)):
        raise TypeRejectedError(f"scalar is {kind.__name__} {str(value)[:40]!r}, want one real number")
    if hasattr(value, "item"):
        number = _only_item(value)
    elif hasattr(value, "__float__"):
        number = value
    else:
        number = _only_item(to_array(value))
    if isinstance(number, (str, bytes, complex)) or not hasattr(number, "__float__"):
        raise TypeRejectedError(f"scalar holds {type(number).__name__} {str(number)[:40]!r}, want one real number")
    return _to_float(number)


def _to_float(number: Any) -> float:
    try:
        return float(number)
    except OverflowError:
        raise ValueRejectedError("scalar is an integer beyond 1.8e308, want a number that a float64 holds") from None


def _only_item(value: Any) -> Any:
    try:
        return value.item()
    except Exception as error:
        shape = tuple(getattr(value, "shape", ()))
        raise ValueRejectedError(
            f"scalar is {type(value).__name__} of shape {shape}, want exactly one element; record it as a tensor or "
            "histogram, or reduce it first"
        ) from error


def copy_array(array: Array) -> Array:
    """A C-ordered copy in native byte order."""
    native: Any = cast(Any, array.dtype).newbyteorder("=")
    return np.array(array, dtype=native, order="C", copy=True, subok=False)


def to_array(value: Any, copy: Callable[[Array], Array] = copy_array) -> Array:
    """A C-ordered copy of ``value``, which shares no memory with it; ``copy`` makes it where none was made yet.

    Takes NumPy arrays, nested lists of numbers, and whatever offers ``detach``/``cpu`` (PyTorch, on any device),
    ``asnumpy`` (MindSpore), DLPack or ``__array__``. bfloat16 stays bfloat16.

    Raises:
        TypeRejectedError: it is none of these, or holds no numbers.
    """
    try:
        array, is_ours = _read(value)
    except ValueRejectedError:
        raise
    except Exception as error:
        raise TypeRejectedError(
            f"value is {type(value).__name__}, which is no array ({error}); hand over a NumPy array or a tensor"
        ) from error
    if array.dtype.kind not in "biufc" and array.dtype not in _SMALL_FLOATS:
        raise TypeRejectedError(
            f"value is {type(value).__name__} with elements of type {array.dtype}, want numbers of one type"
        )
    if is_ours and array.flags.c_contiguous:
        return array
    return copy(array)


def _read(value: Any) -> tuple[Array, bool]:
    """``value`` as an array, and whether its memory was made here."""
    if isinstance(value, ma.MaskedArray):
        raise ValueRejectedError("value is a masked array, want one without a mask; call .filled(numpy.nan) first")
    if isinstance(value, np.ndarray):
        return cast(Array, value), False
    if hasattr(value, "detach") and hasattr(value, "cpu"):
        return _read_torch(value)
    if hasattr(value, "asnumpy"):
        is_bfloat16 = str(getattr(value, "dtype", "")) == "BFloat16"
        return (_to_bfloat16(value.float().asnumpy()), True) if is_bfloat16 else (value.asnumpy(), False)
    if hasattr(value, "__array__"):
        return np.asarray(value), False
    if hasattr(value, "__dlpack__"):
        return _read_dlpack(value)
    if isinstance(value, (list, tuple, int, float, complex)):
        return np.asarray(cast(Any, value)), True
    raise TypeRejectedError(f"value is {type(value).__name__}, want a number, a NumPy array or a tensor")


def _read_torch(value: Any) -> tuple[Array, bool]:
    tensor = value.detach()
    if str(getattr(tensor, "layout", "torch.strided")) != "torch.strided":
        tensor = tensor.to_dense()
    is_elsewhere = str(getattr(tensor.device, "type", "cpu")) not in ("cpu", "meta")
    tensor = tensor.cpu()
    if str(tensor.dtype) == "torch.bfloat16":  # which NumPy doesn't know: its bits
        return tensor.view(sys.modules["torch"].int16).numpy().view(BFLOAT16), is_elsewhere
    if hasattr(tensor, "resolve_conj"):
        tensor = tensor.resolve_conj().resolve_neg()
    return tensor.numpy(), is_elsewhere


def _to_bfloat16(wide: NDArray[np.float32]) -> Array:
    """The bfloat16 numbers that frameworks hand out as float32, for NumPy has no bfloat16: the upper half of each."""
    return (np.ascontiguousarray(wide).view(np.uint32) >> 16).astype(np.uint16).view(BFLOAT16)


def _read_dlpack(value: Any) -> tuple[Array, bool]:
    try:
        return np.from_dlpack(value), False
    except (BufferError, RuntimeError, TypeError):  # memory of a device: ask for a copy in this one's (NumPy >= 2.1)
        return cast(Any, np.from_dlpack)(value, device="cpu", copy=True), True
