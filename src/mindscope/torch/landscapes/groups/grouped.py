# SPDX-License-Identifier: Apache-2.0
"""Values of which each group has its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor


@dataclass(frozen=True, slots=True)
class Grouped:
    """A tensor with one part for each of ``size`` groups.

    Stacked, its shape is (size, *shape). Packed, it is (samples, size * channels, *space), channels of a group side by
    side, in PyTorch's channels-last memory format if there are two dimensions of space: the layout in which grouped
    convolutions and pooling are fast.
    """

    tensor: Tensor
    size: int
    is_packed: bool = False

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape in one group."""
        shape = tuple(self.tensor.shape)
        return (shape[0], shape[1] // self.size, *shape[2:]) if self.is_packed else shape[1:]

    def stacked(self) -> Tensor:
        """Return the values in the shape (size, *shape)."""
        tensor: Any = self.tensor
        return tensor.unflatten(1, (self.size, -1)).movedim(1, 0) if self.is_packed else tensor

    def packed(self) -> Tensor:
        """Return the values in the shape (samples, size * channels, *space)."""
        return self.tensor if self.is_packed else channels_last(self.tensor.movedim(0, 1).flatten(1, 2))


def channels_last(tensor: Tensor) -> Tensor:
    """Return the tensor in channels-last memory format, if it has samples, channels, height and width.

    A single channel is ambiguous: its strides are written so that operators keep to the format.
    """
    if tensor.ndim != 4:
        return tensor
    if tensor.shape[1] == 1 and tensor.is_contiguous():
        samples, _, height, width = tensor.shape
        return tensor.as_strided(tensor.shape, (height * width, 1, width, 1)) if samples else tensor
    return tensor.contiguous(memory_format=torch.channels_last)


def stacked(value: Any, size: int) -> Tensor:
    """Return a grouped value, or a tensor that all groups share, with the groups first."""
    return value.stacked() if isinstance(value, Grouped) else value.unsqueeze(0).expand(size, *value.shape)


def packed(value: Any, size: int) -> Tensor:
    """Return the values with the groups among the channels."""
    return (value if isinstance(value, Grouped) else Grouped(stacked(value, size), size)).packed()


def flat(value: Any, size: int) -> Tensor | None:
    """Return the values for each channel of packed tensors: (size * channels, ...)."""
    return None if value is None else stacked(value, size).flatten(0, 1)
