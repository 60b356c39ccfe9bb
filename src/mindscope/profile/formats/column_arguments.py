# SPDX-License-Identifier: Apache-2.0
"""Arguments of traces whose readers keep them as columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.formats.recorded_runs import RecordedMarks, RecordedRuns
from mindscope.profile.formats.row_columns import firsts
from mindscope.profile.trace.argument_columns import NO_INTEGER, ArgumentNames, Arguments
from mindscope.profile.trace.trace import Trace
from mindscope.table.columns import TextColumn, codes_among


@dataclass(frozen=True, slots=True)
class ColumnArguments:
    """Arguments of the slices and events of a trace: see ``ArgumentSource``."""

    runs: Sequence[RecordedRuns]
    marks: Sequence[RecordedMarks]

    def of_slices(self, rows: NDArray[np.integer[Any]], wanted: ArgumentNames) -> Arguments:
        """Return arguments of slices as ``ArgumentSource``."""
        found = _empty(len(rows), wanted)
        codes = {name: np.zeros(len(rows), np.uint32) for name in wanted.texts}
        values: dict[str, dict[str, int]] = {name: {"": 0} for name in wanted.texts}
        for runs, first in zip(self.runs, firsts(map(len, self.runs)), strict=True):
            at = np.flatnonzero((rows >= first) & (rows < first + len(runs)))
            if not len(at):
                continue
            own = rows[at] - first
            for name in runs.integers.keys() & found.integers.keys():
                found.integers[name][at] = runs.integers[name][own]
            for name in runs.numbers.keys() & found.numbers.keys():
                found.numbers[name][at] = runs.numbers[name][own]
            for name in runs.texts.keys() & codes.keys():
                codes[name][at] = codes_among(runs.texts[name].select(own), values[name])
        texts = {name: TextColumn(codes[name], list(values[name])) for name in wanted.texts}
        return Arguments(found.integers, found.numbers, texts)

    def of_events(self, rows: NDArray[np.integer[Any]], wanted: ArgumentNames) -> Arguments:
        """Return arguments of events as ``ArgumentSource``.

        Only marks have arguments; they precede all other events.
        """
        found = _empty(len(rows), wanted)
        for marks, first in zip(self.marks, firsts(len(mark.time) for mark in self.marks), strict=True):
            at = np.flatnonzero((rows >= first) & (rows < first + len(marks.time)))
            for name in marks.integers.keys() & found.integers.keys():
                found.integers[name][at] = marks.integers[name][rows[at] - first]
        none = TextColumn.constant("", len(rows))
        return Arguments(found.integers, found.numbers, dict.fromkeys(wanted.texts, none))

    def select(self, trace: Trace, slices: NDArray[np.bool_], events: NDArray[np.bool_]) -> ColumnArguments:
        """Select slices and events as ``ArgumentSource``."""
        runs = [
            run.select(slices[first : first + len(run)])
            for run, first in zip(self.runs, firsts(map(len, self.runs)), strict=True)
        ]
        marks = [
            each.select(events[first : first + len(each.time)])
            for each, first in zip(self.marks, firsts(len(mark.time) for mark in self.marks), strict=True)
        ]
        return ColumnArguments(runs, marks)


@dataclass(frozen=True, slots=True)
class _Found:
    integers: dict[str, NDArray[np.int64]]
    numbers: dict[str, NDArray[np.float64]]


def _empty(count: int, wanted: ArgumentNames) -> _Found:
    return _Found(
        {name: np.full(count, NO_INTEGER, np.int64) for name in wanted.integers},
        {name: np.full(count, np.nan) for name in wanted.numbers},
    )
