# SPDX-License-Identifier: Apache-2.0
"""Rates out of the four counts of a confusion matrix. They need no engine: each is one quotient."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.torch.core.arguments import check_choice, check_flag, check_text
from mindscope.torch.metrics.metric import Metric

Array = NDArray[np.float64]
DECREASES = ("none", "mean", "sum", "mean_batch", "sum_batch", "mean_channel", "sum_channel")


@dataclass(frozen=True, slots=True)
class Counts:
    """The counts of each sample and class, or of all: how often both, one, or none of prediction and label is 1."""

    tp: Array
    fp: Array
    tn: Array
    fn: Array

    @property
    def recall(self) -> Array:
        """True positives among the labels of 1."""
        return _share(self.tp, self.tp + self.fn)

    @property
    def selectivity(self) -> Array:
        """True negatives among the labels of 0."""
        return _share(self.tn, self.tn + self.fp)

    @property
    def precision(self) -> Array:
        """True positives among the predictions of 1."""
        return _share(self.tp, self.tp + self.fp)

    @property
    def negative_precision(self) -> Array:
        """True negatives among the predictions of 0."""
        return _share(self.tn, self.tn + self.fn)


def _share(part: Array, whole: Array) -> Array:
    """Return the share, or NaN where the whole is 0."""
    return np.divide(part, whole, out=np.full(np.shape(whole), np.nan), where=whole != 0)


def _correlation(counts: Counts) -> Array:
    tp, fp, tn, fn = counts.tp, counts.fp, counts.tn, counts.fn
    return _share(tp * tn - fp * fn, np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)))


def _prevalence_threshold(counts: Counts) -> Array:
    found, left = counts.recall, counts.selectivity
    return _share(np.sqrt(found * (1 - left)) + left - 1, found + left - 1)


_RATES: dict[str, Callable[[Counts], Array]] = {
    "tpr sensitivity recall hit_rate true_positive_rate": lambda counts: counts.recall,
    "tnr specificity selectivity true_negative_rate": lambda counts: counts.selectivity,
    "ppv precision positive_predictive_value": lambda counts: counts.precision,
    "npv negative_predictive_value": lambda counts: counts.negative_precision,
    "fnr miss_rate false_negative_rate": lambda counts: 1 - counts.recall,
    "fpr fall_out false_positive_rate": lambda counts: 1 - counts.selectivity,
    "fdr false_discovery_rate": lambda counts: 1 - counts.precision,
    "for false_omission_rate": lambda counts: 1 - counts.negative_precision,
    "pt prevalence_threshold": _prevalence_threshold,
    "ts threat_score critical_success_index csi": lambda counts: _share(counts.tp, counts.tp + counts.fn + counts.fp),
    "acc accuracy": lambda counts: _share(counts.tp + counts.tn, counts.tp + counts.tn + counts.fp + counts.fn),
    "ba balanced_accuracy": lambda counts: (counts.recall + counts.selectivity) / 2,
    "f1 f1_score": lambda counts: _share(2 * counts.tp, 2 * counts.tp + counts.fn + counts.fp),
    "mcc matthews_correlation_coefficient": _correlation,
    "fm fowlkes_mallows_index": lambda counts: np.sqrt(counts.precision * counts.recall),
    "bm informedness bookmaker_informedness": lambda counts: counts.recall + counts.selectivity - 1,
    "mk markedness deltap": lambda counts: counts.precision + counts.negative_precision - 1,
}
RATES = {name: rate for names, rate in _RATES.items() for name in names.split()}
"""The rates by all of their names."""


class ConfusionMatrixMetric(Metric):
    """One rate out of the confusion matrix of one-hot predictions and labels, (N, C, ...).

    Args:
        skip_channel: leave the first class out, which is the background.
        metric_name: ``sensitivity``, ``specificity``, ``precision``, ``f1 score``, ... or one of their other names.
        calculation_method: a rate for each sample and class, reduced by ``decrease``; else one rate for all together,
            which is also what (N, C) and (N, C, 1) get.
        decrease: ``mean`` or ``sum`` over all, ``..._batch`` over the samples, ``..._channel`` over the classes, or
            ``none``. Classes for which there is no rate don't count.

    Raises:
        TypeError, ValueError: arguments of another type or value.
    """

    def __init__(
        self,
        skip_channel: bool = True,
        metric_name: str = "sensitivity",
        calculation_method: bool = False,
        decrease: str = "mean",
    ) -> None:
        self.skip_channel = check_flag("skip_channel", skip_channel)
        self.metric_name = check_text("metric_name", metric_name)
        self._rate = RATES[check_choice("metric_name", metric_name.lower().replace(" ", "_"), tuple(RATES))]
        self.calculation_method = check_flag("calculation_method", calculation_method)
        self.decrease = check_choice("decrease", decrease, DECREASES)
        self.clear()

    def clear(self) -> None:
        """Forget all batches."""
        self._counts: list[Array] = []  # of shape (4, N, C)
        self._is_single = not self.calculation_method

    def update(self, *inputs: Any) -> None:
        """Take prediction and label, both of 0 and 1. Raises ValueError for other values or different shapes."""
        if len(inputs) != 2:
            raise ValueError(f"ConfusionMatrixMetric.update got {len(inputs)} inputs, want 2: prediction and label")
        prediction, label = (np.asarray(self._convert_data(each), np.float64) for each in inputs)
        if prediction.shape != label.shape or prediction.ndim < 2:
            shapes = f"prediction of shape {prediction.shape} and label of shape {label.shape}"
            raise ValueError(f"ConfusionMatrixMetric got {shapes}, want both (N, C, ...)")
        if not np.isin(label, (0, 1)).all() or not np.isin(prediction, (0, 1)).all():
            raise ValueError("ConfusionMatrixMetric got values beside 0 and 1, want one-hot predictions and labels")
        if prediction.ndim == 2 or (prediction.ndim == 3 and prediction.shape[-1] == 1):
            self._is_single = True
        first = 1 if self.skip_channel and label.shape[1] > 1 else 0
        one, other = (each[:, first:].reshape(len(each), each.shape[1] - first, -1) for each in (prediction, label))
        pairs = one * other, one * (1 - other), (1 - one) * (1 - other), (1 - one) * other
        self._counts.append(np.stack([pair.sum(2) for pair in pairs]))

    def eval(self) -> Any:
        """Return an array, of shape (1,) for one rate for all, else as ``decrease`` says.

        Raises RuntimeError without data.
        """
        if not self._counts:
            raise RuntimeError("ConfusionMatrixMetric.eval() came before any update(), want at least one batch")
        counts = np.concatenate(self._counts, axis=1)
        if self._is_single:
            return self._rate(Counts(*counts.sum((1, 2))[:, None]))
        return _decrease(self._rate(Counts(*counts)), self.decrease)


def _decrease(rates: Array, how: str) -> Array:
    """Reduce rates of shape (N, C) by ``how``. NaN counts as 0, and stays NaN where nothing else is."""
    known = ~np.isnan(rates)
    values = np.where(known, rates, 0.0)
    if how == "mean":
        by_sample = _decrease(rates, "mean_channel")[known.any(1)]
        return by_sample.sum() / max(len(by_sample), 1)
    if how == "none":
        return rates
    if how == "sum":
        return values.sum()
    axis = 0 if how.endswith("batch") else 1
    total = values.sum(axis)
    return total if how.startswith("sum") else total / np.maximum(known.sum(axis), 1)
