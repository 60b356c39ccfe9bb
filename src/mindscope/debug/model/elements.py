# SPDX-License-Identifier: Apache-2.0
"""The elements of a recorded tensor, read piece by piece."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class TensorElements:
    """A whole tensor that was recorded, of any size."""

    shape: tuple[int, ...]
    dtype: str
    """Dtype of the tensor, such as ``bfloat16``."""
    array_dtype: np.dtype[Any]
    """Dtype of the arrays that ``read`` returns: bfloat16 and smaller floats come as float32."""
    size_bytes: int
    """Bytes of the tensor in the recording."""
    read: Callable[[int, int], NDArray[Any]]
    """Reads elements from a first one on, flat, in C order: ``read(start, count)``; fewer at the end of the tensor.

    Raises FormatError, OSError.
    """

    @property
    def count(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    def array(self) -> NDArray[Any]:
        """Return the tensor. Raises as ``read``."""
        return self.read(0, self.count).reshape(self.shape)


def elements_of(array: NDArray[Any], dtype: str = "") -> TensorElements:
    """Return an array in memory.

    Args:
        array: of any layout.
        dtype: of the tensor, where the array has a wider one.
    """
    memory: Any = array

    def read(start: int, count: int) -> NDArray[Any]:
        return np.asarray(memory.flat[start : start + count])

    return TensorElements(array.shape, dtype or str(array.dtype), array.dtype, array.nbytes, read)
