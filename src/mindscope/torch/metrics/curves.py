# SPDX-License-Identifier: Apache-2.0
"""Curves over the threshold."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from mindscope.torch.core.arguments import check_optional_count
from mindscope.torch.metrics.computed import torchmetrics
from mindscope.torch.metrics.metric import Metric, two_inputs

Curve = tuple[Any, Any, Any]


class ROC(Metric):
    """Receiver operating characteristic: true over false positives, by threshold.

    Predictions are scores (N, ...) of the class ``pos_label``, or of every class, (N, C) with labels (N,).

    Args:
        class_num: taken from the predictions if None.
        pos_label: the class that counts as positive where there is one score; 1 if None.

    Raises:
        TypeError, ValueError: arguments of another type or range.
    """

    packages = ("torchmetrics",)

    def __init__(self, class_num: int | None = None, pos_label: int | None = None) -> None:
        self.class_num = check_optional_count("class_num", class_num, 1)
        self.pos_label = check_optional_count("pos_label", pos_label)
        self.clear()

    def clear(self) -> None:
        """Forget all batches."""
        self._batches: list[tuple[Tensor, Tensor]] = []

    def update(self, *inputs: Any) -> None:
        """Take scores and labels of a batch. Raises ValueError if shapes don't fit."""
        scores, label = two_inputs("ROC", inputs)
        if scores.ndim == label.ndim:
            scores, label = scores.reshape(-1), label.reshape(-1)
        elif scores.ndim != label.ndim + 1 or (self.class_num or scores.shape[1]) != scores.shape[1]:
            shapes = f"scores of shape {tuple(scores.shape)} and label of shape {tuple(label.shape)}"
            raise ValueError(f"ROC got {shapes}, want equal shapes, or (N, {self.class_num or 'C'}) and (N,)")
        self._batches.append((scores, label))

    def eval(self) -> Curve:
        """Return false positive rates, true positive rates and thresholds: arrays, or lists of one array a class.

        Raises:
            RuntimeError: without any ``update``.
            ValueError: all labels are positive, or none is.
        """
        if not self._batches:
            raise RuntimeError("ROC.eval() came before any update(), want at least one batch")
        scores = torch.cat([each for each, _ in self._batches]).double().cpu()
        label = torch.cat([each for _, each in self._batches]).cpu()
        if scores.ndim == 1:
            return _curve(scores, label == (1 if self.pos_label is None else self.pos_label))
        curves = [_curve(scores[:, index], label == index) for index in range(scores.shape[1])]
        rates, found, thresholds = zip(*curves, strict=True)
        return list(rates), list(found), list(thresholds)


def _curve(scores: Tensor, is_positive: Tensor) -> Curve:
    """Return the curve of one class; it begins at (0, 0), with a threshold one above the highest score."""
    if is_positive.all() or not is_positive.any():
        which = "positive" if is_positive.any() else "negative"
        raise ValueError(f"every label of the ROC curve is {which}, want both kinds")
    levels, ranks = cast("tuple[Tensor, Tensor]", cast(Any, scores).unique(return_inverse=True))
    # torchmetrics squashes scores beyond [0, 1]; ranks in that range keep the order, and lead back to the scores
    ranked = (ranks.double() + 1) / (len(levels) + 1)
    engine = torchmetrics().BinaryROC(validate_args=False)
    engine.update(ranked, is_positive.long())
    rates, found, thresholds = engine.compute()
    indexes = (thresholds[1:].double() * (len(levels) + 1)).round().long() - 1
    own = levels[indexes]
    return rates.numpy(), found.numpy(), torch.cat([own[:1] + 1, own]).numpy()


def auc(x: NDArray[Any], y: NDArray[Any], reorder: bool = False) -> float:
    """Return the area under the curve through ``x`` and ``y``, one-dimensional, by trapezoids.

    Args:
        x: rising or falling, or in any order with ``reorder``.
        y: as many.
        reorder: sort by ``x`` first.

    Raises:
        TypeError: no arrays. ValueError: not one-dimensional or of different lengths; ``x`` in disorder.
    """
    if not isinstance(x, np.ndarray) or not isinstance(y, np.ndarray):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError(f"x and y are {type(x).__name__} and {type(y).__name__}, want NumPy arrays")
    area = torchmetrics("utilities.compute").auc(torch.from_numpy(x).double(), torch.from_numpy(y).double(), reorder)
    return float(area)
