# SPDX-License-Identifier: Apache-2.0
"""Predicts which parameters the optimizer changes in a step, by their gradients and the updates of the others."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mindscope.debug.model.fields import Field
from mindscope.debug.model.step_statistics import StepStatistics
from mindscope.debug.model.tensor_table import TensorTable

_NOISE = 8
"""Rounding errors of a gradient beside the usual gradient of the step, in units of the precision of its dtype."""


def would_change(recorded: StepStatistics, table: TensorTable) -> NDArray[np.bool_]:
    """Return for each row whether it is a parameter that an optimizer which has it would change. Shape (rows,).

    The least ratio of update to gradient of the parameters that change is the rate of all. At this rate, the largest
    element of the gradient moves any float32 element of the parameter. A float16 or bfloat16 counts as a float32: it
    does not learn if its updates round to nothing. False in a step in which nothing changes.
    """
    row_of = np.full(len(table.gradient) + 1, -1)  # the last one is that of parameters without gradient
    row_of[recorded.tensor] = np.arange(len(recorded.tensor))
    rows = np.flatnonzero(row_of[table.gradient[recorded.tensor]] >= 0)
    gradients = row_of[table.gradient[recorded.tensor[rows]]]
    update = recorded.column(Field.MEAN_ABS_UPDATE)
    found = np.zeros(len(recorded.tensor), np.bool_)
    if np.any(update > 0):
        sizes = recorded.column(Field.SUM_ABS)[gradients]
        rate = _least_rate(update[rows] * recorded.column(Field.COUNT)[rows], sizes)
        is_real = _is_beyond_noise(recorded, table, gradients)
        with np.errstate(invalid="ignore", over="ignore"):
            is_moved = rate * _largest(recorded, gradients) > _precision(table, recorded.tensor[rows]) * _largest(
                recorded, rows
            )
        found[rows] = (sizes > 0) & is_real & is_moved
    return found


def _least_rate(updates: NDArray[np.float64], gradients: NDArray[np.float64]) -> float:
    """Return the least rate from sums of magnitudes; infinite if no parameter that changes has a gradient."""
    is_learning = (updates > 0) & (gradients > 0)
    return float(np.min(updates[is_learning] / gradients[is_learning], initial=np.inf))


def _is_beyond_noise(recorded: StepStatistics, table: TensorTable, rows: NDArray[np.intp]) -> NDArray[np.bool_]:
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = recorded.column(Field.SUM_ABS)[rows] / recorded.column(Field.COUNT)[rows]
    usual = np.median(mean[mean > 0]) if np.any(mean > 0) else 0.0
    return mean > _NOISE * table.precision[recorded.tensor[rows]] * usual


def _largest(recorded: StepStatistics, rows: NDArray[np.intp]) -> NDArray[np.float64]:
    return np.fmax(np.abs(recorded.column(Field.MIN)[rows]), np.abs(recorded.column(Field.MAX)[rows]))


def _precision(table: TensorTable, tensors: NDArray[np.int32]) -> NDArray[np.float64]:
    """Return the precision of each tensor, at most that of float32."""
    return np.minimum(table.precision[tensors], np.finfo(np.float32).eps)
