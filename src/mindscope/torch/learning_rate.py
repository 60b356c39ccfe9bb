# SPDX-License-Identifier: Apache-2.0
"""Reading and changing the learning rate of an optimizer."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from torch import Tensor
from torch.optim import Optimizer

from mindscope.torch.callback import Callback
from mindscope.torch.run_context import RunContext


def learning_rate_of(optimizer: Optimizer) -> float:
    """The learning rate of the first parameter group."""
    return float(optimizer.param_groups[0]["lr"])


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
