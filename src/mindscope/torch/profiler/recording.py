# SPDX-License-Identifier: Apache-2.0
"""A recording is the cycles of one profiler, with marks. Nothing in here raises during a training."""

from __future__ import annotations

import contextlib
import logging
import os
from collections.abc import Callable
from operator import index
from pathlib import Path
from typing import SupportsIndex

from torch import profiler
from torch.profiler import ProfilerAction

from mindscope.capture.latest_step import LATEST
from mindscope.torch.profiler.cost import Cost
from mindscope.torch.profiler.cycle import Cycle
from mindscope.torch.profiler.memory_history import MemoryHistory
from mindscope.torch.profiler.npu_cycle import NpuCycle, has_npu
from mindscope.torch.profiler.options import ProfilerOptions

_log = logging.getLogger(__name__)
_RECORDED = (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)


class ProfilingSession:
    """Follows the steps of a training, and profiles those that the schedule chooses.

    A failure of the profiler is logged, and ends the cycle; the training continues.

    Args:
        options: of the profiler.
        on_saved: called after each cycle that was written.
    """

    def __init__(self, options: ProfilerOptions, on_saved: Callable[[], object]) -> None:
        self._options, self._on_saved = options, on_saved
        self._schedule = options.schedule or _always
        self._process = os.getpid()
        self._action = ProfilerAction.NONE
        self._cycle: Cycle | NpuCycle | None = None
        self._history = MemoryHistory(options.memory_history) if options.memory_history else None
        self._mark: profiler.record_function | None = None
        self._mark_number = 0
        self._step: int | None = None  # of the run, the last that ended; None if its number is unknown
        self._latest = LATEST.step  # when it was last read
        self._is_started = False
        self.steps = 0
        """Steps that ended since the start."""
        self.recorded: list[int] = []
        """The steps that were profiled: numbers of the run, or of their marks where those are unknown."""
        self.cycles = 0
        """Cycles that were written."""
        self.files: list[Path] = []
        """Traces and histories of memory."""
        self.failures = 0
        """Number of failures of the profiler; the log has their reasons."""
        self.cost = Cost()

    def start(self, is_step: bool = True) -> None:
        """Start recording; ``is_step``: with a step of the training."""
        if self.is_running:
            _log.warning("profiler runs already; start() has no effect")
            return
        if self._process != os.getpid():
            self._process, self._cycle, self._mark = os.getpid(), None, None
        self._is_started = True
        self._latest = LATEST.step
        if self._history is not None:
            self._guarded("record the history of memory", self._history.start)
        self._enter(self._action_at(self.steps), is_step)

    def begin_run(self, step: int) -> None:
        """Begin a training, after ``step`` steps."""
        self._end_mark(is_complete=False)
        self._step = step
        self.resume()

    def step(self, step: int | None = None, is_step_next: bool = True) -> None:
        """End a step of the training.

        Args:
            step: its number in the run; if None, the latest that a recorder met.
            is_step_next: whether the next step follows at once; else ``resume`` begins it.
        """
        if not self.is_running:
            return
        number = None if step is None else _whole(step)
        self._step = self._next_step() if number is None else number
        self._end_mark(is_complete=True)
        self.cost.end_step(self._is_recording)
        self.steps += 1
        if self._action is ProfilerAction.RECORD_AND_SAVE:
            self._save()
        if self.is_running:  # on_trace_ready may have stopped it
            self._enter(self._action_at(self.steps), is_step_next)

    def pause(self) -> None:
        """Begin a pause: later work belongs to no step, such as an evaluation."""
        self._end_mark(is_complete=False)

    def resume(self) -> None:
        """Begin the next step, if it did not begin before."""
        if self.is_running and self._mark is None:
            self._begin_mark()

    def stop(self) -> bool:
        """Stop, and write what is recorded; returns False if it did not run."""
        if not self.is_running:
            return False
        self._is_started = False
        self._end_mark(is_complete=False)
        self._save(is_cut=True)
        if self._history is not None:
            self._guarded("stop the history of memory", self._history.stop)
        return True

    @property
    def is_running(self) -> bool:
        """Whether it follows the steps of this process; in the child of a fork it does not."""
        return self._is_started and os.getpid() == self._process

    @property
    def _is_recording(self) -> bool:
        return self._cycle is not None and self._cycle.is_recording

    def _next_step(self) -> int | None:
        """Number of the step that ended: recorders name it, or they named an earlier one."""
        if LATEST.step != self._latest:
            self._latest = LATEST.step
            return self._latest
        return None if self._step is None else self._step + 1

    def _action_at(self, step: int) -> ProfilerAction:
        try:
            return self._schedule(step)
        except Exception:
            _log.exception("schedule failed at step %d; nothing more is profiled", step)
            self._schedule = _never
            return ProfilerAction.NONE

    def _enter(self, action: ProfilerAction, is_step: bool) -> None:
        self._action = action
        if action is ProfilerAction.NONE:
            self._save()
        elif self._cycle is None:
            self._guarded("start", self._open)
        cycle = self._cycle
        if action in _RECORDED and cycle and not (cycle.is_recording or self._guarded("start", cycle.start)):
            self._cycle = None
        if is_step:
            self.resume()

    def _open(self) -> None:
        kind = NpuCycle if has_npu() else Cycle
        self._cycle = kind(self._options, self.cost)

    def _begin_mark(self) -> None:
        self.cost.begin_step()
        if self._is_recording:
            self._mark_number = self.steps if self._step is None else self._step + 1
            self._mark = profiler.record_function(f"ProfilerStep#{self._mark_number}")
            self._mark.__enter__()
            if self._cycle is not None:
                self._cycle.marks.count += 1

    def _end_mark(self, is_complete: bool) -> None:
        mark, self._mark = self._mark, None
        if mark is None:
            return
        with contextlib.suppress(RuntimeError):  # another profiler ended ours
            mark.__exit__(None, None, None)
        if self._cycle is not None:
            self._cycle.marks.end(self._mark_number, self._step, is_complete)
        if is_complete and self._cycle is not None:
            self.recorded.append(self._mark_number if self._step is None else self._step)

    def _save(self, is_cut: bool = False) -> None:
        """End the cycle, if there is one, and write it.

        A warm-up leaves nothing, nor does a cycle that a schedule began after the last step (``is_cut``).
        """
        cycle, self._cycle = self._cycle, None
        if cycle is None:
            return
        has_no_step = is_cut and self._options.schedule is not None and not cycle.marks.count
        has_recorded = cycle.is_recording and not has_no_step
        if self._guarded("stop", cycle.stop) and has_recorded and self._guarded("write", lambda: self._write(cycle)):
            self.cycles += 1
            self._guarded("call on_trace_ready", self._on_saved)

    def _write(self, cycle: Cycle | NpuCycle) -> None:
        self.files.append(cycle.write())
        history = self._history.save(self._options.directory) if self._history is not None else None
        if history is not None:
            self.files.append(history)

    def _guarded(self, what: str, call: Callable[[], object]) -> bool:
        """Return whether the call succeeded; a failure is logged."""
        try:
            call()
        except Exception as error:
            self.failures += 1
            _log.warning(
                "profiler can't %s: %s: %s; the training continues without it", what, type(error).__name__, error
            )
            return False
        return True


def _whole(step: SupportsIndex) -> int | None:
    """Return a step as an integer, or None if it is none.

    Programs pass numbers of NumPy and PyTorch, or texts by mistake.
    """
    try:
        found = index(step)
    except (TypeError, ValueError, RuntimeError) as error:
        _log.warning("step() got %r, want a whole number: %s; the step is counted on", step, error)
        return None
    return found if abs(found) < 1 << 63 else None


def _always(step: int) -> ProfilerAction:
    return ProfilerAction.RECORD


def _never(step: int) -> ProfilerAction:
    return ProfilerAction.NONE
