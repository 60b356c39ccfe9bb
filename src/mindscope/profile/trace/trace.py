# SPDX-License-Identifier: Apache-2.0
"""The neutral model of a trace: columns of slices, flows, counters and marks on tracks. No object per event."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from mindscope.store.mapped_columns import mapped

Times = NDArray[np.int64]
"""Integer nanoseconds since the origin of the trace."""
Indices = NDArray[np.uint32]


class Track(NamedTuple):
    """A row of the timeline: a thread of a process, or a stream of a device."""

    process: str
    thread: str
    process_name: str = ""
    thread_name: str = ""
    process_order: int = 0
    thread_order: int = 0


@dataclass(frozen=True, slots=True)
class Skipped:
    """Events that could not be read for one reason; ``first_offset`` is where the first one begins in the file."""

    count: int
    first_offset: int


@dataclass(frozen=True, slots=True)
class Slices:
    """Columns of n slices, in the order of the file."""

    start: Times
    duration: Times
    name: Indices
    """Into the names of the trace."""
    category: Indices
    track: Indices
    args_offset: NDArray[np.int64]
    """Position of the JSON text of the arguments in the (decompressed) file; -1 without arguments.

    In other formats the number of a row, or the offset of an encoded event.
    """
    args_size: Indices
    """Bytes of the text or event; of a row the number of its table."""

    def __len__(self) -> int:
        return len(self.start)


@dataclass(frozen=True, slots=True)
class Events:
    """Columns of m events without a duration: flows (phases s, t, f), counters (C) and marks (i)."""

    time: Times
    args_offset: NDArray[np.int64]
    id: NDArray[np.uint64]
    """Id of a flow, unique within its category; 0 without one."""
    name: Indices
    category: Indices
    track: Indices
    args_size: Indices
    phase: NDArray[np.uint8]
    """The letter as its code."""

    def __len__(self) -> int:
        return len(self.time)

    def of(self, *phases: str) -> NDArray[np.int64]:
        """Return the rows of these phases."""
        return np.flatnonzero(np.isin(self.phase, [ord(phase) for phase in phases]))


_Columns = TypeVar("_Columns", Slices, Events)


def in_files(columns: _Columns) -> _Columns:
    """Return the same slices or events, whose large columns are in unnamed files."""
    return type(columns)(*(mapped(getattr(columns, each.name)) for each in fields(columns)))


@dataclass(frozen=True, slots=True, eq=False)
class Counter:
    """Values of one quantity over time. ``values[i]`` holds from ``times[i]`` on."""

    name: str
    track: int
    times: NDArray[np.int64]
    values: NDArray[np.float64]
    unit: str = ""
    """``bytes``, or empty if the file does not say it."""


@dataclass(frozen=True, slots=True)
class Trace:
    """All that one file holds.

    ``origin_ns`` is the time of 0 in nanoseconds since 1970, None if the file does not say it. What the file holds is
    ``read`` events and those of ``skipped``.
    """

    slices: Slices
    events: Events
    names: Sequence[str]
    categories: Sequence[str]
    tracks: Sequence[Track]
    origin_ns: int | None
    properties: Mapping[str, Any]
    """The other fields of the file, such as ``deviceProperties``."""
    read: int
    skipped: Mapping[str, Skipped] = field(default_factory=dict[str, Skipped])
    counters: Sequence[Counter] = ()
    """Counters of formats that store them as columns; those of JSON traces are among ``events``."""
    arguments_format: str = ""
    """The format whose reader knows the arguments of slices; empty for a JSON trace, or without arguments."""
    arguments_path: str = ""
    """Path of the file of the arguments."""
