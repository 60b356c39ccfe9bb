# SPDX-License-Identifier: Apache-2.0
"""Reading and changing the learning rate of an optimizer."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from torch import Tensor
from torch.optim import Optimizer

from mindscope.collector import tags
from mindscope.torch.callbacks.callback import Callback
from mindscope.torch.core.run_context import RunContext


def learning_rate_of(optimizer: Optimizer) -> float | None:
    """Return the learning rate of the first parameter group.

    It returns None where the optimizer has none, or computes it by itself.
    """
    return _number(optimizer.param_groups[0].get("lr"))


def initial_rate_of(optimizer: Optimizer) -> float | None:
    """Return the first learning rate of the first parameter group, as schedulers of torch note it.

    It is the present rate if no scheduler noted one.
    """
    group = optimizer.param_groups[0]
    return _number(group.get("initial_lr", group.get("lr")))


def rates_of(*optimizers: Any) -> dict[str, Any]:
    """Return the present rates: of each parameter group where there are several, named as it is or by its index."""
    groups: list[dict[str, Any]] = [
        group for optimizer in optimizers if optimizer is not None for group in optimizer.param_groups
    ]
    if len(groups) == 1:
        return {tags.LEARNING_RATE: groups[0].get("lr")}
    return {tags.group_rate(group.get("name", index)): group.get("lr") for index, group in enumerate(groups)}


def _number(rate: Any) -> float | None:
    return None if rate is None else float(rate)


def set_learning_rate(group: dict[str, Any], learning_rate: float) -> None:
    """Change the rate of a parameter group; a rate that is a tensor is changed in place, for compiled optimizers."""
    if isinstance(group["lr"], Tensor):
        group["lr"].fill_(learning_rate)
    else:
        group["lr"] = learning_rate


class LearningRateScheduler(Callback):
    """Sets the learning rate after each step to ``learning_rate_function(learning_rate, step)``, group by group.

    Raises:
        TypeError: it is no function.
    """

    def __init__(self, learning_rate_function: Callable[[float, int], float]) -> None:
        if not callable(learning_rate_function):
            kind = type(learning_rate_function).__name__
            raise TypeError(f"learning_rate_function is {kind}, want a function of learning rate and step")
        self.learning_rate_function = learning_rate_function

    def on_train_step_end(self, run_context: RunContext) -> None:
        """Set the rate of the next step."""
        params = run_context.original_args()
        for group in params["optimizer"].param_groups:
            now = float(group["lr"])
            wanted = float(self.learning_rate_function(now, params["cur_step_num"]))
            if not math.isclose(now, wanted, rel_tol=1e-10):
                set_learning_rate(group, wanted)
