# SPDX-License-Identifier: Apache-2.0
"""Defines how the elements of each dtype are summarized."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import NDArray

BYTES = -1
"""The code of elements of one byte."""


@dataclass(frozen=True, slots=True)
class ElementType:
    """Real elements of one dtype; complex ones are two elements each."""

    name: str
    code: int
    """Code of ``stats._tensor_statistics``, or ``BYTES``."""
    size: int
    """Bytes of an element."""
    near_max: float = float("inf")
    """Magnitude from which on an element counts in ``NEAR_MAX``: a half of the largest finite number of a float, the
    largest number of an integer."""
    tiny: float = 0.0
    """The smallest normal number of a float."""
    meaning: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))
    """The numbers of the 256 bytes, where an element has one."""


def _float(dtype: torch.dtype, code: int) -> ElementType:
    facts = torch.finfo(dtype)
    return ElementType(str(dtype)[6:], code, dtype.itemsize, facts.max / 2, facts.smallest_normal)


def _byte(dtype: torch.dtype) -> ElementType:
    every = torch.arange(256, dtype=torch.int16).to(torch.uint8)
    if dtype is torch.bool:
        return ElementType("bool", BYTES, 1, meaning=np.minimum(np.arange(256.0), 1))
    meaning = every.view(dtype).to(torch.float32).double().numpy()
    if not dtype.is_floating_point:
        return ElementType(str(dtype)[6:], BYTES, 1, float(torch.iinfo(dtype).max), meaning=meaning)
    facts = torch.finfo(dtype)
    return ElementType(str(dtype)[6:], BYTES, 1, facts.max / 2, facts.smallest_normal, meaning)


def _element_types() -> dict[torch.dtype, ElementType]:
    floats = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
    integers = "int16 int32 int64 uint16 uint32 uint64".split()
    bytes_ = "bool int8 uint8 float8_e4m3fn float8_e5m2 float8_e4m3fnuz float8_e5m2fnuz float8_e8m0fnu".split()
    known = {dtype: _float(dtype, code) for code, dtype in enumerate(floats)}
    for code, name in enumerate(integers, len(floats)):
        if hasattr(torch, name):
            dtype: torch.dtype = getattr(torch, name)
            known[dtype] = ElementType(name, code, dtype.itemsize, float(torch.iinfo(dtype).max))
    for name in bytes_:
        if hasattr(torch, name):
            dtype = getattr(torch, name)
            known[dtype] = _byte(dtype)
    return known


ELEMENT_TYPES = _element_types()
"""All dtypes whose tensors can be summarized but complex ones."""
DTYPE_NAMES = {dtype: value.name for dtype, value in ELEMENT_TYPES.items()}
