# SPDX-License-Identifier: Apache-2.0
"""Metrics of the distance between predictions and labels."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from mindscope.torch.metrics.computed import Computed, torchmetrics
from mindscope.torch.metrics.metric import to_tensor


class _PerSample(Computed):
    """An error summed over the elements of a sample, and averaged over the samples."""

    _elements = 0
    _samples = 0

    def clear(self) -> None:
        super().clear()
        self._elements = self._samples = 0

    def eval(self) -> float:
        """Return the error of a sample, which is not negative. Raises RuntimeError without any ``update``."""
        return float(self._compute()) * self._elements / self._samples

    def _prepare(self, prediction: Tensor, label: Tensor) -> tuple[Tensor, Tensor]:
        label = label.reshape(prediction.shape)
        self._elements += prediction.numel()
        self._samples += prediction.shape[0] if prediction.ndim else 1
        return prediction.double(), label.double()


class MAE(_PerSample):
    """The mean absolute error of a sample."""

    def _begin(self, prediction: Tensor, label: Tensor) -> Any:
        return torchmetrics("").MeanAbsoluteError().set_dtype(prediction.dtype)


class MSE(_PerSample):
    """The mean squared error of a sample."""

    def _begin(self, prediction: Tensor, label: Tensor) -> Any:
        return torchmetrics("").MeanSquaredError().set_dtype(prediction.dtype)


class Loss(Computed):
    """The mean of the loss over the batches."""

    def update(self, *inputs: Any) -> None:
        """Take the loss of a batch. Raises ValueError if there is not one input."""
        if len(inputs) != 1:
            raise ValueError(f"Loss.update got {len(inputs)} inputs, want 1: the loss")
        loss = to_tensor(inputs[0]).float().mean()
        self._engine = self._engine if self._engine is not None else self._begin(loss, loss)
        self._engine.update(loss)

    def _begin(self, prediction: Tensor, label: Tensor) -> Any:
        return torchmetrics("").MeanMetric(nan_strategy="disable").to(prediction.device)
