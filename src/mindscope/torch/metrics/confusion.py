# SPDX-License-Identifier: Apache-2.0
"""Metrics that count which class a network takes for which."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from mindscope.torch.core.arguments import check_choice, check_count, check_number
from mindscope.torch.metrics.computed import Computed, torchmetrics

_NORMALIZE = {"no_norm": None, "target": "true", "prediction": "pred", "all": "all"}


class ConfusionMatrix(Computed):
    """Counts of shape (num_classes, num_classes): row by label, column by prediction.

    Predictions are classes (N, ...), probabilities of the second of two classes (N, ...), or one value a class
    (N, C, ...).

    Args:
        num_classes: how many.
        normalize: ``no_norm`` counts; ``target``, ``prediction`` and ``all`` are shares of rows, columns and the whole.
        threshold: from which on a probability is the second class.

    Raises:
        TypeError, ValueError: arguments of another type or range.
    """

    def __init__(self, num_classes: int, normalize: str = "no_norm", threshold: float = 0.5) -> None:
        self.num_classes = check_count("num_classes", num_classes, 2)
        self.normalize = check_choice("normalize", normalize, tuple(_NORMALIZE))
        self.threshold = check_number("threshold", threshold)

    def eval(self) -> Any:
        """Return a float64 array. Raises RuntimeError without any ``update``."""
        return super().eval().astype("float64")

    def _prepare(self, prediction: Tensor, label: Tensor) -> tuple[Tensor, Tensor]:
        if prediction.ndim == label.ndim + 1:
            prediction = prediction.argmax(1)
        elif prediction.is_floating_point():
            prediction = (prediction >= self.threshold).long()
        return prediction.long(), label.long()

    def _begin(self, prediction: Tensor, label: Tensor) -> Any:
        return torchmetrics().MulticlassConfusionMatrix(self.num_classes, normalize=_NORMALIZE[self.normalize])
