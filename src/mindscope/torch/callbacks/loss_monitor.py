# SPDX-License-Identifier: Apache-2.0
"""Printing the loss, and stopping where it is no number any more."""

from __future__ import annotations

import math

from mindscope.torch.callbacks.callback import Callback
from mindscope.torch.core.arguments import check_count
from mindscope.torch.core.loss import loss_number, step_in_epoch
from mindscope.torch.core.run_context import RunContext


class LossMonitor(Callback):
    """Prints the loss, in ``Model.fit`` also the metrics of each evaluation. A NaN or infinite loss ends the training.

    It looks at the loss of each step, so each step waits for the device.

    Args:
        per_print_times: steps between two lines; 0 prints nothing. In dataset sink mode each epoch counts its steps.

    Raises:
        TypeError, ValueError: ``per_print_times`` is no whole number of at least 0.
    """

    def __init__(self, per_print_times: int = 1) -> None:
        self._per_print_times = check_count("per_print_times", per_print_times)
        self._printed_step = 0

    def begin(self, run_context: RunContext) -> None:
        """Reset the count: each training counts its steps from 1."""
        self._printed_step = 0

    def step_end(self, run_context: RunContext) -> None:
        """Check the loss. Raises ValueError if it is NaN or infinite."""
        params = run_context.original_args()
        epoch, step = params.get("cur_epoch_num", 1), step_in_epoch(params)
        loss = loss_number(params["net_outputs"])
        if loss is not None and not math.isfinite(loss):
            raise ValueError(
                f"loss at epoch {epoch} step {step} is {loss}, want a finite number; the training ends here. Lower the "
                "learning rate, clip the gradients, or look for bad inputs"
            )
        if self._per_print_times and params["cur_step_num"] - self._printed_step >= self._per_print_times:
            self._printed_step = params["cur_step_num"]
            print(f"epoch: {epoch} step: {step}, loss is {loss}", flush=True)

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Print what the evaluation of this epoch gave, if there was one."""
        params = run_context.original_args()
        if params.get("metrics"):
            print(f"Eval result: epoch {params['cur_epoch_num']}, metrics: {params['metrics']}", flush=True)
