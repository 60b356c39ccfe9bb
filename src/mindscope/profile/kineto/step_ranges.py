# SPDX-License-Identifier: Apache-2.0
"""Steps that a trace of PyTorch marks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.kineto.categories import STEP_NAME, SliceRole
from mindscope.profile.trace.trace import Trace
from mindscope.table.columns import integers_of


@dataclass(frozen=True, slots=True)
class StepRanges:
    """Columns of n steps of the main thread, in order of time."""

    number: NDArray[np.int64]
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    """End of the mark on the host."""

    def __len__(self) -> int:
        return len(self.number)

    def at(self, times: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the index of the step that contains each time; -1 for none."""
        if not len(self):
            return np.full(len(times), -1, np.int64)
        found = np.searchsorted(self.start, times, side="right") - 1
        return np.where((found >= 0) & (times < self.end[found]), found, -1)

    def numbers_at(self, times: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the number of the step that contains each time; -1 for none."""
        found = self.at(times)
        return np.where(found >= 0, self.number[found], -1) if len(self) else found

    def stretched(self, steps: NDArray[np.int64], ends: NDArray[np.int64]) -> StepRanges:
        """Extend each step to the last end of what it launched; each begins no earlier than the one before ends.

        Args:
            steps: (m,) index of the step that launched a kernel; -1 for none.
            ends: (m,) of the kernels.
        """
        end = np.array(self.end)
        known = steps >= 0
        np.maximum.at(end, steps[known], ends[known])
        before = np.concatenate([self.start[:1], np.maximum.accumulate(end)[:-1]])
        start = np.maximum(self.start, before)
        return StepRanges(self.number, start, np.maximum(end, start))


def step_ranges_of(trace: Trace, roles: NDArray[np.uint8]) -> StepRanges:
    """Return the marked steps of the thread that marks most of them, in whatever way they overlap other slices.

    ``mindscope.torch.Profiler`` stores which steps of the run the marks are, and which marks are of steps that did not
    end: these count for nothing.
    """
    rows = np.flatnonzero(roles == SliceRole.STEP)
    of_run = steps_of_run(trace.properties)
    tracks = trace.slices.track[rows]
    if len(rows):
        rows = rows[tracks == np.bincount(tracks).argmax()]
    rows = rows[np.argsort(trace.slices.start[rows], kind="stable")]
    ended = _ended_steps(trace.properties, len(rows))
    if ended is None:
        marks = np.array([_number(trace.names[name]) for name in integers_of(trace.slices.name[rows])], np.int64)
        if of_run:
            rows, marks = (each[np.isin(marks, list(of_run))] for each in (rows, marks))
        number = np.array([of_run.get(mark, mark) for mark in integers_of(marks)], np.int64)
    else:
        rows, number = np.delete(rows, ended.cut), np.array(ended.numbers, np.int64)
    start = trace.slices.start[rows]
    return StepRanges(
        number=number,
        start=start,
        end=start + trace.slices.duration[rows],
    )


class _EndedSteps(NamedTuple):
    cut: list[int]
    """Positions of the marks, in order of time, of steps that did not end."""
    numbers: list[int]
    """Numbers of the other marks; one may come again where a training restarts from a checkpoint."""


def _ended_steps(properties: Mapping[str, Any], count: int) -> _EndedSteps | None:
    """Return what the recorder says of the ``count`` marks; None if nothing, or if the trace has other marks."""
    facts = properties.get("mindscope")
    found = cast("dict[str, Any]", facts) if isinstance(facts, dict) else {}
    cut, numbers = _whole_numbers(found.get("cut")), _whole_numbers(found.get("ended"))
    if cut is None or numbers is None or found.get("marks") != count or len(set(cut)) + len(numbers) != count:
        return None
    return _EndedSteps(cut, numbers) if all(0 <= each < count for each in cut) else None


def _whole_numbers(value: Any) -> list[int] | None:
    """Return a list of integers of 64 bits; None for anything else."""
    if not isinstance(value, list):
        return None
    found = [each for each in cast("list[Any]", value) if isinstance(each, int) and abs(each) < 1 << 63]
    return found if len(found) == len(cast("list[Any]", value)) else None


def steps_of_run(properties: Mapping[str, Any]) -> dict[int, int]:
    """Number of a mark -> step of the run; empty where the trace does not say it."""
    facts = properties.get("mindscope")
    steps = cast("dict[str, Any]", facts).get("steps") if isinstance(facts, dict) else None
    if not isinstance(steps, dict):
        return {}
    return {
        int(mark): step
        for mark, step in cast("dict[str, Any]", steps).items()
        if mark.isdecimal() and len(mark) < 19 and isinstance(step, int) and abs(step) < 1 << 63
    }


def _number(name: str) -> int:
    match = STEP_NAME.fullmatch(name)
    return min(int(match[1]), np.iinfo(np.int64).max) if match else -1
