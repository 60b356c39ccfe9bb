# SPDX-License-Identifier: Apache-2.0
"""Segments of CUDA's allocator at moments of a history, against an allocator that is run forwards."""

from __future__ import annotations

import pickle
import random
from pathlib import Path
from typing import Any

import pytest

from mindscope.profile.memory.segment_map import SegmentMap, segment_map
from mindscope.profile.open import read_profile
from mindscope.profile.tables.memory import Memory

MB = 1 << 20
BASE_US = 1_800_000_000_000_000


class Allocator:
    """Makes a history as CUDA's allocator does; keeps what was reserved and in use after each entry."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self.entries: list[dict[str, Any]] = []
        self.segments: dict[int, int] = {}  # size by address
        self.blocks: dict[int, int] = {}
        self.pending: dict[int, int] = {}
        self.states: list[tuple[dict[int, int], dict[int, int], dict[int, int]]] = []

    def run(self, count: int) -> None:
        for _ in range(count):
            self._random.choice(
                (self._reserve, self._allocate, self._allocate, self._free, self._complete, self._release)
            )()

    def _add(self, action: str, address: int, size: int) -> None:
        time = BASE_US + len(self.entries)
        self.entries.append({"action": action, "addr": address, "size": size, "stream": 0, "time_us": time})
        self.states.append((dict(self.segments), dict(self.blocks), dict(self.pending)))

    def _reserve(self) -> None:
        address = (1 << 63) + self._random.randrange(40) * 64 * MB
        if address not in self.segments:
            self.segments[address] = self._random.randrange(1, 30) * 2 * MB
            self._add("segment_alloc", address, self.segments[address])

    def _allocate(self) -> None:
        size = self._random.randrange(1, 9) * MB
        for segment, room in self.segments.items():
            used = {**self.blocks, **self.pending}
            for address in sorted({segment, *(begin + length for begin, length in used.items())}):
                others = [
                    begin for begin, length in used.items() if begin < address + size and begin + length > address
                ]
                if segment <= address and address + size <= segment + room and not others:
                    self.blocks[address] = size
                    self._add("alloc", address, size)
                    return

    def _free(self) -> None:
        if self.blocks:
            address = self._random.choice(sorted(self.blocks))
            self.pending[address] = self.blocks.pop(address)
            self._add("free_requested", address, self.pending[address])

    def _complete(self) -> None:
        if self.pending:
            address = self._random.choice(sorted(self.pending))
            self._add("free_completed", address, self.pending.pop(address))

    def _release(self) -> None:
        used = {**self.blocks, **self.pending}
        for address, size in self.segments.items():
            if not any(address <= begin < address + size for begin in used):
                del self.segments[address]
                self._add("segment_free", address, size)
                return

    def write(self, path: Path, kept: int) -> Path:
        """A snapshot whose bounded history has only the last ``kept`` entries."""
        states = {
            **dict.fromkeys(self.blocks, "active_allocated"),
            **dict.fromkeys(self.pending, "active_pending_free"),
        }
        sizes = {**self.blocks, **self.pending}
        segments = [
            {
                "device": 0, "address": address, "total_size": size, "stream": 0, "segment_type": "large",
                "blocks": [
                    {"address": begin, "size": sizes[begin], "state": states[begin]}
                    for begin in sorted(sizes)
                    if address <= begin < address + size
                ],
            }
            for address, size in self.segments.items()
        ]  # fmt: skip
        path.write_bytes(pickle.dumps({"segments": segments, "device_traces": [self.entries[-kept:]]}))
        return path


@pytest.mark.parametrize("seed", range(6))
def test_maps_of_all_moments(tmp_path: Path, seed: int) -> None:
    allocator = Allocator(seed)
    allocator.run(300)
    memory = read_profile(allocator.write(tmp_path / "a.pickle", len(allocator.entries))).memory
    for place in range(0, len(allocator.entries), 7):
        found = _map_at(memory, place)
        segments, blocks, pending = allocator.states[place]
        assert dict(zip(found.address.tolist(), found.size.tolist(), strict=True)) == segments
        assert (found.allocated, found.pending) == (sum(blocks.values()), sum(pending.values()))
        _, _, gaps = found.gaps()
        assert int(gaps.sum()) == found.reserved - found.allocated - found.pending
        assert found.largest_gap() == _largest_gap(segments, {**blocks, **pending})


def test_a_bounded_history_knows_what_it_can(tmp_path: Path) -> None:
    """Memory that lives since before the history is in the segments of its end, or in its frees."""
    allocator = Allocator(1)
    allocator.run(300)
    memory = read_profile(allocator.write(tmp_path / "a.pickle", 50)).memory
    found = _map_at(memory, 49)
    assert (found.allocated, found.pending) == (sum(allocator.blocks.values()), sum(allocator.pending.values()))
    first = _map_at(memory, 0)
    segments, blocks, _ = allocator.states[-50]
    assert dict(zip(first.address.tolist(), first.size.tolist(), strict=True)) == segments
    assert first.allocated == sum(blocks.values())


def test_parts_of_an_expandable_segment_are_one(tmp_path: Path) -> None:
    entries = [
        {"action": "segment_map", "addr": 0, "size": 8, "stream": 3, "time_us": BASE_US},
        {"action": "segment_map", "addr": 8, "size": 8, "stream": 3, "time_us": BASE_US + 1},
        {"action": "alloc", "addr": 4, "size": 6, "stream": 3, "time_us": BASE_US + 2},
        {"action": "free_requested", "addr": 4, "size": 6, "stream": 3, "time_us": BASE_US + 3},
        {"action": "free_completed", "addr": 4, "size": 6, "stream": 3, "time_us": BASE_US + 3},
        {"action": "segment_unmap", "addr": 0, "size": 12, "stream": 3, "time_us": BASE_US + 4},
    ]
    segment: dict[str, Any] = {
        "device": 0,
        "address": 12,
        "total_size": 4,
        "stream": 3,
        "is_expandable": True,
        "blocks": [],
    }
    path = tmp_path / "a.pickle"
    path.write_bytes(pickle.dumps({"segments": [segment], "device_traces": [entries]}))
    memory = read_profile(path).memory
    sizes = [_map_at(memory, place).size.tolist() for place in range(5)]
    assert sizes == [[8], [16], [16], [16], [4]]
    assert [each.tolist() for each in _map_at(memory, 2).gaps()] == [[0, 0], [0, 10], [4, 6]]


def _map_at(memory: Memory, place: int) -> SegmentMap:
    begin = int(memory.curve.time[0])
    found = segment_map(memory, begin + place * 1000, "GPU 0")
    assert found is not None
    return found


def _largest_gap(segments: dict[int, int], used: dict[int, int]) -> int:
    largest = 0
    for address, size in segments.items():
        inside = sorted((begin, length) for begin, length in used.items() if address <= begin < address + size)
        edge = address
        for begin, length in [*inside, (address + size, 0)]:
            largest, edge = max(largest, begin - edge), begin + length
    return largest
