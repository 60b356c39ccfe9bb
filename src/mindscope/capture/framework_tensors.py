# SPDX-License-Identifier: Apache-2.0
"""Converts tensors of PyTorch and MindSpore to NumPy arrays, without importing a framework.

A framework's own conversion can crash the process; for example, ``item()`` of a bfloat16 tensor does in MindSpore 2.10.
So this module lists the supported dtypes and how to read each; the tests try all of them in a subprocess. It rejects
other dtypes by name.
"""

from __future__ import annotations

import math
import sys
from functools import cache
from typing import Any, cast

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from mindscope.errors import TypeRejectedError, ValueRejectedError

Array = NDArray[Any]


def _small(name: str) -> np.dtype[Any] | None:
    """Return a dtype of ml_dtypes; None if the installed version does not have it."""
    return np.dtype(getattr(ml_dtypes, name)) if hasattr(ml_dtypes, name) else None


_PLAIN = frozenset(
    "bool uint8 uint16 uint32 uint64 int8 int16 int32 int64 float16 float32 float64 complex64 complex128".split()
)
_TORCH_BITS = {
    "bfloat16": (_small("bfloat16"), "int16"),
    "float8_e4m3fn": (_small("float8_e4m3fn"), "uint8"),
    "float8_e4m3fnuz": (_small("float8_e4m3fnuz"), "uint8"),
    "float8_e5m2": (_small("float8_e5m2"), "uint8"),
    "float8_e5m2fnuz": (_small("float8_e5m2fnuz"), "uint8"),
    "float8_e8m0fnu": (_small("float8_e8m0fnu"), "uint8"),
}
"""PyTorch's float dtypes that NumPy does not have -> their ml_dtypes dtype, and the integers of the same size."""
_TORCH_QUANTIZED = frozenset("qint8 quint8 qint32".split())
_MINDSPORE_BITS = {"float8e4m3fn": _small("float8_e4m3fn"), "float8e5m2": _small("float8_e5m2")}
"""MindSpore's float dtypes that ``asnumpy`` does not convert -> their ml_dtypes dtype."""


def is_torch(value: Any) -> bool:
    """Return whether it is a PyTorch tensor or an object with the same interface."""
    return hasattr(value, "detach") and hasattr(value, "cpu")


def is_mindspore(value: Any) -> bool:
    """Return whether it is a MindSpore tensor."""
    return hasattr(value, "asnumpy")


def jax_refusal(value: Any) -> ValueRejectedError | None:
    """Return the reason why an array of JAX has no numbers; None for anything else."""
    kind = cast(Any, type(value))
    if any(base.__name__ == "Tracer" and base.__module__.startswith("jax") for base in kind.__mro__):
        return TypeRejectedError(
            f"value is a {kind.__name__} of JAX, which has no numbers while jit or vmap traces a function; return "
            "the array from the function, or record it in jax.debug.callback"
        )
    if kind.__module__.startswith("jax") and value.is_deleted():
        return ValueRejectedError(
            "value is an array of JAX that was deleted or donated to a jitted function; record it before that"
        )
    return None


def is_sharded(value: Any) -> bool:
    """Return whether it is a DTensor of PyTorch, which is spread over processes; also a parameter of FSDP2."""
    return hasattr(cast(Any, type(value)), "to_local") and hasattr(value, "placements")


def local_part(value: Any) -> Any:
    """Return the tensor that this process holds of a DTensor; other values unchanged. Never communicates.

    Raises ValueRejectedError for a DTensor whose processes hold summands.
    """
    if not is_sharded(value):
        return value
    if any(placement.is_partial() for placement in value.placements):
        raise ValueRejectedError(
            f"value is a DTensor of shape {tuple(value.shape)} with placements {_placements(value)}: this process has "
            "a summand only; call value.full_tensor() in all processes first"
        )
    local = value.detach().to_local()
    return local.trigger_wait() if hasattr(local, "trigger_wait") else local


def sharding_text(value: Any) -> str | None:
    """Describe the part of a DTensor that ``local_part`` returns; None for values that this process holds
    completely.
    """
    if not is_sharded(value) or all(placement.is_replicate() for placement in value.placements):
        return None
    return f"the part of this process of a DTensor of shape {tuple(value.shape)}, {_placements(value)}"


def _placements(value: Any) -> str:
    return ", ".join(repr(placement) for placement in value.placements)


