# SPDX-License-Identifier: Apache-2.0
"""The memory of a profile as messages and columns."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.memory.block_groups import breakdown, own_line
from mindscope.profile.memory.leaks import LeakHint
from mindscope.profile.memory.live_blocks import allocated_rows, largest, live_rows
from mindscope.profile.memory.segment_map import segment_map
from mindscope.profile.memory.views import MemoryViews
from mindscope.profile.model.profile_data import Part
from mindscope.profile.profile import Profile
from mindscope.profile.tables.memory import UNKNOWN_TIME, MemoryBlocks
from mindscope.profile.timeline.slice_search import slice_at
from mindscope.profile.timeline.timeline import Timeline
from mindscope.profile.timeline.timeline_window import Range
from mindscope.server.http.columns import Packed, pack
from mindscope.server.profiles.memory.schema import (
    AreaColumns,
    BlockAnswer,
    BlockEntry,
    BlocksAnswer,
    BlocksQuery,
    By,
    CurveColumns,
    FailureEntry,
    GroupEntry,
    LeakEntry,
    MemoryCurveEntry,
    MemoryDeviceEntry,
    MemoryFacts,
    MemoryFlameQuery,
    MemoryWindowHeader,
    MemoryWindowQuery,
    SegmentMapHeader,
)
from mindscope.server.profiles.tables.missing import missing_entry
from mindscope.server.profiles.timeline.query import flame_message, pixel_columns
from mindscope.table.columns import Rows, TextColumn, integers_of

MOST_GROUPS = 500
MOST_LEAKS = 100
MOST_FLAME_NODES = 20_000
MOST_MAP_TEXTS = 9
"""Groups of a map with a color of their own."""
_EVENT_NS = 1_000
"""Nanoseconds of an event in a snapshot without times: the reader counts events as microseconds."""


def memory_facts(views: MemoryViews, profile: Profile, version: str, zero: int) -> MemoryFacts:
    """Describe the parts of the memory of a profile."""
    begin, end = views.time_range
    is_planned = views.memory.plan is not None
    blocks, leaks = views.blocks, views.leaks()
    failures: list[Mapping[str, int]] = profile.facts.properties.get("out_of_memory") or []
    memory_of = {device.name: device.memory for device in profile.devices}
    return MemoryFacts(
        version=version,
        begin_ns=begin - zero,
        end_ns=end - zero,
        has_times=not is_planned and (profile.facts.format != "memory_snapshot" or profile.facts.origin_ns is not None),
        place_ns=1 if is_planned else _EVENT_NS,
        is_planned=is_planned,
        devices=[
            MemoryDeviceEntry(device=device, memory_bytes=memory_of.get(device, 0), peak_ns=views.peak(device) - zero)
            for device in views.devices
        ],
        curves=[
            MemoryCurveEntry(
                curve=number,
                device=curve.device,
                component=curve.component,
                points=len(curve.time),
                peak_ns=int(curve.time[curve.peak]) - zero,
                peak_bytes=int(curve.allocated[curve.peak]),
                reserved_peak_bytes=curve.reserved_peak,
            )
            for number, curve in enumerate(views.curves)
        ],
        blocks=0 if blocks is None else len(blocks),
        groups=cast("list[By]", views.groups),
        has_stacks=blocks is not None and blocks.stack is not None and any(blocks.stack.values),
        has_segments=views.memory.segments is not None,
        leaks=[] if blocks is None else [_leak(hint) for hint in leaks.hints[:MOST_LEAKS]],
        leaks_by_period=leaks.by_period,
        failures=[_failure(failure, zero) for failure in failures],
        notes=[missing_entry(Part.MEMORY, note) for note in views.memory.notes],
    )


def pack_memory_window(views: MemoryViews, query: MemoryWindowQuery, zero: int) -> Packed:
    """Return curves, and areas of the live blocks, in a range."""
    range = Range(query.begin_ns + zero, query.pixel_ns, query.width)
    curves: list[CurveColumns] = []
    for number in dict.fromkeys(query.curves):
        if 0 <= number < len(views.curves):
            allocated, reserved = views.curves[number].window(range)
            columns = None if reserved is None else pixel_columns(reserved)
            curves.append(CurveColumns(curve=number, allocated=pixel_columns(allocated), reserved=columns))
    header = MemoryWindowHeader(
        version=query.version,
        begin_ns=query.begin_ns,
        pixel_ns=query.pixel_ns,
        width=query.width,
        curves=curves,
        areas=None if query.by is None else _areas(views, query.device, query.by, range),
    )
    return pack(header)


def blocks_answer(views: MemoryViews, query: BlocksQuery, zero: int) -> BlocksAnswer:
    """Return the live blocks of a device at a moment."""
    time = query.time_ns + zero
    blocks = views.blocks
    sizes = [curve.at(time) for curve in views.curves if curve.device == query.device]
    answer = BlocksAnswer(
        time_ns=query.time_ns, count=0, size=0, older=0, allocated=sum(each[0] for each in sizes),
        reserved=sum(each[1] for each in sizes), groups=[], groups_left_out=0, listed=0, offset=query.offset, blocks=[],
    )  # fmt: skip
    if blocks is None:
        return answer
    rows = live_rows(blocks, time, query.device)
    texts = views.group(query.by) or TextColumn.constant("", len(blocks))
    found = breakdown(texts, blocks.size, rows)
    groups = zip(found.text, integers_of(found.size), integers_of(found.count), strict=True)
    listed = rows if query.group is None else rows[texts.select(rows).is_any_of(lambda each: each == query.group)]
    page = largest(blocks.size, listed, query.offset, query.count)
    return answer.model_copy(
        update={
            "count": len(rows),
            "size": int(blocks.size[rows].sum()),
            "older": int((blocks.allocated_at[rows] == UNKNOWN_TIME).sum()),
            "groups": [GroupEntry(text=text, size=size, count=count) for text, size, count in groups][:MOST_GROUPS],
            "groups_left_out": max(0, len(found.text) - MOST_GROUPS),
            "listed": len(listed),
            "blocks": [block_entry(views, blocks, row, zero) for row in integers_of(page)],
        }
    )


def block_answer(
    views: MemoryViews, blocks: MemoryBlocks, row: int, timeline: Timeline | None, zero: int
) -> BlockAnswer:
    """Return all about one block."""
    stack = "" if blocks.stack is None else blocks.stack[row]
    entry = block_entry(views, blocks, row, zero)
    return BlockAnswer(
        block=entry,
        device=blocks.device[row],
        frames=stack.split(";") if stack else [],
        address="" if blocks.address is None else f"{int(blocks.address[row]):#x}",
        slice=None if timeline is None else _allocating_slice(timeline, int(blocks.allocated_at[row]), entry.operator),
    )


def block_entry(views: MemoryViews, blocks: MemoryBlocks, row: int, zero: int) -> BlockEntry:
    """Return a block as a message."""
    step = None if blocks.step is None else int(blocks.step[row])
    return BlockEntry(
        block=row,
        size=int(blocks.size[row]),
        allocated_ns=_known(blocks.allocated_at[row], zero),
        freed_ns=_known(blocks.freed_at[row], zero),
        category=_text(blocks.category, row),
        operator=_text(blocks.operator, row),
        module=_text(blocks.module, row),
        line=_text(views.group("line"), row),
        step=step if step is not None and step >= 0 else None,
    )


def pack_memory_flame(views: MemoryViews, query: MemoryFlameQuery, zero: int) -> Packed:
    """Return bytes by stack: of live blocks, or of those that a range allocates. The header is a FlameHeader."""
    tree, blocks = views.stacks(), views.blocks
    assert tree is not None
    assert blocks is not None
    begin = query.begin_ns + zero
    rows = (
        live_rows(blocks, begin, query.device)
        if query.end_ns is None
        else allocated_rows(blocks, begin, query.end_ns + zero, query.device)
    )
    flame = tree.flame(blocks.size, rows, MOST_FLAME_NODES)
    used, name = np.unique(flame.name, return_inverse=True)
    texts = [tree.names[integer] for integer in integers_of(used)]
    return pack(flame_message(query.version, flame, texts, name))


def pack_segment_map(views: MemoryViews, version: str, device: str, time_ns: int, by: By, zero: int) -> Packed | None:
    """Return the segments of a device at a moment; None if they are not recorded."""
    found = segment_map(views.memory, time_ns + zero, device)
    blocks = views.blocks
    if found is None or blocks is None:
        return None
    texts, group = _map_groups(views.group(by), blocks, found.block)
    _, _, gaps = found.gaps()
    header = SegmentMapHeader(
        version=version,
        time_ns=time_ns,
        reserved=found.reserved,
        allocated=found.allocated,
        pending=found.pending,
        largest_gap=int(gaps.max(initial=0)),
        gaps=len(gaps),
        texts=texts,
        address=[f"{integer:#x}" for integer in integers_of(found.address)],
        size=found.size,
        stream=found.stream,
        block=found.block,
        segment=found.segment,
        start=found.start,
        block_size=found.block_size,
        is_pending=found.is_pending,
        group=group,
    )
    return pack(header)


def _map_groups(texts: TextColumn | None, blocks: MemoryBlocks, rows: Rows) -> tuple[list[str], NDArray[Any]]:
    """Return the texts of the largest groups, and the index of each block's group; one beyond them for all others."""
    if texts is None:
        return [], np.zeros(len(rows), np.int64)
    found = breakdown(texts, blocks.size, rows).text[:MOST_MAP_TEXTS]
    index_of = {text: index for index, text in enumerate(found)}
    indexes = np.array([index_of.get(text, len(found)) for text in texts.values], np.int64)
    return list(found), indexes[texts.codes[rows]]


