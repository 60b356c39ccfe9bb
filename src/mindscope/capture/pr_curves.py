# SPDX-License-Identifier: Apache-2.0
"""Curves of precision over recall, computed from labels and predictions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from mindscope.capture.array_conversion import Array, to_array
from mindscope.errors import ValueRejectedError
from mindscope.formats.kinds.tensor_plugins import pr_curve_to_tensorboard
from mindscope.formats.tensorboard_values import value_field

MAX_THRESHOLDS = 127
_SMALLEST_COUNT = 1e-7
_FIELDS = {"labels", "predictions", "weights", "num_thresholds"}


class CurveInput:
    """Copies of labels and predictions, from which ``encode`` computes the curve."""

    def __init__(self, labels: Any, predictions: Any, num_thresholds: int, weights: Any) -> None:
        self._labels = _flat("labels", labels)
        self._predictions = _flat("predictions", predictions)
        self._weights = np.ones(1) if weights is None else _flat("weights", weights)
        self._thresholds = check_thresholds(num_thresholds)
        if self._labels.size != self._predictions.size or self._weights.size not in (1, self._labels.size):
            raise ValueRejectedError(
                f"pr_curve has {self._labels.size} labels and {self._predictions.size} predictions"
                f"{'' if weights is None else f' and {self._weights.size} weights'}, want as many of each"
            )
        if self._labels.size == 0:
            raise ValueRejectedError("pr_curve has no labels, want at least one")
        if not bool(((self._predictions >= 0) & (self._predictions <= 1)).all()):
            raise ValueRejectedError("predictions of a pr_curve have values outside 0 to 1, want probabilities")

    @property
    def nbytes(self) -> int:
        """Size of the copies in bytes."""
        return self._labels.nbytes + self._predictions.nbytes + self._weights.nbytes

    def encode(self, tag: str) -> bytes:
        """Return the ``Summary.value`` field."""
        last = self._thresholds - 1
        buckets = np.floor(self._predictions * last).astype(np.int32)
        labels = self._labels.astype(np.float64)
        hits, misses = (
            np.histogram(buckets, self._thresholds, (0, last), weights=share * self._weights)[0]
            for share in (labels, 1.0 - labels)
        )
        return curve_field(tag, *_rows(hits, misses), self._thresholds)


def _rows(hits: NDArray[Any], misses: NDArray[Any]) -> tuple[NDArray[Any], ...]:
    """Return counts at each threshold, precision and recall, from the labels in each bucket of predictions."""
    true_positives, false_positives = np.cumsum(hits[::-1])[::-1], np.cumsum(misses[::-1])[::-1]
    true_negatives, false_negatives = false_positives[0] - false_positives, true_positives[0] - true_positives
    precision = true_positives / np.maximum(_SMALLEST_COUNT, true_positives + false_positives)
    recall = true_positives / np.maximum(_SMALLEST_COUNT, true_positives + false_negatives)
    return true_positives, false_positives, true_negatives, false_negatives, precision, recall


def curve_field(tag: str, *rows_and_thresholds: Any) -> bytes:
    """Return the ``Summary.value`` field of six rows: TP, FP, TN, FN, precision, recall; then the number of thresholds.

    Raises ValueRejectedError for rows of different lengths.
    """
    *rows, thresholds = rows_and_thresholds
    arrays = [_flat("a row", row).astype(np.float32) for row in rows]
    if len({array.size for array in arrays}) != 1:
        raise ValueRejectedError(f"rows of a pr_curve have {[array.size for array in arrays]} numbers, want as many")
    return value_field(pr_curve_to_tensorboard(tag, np.stack(arrays), check_thresholds(thresholds)))


def check_thresholds(number: Any) -> int:
    """Return the number of thresholds, at most 127. Raises ValueRejectedError."""
    if not hasattr(number, "__index__") or int(number) < 2:
        raise ValueRejectedError(f"num_thresholds is {number!r}, want 2 to {MAX_THRESHOLDS}")
    return min(int(number), MAX_THRESHOLDS)


def _flat(name: str, value: Any) -> Array:
    array = to_array(value).reshape(-1)
    if array.dtype.kind not in "biuf":
        return array.astype(np.float32)
    return array


def curve_input(value: Any) -> CurveInput:
    """Return the input in ``{"labels": ..., "predictions": ...}``, perhaps with ``weights`` and ``num_thresholds``."""
    given: Mapping[str, Any] = cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}
    if not {"labels", "predictions"} <= set(given) <= _FIELDS:
        raise ValueRejectedError(
            'pr_curve is no {"labels": array of 0 and 1, "predictions": array of probabilities}, perhaps with '
            '"weights" and "num_thresholds"'
        )
    thresholds = given.get("num_thresholds", MAX_THRESHOLDS)
    return CurveInput(given["labels"], given["predictions"], thresholds, given.get("weights"))
