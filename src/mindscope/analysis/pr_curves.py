# SPDX-License-Identifier: Apache-2.0
"""Reads precision-recall curves from the tensors that TensorBoard writes."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mindscope.analysis.stored_values import StoredValues
from mindscope.errors import FormatError
from mindscope.reasons import Reason
from mindscope.types import Tensor

Floats = NDArray[np.float64]

NAMES = ("true_positives", "false_positives", "true_negatives", "false_negatives", "precision", "recall")
"""The rows of the tensor."""


@dataclass(frozen=True, slots=True, eq=False)
class PrCurve:
    """The precision-recall curve of a step; float64 columns of shape (thresholds,), by ascending threshold."""

    step: int
    wall_time: float
    threshold: Floats
    true_positives: Floats
    false_positives: Floats
    true_negatives: Floats
    false_negatives: Floats
    precision: Floats
    recall: Floats


def pr_curve(found: StoredValues, step: int | None = None) -> PrCurve:
    """Return the newest curve of a tag, or the last one up to ``step``, else the first.

    Raises IndexError without any value, FormatError if the value is not a PR curve.
    """
    references = found.references
    if len(references) == 0:
        raise IndexError(f"PR curve {found.tag!r} of run {found.run!r} has no values")
    row = rows_at(references.step, step)[0]
    rows = pr_rows(found.read(references, row))
    columns = dict(zip(NAMES, rows, strict=True))
    return PrCurve(int(references.step[row]), float(references.wall_time[row]), thresholds(rows.shape[1]), **columns)


def pr_rows(tensor: Tensor) -> Floats:
    """Return the rows ``NAMES`` of a PR curve, shape (6, thresholds).

    Raises FormatError if the tensor does not have six rows of numbers.
    """
    rows = tensor.value
    if rows.ndim != 2 or rows.shape[0] != len(NAMES) or rows.dtype.kind not in "biuf":
        raise FormatError(Reason("not_a_pr_curve", dtype=str(rows.dtype), shape=str(rows.shape), rows=len(NAMES)))
    return rows.astype(np.float64)


def thresholds(count: int) -> Floats:
    """Return ``count`` evenly spaced thresholds from 0 to 1, as TensorBoard uses them."""
    return np.arange(count) / max(1, count - 1)


def rows_at(steps: NDArray[np.int64], step: int | None) -> range:
    """Return the row of the last step up to ``step``, or of the first step; without ``step`` the newest.

    ``steps`` ascend.
    """
    if steps.size == 0:
        return range(0)
    row = steps.size - 1 if step is None else max(0, bisect_right(steps.tolist(), step) - 1)
    return range(row, row + 1)
