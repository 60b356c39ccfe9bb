# SPDX-License-Identifier: Apache-2.0
"""Messages about a timeline. Times are nanoseconds since its begin."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from mindscope.profile.timeline.timeline_window import MOST_PIXELS
from mindscope.server.http.columns import Float64, Int32, Uint8, Uint16, Uint32
from mindscope.server.http.schema import Answer, IsNumber, Query, ReasonEntry, Whole
from mindscope.server.jobs.schema import TaskAnswer

MOST_TIME = 2**53
MOST_TRACKS = 10_000
MOST_NAMES = 1_000_000
MOST_ROWS = 1024
MOST_COUNTERS = 128
MOST_SLICE = 2**31 - 1
Index = Annotated[int, Field(ge=0, le=MOST_SLICE), IsNumber]
"""Index of a track, a counter or a name among those of a timeline."""


class TrackEntry(Answer):
    """A thread of a process, or a stream of a device; ``track`` is its number. ``rows`` lie below each other.

    ``is_steps``: its slices mark the steps of the training; other tracks have what runs in them. ``is_helper``: a
    thread that runs nothing but Python, beside others that compute, or frames that only pass calls on.
    """

    track: int
    process: str
    thread: str
    process_name: str
    thread_name: str
    is_steps: bool
    is_helper: bool
    rows: int
    slices: int


class CounterEntry(Answer):
    """A quantity over time. ``unit`` is ``bytes`` or empty. ``low`` and ``high`` are its extremes."""

    counter: int
    name: str
    track: int
    unit: str
    points: int
    low: float
    high: float


class StepEntry(Answer):
    """A step of the training that the profiler marked."""

    slice: int
    number: int
    begin_ns: int
    duration_ns: int


class SkippedEntry(Answer):
    """Events that could not be read for one reason; the first one begins at byte ``first_offset``, -1 if unknown."""

    reason: str
    count: int
    first_offset: int


class TimelineFacts(Answer):
    """The facts of a timeline. ``version`` changes with the file; numbers of slices hold for one version.

    ``begin_at`` is its begin in nanoseconds since 1970 as a text, null if the profile does not say it. The file holds
    ``read`` events and those of ``skipped``. ``overlaps`` slices begin in another one and end after it: they are drawn
    in rows of their own; ``deeper`` ones are not, because more than 4,096 are open. ``unbound`` arrows have an end
    without a slice. A file with ``is_whole`` false breaks off.
    """

    version: str
    begin_at: str | None
    duration_ns: int
    tracks: list[TrackEntry]
    counters: list[CounterEntry]
    steps: list[StepEntry]
    names: int
    slices: int
    marks: int
    flows: int
    unbound: int
    overlaps: int
    deeper: int
    read: int
    skipped: list[SkippedEntry]
    is_whole: bool


class TimelineAnswer(TaskAnswer):
    """The ``timeline``, or the ``progress`` of reading it, or the ``problem`` that prevents it.

    With ``progress``, a timeline has the events that are read so far; its ``version`` changes while more are read. All
    three are null for a profile that has no timeline.
    """

    run: str
    profile: str
    timeline: TimelineFacts | None


class OfTimeline(Query):
    """A timeline at a version."""

    run: str
    profile: str
    version: str = Field(max_length=100)


class TrackRows(Query):
    """The first ``rows`` rows of a track."""

    track: Index
    rows: Whole = Field(ge=1, le=MOST_ROWS)


class WindowQuery(OfTimeline):
    """``width`` pixels of ``pixel_ns`` nanoseconds from ``begin_ns`` on, of tracks and counters.

    Of the rows of all tracks, the first 1,024 are answered.
    """

    tracks: list[TrackRows] = Field(max_length=MOST_ROWS)
    counters: list[Index] = Field(default=[], max_length=MOST_COUNTERS)
    begin_ns: Whole = Field(ge=-MOST_TIME, le=MOST_TIME)
    pixel_ns: Whole = Field(ge=1, le=2**47)
    width: Whole = Field(ge=1, le=8192)


class PixelColumns(Answer):
    """The lowest, highest and last value in each pixel with values; ``before`` is the value before the range."""

    before: float | None
    pixel: Uint16
    low: Float64
    high: Float64
    last: Float64


class CounterColumns(PixelColumns):
    """The values of a counter in a window."""

    counter: int


class WindowHeader(Answer):
    """The JSON header of a window as ``application/vnd.mindscope.columns``. Colors are 0 to 9, by name.

    ``pixel_ns`` is a multiple of the requested one if the window would otherwise have more than 200 kB, or more than
    100 bytes a pixel.

    Lane i is row ``lane_row[i]`` of track ``lane_track[i]``, with its cells and wide slices one after the other.
    Its cells are ``lane_cells[i]`` to ``lane_cells[i + 1]``, its wide slices likewise. A cell holds the ``count``
    slices (65,535 for more) below a pixel that begin in its ``pixel``; ``longest`` is the first of the longest ones,
    ``color`` that of its name, ``busy`` the share of the pixel that they fill, 255 for all. A wide slice has its
    number, its begin and duration in nanoseconds, and its name in ``names``. Of a pixel with marks, ``mark_name`` and
    ``mark_track`` are those of the first of ``mark_count``.
    """

    version: str
    begin_ns: int
    pixel_ns: int
    width: int
    names: list[str]
    colors: list[int]
    lane_track: Uint32
    lane_row: Uint16
    lane_cells: Uint32
    pixel: Uint16
    count: Uint16
    longest: Uint32
    busy: Uint8
    color: Uint8
    lane_wide: Uint32
    wide: Uint32
    wide_begin: Float64
    wide_duration: Float64
    wide_name: Uint32
    counters: list[CounterColumns]
    mark_pixel: Uint16
    mark_name: Uint32
    mark_track: Uint32
    mark_count: Uint32


class SliceBrief(Answer):
    """A slice. ``slice`` is its number, ``own_ns`` its duration without its children."""

    slice: int
    name: str
    category: str
    track: int
    row: int
    begin_ns: int
    duration_ns: int
    own_ns: int


class Argument(Answer):
    """An argument of a slice; a value that is not a text is JSON."""

    name: str
    value: str


class ArrowEntry(Answer):
    """The slice at the other end of an arrow; ``delay_ns`` is from the end of the first to the begin of the second."""

    category: str
    delay_ns: int
    slice: SliceBrief


class SliceAnswer(Answer):
    """A slice with its arguments. ``parents`` begin with the innermost, ``children`` with the longest, at most 100.

    ``caller`` is the innermost function of the user around it, such as ``train.py(12): main``; empty without stacks.
    """

    slice: SliceBrief
    arguments: list[Argument]
    arguments_problem: ReasonEntry | None
    caller: str
    parents: list[SliceBrief]
    children: list[SliceBrief]
    child_count: int
    sources: list[ArrowEntry]
    targets: list[ArrowEntry]


class NamesAnswer(Answer):
    """The names of all slices; a number of a name is its place."""

    names: list[str]


class SearchQuery(OfTimeline):
    """Slices with one of ``names``.

    ``width`` is 0, or the number of pixels to count them in. With ``after_ns`` and ``after_slice``, the next one is
    found, or the one before; from the last one on it is the first.
    """

    names: list[Index] = Field(max_length=MOST_NAMES)
    begin_ns: Whole = Field(default=0, ge=-MOST_TIME, le=MOST_TIME)
    pixel_ns: Whole = Field(default=1, ge=1, le=2**47)
    width: Whole = Field(default=0, ge=0, le=MOST_PIXELS)
    after_ns: Annotated[int, Field(ge=-MOST_TIME, le=MOST_TIME), IsNumber] | None = None
    after_slice: Whole = Field(default=-1, ge=-1, le=MOST_SLICE)
    is_backwards: bool = False


class SearchAnswer(Answer):
    """``count`` slices have one of the names; ``pixels`` and ``counts`` say where. ``found`` is slice ``position``."""

    count: int
    pixels: list[int]
    counts: list[int]
    found: SliceBrief | None
    position: int


class RangeQuery(OfTimeline):
    """The slices of tracks within a range."""

    tracks: list[Index] = Field(max_length=MOST_TRACKS)
    begin_ns: Whole = Field(ge=-MOST_TIME, le=MOST_TIME)
    end_ns: Whole = Field(ge=-MOST_TIME, le=MOST_TIME)


class NameStatisticsEntry(Answer):
    """Slices of a name. Times are those within the range; ``own_ns`` is without children."""

    name: str
    count: int
    total_ns: int
    own_ns: int
    longest_ns: int


class RangeStatisticsAnswer(Answer):
    """The largest own time first; ``left_out`` names are not listed. ``count`` and ``own_ns`` are of all names."""

    rows: list[NameStatisticsEntry]
    left_out: int
    count: int
    own_ns: int


class FlameHeader(Answer):
    """The JSON header of a flame graph as ``application/vnd.mindscope.columns``.

    Nodes follow their parents, -1 at the bottom; ``name`` is in ``names``. Times are nanoseconds.
    """

    version: str
    names: list[str]
    colors: list[int]
    left_out: int
    parent: Int32
    name: Uint32
    count: Float64
    total: Float64
    own: Float64
