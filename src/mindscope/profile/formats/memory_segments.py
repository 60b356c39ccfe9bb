# SPDX-License-Identifier: Apache-2.0
"""The segments of CUDA's allocator over time, from those at the end of a history and from its entries."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from mindscope.profile.tables.memory import UNKNOWN_TIME

RESERVES: tuple[str, ...] = ("segment_alloc", "segment_map")
RELEASES: tuple[str, ...] = ("segment_free", "segment_unmap")


class SegmentChange(NamedTuple):
    """An entry of a history: one of ``RESERVES`` or ``RELEASES``."""

    action: str
    address: int
    size: int
    stream: int
    time: int


class Segment(NamedTuple):
    """A range of addresses, and from when to when it was reserved; see ``MemorySegments``."""

    address: int
    size: int
    stream: int
    is_expandable: bool
    reserved_at: int
    released_at: int


def segments_over_time(at_end: Iterable[Segment], changes: Iterable[SegmentChange]) -> list[Segment]:
    """Return all segments that the history knows of, by address. ``changes`` begin with the last one.

    A segment of the end whose parts were mapped at several times becomes several. A bounded history has lost its
    beginning, so it is read backwards, from the segments that are known.
    """
    ranges = _Ranges()
    for each in at_end:
        ranges.add(each)
    segments: list[Segment] = []
    for change in changes:
        if change.action in RELEASES:
            ranges.cut(change.address, change.size)  # two segments can't overlap: a damaged history
            is_expandable = change.action == "segment_unmap"
            ranges.add(
                Segment(change.address, change.size, change.stream, is_expandable, UNKNOWN_TIME, change.time)
            )  # fmt: skip
        elif change.action in RESERVES:
            segments += (each._replace(reserved_at=change.time) for each in ranges.cut(change.address, change.size))
    return sorted([*segments, *ranges.all])


class _Ranges:
    """Disjoint ranges of addresses."""

    def __init__(self) -> None:
        self.all: list[Segment] = []

    def add(self, segment: Segment) -> None:
        if segment.size > 0:
            insort(self.all, segment)

    def cut(self, address: int, size: int) -> list[Segment]:
        """Takes the parts that lie in a range out of it."""
        first = bisect_left(self.all, address, key=lambda each: each.address + each.size - 1)
        last = bisect_left(self.all, address + size, key=lambda each: each.address)
        parts = self.all[first:last]
        self.all[first:last] = [rest for part in parts for rest in _outside(part, address, address + size)]
        return [inside for part in parts if (inside := _within(part, address, address + size)).size > 0]


def _within(segment: Segment, begin: int, end: int) -> Segment:
    start = max(segment.address, begin)
    return segment._replace(address=start, size=min(segment.address + segment.size, end) - start)


def _outside(segment: Segment, begin: int, end: int) -> Iterator[Segment]:
    if segment.address < begin:
        yield segment._replace(size=begin - segment.address)
    if segment.address + segment.size > end:
        yield segment._replace(address=end, size=segment.address + segment.size - end)
