# SPDX-License-Identifier: Apache-2.0
"""Printing how long epochs take."""

from __future__ import annotations

import time

from mindscope.torch.callbacks.callback import Callback
from mindscope.torch.core.arguments import check_flag, check_optional_count
from mindscope.torch.core.run_context import RunContext


class TimeMonitor(Callback):
    """Prints the time of each epoch and its mean step, in milliseconds.

    Args:
        data_size: steps of an epoch, where the data set can't say how many it has.
        data_time: also print how long the mean step waited for its data (not in dataset sink mode).

    Raises:
        TypeError, ValueError: arguments of another type, or a ``data_size`` below 1.
    """

    def __init__(self, data_size: int | None = None, data_time: bool = False) -> None:
        self.data_size = check_optional_count("data_size", data_size, 1)
        self.data_time = check_flag("data_time", data_time)
        self._epoch_began_s = self._step_ended_s = time.perf_counter()
        self._waited_s = 0.0
        self._steps = 0

    def epoch_begin(self, run_context: RunContext) -> None:
        """Begin to measure."""
        self._epoch_began_s = self._step_ended_s = time.perf_counter()
        self._waited_s, self._steps = 0.0, 0

    def step_begin(self, run_context: RunContext) -> None:
        """Note that the data is there."""
        self._waited_s += time.perf_counter() - self._step_ended_s

    def step_end(self, run_context: RunContext) -> None:
        """Note that the wait for the next data begins."""
        self._steps += 1
        self._step_ended_s = time.perf_counter()

    def epoch_end(self, run_context: RunContext) -> None:
        """Print the times of the epoch and of its steps."""
        took_ms = (time.perf_counter() - self._epoch_began_s) * 1000
        params = run_context.original_args()
        steps = params.get("batch_num") or self.data_size or max(self._steps, 1)
        mode = params.get("mode", "train").title()
        line = f"{mode} epoch time: {took_ms:5.3f} ms, per step time: {took_ms / steps:5.3f} ms"
        if self.data_time and not params.get("dataset_sink_mode"):
            line += f", data time: {self._waited_s * 1000 / steps:5.3f} ms"
        print(line, flush=True)
