# SPDX-License-Identifier: Apache-2.0
"""Metrics of classification."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from mindscope.torch.core.arguments import check_choice, check_count, check_number
from mindscope.torch.metrics.computed import Computed, plain, torchmetrics

EVAL_TYPES = ("classification", "multilabel")


def class_labels(name: str, prediction: Tensor, label: Tensor) -> Tensor:
    """Return labels as class numbers, shape (N, ...), for predictions of shape (N, C, ...).

    Labels may be one-hot, (N, C, ...).

    Raises ValueError for other shapes.
    """
    if prediction.ndim == label.ndim and prediction.ndim > 1 and prediction.shape == label.shape:
        label = label.argmax(1)
    if prediction.ndim != label.ndim + 1 or prediction.shape[:1] != label.shape[:1]:
        shapes = f"prediction of shape {tuple(prediction.shape)} and label of shape {tuple(label.shape)}"
        raise ValueError(f"{name} got {shapes}, want (N, C, ...) and (N, ...), or one-hot labels (N, C, ...)")
    return label.long()


class ByClass(Computed):
    """A value for each class; of independent labels of 0 and 1, a value for each sample.

    Args:
        eval_type: ``classification``: predictions (N, C, ...) of which the largest counts; ``multilabel``: predictions
            and labels (N, C, ...) of 0 and 1.

    Raises:
        TypeError, ValueError: another ``eval_type``.
    """

    def __init__(self, eval_type: str = "classification") -> None:
        self._is_multilabel = check_choice("eval_type", eval_type, EVAL_TYPES) == "multilabel"

    def eval(self, average: bool = False) -> Any:
        """Return an array with one value a class or sample, or their mean.

        Raises RuntimeError without any ``update``.
        """
        values = self._compute()
        return plain(values.mean() if average else values)

    def _prepare(self, prediction: Tensor, label: Tensor) -> tuple[Tensor, Tensor]:
        if not self._is_multilabel:
            return prediction, class_labels(type(self).__name__, prediction, label)
        if prediction.shape != label.shape:
            shapes = f"prediction of shape {tuple(prediction.shape)} and label of shape {tuple(label.shape)}"
            raise ValueError(f"{type(self).__name__} got {shapes}, want equal shapes for multilabel")
        return _rows(prediction > 0.5), _rows(label)

    def _make(self, name: str, prediction: Tensor, average: str = "none", **options: Any) -> Any:
        """Return the metric of that name over classes, or over the labels of each sample."""
        if self._is_multilabel:
            return getattr(torchmetrics(), f"Binary{name}")(multidim_average="samplewise", validate_args=False)
        made = getattr(torchmetrics(), f"Multiclass{name}")
        return made(num_classes=prediction.shape[1], average=average, **options, validate_args=False)


def _rows(flags: Tensor) -> Tensor:
    """Return (N, C, ...) as one row of C flags for each sample and position."""
    return flags.long().movedim(1, -1).reshape(-1, flags.shape[1])


class Accuracy(ByClass):
    """The share of predictions that are right; for ``multilabel``, of those with every label right."""

    def eval(self) -> float:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Return the accuracy between 0 and 1. Raises RuntimeError without any ``update``."""
        return plain(self._compute())

    def _begin(self, prediction: Tensor, label: Tensor) -> Any:
        if self._is_multilabel:
            return torchmetrics().MultilabelExactMatch(num_labels=prediction.shape[1], validate_args=False)
        return self._make("Accuracy", prediction, average="micro")


class Precision(ByClass):
    __doc__ = "The share of a class's predictions that are right. " + (ByClass.__doc__ or "")

    def _begin(self, prediction: Tensor, label: Tensor) -> Any:
        return self._make("Precision", prediction)


class Recall(ByClass):
    __doc__ = "The share of a class's labels that were found. " + (ByClass.__doc__ or "")

    def _begin(self, prediction: Tensor, label: Tensor) -> Any:
        return self._make("Recall", prediction)


class Fbeta(ByClass):
    """The weighted harmonic mean of precision and recall, recall counting ``beta`` times as much; one value a class.

    Raises:
        TypeError, ValueError: ``beta`` is no number above 0.
    """

    def __init__(self, beta: float) -> None:
        super().__init__()
        self.beta = check_number("beta", beta)
        if self.beta <= 0:
            raise ValueError(f"beta is {beta}, want more than 0")

    def _begin(self, prediction: Tensor, label: Tensor) -> Any:
        return self._make("FBetaScore", prediction, beta=self.beta)


class F1(Fbeta):
    """The harmonic mean of precision and recall, one value a class."""

    def __init__(self) -> None:
        super().__init__(1.0)


class TopKCategoricalAccuracy(ByClass):
    """The share of labels among the ``k`` largest predictions. Raises TypeError, ValueError for ``k`` below 1."""

    def __init__(self, k: int) -> None:
        super().__init__()
        self.k = check_count("k", k, 1)

    def eval(self) -> float:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Return the accuracy between 0 and 1. Raises RuntimeError without any ``update``."""
        return plain(self._compute())

    def _begin(self, prediction: Tensor, label: Tensor) -> Any:
        return self._make("Accuracy", prediction, average="micro", top_k=min(self.k, prediction.shape[1]))


class Top1CategoricalAccuracy(TopKCategoricalAccuracy):
    """The share of labels that are the largest prediction."""

    def __init__(self) -> None:
        super().__init__(1)


class Top5CategoricalAccuracy(TopKCategoricalAccuracy):
    """The share of labels among the five largest predictions."""

    def __init__(self) -> None:
        super().__init__(5)
