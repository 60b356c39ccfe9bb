# SPDX-License-Identifier: Apache-2.0
"""Maps the segments of an allocator at a moment: blocks in use, freed ones, and gaps."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.memory.live_blocks import live_rows, of_device
from mindscope.profile.tables.memory import UNKNOWN_TIME, Addresses, Memory, MemoryBlocks, MemorySegments
from mindscope.table.columns import Counts, Rows, Sizes


@dataclass(frozen=True, slots=True, eq=False)
class SegmentMap:
    """Segments in order of addresses, and the blocks in them; block i lies in segment ``segment[i]`` at ``start[i]``.

    Blocks are in order of addresses. What no block covers is a gap that new blocks may use.
    """

    address: Addresses
    size: Sizes
    stream: Sizes
    segment: Counts
    start: Sizes
    block: Rows
    """Row of the block in the memory of the profile."""
    is_pending: NDArray[np.bool_]
    """Whether it is freed, but another stream may still use it."""
    block_size: Sizes

    @property
    def reserved(self) -> int:
        """Bytes of all segments together."""
        return int(self.size.sum())

    @property
    def allocated(self) -> int:
        """Bytes of the blocks in use."""
        return int(self.block_size[~self.is_pending].sum())

    @property
    def pending(self) -> int:
        """Bytes of the blocks that are freed and not yet reusable."""
        return int(self.block_size[self.is_pending].sum())

    def gaps(self) -> tuple[Counts, Sizes, Sizes]:
        """Return the segment, start and size of each gap, in order of addresses."""
        segments = np.arange(len(self.size))
        segment = np.concatenate([self.segment, segments])
        begins = np.concatenate([self.start + self.block_size, np.zeros(len(segments), np.int64)])
        ends = np.concatenate([self.start, self.size])
        order, end_order = np.lexsort((begins, segment)), np.lexsort((ends, segment))
        segment, begin = segment[order], begins[order]
        sizes = ends[end_order] - begin
        is_gap = sizes > 0
        return segment[is_gap], begin[is_gap], sizes[is_gap]

    def largest_gap(self) -> int:
        """Return the bytes of the largest gap: of the largest block that fits without a new segment."""
        return int(self.gaps()[2].max(initial=0))


def segment_map(memory: Memory, time: int, device: str) -> SegmentMap | None:
    """Return the segments of a device at a moment; None if the format does not record them."""
    blocks, segments = memory.blocks, memory.segments
    if blocks is None or blocks.address is None or segments is None:
        return None
    own = segments.select(_reserved_at(segments, time, device))
    own = own.select(np.argsort(own.address, kind="stable"))
    address, size, stream = _joined(own)
    live, pending = live_rows(blocks, time, device), _pending_rows(blocks, time, device)
    rows = np.concatenate([live, pending])
    order = np.argsort(blocks.address[rows], kind="stable")
    rows, is_pending = rows[order], (np.arange(len(rows)) >= len(live))[order]
    segment, start = _segments_of(blocks.address[rows], address)
    is_inside = segment >= 0
    is_inside[is_inside] &= (start + blocks.size[rows])[is_inside] <= size[segment[is_inside]]
    is_inside[is_inside] = _are_disjoint(blocks.address[rows[is_inside]], blocks.size[rows[is_inside]])
    return SegmentMap(
        address, size, stream, segment[is_inside], start[is_inside], rows[is_inside], is_pending[is_inside],
        blocks.size[rows[is_inside]],
    )  # fmt: skip


def _segments_of(at: Addresses, address: Addresses) -> tuple[Counts, Sizes]:
    """Return the segment of each address, -1 for none, and its offset there.

    ``address`` are those of segments, in order.
    """
    segment = np.searchsorted(address, at, side="right").astype(np.int64) - 1
    start = np.zeros(len(at), np.int64)
    known = segment >= 0
    start[known] = (at[known] - address[segment[known]]).astype(np.int64)
    return segment, start


def _are_disjoint(address: Addresses, size: Sizes) -> NDArray[np.bool_]:
    """Return whether a block begins after the ends of all before it; those of a damaged history may overlap."""
    found = np.ones(len(address), np.bool_)
    found[1:] = address[1:] >= np.maximum.accumulate(address + size.astype(np.uint64))[:-1]
    return found


def _reserved_at(segments: MemorySegments, time: int, device: str) -> NDArray[np.bool_]:
    is_own = segments.device.is_any_of(lambda text: text == device)
    is_reserved = segments.reserved_at <= time
    return is_own & is_reserved & ((segments.released_at > time) | (segments.released_at == UNKNOWN_TIME))


def _joined(segments: MemorySegments) -> tuple[Addresses, Sizes, Sizes]:
    """Return the address, size and stream of segments; neighboring parts of an expandable segment are one."""
    ends = segments.address + segments.size.astype(np.uint64)
    follows = np.zeros(len(segments), np.bool_)
    follows[1:] = (segments.address[1:] == ends[:-1]) & (segments.stream[1:] == segments.stream[:-1])
    follows[1:] &= segments.is_expandable[1:] & segments.is_expandable[:-1]
    first = np.flatnonzero(~follows)
    size = np.add.reduceat(segments.size, first) if len(first) else segments.size
    return segments.address[first], size, segments.stream[first]


def _pending_rows(blocks: MemoryBlocks, time: int, device: str) -> Rows:
    if blocks.reusable_at is None:
        return np.empty(0, np.int64)
    is_freed = (blocks.freed_at != UNKNOWN_TIME) & (blocks.freed_at <= time)
    is_held = (blocks.reusable_at > time) | (blocks.reusable_at == UNKNOWN_TIME)
    return np.flatnonzero(is_freed & is_held & of_device(blocks, device))
