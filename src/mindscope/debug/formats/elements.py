# SPDX-License-Identifier: Apache-2.0
"""Types of the elements of stored tensors, and how numpy reads those that it lacks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Decode = Callable[[NDArray[Any]], NDArray[Any]]


@dataclass(frozen=True, slots=True)
class ElementType:
    """``name`` is that of the tensor, ``stored`` what a file holds; ``in_one`` elements share one stored number."""

    name: str
    stored: np.dtype[Any]
    decode: Decode | None = None
    in_one: int = 1

    def size(self, count: int) -> int:
        """Return the bytes of `count` elements."""
        return -(-count // self.in_one) * self.stored.itemsize

    def read(self, stored: NDArray[Any]) -> NDArray[Any]:
        """Return the numbers, in a type that numpy computes with."""
        return self.decode(stored) if self.decode else stored


def element_type(name: str) -> ElementType | None:
    """Return the type of a name in any spelling: ``Float32``, ``bf16``, ``torch.int64``, ``DT_FLOAT``.

    None if unknown.
    """
    bare = name.lower().strip().removeprefix("torch.").removeprefix("mindspore.").removeprefix("dt_")
    return _TYPES.get(_OTHER_NAMES.get(bare, bare))


def numpy_element(dtype: np.dtype[Any], name: str = "") -> ElementType | None:
    """Return the type of an array that numpy reads; None for objects, texts and records.

    Args:
        dtype: of the array.
        name: of the tensor before it was converted to the array, where a file says it.
    """
    if dtype.kind not in "biufc":
        return None
    known = element_type(name)
    return ElementType(known.name if known else _NAMES.get(_code(dtype), str(dtype)), dtype)


def _bfloat16(stored: NDArray[Any]) -> NDArray[np.float32]:
    return (stored.astype(np.uint32) << 16).view(np.float32)


def _nibbles(stored: NDArray[Any]) -> NDArray[np.int8]:
    """Return the two numbers of 4 bits with sign in a byte, the lower half first."""
    halves = np.stack([stored & 15, stored >> 4], axis=-1).reshape(-1).astype(np.int8)
    return np.where(halves > 7, halves - 16, halves).astype(np.int8)


def _crumbs(stored: NDArray[Any]) -> NDArray[np.int8]:
    """Unpack four numbers of 2 bits, as ``_nibbles``."""
    parts = np.stack([stored >> shift & 3 for shift in (0, 2, 4, 6)], axis=-1).reshape(-1).astype(np.int8)
    return np.where(parts > 1, parts - 4, parts).astype(np.int8)


def _bits(stored: NDArray[Any]) -> NDArray[np.uint8]:
    return np.unpackbits(stored, bitorder="little")


def _small_float(exponent_bits: int, bias: int, has_infinity: bool) -> Decode:
    """Return the floats of 8 bits by a table of all 256."""
    codes = np.arange(256)
    mantissa_bits = 7 - exponent_bits
    mantissa, exponent = codes & ((1 << mantissa_bits) - 1), codes >> mantissa_bits & ((1 << exponent_bits) - 1)
    fraction = mantissa / (1 << mantissa_bits) + (exponent > 0)
    values = fraction * 2.0 ** (np.maximum(exponent, 1) - bias)
    top = exponent == (1 << exponent_bits) - 1
    if has_infinity:
        values = np.where(top, np.where(mantissa == 0, np.inf, np.nan), values)
    else:
        values = np.where(top & (mantissa == (1 << mantissa_bits) - 1), np.nan, values)
    table = np.where(codes > 127, -values, values).astype(np.float32)
    return lambda stored: table[stored]


def _code(dtype: np.dtype[Any]) -> str:
    return f"{dtype.kind}{dtype.itemsize}"


def _little_endian(name: str) -> np.dtype[Any]:
    return np.dtype(f"<{_code(np.dtype(name))}")


_PLAIN = (
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "float32", "float64", "complex64", "complex128"),
)
_NAMES = {_code(np.dtype(name)): name for name in _PLAIN}
_BYTE = np.dtype(np.uint8)
_TYPES = {
    **{name: ElementType(name, _little_endian(name)) for name in _PLAIN},
    "bfloat16": ElementType("bfloat16", np.dtype("<u2"), _bfloat16),
    "int4": ElementType("int4", _BYTE, _nibbles, 2),
    "int2": ElementType("int2", _BYTE, _crumbs, 4),
    "uint1": ElementType("uint1", _BYTE, _bits, 8),
    "float8_e4m3fn": ElementType("float8_e4m3fn", _BYTE, _small_float(4, 7, False)),
    "float8_e5m2": ElementType("float8_e5m2", _BYTE, _small_float(5, 15, True)),
}
_OTHER_NAMES = {
    **{"float": "float32", "double": "float64", "half": "float16", "long": "int64", "int": "int32", "short": "int16"},
    **{"char": "int8", "byte": "uint8", "boolean": "bool", "bf16": "bfloat16", "f16": "float16", "f32": "float32"},
    **{"f64": "float64", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "u8": "uint8", "b8": "bool"},
    **{"qint8": "int8", "quint8": "uint8", "qint16": "int16", "quint16": "uint16", "qint32": "int32"},
    **{"fp16": "float16", "fp32": "float32", "float8_e4m3": "float8_e4m3fn", "cfloat": "complex64"},
    **{"cdouble": "complex128"},
}
