# SPDX-License-Identifier: Apache-2.0
"""Whether NaN and infinity damage a training: they reach its loss, its gradients or its parameters."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mindscope.debug.model.fields import COLUMN, Field
from mindscope.debug.model.step_statistics import StepStatistics
from mindscope.debug.model.tensor_table import TensorTable

_NON_FINITE = [COLUMN[each] for each in (Field.NAN, Field.POSITIVE_INF, Field.NEGATIVE_INF)]


def non_finite_counts(recorded: StepStatistics) -> NDArray[np.float64]:
    """Return NaN and infinities of each row, 0 where they were not recorded. Shape (rows,)."""
    return np.nansum(recorded.values[:, _NON_FINITE], axis=1)


def non_finite_kinds(recorded: StepStatistics) -> NDArray[np.int64]:
    """Return for each row the sum of 1 for NaN, 2 for infinity, and 4 for -infinity. Shape (rows,)."""
    return (recorded.values[:, _NON_FINITE] > 0).astype(np.int64) @ np.array([1, 2, 4])


def damaged_rows(recorded: StepStatistics, table: TensorTable) -> NDArray[np.int64]:
    """Return the rows where NaN or infinity does harm: those of the loss, else of gradients and parameters.

    It is empty for none.

    The loss is the last output of the forward pass. Gradients that overflow do no harm if no parameter changes: a
    scaler of mixed precision skips such a step. Where updates are recorded, one that is not known is none. A parameter
    that was the same before the step, as a frozen mask, does no harm itself: where its users do, they are damaged.
    """
    is_bad = non_finite_counts(recorded) > 0
    if not is_bad.any():
        return np.zeros(0, np.int64)
    tensor = recorded.tensor
    outputs = np.flatnonzero(table.is_forward_output[tensor] & table.is_float[tensor])
    if outputs.size:
        last = outputs[recorded.order[outputs] == recorded.order[outputs].max()]
        if is_bad[last].any():
            return last[is_bad[last]]
    is_parameter = table.is_parameter[tensor]
    update = recorded.column(Field.MEAN_ABS_UPDATE)
    is_skipped = table.has_updates and is_parameter.any() and not np.any(update[is_parameter] > 0)
    if table.has_updates:
        is_before = is_parameter & table.is_in_forward[tensor] & np.isnan(update)
        is_parameter &= ~np.isin(recorded.digest, recorded.digest[is_before])
    is_harmed = is_parameter if is_skipped else is_parameter | table.is_parameter_gradient[tensor]
    return np.flatnonzero(is_bad & is_harmed)
