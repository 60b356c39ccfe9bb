# SPDX-License-Identifier: Apache-2.0
"""Layouts of axes on Ascend: how an array in the device's layout becomes the tensor."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class AxisLayout:
    """A way to get the tensor out of an array. ``unpack`` is None where no rule is known."""

    shape: tuple[int, ...]
    """Shape of the tensor."""
    unpack: Callable[[NDArray[Any]], NDArray[Any]] | None
    is_padded: bool
    """Whether padding stays in the array, since there is no rule to remove it."""


def layout_of(format: str, shape: tuple[int, ...], original: tuple[int, ...]) -> AxisLayout | None:
    """Return the layout of an array; None where the array is the tensor.

    Args:
        format: such as ``NC1HWC0``.
        shape: of the array.
        original: of the tensor; empty if unknown.
    """
    if format == "NC1HWC0" and len(shape) == 5:
        batch, blocks, height, width, block = shape
        channels = blocks * block
        if len(original) == 4 and 0 < original[1] <= channels:
            channels = original[1]
        return AxisLayout((batch, channels, height, width), partial(_blocks_joined, channels=channels), False)
    if len(original) and math.prod(original) < math.prod(shape):
        return AxisLayout(shape, None, True)
    return None


def _blocks_joined(array: NDArray[Any], channels: int) -> NDArray[Any]:
    """Convert the layout (N, C1, H, W, C0) to (N, C, H, W)."""
    batch, _, height, width, _ = array.shape
    joined = np.moveaxis(array, 4, 2).reshape(batch, array.shape[1] * array.shape[4], height, width)
    return joined[:, :channels]
