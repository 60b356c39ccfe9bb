# SPDX-License-Identifier: Apache-2.0
"""Finds the parts of a picture on which a classification depends."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from mindscope.torch.core.arguments import check_count, check_number
from mindscope.torch.core.devices import device_of
from mindscope.torch.metrics.metric import Metric, to_tensor

Window = tuple[slice, ...]


class OcclusionSensitivity(Metric):
    """The loss of certainty of a class, for each pixel, when its surroundings are covered.

    Args:
        pad_val: what covers.
        margin: pixels before and after a pixel along each dimension, the last not included.
        n_batch: pictures at a time.
        b_box: only these pixels: [min, max] of each dimension in turn but that of the batch, both included; a negative
            max is the end.

    Raises:
        TypeError, ValueError: arguments of another type or range.
    """

    def __init__(
        self, pad_val: float = 0.0, margin: int = 2, n_batch: int = 128, b_box: list[int] | None = None
    ) -> None:
        self.pad_val = check_number("pad_val", pad_val)
        self.margin = check_count("margin", margin, 1)
        self.n_batch = check_count("n_batch", n_batch, 1)
        self.b_box = b_box
        self.clear()

    def clear(self) -> None:
        """Forget all pictures."""
        self._sensitivity: Any = None

    def update(self, *inputs: Any) -> None:
        """Take a network, one picture (1, ...) and the number of its class; the last ``update`` counts.

        Raises:
            TypeError: the first input is no network.
            ValueError: another number of inputs, more than one picture or class, a box that is not in the picture.
        """
        if len(inputs) != 3:
            raise ValueError(f"OcclusionSensitivity.update got {len(inputs)} inputs, want 3: network, picture, class")
        network, picture, label = inputs[0], to_tensor(inputs[1]), to_tensor(inputs[2])
        if not isinstance(network, nn.Module):
            raise TypeError(f"first input is {type(network).__name__}, want a torch.nn.Module")
        if picture.shape[0] != 1 or label.numel() != 1:
            shapes = f"picture of shape {tuple(picture.shape)} and {label.numel()} classes"
            raise ValueError(f"OcclusionSensitivity got {shapes}, want one picture (1, ...) and one class")
        picture, column = picture.to(device_of(network)), int(label.reshape(()))
        box = self._box(tuple(picture.shape[1:]))
        with torch.no_grad():
            certain = network(picture)[0, column]
            covered = [network(pictures)[:, column] for pictures in self._covered(picture, box)]
        change = certain - torch.cat(covered)
        self._sensitivity = np.squeeze(change.cpu().numpy().reshape([last - first for first, last in box]))

    def eval(self) -> Any:
        """Return an array of the shape of the picture or box, without dimensions of 1.

        Raises RuntimeError without data.
        """
        if self._sensitivity is None:
            raise RuntimeError("OcclusionSensitivity.eval() came before any update(), want one")
        return self._sensitivity

    def _box(self, shape: tuple[int, ...]) -> list[tuple[int, int]]:
        """Return the first pixel and the one after the last, for each dimension."""
        if self.b_box is None:
            return [(0, size) for size in shape]
        if len(self.b_box) != 2 * len(shape):
            raise ValueError(f"b_box has {len(self.b_box)} entries, want {2 * len(shape)}: two for each of {shape}")
        least, most = self.b_box[::2], self.b_box[1::2]
        box = [
            (max(first, 0), size if last < 0 else last + 1)
            for first, last, size in zip(least, most, shape, strict=True)
        ]
        if any(first >= end or end > size for (first, end), size in zip(box, shape, strict=True)):
            raise ValueError(f"b_box is {self.b_box}, want pixels inside of {shape}, min before max")
        return box

    def _covered(self, picture: Tensor, box: list[tuple[int, int]]) -> Iterator[Tensor]:
        """Yield the batches of the picture, each copy covered around one pixel."""
        pixels = itertools.product(*(range(first, end) for first, end in box))
        while chosen := list(itertools.islice(pixels, self.n_batch)):
            pictures = picture.repeat(len(chosen), *[1] * (picture.ndim - 1))
            for copy, pixel in zip(pictures, chosen, strict=True):
                copy[tuple(slice(max(0, at - self.margin), at + self.margin) for at in pixel)] = self.pad_val
            yield pictures
