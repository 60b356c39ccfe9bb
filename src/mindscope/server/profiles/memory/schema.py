# SPDX-License-Identifier: Apache-2.0
"""Messages about the memory of a profile. Times are nanoseconds since the begin of its timeline, sizes bytes."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from mindscope.server.http.columns import Float64, Uint8, Uint16, Uint32
from mindscope.server.http.schema import Answer, Query, Whole
from mindscope.server.profiles.tables.schema import MissingEntry
from mindscope.server.profiles.timeline.schema import PixelColumns

MOST_TIME = 2**53
MOST_BLOCKS = 500
MOST_CURVES = 1000
By = Literal["category", "operator", "module", "line"]


class MemoryCurveEntry(Answer):
    """The memory of a device, or of one of its allocators; ``reserved_peak`` is 0 if it is not recorded."""

    curve: int
    device: str
    component: str
    points: int
    peak_ns: int
    peak_bytes: int
    reserved_peak_bytes: int


class MemoryDeviceEntry(Answer):
    """A device, its memory in all (0 if unknown), and the moment of its peak."""

    device: str
    memory_bytes: int
    peak_ns: int


class LeakEntry(Answer):
    """An origin that leaves memory in each of ``steps``."""

    device: str
    operator: str
    module: str
    line: str
    stack: str
    steps: list[int]
    bytes_per_step: int
    blocks: int
    first_block: int


class FailureEntry(Answer):
    """A request that found no memory."""

    device: str
    time_ns: int
    size: int
    device_free: int


class MemoryFacts(Answer):
    """The facts of the recorded memory. Blocks can be grouped by ``groups``.

    Without ``has_times`` the times are places in the order of the events, ``place_ns`` each. With ``is_planned``, these
    are operators, and the memory is what a compiler planned. ``leaks_by_period``: the steps of the leaks
    are eighths of the profile, since it marks no steps. ``notes`` say what curve and blocks lack.
    """

    version: str
    begin_ns: int
    end_ns: int
    has_times: bool
    place_ns: int
    is_planned: bool
    devices: list[MemoryDeviceEntry]
    curves: list[MemoryCurveEntry]
    blocks: int
    groups: list[By]
    has_stacks: bool
    has_segments: bool
    leaks: list[LeakEntry]
    leaks_by_period: bool
    failures: list[FailureEntry]
    notes: list[MissingEntry]


class MemoryAnswer(Answer):
    """Either the ``memory``, or why it is ``missing``."""

    run: str
    profile: str
    missing: MissingEntry | None
    memory: MemoryFacts | None


class OfMemory(Query):
    """The memory of a profile at a version."""

    run: str
    profile: str
    version: str = Field(max_length=100)


class MemoryWindowQuery(OfMemory):
    """``width`` pixels of ``pixel_ns`` nanoseconds from ``begin_ns`` on.

    With ``by``, the areas of the live blocks of ``device``, too.
    """

    curves: list[Whole] = Field(max_length=MOST_CURVES)
    begin_ns: Whole = Field(ge=-MOST_TIME, le=MOST_TIME)
    pixel_ns: Whole = Field(ge=1, le=2**47)
    width: Whole = Field(ge=1, le=8192)
    device: str = ""
    by: By | None = None


class CurveColumns(Answer):
    """Sizes of a curve in each pixel of a range."""

    curve: int
    allocated: PixelColumns
    reserved: PixelColumns | None


class AreaColumns(Answer):
    """Areas of a device, area after area: in each ``pixel`` the sizes when their sum is greatest, and the last ones.

    With ``has_others`` the last area is the sum of all further groups.
    """

    device: str
    texts: list[str]
    has_others: bool
    before: list[int]
    pixel: Uint16
    highest: Float64
    last: Float64


class MemoryWindowHeader(Answer):
    """The JSON header of a window of memory as ``application/vnd.mindscope.columns``."""

    version: str
    begin_ns: int
    pixel_ns: int
    width: int
    curves: list[CurveColumns]
    areas: AreaColumns | None


class BlocksQuery(OfMemory):
    """The live blocks of a device at a moment, the largest first; with ``group``, those of that group of ``by``."""

    device: str
    time_ns: Whole = Field(ge=-MOST_TIME, le=MOST_TIME)
    by: By
    group: str | None = None
    offset: Whole = Field(default=0, ge=0, le=2**31)
    count: Whole = Field(default=100, ge=0, le=MOST_BLOCKS)


class GroupEntry(Answer):
    """A group of blocks; an empty ``text`` is unknown."""

    text: str
    size: int
    count: int


class BlockEntry(Answer):
    """A block. Its allocation is null if it is older than the profile, its free if that is not recorded."""

    block: int
    size: int
    allocated_ns: int | None
    freed_ns: int | None
    category: str
    operator: str
    module: str
    line: str
    step: int | None


class BlocksAnswer(Answer):
    """``count`` blocks of ``size`` bytes live, of which ``older`` were allocated before the profile.

    ``groups`` are those of all live blocks, the largest first; ``groups_left_out`` more are not listed.
    ``listed`` blocks are in the group of the query; ``blocks`` are a page of them from place ``offset`` on.
    """

    time_ns: int
    count: int
    size: int
    older: int
    allocated: int
    reserved: int
    groups: list[GroupEntry]
    groups_left_out: int
    listed: int
    offset: int
    blocks: list[BlockEntry]


class MemoryFlameQuery(OfMemory):
    """Live blocks at ``begin_ns``; with ``end_ns``, blocks that are allocated from ``begin_ns`` to it."""

    device: str
    begin_ns: Whole = Field(ge=-MOST_TIME, le=MOST_TIME)
    end_ns: Annotated[Whole, Field(ge=-MOST_TIME, le=MOST_TIME)] | None = None


class SegmentMapHeader(Answer):
    """The segments of a device at a moment, as ``application/vnd.mindscope.columns``.

    ``address`` are hexadecimal. A block lies at ``start`` in its ``segment``; ``group`` is its place in ``texts``.
    A block with ``is_pending`` is freed, but another stream may still use it.
    """

    version: str
    time_ns: int
    reserved: int
    allocated: int
    pending: int
    largest_gap: int
    gaps: int
    texts: list[str]
    address: list[str]
    size: Float64
    stream: Float64
    block: Uint32
    segment: Uint32
    start: Float64
    block_size: Float64
    is_pending: Uint8
    group: Uint8


class BlockAnswer(Answer):
    """A block with all frames of its stack, the innermost first; ``slice`` of the timeline allocated it."""

    block: BlockEntry
    device: str
    frames: list[str]
    address: str
    slice: int | None
