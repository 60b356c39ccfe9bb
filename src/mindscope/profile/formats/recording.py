# SPDX-License-Identifier: Apache-2.0
"""Collects the slices, marks and counters of a file, and makes a trace of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.formats.column_arguments import ColumnArguments
from mindscope.profile.formats.recorded_runs import COPY, KERNEL, LAUNCH, LINK, SET, RecordedMarks, RecordedRuns
from mindscope.profile.formats.row_columns import firsts
from mindscope.profile.trace.far_times import FAR_TIME, near_times
from mindscope.profile.trace.trace import Counter, Events, Skipped, Slices, Trace, Track
from mindscope.table.columns import codes_among

LONGEST_NS = 7 * 86_400 * 1_000_000_000
"""Longer ones are overflows of a clock."""
_FARTHEST_NS = 1 << 61


class Tracks:
    """Numbers tracks in the order of their first use."""

    def __init__(self) -> None:
        self._known: dict[Track, int] = {}

    def number(self, track: Track) -> int:
        """Return the number of a track, the same for an equal one."""
        return self._known.setdefault(track, len(self._known))

    @property
    def all(self) -> list[Track]:
        """The tracks by their numbers."""
        return list(self._known)


@dataclass(slots=True)
class TraceBuilder:
    """The slices, marks and counters that the reader of a format collects."""

    tracks: Tracks = field(default_factory=Tracks)
    runs: list[RecordedRuns] = field(default_factory=list[RecordedRuns])
    marks: list[RecordedMarks] = field(default_factory=list[RecordedMarks])
    counters: list[Counter] = field(default_factory=list[Counter])
    derived_counters: list[Counter] = field(default_factory=list[Counter])
    """Counters of marks or slices; their values are no events of the file."""
    skipped: dict[str, Skipped] = field(default_factory=dict[str, Skipped])

    def skip(self, reason: str, count: int, offset: int = -1) -> None:
        """Counts events that could not be read."""
        if count:
            before = self.skipped.get(reason, Skipped(0, offset))
            self.skipped[reason] = Skipped(before.count + count, before.first_offset)

    def add(self, runs: RecordedRuns) -> None:
        """Adds slices. Those of impossible times are skipped and counted."""
        is_near = np.abs(np.maximum(runs.start, -_FARTHEST_NS)) < _FARTHEST_NS
        is_possible = (runs.duration >= 0) & (runs.duration <= LONGEST_NS)
        if not runs.is_derived:
            self.skip("no_time", int((~is_near).sum()))
            self.skip("bad_duration", int((is_near & ~is_possible).sum()))
        self.runs.append(runs.select(is_near & is_possible))

    def add_marks(self, marks: RecordedMarks) -> None:
        """Adds moments. Those of impossible times are skipped and counted."""
        is_near = np.abs(np.maximum(marks.time, -_FARTHEST_NS)) < _FARTHEST_NS
        self.skip("no_time", int((~is_near).sum()))
        self.marks.append(marks.select(is_near))

    def _drop_far_times(self) -> None:
        """Skips and counts what lies so far from the rest that a clock went wrong."""
        counters = [*self.counters, *self.derived_counters]
        bounds = near_times(
            [
                _joined([run.start for run in self.runs]),
                *(mark.time for mark in self.marks),
                *(counter.times for counter in counters),
            ]
        )
        if bounds is None:
            return

        def is_near(times: NDArray[np.int64], is_of_file: bool = True) -> NDArray[np.bool_]:
            found = (times >= bounds[0]) & (times <= bounds[1])
            self.skip(FAR_TIME, int((~found).sum()) if is_of_file else 0)
            return found

        self.runs = [run.select(is_near(run.start, not run.is_derived)) for run in self.runs]
        self.marks = [mark.select(is_near(mark.time)) for mark in self.marks]
        self.counters = [_selected(counter, is_near(counter.times)) for counter in self.counters]
        self.derived_counters = [_selected(counter, is_near(counter.times, False)) for counter in self.derived_counters]

    @property
    def first_time(self) -> int | None:
        """The first time of slices and marks; None without any."""
        times = [*(run.start for run in self.runs), *(mark.time for mark in self.marks)]
        return min((int(time.min()) for time in times if len(time)), default=None)

    def trace(
        self, epoch_ns: int | None, properties: Mapping[str, object], origin: int | None = None
    ) -> tuple[Trace, ColumnArguments]:
        """Return the trace and its arguments.

        Args:
            epoch_ns: nanoseconds since 1970 of the time 0 of all columns; None if unknown.
            properties: what else the file says.
            origin: the time of the columns that becomes 0; by default that of the first event.
        """
        self._drop_far_times()
        runs = [run for run in self.runs if len(run)]
        marks = [mark for mark in self.marks if len(mark.time)]
        if origin is None:
            origin = self.first_time or 0
        names: dict[str, int] = {}
        categories = list(dict.fromkeys([*(run.category for run in runs), LINK]))
        slices = _slices(runs, names, categories, origin)
        counters = [
            Counter(counter.name, counter.track, counter.times - origin, counter.values, counter.unit)
            for counter in (*self.counters, *self.derived_counters)
            if len(counter.times)
        ]
        trace = Trace(
            slices=slices,
            events=_events(runs, marks, slices, names, len(categories) - 1, origin),
            names=[],
            categories=categories,
            tracks=self.tracks.all,
            origin_ns=None if epoch_ns is None else epoch_ns + origin,
            properties=properties,
            read=sum(len(run) for run in runs if not run.is_derived)
            + sum(len(mark.time) for mark in marks)
            + sum(len(counter.times) for counter in self.counters),
            skipped=self.skipped,
            counters=counters,
        )
        return replace(trace, names=list(names)), ColumnArguments(runs, marks)


def _selected(counter: Counter, mask: NDArray[np.bool_]) -> Counter:
    return replace(counter, times=counter.times[mask], values=counter.values[mask])


def _joined(columns: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    return np.concatenate([np.empty(0, np.int64), *columns])


def _slices(runs: Sequence[RecordedRuns], names: dict[str, int], categories: Sequence[str], origin: int) -> Slices:
    none = np.empty(0, np.uint32)
    return Slices(
        start=_joined([run.start for run in runs]) - origin,
        duration=_joined([run.duration for run in runs]),
        name=np.concatenate([none, *(codes_among(run.name, names) for run in runs)]),
        category=np.concatenate(
            [none, *(np.full(len(run), categories.index(run.category), np.uint32) for run in runs)]
        ),
        track=_joined([run.track for run in runs]).astype(np.uint32),
        args_offset=_joined(
            [np.full(len(run), -1, np.int64) if run.offset is None else run.offset for run in runs]
        ),
        args_size=np.concatenate(
            [none, *(np.zeros(len(run), np.uint32) if run.size is None else run.size for run in runs)]
        ),
    )  # fmt: skip


def _events(
    runs: Sequence[RecordedRuns],
    marks: Sequence[RecordedMarks],
    slices: Slices,
    names: dict[str, int],
    link: int,
    origin: int,
) -> Events:
    """Return the marks, then the ends of arrows."""
    launch, kernel = _links(runs)
    count, arrows = sum(len(mark.time) for mark in marks), len(kernel)
    ends = np.concatenate([launch, kernel])
    none = np.empty(0, np.uint32)
    of_link = np.full(2 * arrows, names.setdefault(LINK, len(names)) if arrows else 0, np.uint32)
    return Events(
        time=np.concatenate([_joined([mark.time for mark in marks]) - origin, slices.start[ends]]),
        args_offset=np.full(count + 2 * arrows, -1, np.int64),
        id=np.concatenate([np.zeros(count, np.uint64), np.tile(np.arange(1, arrows + 1, dtype=np.uint64), 2)]),
        name=np.concatenate([none, *(codes_among(mark.name, names) for mark in marks), of_link]),
        category=np.full(count + 2 * arrows, link, np.uint32),
        track=np.concatenate([_joined([mark.track for mark in marks]).astype(np.uint32), slices.track[ends]]),
        args_size=np.zeros(count + 2 * arrows, np.uint32),
        phase=np.repeat(np.array([ord("i"), ord("s"), ord("f")], np.uint8), [count, arrows, arrows]),
    )


def _links(runs: Sequence[RecordedRuns]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return rows of launches, and of what they launched, by equal correlations above 0."""
    begins = firsts(map(len, runs))
    launches, works = (
        [
            (np.arange(len(run), dtype=np.int64) + first, run.integers["correlation"])
            for run, first in zip(runs, begins, strict=True)
            if run.category in wanted and "correlation" in run.integers
        ]
        for wanted in ((LAUNCH,), (KERNEL, COPY, SET))
    )
    rows, ids = _joined([launch[0] for launch in launches]), _joined([launch[1] for launch in launches])
    work, wanted_ids = _joined([each[0] for each in works]), _joined([each[1] for each in works])
    order = np.argsort(ids, kind="stable")
    index = np.searchsorted(ids[order], wanted_ids)
    is_linked = wanted_ids > 0
    is_linked[is_linked] = index[is_linked] < len(order)
    is_linked[is_linked] = ids[order[index[is_linked]]] == wanted_ids[is_linked]
    return rows[order[index[is_linked]]], work[is_linked]
