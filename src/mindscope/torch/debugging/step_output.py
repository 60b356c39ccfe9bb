# SPDX-License-Identifier: Apache-2.0
"""Writes the steps that a debugger collected into the run: each at once, or the last few when the training fails."""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from mindscope.capture import exit_hooks
from mindscope.capture.record import SummaryRecord
from mindscope.capture.tensor_statistics import StepRows, TensorTable
from mindscope.debug.watchpoints.watchpoint import Watchpoint
from mindscope.formats.tensor_statistics import steps_tag, tensors_tag
from mindscope.torch.core import distributed
from mindscope.torch.debugging.step_collector import CollectedStep
from mindscope.torch.debugging.step_watch import StepWatch
from mindscope.torch.debugging.tensor_table import KnownTensors

_log = logging.getLogger(__name__)
_BYTES_OF_A_ROW = 150
_MOST_SECONDS = 60
SUFFIX = "_DEBUG"
"""End of the names of the files."""


class StepOutput:
    """The files of a debugger. ``flush`` and ``close`` are for the end of the process.

    Args:
        directory: of the run. With the first step that is written, a file is created in it, or in that of this rank:
            by then the processes have met.
        tensors: that steps refer to.
        facts: called when descriptions are written.
        ring: how many steps stay in memory until ``write_ring``; 0 writes each step at once.
        watchpoints: those of a ring, which a hit writes, and half as many steps after it.
        queue_timeout: of the recorder.
    """

    def __init__(
        self,
        directory: Path,
        tensors: KnownTensors,
        facts: Callable[[], Mapping[str, Any]],
        ring: int,
        watchpoints: Sequence[Watchpoint],
        queue_timeout: float | None,
    ) -> None:
        self._directory, self._tensors, self._facts = directory, tensors, facts
        self._queue_timeout = queue_timeout
        self._record: SummaryRecord | None = None  # until the first step is written
        self._rank = 0  # as the record has it
        self._lock = threading.RLock()  # a signal may come while a step is written
        self._size = ring
        self._ring: deque[CollectedStep] | None = deque() if ring else None
        self._unchecked: deque[CollectedStep] = deque(maxlen=max(ring, 1))  # their losses
        self._was_finite = True
        self._watch = StepWatch(watchpoints, tensors, self._hit) if ring and watchpoints else None
        self._following = 0  # steps after a hit that are written at once
        self.written = 0
        """Number of written steps."""
        if ring:
            exit_hooks.close_at_exit(self)

    def add(self, step: CollectedStep) -> None:
        """Add a step that is over."""
        with self._lock:
            if self._ring is None or self._following:
                self._following = max(0, self._following - 1)
                self._write(step)
            else:
                self._ring.append(step)
                self._unchecked.append(step)
            if self._watch is not None:
                self._watch.add(step)
            self._check_losses()
            self._drop()

    def _drop(self) -> None:
        """Drop steps before the last ones, but none that still waits for its watchpoints and those before it."""
        if self._ring is not None:
            kept = self._size + (0 if self._watch is None else self._watch.pending)
            while len(self._ring) > kept:
                self._ring.popleft()

    def _hit(self, step: int, texts: list[str]) -> None:
        """Write the steps up to the one of a hit, and those after it, of which some are there already."""
        more = f" and {len(texts) - 1} more" if len(texts) > 1 else ""
        with self._lock:
            ring = self._ring or deque()
            until = sum(each.step <= step for each in ring)
            for _ in range(until - self._size):
                ring.popleft()
            later = len(ring) - min(until, self._size)
            come = 0 if self._watch is None else self._watch.pending - 1  # those before the ring were written at once
            missing = max(0, self._size // 2 - (come - later))
            self._write_first(len(ring) - later + min(later, missing), f"{texts[0]}{more}")
            self._following = max(self._following, missing - later, 0)

    def _check_losses(self) -> None:
        """Write the ring when a loss is no longer finite; looks only at losses that are on this machine by now."""
        while self._unchecked and self._unchecked[0].is_ready():
            step = self._unchecked.popleft()
            is_finite = step.loss()
            if is_finite is False and self._was_finite:
                self.write_ring(f"the loss of step {step.step} is not finite")
            self._was_finite = is_finite is not False

    def write_ring(self, why: str) -> None:
        """Write the last steps; those before them, which wait for their watchpoints, are dropped."""
        with self._lock:
            while self._ring and len(self._ring) > self._size:
                self._ring.popleft()
            self._write_first(self._size, why)

    def _write_first(self, count: int, why: str) -> None:
        """Write the first steps of the ring."""
        count = min(count, len(self._ring or ()))
        if not self._ring or not count:
            return
        _log.warning("debugger writes %d steps of its ring: %s", count, why)
        for _ in range(count):
            self._write(self._ring.popleft())

    def _write(self, step: CollectedStep) -> None:
        record = self._opened()
        self._write_tables()
        size = _BYTES_OF_A_ROW * step.rows
        rows = StepRows(self._tensors.number, self._rank, size, step.fetch)
        record.add_value("tensor_statistics", steps_tag(self._rank), rows)
        record.record(step.step)
        self.written += 1

    def _opened(self) -> SummaryRecord:
        if self._record is None:
            self._rank = distributed.get_rank()
            directory = distributed.own_directory(self._directory)
            self._record = SummaryRecord(directory, file_suffix=SUFFIX, queue_timeout=self._queue_timeout)
        return self._record

    def _write_tables(self) -> None:
        for table in self._tensors.take_unwritten(self._rank, self._facts()):
            self._write_table(table)

    def _write_table(self, table: TensorTable) -> None:
        record = self._opened()
        record.add_value("tensor_statistics", tensors_tag(self._rank), table)
        record.record(table.first_tensor)

    def flush(self, timeout_s: float | None = None) -> bool:
        """Write the ring before the process ends, for at most ``timeout_s`` seconds."""
        self.write_ring("the process is terminated")
        if self._record is not None:
            self._record.flush()
        return True

    def end(self) -> None:
        """Drop the ring, and close the files: the training ended as it should."""
        self._drain()
        with self._lock:
            if self._ring is not None:
                self._ring.clear()
            if self.written:
                self._write_table(TensorTable(self._tensors.number, self._rank, 0, (), dict(self._facts())))
        self.close()

    def _drain(self) -> None:
        """Wait for the watchpoints of all steps, for at most a minute."""
        if self._watch is not None:
            self._watch.drain(_MOST_SECONDS)
            if self._watch.left_out:
                _log.warning("debugger evaluated no watchpoints in %d steps: too many waited", self._watch.left_out)
            self._watch.stop()
            self._watch = None

    def close(self) -> None:
        """Write the ring, and close the files. Idempotent."""
        self.write_ring("the process ends before the training did")
        exit_hooks.forget(self)
        if self._record is not None:
            self._record.close()
