# SPDX-License-Identifier: Apache-2.0
"""Ending a training that gets no better."""

from __future__ import annotations

import copy
from typing import Any

from mindscope.torch.callbacks.callback import Callback
from mindscope.torch.callbacks.monitored_metric import MonitoredMetric
from mindscope.torch.core.arguments import check_count, check_flag, check_number
from mindscope.torch.core.run_context import RunContext


class EarlyStopping(Callback):
    """Ends the training once ``monitor`` did not get better for ``patience`` epochs.

    Args:
        monitor: ``loss``, or in ``Model.fit`` also ``eval_loss`` and the names of the metrics.
        min_delta: a change of at most this is none.
        patience: epochs to wait.
        verbose: print the epoch at which it ended.
        mode: ``min``, ``max``, or ``auto``: smaller is better for losses, errors and distances.
        baseline: a value that must be beaten too, for an epoch to count as better.
        restore_best_weights: give the network back the weights of the best epoch when the training is ended.

    Raises:
        TypeError, ValueError: arguments of another type, or another mode.
    """

    def __init__(
        self,
        monitor: str = "eval_loss",
        min_delta: float = 0,
        patience: int = 0,
        verbose: bool = False,
        mode: str = "auto",
        baseline: float | None = None,
        restore_best_weights: bool = False,
    ) -> None:
        self.watched = MonitoredMetric(monitor, mode, min_delta)
        self.patience = check_count("patience", patience)
        self.verbose = check_flag("verbose", verbose)
        self.baseline = None if baseline is None else check_number("baseline", baseline)
        self.restore_best_weights = check_flag("restore_best_weights", restore_best_weights)
        self.wait = 0
        self.stopped_epoch = 0
        self._best_weights: dict[str, Any] | None = None

    def on_train_begin(self, run_context: RunContext) -> None:
        """Forget the last training."""
        self.watched.begin()
        self.wait = self.stopped_epoch = 0
        self._best_weights = None

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Check the metric; request a stop when the patience is over."""
        params = run_context.original_args()
        value = self.watched.read(params, "EarlyStopping")
        if value is None:
            return
        self.wait += 1
        is_best = self.watched.is_better(value, self.watched.best)
        if self.restore_best_weights and (is_best or self._best_weights is None):
            self._best_weights = copy.deepcopy(params["train_network"].state_dict())
        if is_best:
            self.watched.best = value
            if self.baseline is None or self.watched.is_better(value, self.baseline):
                self.wait = 0
        if self.wait >= max(self.patience, 1):  # an epoch that got better never ends it
            self._stop(run_context)

    def _stop(self, run_context: RunContext) -> None:
        params = run_context.original_args()
        self.stopped_epoch = params["cur_epoch_num"]
        run_context.request_stop()
        if self._best_weights is not None:
            params["train_network"].load_state_dict(self._best_weights)

    def on_train_end(self, run_context: RunContext) -> None:
        """Say where it ended."""
        if self.verbose and self.stopped_epoch:
            print(f"Epoch {self.stopped_epoch:05d}: early stopping", flush=True)
