# SPDX-License-Identifier: Apache-2.0
"""Evaluates watchpoints over the steps in memory, in a thread of its own."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Sequence

import numpy as np

from mindscope.debug.model.fields import FIELDS
from mindscope.debug.model.step_statistics import StepStatistics
from mindscope.debug.model.tensors import DebugTensor
from mindscope.debug.watchpoints.live import LiveWatch
from mindscope.debug.watchpoints.watchpoint import Watchpoint
from mindscope.threads.interruptible_condition import InterruptibleCondition
from mindscope.torch.core.distributed import get_rank
from mindscope.torch.debugging.step_collector import CollectedStep
from mindscope.torch.debugging.tensor_table import KnownTensors

_log = logging.getLogger(__name__)
_MOST_ROWS = 1 << 19
"""Rows of steps that wait, about 70 MB; further steps are not evaluated."""


class StepWatch:
    """Takes steps on the thread of the training, and evaluates them on another one, which waits for devices.

    Args:
        watchpoints: the conditions.
        tensors: that the steps refer to.
        on_hit: called on the other thread with a step and the texts of what began to hold there.
    """

    def __init__(
        self,
        watchpoints: Sequence[Watchpoint],
        tensors: KnownTensors,
        on_hit: Callable[[int, list[str]], object],
    ) -> None:
        self._watch = LiveWatch(watchpoints, "torch")
        self._known, self._on_hit = tensors, on_hit
        self._tensors: list[DebugTensor] = []
        self._waiting: deque[CollectedStep] = deque()
        self._changed = InterruptibleCondition()
        self._is_busy = self._is_over = self._was_logged = False
        self._thread: threading.Thread | None = None
        self.left_out = 0
        """Steps that were not evaluated, because too many waited."""

    def add(self, step: CollectedStep) -> bool:
        """Have a step evaluated. Returns False if too many steps wait."""
        with self._changed:
            if sum(each.rows for each in self._waiting) + step.rows > _MOST_ROWS and self._waiting:
                self.left_out += 1
                return False
            self._waiting.append(step)
            self._changed.notify_all()
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="mindscope-watch", daemon=True)
            self._thread.start()
        return True

    @property
    def pending(self) -> int:
        """Steps that wait or are evaluated now."""
        return len(self._waiting) + self._is_busy

    def drain(self, timeout_s: float | None = None) -> bool:
        """Wait until all steps are evaluated. Returns whether they are."""
        if self._thread is None or threading.current_thread() is self._thread:
            return True
        with self._changed:
            return self._changed.wait_for(lambda: not self.pending, timeout_s)

    def stop(self) -> None:
        """End the thread; steps that wait are not evaluated."""
        with self._changed:
            self._waiting.clear()
            self._is_over = True
            self._changed.notify_all()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._is_busy = False
                self._changed.notify_all()
                self._changed.wait_for(lambda: self._waiting or self._is_over)
                if self._is_over:
                    return
                self._is_busy, step = True, self._waiting.popleft()
            self._evaluate(step)

    def _evaluate(self, step: CollectedStep) -> None:
        try:
            columns = step.fetch()
            self._tensors += self._known.tensors(len(self._tensors))
            values = np.stack([columns.statistics[field.value] for field in FIELDS], axis=1)
            recorded = StepStatistics(
                step.step, get_rank(), columns.tensor.astype(np.int32), columns.order.astype(np.int32), values,
                columns.digest,
            )  # fmt: skip
            texts = self._watch.add(self._tensors, recorded)
            if texts:
                self._on_hit(step.step, texts)
        except Exception as error:  # our own code must not end the training
            if not self._was_logged:
                self._was_logged = True
                _log.warning("debugger can't evaluate watchpoints; the training continues", exc_info=error)
