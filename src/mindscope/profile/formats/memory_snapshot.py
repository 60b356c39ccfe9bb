# SPDX-License-Identifier: Apache-2.0
"""Histories of CUDA's memory: pickles of ``torch.cuda.memory._dump_snapshot``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from mindscope.artifacts.format import Format, Progress
from mindscope.errors import FormatError
from mindscope.formats.plain_pickle import read_plain_pickle
from mindscope.profile.formats.json_values import mapping_of
from mindscope.profile.formats.memory_segments import (
    RELEASES,
    RESERVES,
    Segment,
    SegmentChange,
    segments_over_time,
)
from mindscope.profile.model.profile_data import Device, Part, ProfileFacts
from mindscope.profile.profile import Profile
from mindscope.profile.tables.memory import UNKNOWN_TIME, Memory, MemoryBlocks, MemoryCurve, MemorySegments
from mindscope.profile.trace.far_times import near_times
from mindscope.reasons import Reason
from mindscope.table.columns import TextColumn

_HEAD = 1 << 16
_SUFFIXES = (".pickle", ".pkl", ".pt")
_US = 1000
_ALLOCATED = "active_allocated"
_PENDING = ("active_pending_free", "active_awaiting_free")
_RESERVED: dict[str, int] = {**dict.fromkeys(RESERVES, 1), **dict.fromkeys(RELEASES, -1)}


class _Block(NamedTuple):
    device: int
    address: int
    size: int
    allocated_at: int
    freed_at: int
    reusable_at: int
    stack: str


class _Point(NamedTuple):
    time: int
    device: int
    allocated: int
    reserved: int


def is_memory_snapshot(path: Path) -> bool:
    """Return whether a file is a pickle with segments or traces of a memory allocator. Raises OSError."""
    if not path.name.endswith(_SUFFIXES) or not path.is_file():
        return False
    with path.open("rb") as file:
        head = file.read(_HEAD)
    return head[:1] == b"\x80" and (b"segments" in head or b"device_traces" in head)


def _read(path: Path, on_progress: Progress) -> Profile:
    content: Any = read_plain_pickle(path)
    on_progress(path.stat().st_size)
    if not isinstance(content, dict) or not {"segments", "device_traces"} & content.keys():
        raise FormatError(Reason("profile_not_snapshot", file=path.name))
    snapshot = _Snapshot(cast("dict[str, Any]", content))
    facts = ProfileFacts(
        name=path.name.removesuffix(path.suffix).removesuffix(".memory_snapshot"),
        path=str(path),
        format=MEMORY_SNAPSHOT.name,
        framework="torch",
        devices=[Device(f"GPU {device}", "cuda") for device in snapshot.devices],
        origin_ns=snapshot.origin_ns if snapshot.has_times else None,
        properties={
            "allocator_settings": snapshot.settings,
            "out_of_memory": snapshot.failures,
        },
    )
    return Profile(facts, None, {Part.MEMORY: snapshot.memory})


class _Snapshot:
    """Entries of the history, and the segments at its end. Entries and segments of other shapes are left out."""

    def __init__(self, content: Mapping[str, Any]) -> None:
        self._segments = [mapping for mapping in _mappings(content.get("segments")) if "total_size" in mapping]
        traces = content.get("device_traces")
        self._traces = [_entries(trace) for trace in cast("list[Any]", traces if isinstance(traces, list) else [])]
        stamps = [_whole(entry["time_us"]) * _US for trace in self._traces for entry in trace if "time_us" in entry]
        self.has_times = bool(stamps)
        """The oldest have none: their order counts."""
        self.origin_ns, self._end_ns = _ends(_array(stamps))
        self.settings = _plain(content.get("allocator_settings"))
        self._stacks: dict[int, str] = {}  # id of a list of frames, which lives as long as the content

    @property
    def devices(self) -> list[int]:
        """Return the devices that have entries or segments."""
        named = {_whole(segment.get("device")) for segment in self._segments}
        return sorted(named | {device for device, trace in enumerate(self._traces) if trace})

    @property
    def failures(self) -> list[dict[str, int]]:
        """Requests that found no memory: device, bytes requested, bytes free on the device, time in us."""
        return [
            {
                "device": device, "size": _whole(entry.get("size")), "device_free": _whole(entry.get("device_free")),
                "time_us": self._time(entry, index) // _US,
            }
            for device, trace in enumerate(self._traces)
            for index, entry in enumerate(trace)
            if entry.get("action") == "oom"
        ]  # fmt: skip

    def memory(self) -> Memory:
        """Return curve, blocks and segments."""
        points = [point for device in self.devices for point in reversed(list(self._curve(device)))]
        curve = MemoryCurve(
            time=_array(point.time for point in points),
            device=TextColumn.of(f"GPU {point.device}" for point in points),
            allocated=_array(point.allocated for point in points),
            reserved=_array(point.reserved for point in points),
        )
        blocks = sorted(
            (block for device in self.devices for block in self._lives(device)), key=lambda each: each.allocated_at
        )
        return Memory(
            curve,
            MemoryBlocks(
                device=TextColumn.of(f"GPU {block.device}" for block in blocks),
                size=_array(block.size for block in blocks),
                allocated_at=_array(block.allocated_at for block in blocks),
                freed_at=_array(block.freed_at for block in blocks),
                stack=TextColumn.of(block.stack for block in blocks),
                address=_addresses(block.address for block in blocks),
                reusable_at=_array(block.reusable_at for block in blocks),
            ),
            self._reserved(),
        )

    def _reserved(self) -> MemorySegments:
        """Return the segments of all devices over time."""
        found = [(device, each) for device in self.devices for each in segments_over_time(*self._segments_of(device))]
        return MemorySegments(
            device=TextColumn.of(f"GPU {device}" for device, _ in found),
            address=_addresses(each.address for _, each in found),
            size=_array(each.size for _, each in found),
            reserved_at=_array(each.reserved_at for _, each in found),
            released_at=_array(each.released_at for _, each in found),
            stream=_array(each.stream for _, each in found),
            is_expandable=np.array([each.is_expandable for _, each in found], np.bool_),
        )

    def _segments_of(self, device: int) -> tuple[Iterator[Segment], Iterator[SegmentChange]]:
        """Return the segments at the end, and the entries about segments from the last one on."""
        at_end = (
            Segment(
                _whole(segment.get("address")), _whole(segment["total_size"]), _whole(segment.get("stream")),
                bool(segment.get("is_expandable")), UNKNOWN_TIME, UNKNOWN_TIME,
            )
            for segment in self._segments
            if _whole(segment.get("device")) == device
        )  # fmt: skip
        trace = self._trace(device)
        changes = (
            SegmentChange(
                str(trace[index]["action"]), _whole(trace[index].get("addr")), _whole(trace[index].get("size")),
                _whole(trace[index].get("stream")), self._time(trace[index], index),
            )
            for index in range(len(trace) - 1, -1, -1)
            if trace[index].get("action") in _RESERVED
        )  # fmt: skip
        return at_end, changes

    def _curve(self, device: int) -> Iterator[_Point]:
        """Yield backwards from the end, which the segments know, since a bounded history has lost its beginning."""
        segments = [segment for segment in self._segments if _whole(segment.get("device")) == device]
        allocated, reserved = sum(map(_allocated, segments)), sum(_whole(segment["total_size"]) for segment in segments)
        trace = self._trace(device)
        for index in range(len(trace) - 1, -1, -1):
            entry = trace[index]
            yield _Point(self._time(entry, index), device, allocated, reserved)
            action, size = entry.get("action"), _whole(entry.get("size"))
            allocated -= size if action == "alloc" else -size if action == "free_requested" else 0
            reserved -= _RESERVED.get(str(action), 0) * size

    def _lives(self, device: int) -> Iterator[_Block]:
        """Yield blocks by their first and last entry; those that live before the history, or after it."""
        alive: dict[int, _Block] = {}  # by address
        pending: dict[int, _Block] = {}  # freed, but not yet usable
        for index, entry in enumerate(self._trace(device)):
            address, size, time = _whole(entry.get("addr")), _whole(entry.get("size")), self._time(entry, index)
            if entry.get("action") in ("alloc", "free_requested") and address in pending:
                yield _reusable(pending.pop(address))  # its end was not recorded
            if entry.get("action") == "alloc":
                stack = self._stack(entry.get("frames"))
                alive[address] = _Block(device, address, size, time, UNKNOWN_TIME, UNKNOWN_TIME, stack)
            elif entry.get("action") == "free_requested":
                known = alive.pop(address, None)
                known = known or _Block(device, address, size, UNKNOWN_TIME, time, UNKNOWN_TIME, "")
                pending[address] = known._replace(freed_at=time)
            elif entry.get("action") == "free_completed" and address in pending:
                yield pending.pop(address)._replace(reusable_at=time)
        at_end = dict(self._blocks_at_end(device))
        for address, block in pending.items():
            is_held = at_end.get(address, {}).get("state") in _PENDING
            yield block if is_held else _reusable(block)
        yield from alive.values()
        for address, block in at_end.items():
            if address not in alive and block.get("state") == _ALLOCATED:
                size, stack = _whole(block.get("size")), self._stack(block.get("frames"))
                yield _Block(device, address, size, UNKNOWN_TIME, UNKNOWN_TIME, UNKNOWN_TIME, stack)

    def _blocks_at_end(self, device: int) -> Iterator[tuple[int, Mapping[str, Any]]]:
        """Return the blocks at the end with their addresses, which old files don't name."""
        for segment in self._segments:
            if _whole(segment.get("device")) != device:
                continue
            address = _whole(segment.get("address"))
            for block in _blocks(segment):
                yield _whole(block.get("address", address)), block
                address += _whole(block.get("size"))

    def _trace(self, device: int) -> list[Mapping[str, Any]]:
        return self._traces[device] if 0 <= device < len(self._traces) else []

    def _time(self, entry: Mapping[str, Any], index: int) -> int:
        if "time_us" not in entry:
            return index * _US
        return min(max(_whole(entry["time_us"]) * _US, self.origin_ns), self._end_ns) - self.origin_ns

    def _stack(self, frames: Any) -> str:
        """Return ``file(line): name``, innermost first; lists that entries share are read once."""
        if not isinstance(frames, list):
            return ""
        stack = self._stacks.get(id(cast("Any", frames)))
        if stack is None:
            stack = (
                ";".join(
                    f"{frame.get('filename', '')}({frame.get('line', 0)}): {frame.get('name', '')}"
                    for frame in _mappings(frames)
                )
                .encode("utf-8", "backslashreplace")
                .decode()
            )  # a pickle can hold halves of surrogate pairs
            self._stacks[id(cast("Any", frames))] = stack
        return stack


