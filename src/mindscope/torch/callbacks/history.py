# SPDX-License-Identifier: Apache-2.0
"""Keeping what each epoch gave."""

from __future__ import annotations

from typing import Any

from mindscope.torch.callbacks.callback import Callback
from mindscope.torch.core.loss import loss_number
from mindscope.torch.core.run_context import RunContext


class History(Callback):
    """Keeps the loss and the metrics of each epoch.

    ``epoch["epoch"]`` lists the epochs; ``history`` lists by name what each gave: ``net_output`` is the loss of the
    last step, the metrics of ``Model.fit`` have their names.
    """

    def __init__(self) -> None:
        self.history: dict[str, list[Any]] = {}
        self.epoch: dict[str, list[int]] = {"epoch": []}

    def begin(self, run_context: RunContext) -> None:
        """Forget the epochs of the last training."""
        if run_context.original_args()["mode"] == "train":
            self.epoch = {"epoch": []}

    def epoch_end(self, run_context: RunContext) -> None:
        """Keep the metrics of this epoch."""
        params = run_context.original_args()
        if params["mode"] != "train":
            return
        self.epoch["epoch"].append(params["cur_epoch_num"])
        gave: dict[str, Any] = {"net_output": loss_number(params["net_outputs"])} | (params.get("metrics") or {})
        for name, value in gave.items():
            self.history.setdefault(name, []).append(value)
