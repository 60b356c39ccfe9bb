# SPDX-License-Identifier: Apache-2.0
"""Histories of CUDA's memory: pickles of ``torch.cuda.memory._dump_snapshot``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np

from mindscope.errors import FormatError
from mindscope.profile.columns import TextColumn
from mindscope.profile.formats.plain_pickle import read_plain_pickle
from mindscope.profile.formats.profile_format import ProfileFormat, Progress
from mindscope.profile.memory import UNKNOWN_TIME, Memory, MemoryBlocks, MemoryCurve
from mindscope.profile.profile import Device, Part, Profile, ProfileFacts

_HEAD = 1 << 16
_SUFFIXES = (".pickle", ".pkl", ".pt")
_US = 1000
_ALLOCATED = "active_allocated"
_RESERVED = {"segment_alloc": 1, "segment_map": 1, "segment_free": -1, "segment_unmap": -1}


class _Block(NamedTuple):
    device: int
    size: int
    allocated_at: int
    freed_at: int
    stack: str


class _Point(NamedTuple):
    time: int
    device: int
    allocated: int
    reserved: int


def is_memory_snapshot(path: Path) -> bool:
    """Whether a file is a pickle with segments or traces of a memory allocator. Raises OSError."""
    if not path.name.endswith(_SUFFIXES) or not path.is_file():
        return False
    with path.open("rb") as file:
        head = file.read(_HEAD)
    return head[:1] == b"\x80" and (b"segments" in head or b"device_traces" in head)


def _read(path: Path, on_progress: Progress) -> Profile:
    content: Any = read_plain_pickle(path)
    on_progress(path.stat().st_size)
    if not isinstance(content, dict) or not {"segments", "device_traces"} & content.keys():
        raise FormatError(f"{path.name} has no segments and no device_traces, want a snapshot of CUDA's memory")
    snapshot = _Snapshot(cast("dict[str, Any]", content))
    facts = ProfileFacts(
        name=path.name.removesuffix(path.suffix).removesuffix(".memory_snapshot"),
        path=str(path),
        format=MEMORY_SNAPSHOT.name,
        framework="torch",
        devices=[Device(f"GPU {device}", "cuda") for device in snapshot.devices],
        origin_ns=snapshot.origin_us * _US if snapshot.has_times else None,
        properties={
            "allocator_settings": snapshot.settings,
            "segments": snapshot.segments,
            "out_of_memory": snapshot.failures,
        },
    )
    return Profile(facts, None, {Part.MEMORY: snapshot.memory})


class _Snapshot:
    """Entries of the history, and the segments at its end. Entries and segments of other shapes are left out."""

    def __init__(self, content: Mapping[str, Any]) -> None:
        self._segments = [each for each in _mappings(content.get("segments")) if "total_size" in each]
        traces = cast("list[Any]", content.get("device_traces") or [])
        self._traces = [list(_mappings(trace)) for trace in traces]
        stamps = [_whole(entry["time_us"]) for trace in self._traces for entry in trace if "time_us" in entry]
        self.has_times = bool(stamps)
        """The oldest have none: their order counts."""
        self.origin_us = min(stamps, default=0)
        settings = content.get("allocator_settings")
        self.settings: dict[str, Any] = dict(cast("dict[str, Any]", settings)) if isinstance(settings, dict) else {}
        self._stacks: dict[int, str] = {}  # id of a list of frames, which lives as long as the content

    @property
    def devices(self) -> list[int]:
        """That have entries or segments."""
        named = {_whole(segment.get("device")) for segment in self._segments}
        return sorted(named | {device for device, trace in enumerate(self._traces) if trace})

    @property
    def segments(self) -> list[dict[str, Any]]:
        """The segments at the end, each with size and state of its blocks in the order of addresses."""
        return [
            {
                "device": _whole(segment.get("device")), "address": _whole(segment.get("address")),
                "size": _whole(segment["total_size"]), "kind": str(segment.get("segment_type", "")),
                "stream": _whole(segment.get("stream")), "is_expandable": bool(segment.get("is_expandable")),
                "blocks": [[_whole(block.get("size")), str(block.get("state", ""))] for block in _blocks(segment)],
            }
            for segment in self._segments
        ]  # fmt: skip

    @property
    def failures(self) -> list[dict[str, int]]:
        """Requests that found no memory: device, bytes requested, bytes free on the device, time in us."""
        return [
            {
                "device": device, "size": _whole(entry.get("size")), "device_free": _whole(entry.get("device_free")),
                "time_us": self._time(entry, place) // _US,
            }
            for device, trace in enumerate(self._traces)
            for place, entry in enumerate(trace)
            if entry.get("action") == "oom"
        ]  # fmt: skip

    def memory(self) -> Memory:
        """Curve and blocks."""
        points = [point for device in self.devices for point in reversed(list(self._curve(device)))]
        curve = MemoryCurve(
            time=_array(point.time for point in points),
            device=TextColumn.of(f"GPU {point.device}" for point in points),
            allocated=_array(point.allocated for point in points),
            reserved=_array(point.reserved for point in points),
        )
        blocks = sorted((block for device in self.devices for block in self._lives(device)), key=lambda each: each[2])
        return Memory(
            curve,
            MemoryBlocks(
                device=TextColumn.of(f"GPU {block.device}" for block in blocks),
                size=_array(block.size for block in blocks),
                allocated_at=_array(block.allocated_at for block in blocks),
                freed_at=_array(block.freed_at for block in blocks),
                stack=TextColumn.of(block.stack for block in blocks),
            ),
        )

    def _curve(self, device: int) -> Iterator[_Point]:
        """Backwards from the end, which the segments know, since a bounded history has lost its beginning."""
        own = [segment for segment in self._segments if _whole(segment.get("device")) == device]
        allocated, reserved = sum(map(_allocated, own)), sum(_whole(segment["total_size"]) for segment in own)
        trace = self._trace(device)
        for place in range(len(trace) - 1, -1, -1):
            entry = trace[place]
            yield _Point(self._time(entry, place), device, allocated, reserved)
            action, size = entry.get("action"), _whole(entry.get("size"))
            allocated -= size if action == "alloc" else -size if action == "free_requested" else 0
            reserved -= _RESERVED.get(str(action), 0) * size

    def _lives(self, device: int) -> Iterator[_Block]:
        """Blocks by their first and last entry; those that live before the history, or after it."""
        alive: dict[int, tuple[int, int, str]] = {}  # address -> size, time, stack
        for place, entry in enumerate(self._trace(device)):
            address, size, time = _whole(entry.get("addr")), _whole(entry.get("size")), self._time(entry, place)
            if entry.get("action") == "alloc":
                alive[address] = size, time, self._stack(entry.get("frames"))
            elif entry.get("action") == "free_requested":
                size, born, stack = alive.pop(address, (size, UNKNOWN_TIME, ""))
                yield _Block(device, size, born, time, stack)
        for size, born, stack in alive.values():
            yield _Block(device, size, born, UNKNOWN_TIME, stack)
        for address, block in self._blocks_at_end(device):
            if address not in alive and block.get("state") == _ALLOCATED:
                yield _Block(
                    device, _whole(block.get("size")), UNKNOWN_TIME, UNKNOWN_TIME, self._stack(block.get("frames"))
                )

    def _blocks_at_end(self, device: int) -> Iterator[tuple[int, Mapping[str, Any]]]:
        """With their addresses, which old files don't name."""
        for segment in self._segments:
            if _whole(segment.get("device")) != device:
                continue
            address = _whole(segment.get("address"))
            for block in _blocks(segment):
                yield _whole(block.get("address", address)), block
                address += _whole(block.get("size"))

    def _trace(self, device: int) -> list[Mapping[str, Any]]:
        return self._traces[device] if device < len(self._traces) else []

    def _time(self, entry: Mapping[str, Any], place: int) -> int:
        return (_whole(entry["time_us"]) - self.origin_us) * _US if "time_us" in entry else place * _US

    def _stack(self, frames: Any) -> str:
        """``file(line): name``, innermost first; lists that entries share are read once."""
        if not isinstance(frames, list):
            return ""
        found = self._stacks.get(id(cast("Any", frames)))
        if found is None:
            found = ";".join(
                f"{frame.get('filename', '')}({frame.get('line', 0)}): {frame.get('name', '')}"
                for frame in _mappings(frames)
            )
            self._stacks[id(cast("Any", frames))] = found
        return found


def _allocated(segment: Mapping[str, Any]) -> int:
    if "allocated_size" in segment:
        return _whole(segment["allocated_size"])
    return sum(_whole(block.get("size")) for block in _blocks(segment) if block.get("state") == _ALLOCATED)


def _blocks(segment: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    return _mappings(segment.get("blocks"))


def _mappings(value: Any) -> Iterator[Mapping[str, Any]]:
    for each in cast("Iterable[Any]", value) if isinstance(value, (list, tuple)) else ():
        if isinstance(each, dict):
            yield cast("dict[str, Any]", each)


def _whole(value: Any) -> int:
    """An address may need 64 bits without a sign; it is only a key."""
    return value if isinstance(value, int) else 0


def _array(values: Iterable[int]) -> Any:
    """Bounded to int64, for files whose numbers are no sizes or times."""
    limit = (1 << 63) - 1
    return np.array([max(-limit - 1, min(limit, value)) for value in values], np.int64)


MEMORY_SNAPSHOT = ProfileFormat("memory_snapshot", "CUDA memory snapshot", is_memory_snapshot, _read)
