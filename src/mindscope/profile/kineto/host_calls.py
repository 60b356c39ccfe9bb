# SPDX-License-Identifier: Apache-2.0
"""Collects what the threads of the host ran, as one tree each: operators, annotations, launches, modules.

Traces with stacks have a slice for each Python frame. Frames become paths, so that tables need no memory for them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.kineto.categories import ON_HOST, SliceRole
from mindscope.profile.kineto.paths import Paths, paths_of
from mindscope.profile.trace._nesting import lift
from mindscope.profile.trace.nesting import nesting_of
from mindscope.profile.trace.trace import Slices, Trace
from mindscope.store.mapped_columns import mapped
from mindscope.table.grouping import sums_of

MEMORY_NAME = "[memory]"
_OLD_OVERHANG_NS = 1_000
"""Traces without a base have whole microseconds: a child may end one after its parent."""

CallRows = NDArray[np.int32]
"""Rows of calls; -1 for none."""


class StepTime(NamedTuple):
    """The thread of the steps, and the time from the first to the last of them."""

    track: int
    begin: int
    end: int


@dataclass(frozen=True, slots=True)
class FrameTimes:
    """Columns beside the paths of frames, of the thread of the steps."""

    own: NDArray[np.int64]
    """Nanoseconds of its frames within the steps, without what they call."""
    began_before: NDArray[np.bool_]
    """Whether one began before the first step."""


@dataclass(frozen=True)
class HostCalls:
    """Columns of n calls in the order of the file, then of marks of the allocator, which take no time.

    Of Python frames it has only the outermost ones, and those that call a module.
    """

    trace: Trace
    slices: NDArray[np.int32]
    """Rows of the calls among the slices of the trace."""
    marks: NDArray[np.int32]
    """Rows of the marks among the events of the trace."""
    role: NDArray[np.uint8]
    """Role of a slice; that of a mark is ``Role.OTHER``."""
    parent: CallRows
    """The innermost of these calls of the thread that contains it; -1 for none."""
    is_only_child: NDArray[np.bool_]
    """Whether it is the one call that its parent makes, without a frame between them; marks do not count."""
    level: NDArray[np.uint16]
    """Greater than that of its parent."""
    own: NDArray[np.int64]
    """Duration without its children, frames among them."""
    frames: Paths
    """Python frames around each call, by the names of the trace without addresses."""
    frame_times: FrameTimes | None
    """Times beside the paths of ``frames``; None without steps."""

    def __len__(self) -> int:
        return len(self.slices) + len(self.marks)

    @property
    def first_mark(self) -> int:
        """Row of the first mark; the number of calls."""
        return len(self.slices)

    # These columns are read from the trace at each access, so that they take memory only while they are used.

    @property
    def slice(self) -> NDArray[np.int32]:
        """Row of each call among the slices of the trace; of a mark: -1."""
        return np.concatenate([self.slices, np.full(len(self.marks), -1, np.int32)])

    @property
    def name(self) -> NDArray[np.uint32]:
        """Into the names of the trace."""
        return np.concatenate([self.trace.slices.name[self.slices], self.trace.events.name[self.marks]])

    @property
    def track(self) -> NDArray[np.uint32]:
        """Into the tracks of the trace."""
        return np.concatenate([self.trace.slices.track[self.slices], self.trace.events.track[self.marks]])

    @property
    def start(self) -> NDArray[np.int64]:
        """Nanoseconds since the origin of the trace."""
        return np.concatenate([self.trace.slices.start[self.slices], self.trace.events.time[self.marks]])

    @property
    def duration(self) -> NDArray[np.int64]:
        """Durations in nanoseconds; 0 for a mark."""
        return np.concatenate([self.trace.slices.duration[self.slices], np.zeros(len(self.marks), np.int64)])

    @cached_property
    def _levels(self) -> list[CallRows]:
        """The calls of each level."""
        return [mapped(row) for row in rows_by_level(self.level)]

    def nearest(self, chosen: NDArray[np.bool_]) -> CallRows:
        """Return for each call itself, if it is chosen, else its nearest chosen ancestor; -1 for none."""
        found = np.where(chosen, np.arange(len(self), dtype=np.int32), np.int32(-1))
        for calls in self._levels:
            open_calls = calls[(found[calls] < 0) & (self.parent[calls] >= 0)]
            found[open_calls] = found[self.parent[open_calls]]
        return found

    def outermost(self, values: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Return for each call the value of its outermost ancestor (or itself) whose value is not 0; 0 without one."""
        found = np.array(values)
        for calls in self._levels:
            inner = calls[self.parent[calls] >= 0]
            above = found[self.parent[inner]]
            found[inner] = np.where(above != 0, above, found[inner])
        return found

    def above(self, nearest: CallRows) -> CallRows:
        """Return the result of ``nearest`` for the parent of each call: a strict ancestor; -1 for none."""
        return np.where(self.parent >= 0, nearest[self.parent], np.int32(-1))

    def with_descendants(self, values: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the sum over each call and all calls within it."""
        return self._gathered(values, np.add.at)

    def greatest_within(self, values: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the greatest value of each call and all calls within it."""
        return self._gathered(values, np.maximum.at)

    def _gathered(
        self,
        values: NDArray[np.int64],
        gather: Callable[[NDArray[np.int64], CallRows, NDArray[np.int64]], None],
    ) -> NDArray[np.int64]:
        found = np.array(values)
        for calls in reversed(self._levels):
            inner = calls[self.parent[calls] >= 0]
            gather(found, self.parent[inner], found[inner])
        return found

    def paths(self, chosen: NDArray[np.bool_]) -> Paths:
        """Return the chains of chosen ancestors by their names."""
        return paths_of(self._levels, self.parent, chosen, self.name)


def host_calls_of(
    trace: Trace, roles: NDArray[np.uint8], frame_names: NDArray[np.uint32], steps: StepTime | None
) -> HostCalls:
    """Return the calls of all threads, and the marks of the allocator within them.

    Args:
        trace: of PyTorch.
        roles: of all its slices.
        frame_names: for each name of the trace the code of the frame that it names.
        steps: the time that frames are measured in.
    """
    slices, events = trace.slices, trace.events
    calls = np.flatnonzero(np.isin(roles, ON_HOST)).astype(np.int32)
    is_memory = np.array([each == MEMORY_NAME for each in trace.names], np.bool_)
    marks = np.flatnonzero(is_memory[events.name] if len(is_memory) else events.name).astype(np.int32)
    role = np.concatenate([roles[calls], np.full(len(marks), SliceRole.OTHER, np.uint8)])
    start = np.concatenate([slices.start[calls], events.time[marks]])
    duration = np.concatenate([slices.duration[calls], np.zeros(len(marks), np.int64)])
    track = np.concatenate([slices.track[calls], events.track[marks]])
    name = np.concatenate([slices.name[calls], events.name[marks]])
    none = np.empty(0, np.uint32)
    nesting = nesting_of(
        Slices(start, duration, none, none, track, none.astype(np.int64), none),
        overhang=_OLD_OVERHANG_NS if trace.origin_ns is None else 0,
    )
    parent, level, own, order = nesting.parent, nesting.row, nesting.own, nesting.order
    del nesting
    is_frame = np.isin(role, (SliceRole.FRAME, SliceRole.MODULE))
    frames = paths_of(rows_by_level(level), parent, is_frame, frame_names[name] if len(name) else name)
    frame_times = None
    if steps is not None:
        rows = np.flatnonzero(
            is_frame & (track == steps.track) & (start < steps.end) & (start + duration > steps.begin)
        )
        frame_times = _frame_times(steps, frames.of_call[rows], start[rows], duration[rows], own[rows], len(frames))
    is_kept = (role != SliceRole.FRAME) | (parent < 0)
    is_only_child = _only_children(parent, len(calls)) & is_kept[parent]
    lift(parent, is_kept.view(np.uint8), order)
    del order
    new_row = np.cumsum(is_kept, dtype=np.int32) - np.int32(1)
    parent = parent[is_kept]
    return HostCalls(
        trace=trace,
        slices=mapped(calls[is_kept[: len(calls)]]),
        marks=marks,
        role=mapped(role[is_kept]),
        parent=mapped(np.where(parent >= 0, new_row[parent], np.int32(-1))) if len(new_row) else parent,
        is_only_child=mapped(is_only_child[is_kept]),
        level=mapped(level[is_kept]),
        own=mapped(own[is_kept]),
        frames=frames.select(is_kept),
        frame_times=frame_times,
    )


def _frame_times(
    steps: StepTime,
    path: NDArray[np.int32],
    start: NDArray[np.int64],
    duration: NDArray[np.int64],
    own: NDArray[np.int64],
    paths: int,
) -> FrameTimes:
    """Add up the frames that overlap the steps, which have these columns, by their paths."""
    inside = np.minimum(start + duration, steps.end) - np.maximum(start, steps.begin)
    began_before = np.zeros(paths, np.bool_)
    began_before[path[start < steps.begin]] = True
    # What a frame does outside of the steps may be its own time; this much is not.
    least = np.maximum(own - (duration - inside), 0)
    return FrameTimes(sums_of(path, least, paths), began_before)


def _only_children(parent: CallRows, calls: int) -> NDArray[np.bool_]:
    """Return which of the first ``calls`` rows are the only one of these with their parent."""
    found = np.zeros(len(parent), np.bool_)
    has_parent = parent[:calls] >= 0
    is_one = np.bincount(parent[:calls][has_parent], minlength=len(parent)) == 1
    found[:calls] = has_parent & is_one[parent[:calls]] if calls else has_parent
    return found


def rows_by_level(level: NDArray[np.uint16]) -> list[CallRows]:
    """Return the rows of each level, the lowest first."""
    if not len(level):
        return []
    order = np.argsort(level, kind="stable").astype(np.int32)
    return np.split(order, np.cumsum(np.bincount(level))[:-1])
