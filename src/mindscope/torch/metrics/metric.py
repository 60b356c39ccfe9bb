# SPDX-License-Identifier: Apache-2.0
"""The metric that all others subclass."""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor


class Metric(ABC):
    """A number about a data set, from its batches. Subclasses say how to ``clear``, ``update`` and ``eval``."""

    packages: tuple[str, ...] = ()
    """Packages that it computes with, imported at its first batch; a Model imports them when it is created."""
    _indexes: list[int] | None = None

    @abstractmethod
    def clear(self) -> None:
        """Forget all batches."""

    @abstractmethod
    def update(self, *inputs: Any) -> None:
        """Take a batch: prediction and label, or the outputs that ``set_indexes`` chose."""

    @abstractmethod
    def eval(self) -> Any:
        """Return the value over all batches since ``clear``."""

    @property
    def indexes(self) -> list[int] | None:
        """Indexes of the outputs of the evaluating network that ``update`` takes; None for the usual."""
        return self._indexes

    def set_indexes(self, indexes: list[int]) -> Metric:
        """Choose the outputs that ``update`` takes. Raises ValueError for what is no list of whole numbers."""
        if not isinstance(indexes, list) or not all(type(index) is int for index in indexes):  # pyright: ignore
            raise ValueError(f"indexes is {indexes!r}, want a list of whole numbers")
        self._indexes = indexes
        return self

    @staticmethod
    def _convert_data(data: Any) -> NDArray[Any]:
        """Return a tensor, list or array as NumPy array."""
        return data.detach().cpu().numpy() if isinstance(data, Tensor) else np.asarray(data)


def to_tensor(data: Any) -> Tensor:
    """Return a tensor, list, number or array as tensor without gradient, on the device where it is."""
    return (
        data.detach()
        if isinstance(data, Tensor)
        else torch.as_tensor(np.ascontiguousarray(data) if np.ndim(data) else np.asarray(data))
    )


def two_inputs(name: str, inputs: tuple[Any, ...]) -> tuple[Tensor, Tensor]:
    """Return prediction and label. Raises ValueError if there are not two inputs."""
    if len(inputs) != 2:
        raise ValueError(f"{name}.update got {len(inputs)} inputs, want 2: prediction and label")
    return to_tensor(inputs[0]), to_tensor(inputs[1])


def rearrange_inputs(update: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate an ``update`` so that it takes the inputs that ``set_indexes`` of its object chose, in that order."""

    @functools.wraps(update)
    def rearranged(self: Any, *inputs: Any) -> Any:
        indexes: list[int] | None = self.indexes
        return update(self, *([inputs[index] for index in indexes] if indexes else inputs))

    return rearranged