def _reusable(block: _Block) -> _Block:
    """Make a block reusable from its free on."""
    return block._replace(reusable_at=block.freed_at)


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


def _entries(trace: Any) -> list[Mapping[str, Any]]:
    """Return the entries whose action is a text."""
    return [mapping for mapping in _mappings(trace) if isinstance(mapping.get("action"), str)]


def _plain(settings: Any) -> dict[str, Any]:
    """Return settings as JSON has them; none if they are no object, or contain themselves."""
    try:
        return dict(mapping_of(json.loads(json.dumps(settings, default=str, skipkeys=True))))
    except (ValueError, RecursionError):
        return {}


def _whole(value: Any) -> int:
    """An address may need 64 bits without a sign; it is only a key."""
    return value if isinstance(value, int) else 0


def _addresses(values: Iterable[int]) -> Any:
    return np.array([value & 0xFFFF_FFFF_FFFF_FFFF for value in values], np.uint64)


def _ends(times: NDArray[np.int64]) -> tuple[int, int]:
    """Return the first and the last time, without those that lie so far from the others that a clock went wrong."""
    if (bounds := near_times([times])) is not None:
        times = times[(times >= bounds[0]) & (times <= bounds[1])]
    return (int(times.min()), int(times.max())) if len(times) else (0, 0)


def _array(values: Iterable[int]) -> Any:
    """Return numbers bounded to int64, for files whose numbers are no sizes or times."""
    limit = (1 << 63) - 1
    return np.array([max(-limit - 1, min(limit, value)) for value in values], np.int64)


MEMORY_SNAPSHOT = Format("memory_snapshot", "CUDA memory snapshot", is_memory_snapshot, _read)
