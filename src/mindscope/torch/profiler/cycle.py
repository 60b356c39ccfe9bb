# SPDX-License-Identifier: Apache-2.0
"""A cycle of a schedule is warm-up, recorded steps and a trace file."""

from __future__ import annotations

import json
import re
import warnings
from pathlib import Path

from torch import profiler

from mindscope.torch.core import distributed
from mindscope.torch.profiler.cost import Cost
from mindscope.torch.profiler.options import ProfilerOptions
from mindscope.torch.profiler.sessions import SESSIONS, is_recording_thread
from mindscope.torch.profiler.trace_files import write_trace

METADATA = "mindscope"
"""Field of the trace file with facts about the training."""
_UNSAFE = re.compile(r"[^\w.:/ -]")


class Cycle:
    """Drives ``torch.profiler`` through one cycle.

    Raises:
        RuntimeError: another profiler of PyTorch runs in this process.
    """

    def __init__(self, options: ProfilerOptions, cost: Cost) -> None:
        self._options, self._cost = options, cost
        self._profile = profiler.profile(
            activities=options.activities,
            record_shapes=options.record_shapes,
            profile_memory=options.profile_memory,
            with_stack=options.with_stack,
            with_modules=options.with_modules or options.with_stack,
            with_flops=options.with_flops,
        )
        self.is_recording = False
        self.marks = StepMarks()
        self._session = 0
        self._prepare()

    def start(self) -> None:
        """End the warm-up."""
        if self._is_over:  # another profiler ran during the warm-up
            self._prepare()
        with self._cost.measured("starting"):
            self._profile.start_trace()
        self.is_recording = True

    def stop(self) -> None:
        """Stop to record. Raises RuntimeError if another profiler ended it, or another thread started it."""
        if self._is_over:
            if self.is_recording:
                raise RuntimeError("another profiler of PyTorch ran within it and ended it")
            return
        if not self.is_recording:  # a warm-up can only be ended by recording
            self._profile.start_trace()
        self.is_recording = False
        has_trace = is_recording_thread()
        with self._cost.measured("stopping"):
            try:
                self._profile.add_metadata_json(METADATA, facts_text(self._options, self._cost, self.marks))
            finally:
                self._profile.stop_trace()  # without a trace too, so that a later cycle can start
        if not has_trace:  # PyTorch would crash when it writes that
            raise RuntimeError("another thread started it, and PyTorch lets only that one stop it")

    @property
    def _is_over(self) -> bool:
        return self._session != SESSIONS.count

    def _prepare(self) -> None:
        if SESSIONS.is_profiling:
            raise RuntimeError("another profiler of PyTorch runs in this process; stop it first")
        with self._cost.measured("starting"), warnings.catch_warnings():
            # up to torch 2.11 the first cycle warns that a later one would drop its events; each has a profile here
            warnings.filterwarnings("ignore", "Warning: Profiler clears events")
            self._profile.prepare_trace()
        self._session = SESSIONS.count

    def write(self) -> Path:
        """Write the trace. Raises OSError if that fails."""
        with self._cost.measured("writing"):
            return write_trace(self._options.directory, self._profile.export_chrome_trace, self._options.use_gzip)


class StepMarks:
    """The marks of steps in a cycle."""

    def __init__(self) -> None:
        self.steps: list[tuple[int, int | None]] = []
        """Number of each mark whose step ended, and the step of the run; None if unknown."""
        self.count = 0
        """Number of marks that began."""
        self.cut: list[int] = []
        """Indexes from 0 of the marks whose step did not end."""

    def end(self, number: int, step: int | None, is_complete: bool) -> None:
        """End the latest mark."""
        if is_complete:
            self.steps.append((number, step))
        else:
            self.cut.append(self.count - 1)


def facts_text(options: ProfilerOptions, cost: Cost, marks: StepMarks) -> str:
    """Return JSON for the metadata of a trace.

    Only numbers and plain text: ``torch.profiler`` loses backslashes of JSON.
    """
    facts = {
        "rank": distributed.get_rank(),
        "world_size": distributed.get_group_size(),
        "steps": {str(mark): step for mark, step in marks.steps if step is not None},
        "ended": [mark if step is None else step for mark, step in marks.steps],
        "marks": marks.count,
        "cut": marks.cut,
        "job_id": _UNSAFE.sub("_", options.label),
        "starting_s": round(cost.seconds["starting"], 6),
    }
    return json.dumps(facts, ensure_ascii=False)
