# SPDX-License-Identifier: Apache-2.0
"""Keeps recommended watchpoints quiet in healthy trainings: each guard returns the rows that may hit."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from mindscope.debug.model.damage import damaged_rows
from mindscope.debug.model.fields import Field
from mindscope.debug.watchpoints.expected_updates import would_change
from mindscope.debug.watchpoints.step_context import StepContext

Mask = NDArray[np.bool_]
Guard = Callable[[StepContext], Mask]
"""Returns for each row of a step whether it may hit. Shape (rows,)."""
_YOUNG = 10
"""Recorded steps in which a weight that began at zero may change by its whole size."""
_FAR_BELOW = 1e-6
"""A gradient vanishes only if it is this small beside the largest gradient of the step."""


def learns_nothing(context: StepContext) -> Mask:
    """Select weights, not biases, without a gradient other than zero: a zero matrix that learns is a choice."""
    return ~context.table.is_vector[context.recorded.tensor] & ~_has_gradient(context)


def is_no_beginner(context: StepContext) -> Mask:
    """Select weights, not biases, with a large update, except those that began at zero a few steps before.

    A few weights near zero may change by more than their size without harm.
    """
    tensor, state = context.recorded.tensor, context.state
    is_young = state.began_at_zero[tensor] & (state.seen[tensor] < _YOUNG)
    is_large = ~(context.recorded.column(Field.MEAN_ABS_UPDATE) < context.table.initial_size[tensor])
    return ~context.table.is_vector[tensor] & ~is_young & is_large


def is_far_below_others(context: StepContext) -> Mask:
    """Select gradients of weights that are tiny beside others of the step: near the minimum all of them are small."""
    tensor, recorded = context.recorded.tensor, context.recorded
    is_gradient = context.table.is_parameter_gradient[tensor]
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = recorded.column(Field.SUM_ABS) / recorded.column(Field.COUNT)
    largest = np.nanmax(mean[is_gradient], initial=0.0)
    return is_gradient & ~context.table.is_vector[tensor] & (mean < _FAR_BELOW * largest)


def is_spreading(context: StepContext) -> Mask:
    """Return all rows if NaN or infinity reached the loss or changed a parameter, else none.

    A mask of -inf ends in a softmax, and a scaler of mixed precision skips the steps whose gradients overflow.
    """
    return np.full(len(context.recorded.tensor), damaged_rows(context.recorded, context.table).size > 0)


def has_overflows(context: StepContext) -> Mask:
    """Return all rows if the device recorded overflows in this step; most recordings have none."""
    return np.full(len(context.recorded.tensor), bool(context.overflows))


def is_first_zero(context: StepContext) -> Mask:
    """Select outputs of forward operators in modules whose inputs are not all zero."""
    tensor, recorded, table = context.recorded.tensor, context.recorded, context.table
    is_zero = recorded.column(Field.ZERO) == recorded.column(Field.COUNT)
    zero_inputs = recorded.order[table.is_input[tensor] & table.is_float[tensor] & is_zero]
    is_output = table.is_forward_output[tensor] & table.is_float[tensor] & table.is_in_module[tensor]
    return is_output & (recorded.column(Field.COUNT) > 1) & ~np.isin(recorded.order, zero_inputs)


def is_in_module(context: StepContext) -> Mask:
    """Select operators of the network, not those of the loss."""
    return context.table.is_in_module[context.recorded.tensor]


def is_left_out(context: StepContext) -> Mask:
    """Select weights that never changed although others change and their gradient is large enough to change them.

    A bias before a normalization and the bias of a key have no effect, so that their gradients are rounding errors.
    Near the minimum, the update of a weight rounds to nothing.
    """
    tensor, recorded = context.recorded.tensor, context.recorded
    has_never_changed = ~context.state.has_changed[tensor] & (recorded.column(Field.MEAN_ABS_UPDATE) == 0)
    return has_never_changed & would_change(recorded, context.table)


def _has_gradient(context: StepContext) -> Mask:
    """Return for each parameter whether its gradient was recorded in this step and is not all zero."""
    recorded, table = context.recorded, context.table
    is_nonzero = np.zeros(len(table.gradient) + 1, np.bool_)  # the last one is that of parameters without gradient
    is_nonzero[recorded.tensor[recorded.column(Field.SUM_ABS) > 0]] = True
    return is_nonzero[table.gradient[recorded.tensor]]