def _areas(views: MemoryViews, device: str, by: By, range: Range) -> AreaColumns | None:
    live = views.live_bytes(device, by)
    if live is None:
        return None
    window = live.window(range)
    return AreaColumns(
        device=device,
        texts=list(live.texts),
        has_others=live.has_others,
        before=integers_of(window.before),
        pixel=window.pixel,
        highest=window.highest,
        last=window.last,
    )


def _leak(hint: LeakHint) -> LeakEntry:
    return LeakEntry(
        device=hint.device, operator=hint.operator, module=hint.module, line=own_line(hint.stack), stack=hint.stack,
        steps=list(hint.steps), bytes_per_step=hint.bytes_per_step, blocks=len(hint.rows), first_block=hint.rows[0],
    )  # fmt: skip


def _failure(entry: Mapping[str, int], zero: int) -> FailureEntry:
    return FailureEntry(
        device=f"GPU {entry['device']}", time_ns=entry["time_us"] * 1000 - zero, size=entry["size"],
        device_free=entry["device_free"],
    )  # fmt: skip


def _known(time: Any, zero: int) -> int | None:
    return None if time == UNKNOWN_TIME else int(time) - zero


def _text(column: TextColumn | None, row: int) -> str:
    return "" if column is None else column[row]


def _allocating_slice(timeline: Timeline, time: int, operator: str) -> int | None:
    return None if time == UNKNOWN_TIME else slice_at(timeline, time, operator)
