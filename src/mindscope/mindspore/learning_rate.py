# SPDX-License-Identifier: Apache-2.0
"""The learning rates of an optimizer of MindSpore: fixed ones, lists of one a step, and schedules that are computed."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from mindspore import Parameter, Tensor, dtype, nn

from mindscope.capture.array_conversion import to_array
from mindscope.collector import tags


def initial_rate_of(optimizer: nn.Optimizer) -> float | None:
    """Return the rate of the first parameters: of a schedule the first one, else the present one.

    None where it has none.
    """
    return next((_value(rate, 0) for rate in _distinct(optimizer)), None)


def rates_of(optimizer: nn.Optimizer) -> dict[str, float]:
    """Return the rates with which the optimizer made its last step: by group where groups have rates of their own."""
    rates = _distinct(optimizer)
    if len(rates) == 1:
        return {tags.LEARNING_RATE: _value(rates[0], _last_step(optimizer))}
    step = _last_step(optimizer)
    return {tags.group_rate(index): _value(rate, step) for index, rate in enumerate(rates)}


def _distinct(optimizer: nn.Optimizer) -> list[Any]:
    """Return the distinct rates. The optimizer has a rate for each parameter; those of a group are one object."""
    rate: Any = getattr(optimizer, "learning_rate", None)
    if rate is None:
        return []
    rates = list(cast("list[Any]", rate)) if isinstance(rate, (list, tuple, nn.CellList)) else [rate]
    return list({id(each): each for each in rates}.values())


def _last_step(optimizer: Any) -> int:
    """Return the last step, counted from 0 as schedules count."""
    return max(0, int(to_array(optimizer.global_step)[0]) - 1) if optimizer.dynamic_lr else 0


def _value(rate: Any, step: int) -> float:
    """Return a rate at a step. MindSpore keeps fixed ones as a parameter, and lists as a cell around one."""
    values = rate if isinstance(rate, Parameter) else getattr(rate, "learning_rate", None)
    if isinstance(values, Parameter):
        listed = to_array(values).reshape(-1)
        return _plain(listed[min(step, len(listed) - 1)])
    return _plain(to_array(rate(Tensor([step], dtype.int32))).reshape(-1)[0])


def _plain(number: Any) -> float:
    """Return a number as its author wrote it: 0.1, not 0.10000000149011612."""
    return float(str(np.float32(number)))