def torch_item(value: Any) -> Any:
    """Return ``item()`` of a PyTorch tensor, the usual case of a loss.

    It returns None for other dtypes, or if there is not exactly one element.
    """
    if getattr(value, "dtype", None) not in _item_dtypes(sys.modules.get("torch")):
        return None
    try:
        return value.item()
    except Exception:  # the caller reads the elements and reports the error
        return None


@cache
def _item_dtypes(torch: Any) -> frozenset[Any]:
    names = ("float32", "float64", "float16", "bfloat16", "int64", "int32", "bool")
    return frozenset(getattr(torch, name, None) for name in names)


def outline(value: Any) -> Array | None:
    """Return an array of the shape and dtype that ``value`` has when it is read, without its elements.

    None for NumPy arrays, which are read without a copy, for what is no array, and for dtypes that can't be read.
    """
    if isinstance(value, np.ndarray):
        return None
    try:
        value = local_part(value)
        shape, dtype = tuple(map(int, value.shape)), _read_dtype(_dtype_name(value))
    except Exception:  # an object of any class
        return None
    return None if dtype is None else np.broadcast_to(np.zeros((), dtype), shape)


def _read_dtype(name: str) -> np.dtype[Any] | None:
    if name in _PLAIN:
        return np.dtype(name)
    if name in _TORCH_QUANTIZED:
        return np.dtype(np.float32)
    return _TORCH_BITS[name][0] if name in _TORCH_BITS else _MINDSPORE_BITS.get(name)


def read_torch(value: Any) -> tuple[Array, bool]:
    """Return a PyTorch tensor as an array, and whether the array owns new memory. Dequantizes quantized tensors."""
    _refuse_without_elements(value)
    tensor = local_part(value).detach()
    if str(getattr(tensor, "layout", "torch.strided")) != "torch.strided":
        tensor = tensor.to_dense()
    is_elsewhere = str(getattr(tensor.device, "type", "cpu")) != "cpu"
    tensor = tensor.cpu()
    name = _dtype_name(tensor)
    if name in _TORCH_QUANTIZED:
        return tensor.dequantize().numpy(), True
    if name in _TORCH_BITS:
        return _torch_bits(tensor, name), is_elsewhere
    if name not in _PLAIN:
        raise _unknown(value, name)
    if hasattr(tensor, "resolve_conj"):
        tensor = tensor.resolve_conj().resolve_neg()
    return tensor.numpy(), is_elsewhere


def read_mindspore(value: Any) -> tuple[Array, bool]:
    """Return a MindSpore tensor as an array, and whether the array owns new memory."""
    name = _dtype_name(value)
    if name in _PLAIN:
        return value.asnumpy(), False
    if name == "bfloat16":
        return _upper_halves(value.float().asnumpy()), True
    dtype = _MINDSPORE_BITS.get(name)
    if dtype is None:
        raise _unknown(value, name)
    return np.frombuffer(value.get_bytes(), dtype).reshape(tuple(value.shape)), False


def element_count(tensor: Any) -> int:
    """Return the number of elements of a PyTorch or MindSpore tensor. Raises if the tensor has no data."""
    if not is_mindspore(tensor):
        _refuse_without_elements(tensor)
    return math.prod(tuple(tensor.shape))


def _upper_halves(wide: NDArray[np.float32]) -> Array:
    """Return the bfloat16 numbers that a framework widened to float32: the upper half of each."""
    return (np.ascontiguousarray(wide).view(np.uint32) >> 16).astype(np.uint16).view(ml_dtypes.bfloat16)


def _torch_bits(tensor: Any, name: str) -> Array:
    dtype, integers = _TORCH_BITS[name]
    if dtype is None:
        raise _unknown(tensor, name)
    return tensor.view(getattr(sys.modules["torch"], integers)).numpy().view(dtype)


def _refuse_without_elements(tensor: Any) -> None:
    if getattr(tensor, "is_nested", False):
        raise TypeRejectedError("value is a nested tensor, want one array; record its parts, or pad it first")
    if str(getattr(tensor.device, "type", "cpu")) == "meta":
        raise ValueRejectedError("value is a tensor of the device 'meta', which holds no elements; move it to a device")


def _dtype_name(tensor: Any) -> str:
    """Return ``float32`` for both ``torch.float32`` and ``Float32``."""
    return str(tensor.dtype).rpartition(".")[2].lower()


def _unknown(tensor: Any, name: str) -> TypeRejectedError:
    return TypeRejectedError(
        f"value is {type(tensor).__name__} with elements of type {name}, which can't be recorded; convert it to "
        "float32 or complex64 first"
    )
