# SPDX-License-Identifier: Apache-2.0
"""Lowering the learning rate when a training gets no better."""

from __future__ import annotations

from mindscope.torch.callbacks.callback import Callback
from mindscope.torch.callbacks.learning_rate import set_learning_rate
from mindscope.torch.callbacks.monitored_metric import MonitoredMetric
from mindscope.torch.core.arguments import check_count, check_flag, check_number
from mindscope.torch.core.run_context import RunContext


class ReduceLROnPlateau(Callback):
    """Multiplies the learning rate by ``factor`` once ``monitor`` did not get better for ``patience`` epochs.

    Args:
        monitor: ``loss``, or in ``Model.fit`` also ``eval_loss`` and the names of the metrics.
        factor: between 0 and 1.
        patience: epochs to wait.
        verbose: print each change.
        mode: ``min``, ``max``, or ``auto``: smaller is better for losses, errors and distances.
        min_delta: a change of at most this is none.
        cooldown: epochs after a change in which none is counted.
        min_lr: the rate never goes below.

    Raises:
        TypeError, ValueError: arguments of another type or range.
    """

    def __init__(
        self,
        monitor: str = "eval_loss",
        factor: float = 0.1,
        patience: int = 10,
        verbose: bool = False,
        mode: str = "auto",
        min_delta: float = 1e-4,
        cooldown: int = 0,
        min_lr: float = 0,
    ) -> None:
        self.watched = MonitoredMetric(monitor, mode, min_delta)
        self.factor = check_number("factor", factor)
        if not 0 < self.factor < 1:
            raise ValueError(f"factor is {factor}, want one between 0 and 1")
        self.patience = check_count("patience", patience)
        self.verbose = check_flag("verbose", verbose)
        self.cooldown = check_count("cooldown", cooldown)
        self.min_lr = check_number("min_lr", min_lr)
        self.wait = self._cooling = 0

    def on_train_begin(self, run_context: RunContext) -> None:
        """Forget the last training."""
        self.watched.begin()
        self.wait = self._cooling = 0

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Check the metric; lower the learning rate when the patience is over."""
        params = run_context.original_args()
        value = self.watched.read(params, "ReduceLROnPlateau")
        if value is None:
            return
        if self._cooling:
            self._cooling -= 1
            self.wait = 0
        if self.watched.is_better(value, self.watched.best):
            self.watched.best = value
            self.wait = 0
        elif not self._cooling:
            self.wait += 1
            if self.wait >= self.patience:
                self._lower(params["optimizer"].param_groups, params["cur_epoch_num"])
                self._cooling, self.wait = self.cooldown, 0

    def _lower(self, groups: list[dict[str, object]], epoch: int) -> None:
        for group in groups:
            now = float(group["lr"])  # pyright: ignore[reportArgumentType]
            if now > self.min_lr:
                lower = max(now * self.factor, self.min_lr)
                set_learning_rate(group, lower)
                if self.verbose:
                    print(f"Epoch {epoch:05d}: ReduceLROnPlateau reducing learning rate to {lower}.", flush=True)
