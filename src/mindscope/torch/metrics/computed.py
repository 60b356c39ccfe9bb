# SPDX-License-Identifier: Apache-2.0
"""Metrics that torchmetrics computes."""

from __future__ import annotations

from abc import abstractmethod
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
from torch import Tensor

from mindscope.errors import MissingPackageError
from mindscope.torch.metrics.metric import Metric, two_inputs


@cache
def torchmetrics(module: str = "classification") -> Any:
    """Return a module of torchmetrics. Raises MissingPackageError if it is not installed."""
    try:
        return import_module(f"torchmetrics.{module}" if module else "torchmetrics")
    except ImportError as error:
        raise MissingPackageError(
            f"torchmetrics is not there ({error}), and metrics need it; pip install torchmetrics"
        ) from error


class Computed(Metric):
    """A metric that starts at its first batch, which defines classes and device."""

    packages = ("torchmetrics",)
    _engine: Any = None

    def clear(self) -> None:
        """Forget all batches."""
        self._engine = None

    def update(self, *inputs: Any) -> None:
        """Take prediction and label of a batch. Raises ValueError if shapes don't fit."""
        prediction, label = self._prepare(*two_inputs(type(self).__name__, inputs))
        if self._engine is None:
            self._engine = self._begin(prediction, label).to(prediction.device)
        self._engine.update(prediction, label)

    def eval(self) -> Any:
        """Return a float, or an array where there is one value a class. Raises RuntimeError without any ``update``."""
        return plain(self._compute())

    def _compute(self) -> Any:
        if self._engine is None:
            raise RuntimeError(f"{type(self).__name__}.eval() came before any update(), want at least one batch")
        return self._engine.compute()

    def _prepare(self, prediction: Tensor, label: Tensor) -> tuple[Tensor, Tensor]:
        return prediction, label

    @abstractmethod
    def _begin(self, prediction: Tensor, label: Tensor) -> Any:
        """Return the object of torchmetrics for data like this batch."""


def plain(value: Any) -> Any:
    """Return a tensor as array, or a single number as the shortest float that rounds to its float32."""
    if not isinstance(value, Tensor):
        return value
    array = value.detach().cpu().numpy()
    if array.ndim:
        return array
    return float(str(array[()])) if array.dtype == np.float32 else array.item()
