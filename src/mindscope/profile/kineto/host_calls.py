# SPDX-License-Identifier: Apache-2.0
"""What the threads of the host ran, as one tree for each thread: operators, annotations, launches, Python frames."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.kineto.categories import ON_HOST, Role
from mindscope.profile.nesting import nesting_of
from mindscope.profile.trace import Slices, Trace

MEMORY_NAME = "[memory]"
_OLD_OVERHANG_NS = 1_000
"""Traces without a base have whole microseconds: a child may end one after its parent."""


@dataclass(frozen=True)
class HostCalls:
    """Columns of n calls in the order of the file, then of marks of the allocator, which take no time."""

    slice: NDArray[np.int64]
    """Row among the slices of the trace; of a mark: -1."""
    mark: NDArray[np.int64]
    """Row among the events of the trace; of a call: -1."""
    role: NDArray[np.uint8]
    """Of a mark: ``Role.OTHER``."""
    name: NDArray[np.uint32]
    """Into the names of the trace."""
    track: NDArray[np.uint32]
    start: NDArray[np.int64]
    duration: NDArray[np.int64]
    parent: NDArray[np.int32]
    """The innermost call of the thread that contains it; -1 for none."""
    level: NDArray[np.uint16]
    """Greater than that of its parent."""
    own: NDArray[np.int64]
    """Duration without its children."""

    def __len__(self) -> int:
        return len(self.slice)

    @cached_property
    def _levels(self) -> list[NDArray[np.int64]]:
        """The calls of each level."""
        order = np.argsort(self.level, kind="stable")
        return np.split(order, np.cumsum(np.bincount(self.level))[:-1]) if len(order) else []

    def nearest(self, chosen: NDArray[np.bool_]) -> NDArray[np.int64]:
        """For each call itself, if it is chosen, else its nearest chosen ancestor; -1 for none."""
        found = np.where(chosen, np.arange(len(self)), -1)
        for calls in self._levels:
            open_calls = calls[(found[calls] < 0) & (self.parent[calls] >= 0)]
            found[open_calls] = found[self.parent[open_calls]]
        return found

    def outermost(self, values: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """For each call the value of its outermost ancestor (or itself) whose value is not 0; 0 without one."""
        found = np.array(values)
        for calls in self._levels:
            inner = calls[self.parent[calls] >= 0]
            above = found[self.parent[inner]]
            found[inner] = np.where(above != 0, above, found[inner])
        return found

    def above(self, nearest: NDArray[np.int64]) -> NDArray[np.int64]:
        """The result of ``nearest`` for the parent of each call: a strict ancestor; -1 for none."""
        return np.where(self.parent >= 0, nearest[self.parent], -1)

    def with_descendants(self, values: NDArray[np.int64]) -> NDArray[np.int64]:
        """The sum over each call and all calls within it."""
        return self._gathered(values, np.add.at)

    def greatest_within(self, values: NDArray[np.int64]) -> NDArray[np.int64]:
        """The greatest value of each call and all calls within it."""
        return self._gathered(values, np.maximum.at)

    def _gathered(
        self,
        values: NDArray[np.int64],
        gather: Callable[[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]], None],
    ) -> NDArray[np.int64]:
        found = np.array(values)
        for calls in reversed(self._levels):
            inner = calls[self.parent[calls] >= 0]
            gather(found, self.parent[inner], found[inner])
        return found

    def paths(self, chosen: NDArray[np.bool_], names: NDArray[np.int64]) -> Paths:
        """Chains of chosen ancestors, by ``names`` beside the calls."""
        nearest = self.nearest(chosen)
        above = self.above(nearest)
        of_call = np.full(len(self), -1, np.int64)
        parents: list[NDArray[np.int64]] = []
        labels: list[NDArray[np.int64]] = []
        count = 0
        for calls in self._levels:
            here = calls[chosen[calls]]
            outer = np.where(above[here] >= 0, of_call[above[here]], -1)
            key = (outer + 1) << 32 | names[here]
            unique, place = np.unique(key, return_inverse=True)
            of_call[here] = count + place.reshape(-1)
            parents.append((unique >> 32) - 1)
            labels.append(unique & 0xFFFFFFFF)
            count += len(unique)
        found = np.where(nearest >= 0, of_call[nearest], -1)
        empty = np.empty(0, np.int64)
        return Paths(found, np.concatenate([empty, *parents]), np.concatenate([empty, *labels]))


@dataclass(frozen=True, slots=True)
class Paths:
    """A tree of names."""

    of_call: NDArray[np.int64]
    """The path of each call: of its nearest chosen ancestor or itself; -1 for none."""
    parent: NDArray[np.int64]
    """Of each path; less than its own index, -1 for a root."""
    name: NDArray[np.int64]
    """Of those that the paths were made with."""

    def __len__(self) -> int:
        return len(self.parent)

    def chain(self, path: int) -> list[int]:
        """Names from a path to its root."""
        found: list[int] = []
        while path >= 0:
            found.append(int(self.name[path]))
            path = int(self.parent[path])
        return found


def host_calls_of(trace: Trace, roles: NDArray[np.uint8]) -> HostCalls:
    """The calls of all threads, and the marks of the allocator within them."""
    slices, events = trace.slices, trace.events
    calls = np.flatnonzero(np.isin(roles, ON_HOST))
    is_memory = np.array([each == MEMORY_NAME for each in trace.names], np.bool_)
    marks = np.flatnonzero(is_memory[events.name]) if len(is_memory) else np.empty(0, np.int64)
    start = np.concatenate([slices.start[calls], events.time[marks]])
    duration = np.concatenate([slices.duration[calls], np.zeros(len(marks), np.int64)])
    track = np.concatenate([slices.track[calls], events.track[marks]])
    name = np.concatenate([slices.name[calls], events.name[marks]])
    none = np.zeros(len(start), np.uint32)
    nesting = nesting_of(
        Slices(start, duration, name, none, track, none.astype(np.int64), none),
        overhang=_OLD_OVERHANG_NS if trace.origin_ns is None else 0,
    )
    return HostCalls(
        slice=np.concatenate([calls, np.full(len(marks), -1)]),
        mark=np.concatenate([np.full(len(calls), -1), marks]),
        role=np.concatenate([roles[calls], np.full(len(marks), Role.OTHER, np.uint8)]),
        name=name, track=track, start=start, duration=duration,
        parent=nesting.parent, level=nesting.row, own=nesting.own,
    )  # fmt: skip
