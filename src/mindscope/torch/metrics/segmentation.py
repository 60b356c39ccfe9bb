# SPDX-License-Identifier: Apache-2.0
"""Metrics of regions in pictures."""

from __future__ import annotations

from typing import Any

from mindscope.torch.core.arguments import check_number
from mindscope.torch.metrics.metric import Metric, two_inputs


class Dice(Metric):
    """The Dice coefficient, twice the overlap over the sum of squares of both, summed over batches.

    As in MindSpore the sum is divided by the number of samples, so that batches of one sample give the mean
    coefficient. Predictions are probabilities or 0 and 1, so there is nothing that torchmetrics could count.

    Args:
        smooth: added to the denominator, above 0.

    Raises:
        TypeError, ValueError: ``smooth`` is no number above 0.
    """

    def __init__(self, smooth: float = 1e-5) -> None:
        self.smooth = check_number("smooth", smooth)
        if self.smooth <= 0:
            raise ValueError(f"smooth is {smooth}, want more than 0")
        self.clear()

    def clear(self) -> None:
        """Forget all batches."""
        self._sum, self._samples = 0.0, 0

    def update(self, *inputs: Any) -> None:
        """Take prediction and label of one shape, (N, ...). Raises ValueError if shapes differ."""
        prediction, label = two_inputs("Dice", inputs)
        if prediction.shape != label.shape:
            shapes = f"prediction of shape {tuple(prediction.shape)} and label of shape {tuple(label.shape)}"
            raise ValueError(f"Dice got {shapes}, want equal shapes")
        prediction, label = prediction.double(), label.double()
        squares = (prediction * prediction).sum() + (label * label).sum()
        self._sum += float(2 * (prediction * label).sum() / (squares + self.smooth))
        self._samples += label.shape[0]

    def eval(self) -> float:
        """Return the sum over the number of samples. Raises RuntimeError without any ``update``."""
        if not self._samples:
            raise RuntimeError("Dice.eval() came before any update(), want at least one batch")
        return self._sum / self._samples
