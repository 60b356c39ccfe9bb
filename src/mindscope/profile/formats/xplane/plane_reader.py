# SPDX-License-Identifier: Apache-2.0
"""Turns the lines of planes into slices: what devices ran, what threads of the host did, what XLA derived from it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mindscope.formats.message_columns import Messages
from mindscope.profile.formats.recorded_runs import (
    ANNOTATION,
    COPY,
    FRAME,
    KERNEL,
    LAUNCH,
    OPERATOR,
    SET,
    RecordedMarks,
    RecordedRuns,
    step_runs,
)
from mindscope.profile.formats.recording import TraceBuilder
from mindscope.profile.formats.scope_names import mapped
from mindscope.profile.formats.xplane.event_blocks import EventBlock, PlaneNames, event_blocks
from mindscope.profile.formats.xplane.planes import lines_of, name_of
from mindscope.profile.kineto.host_calls import MEMORY_NAME
from mindscope.profile.trace.argument_columns import NO_INTEGER
from mindscope.profile.trace.trace import Track
from mindscope.table.columns import TextColumn

OPERATION, PATH, MODULE = "hlo_op", "tf_op", "hlo_module"
"""Arguments of slices beside those of Kineto."""
_DEVICE = re.compile(r"/?(?:device:)?(GPU|TPU|CUSTOM|NPU|CPU):(\d+)\b.*", re.IGNORECASE)
_STREAM = re.compile(r"Stream #(\d{1,15})")
_WORK_LINES = ("XLA Ops", "Async XLA Ops")
"""Lines of the work of devices without streams."""
_COMMUNICATION = re.compile(
    r"all-?reduce|all-?gather|reduce-?scatter|all-?to-?all|collective-?\w+|ragged-all-to-all|nccl|send|recv",
    re.IGNORECASE,
)
_DETAIL = re.compile(r"(\w+):(\S+)")
_ALLOCATIONS = ("MemoryAllocation", "MemoryDeallocation")


class DevicePlane(NamedTuple):
    """A plane of a device."""

    kind: str
    """Kind of the device, such as ``GPU``."""
    number: int


@dataclass(slots=True)
class PlaneReader:
    """Collects the slices of planes."""

    to: TraceBuilder = field(default_factory=TraceBuilder)
    devices: list[DevicePlane] = field(default_factory=list[DevicePlane])
    device_steps: list[RecordedRuns] = field(default_factory=list[RecordedRuns])
    """Steps that XLA derived for each device."""
    has_host_steps: bool = False
    _planes: int = 0

    def read(self, encoded: bytes, begin: int, paths: Mapping[str, str]) -> None:
        """Add a plane that begins at an offset of its file. ``paths``: name of an operation -> its path."""
        lines = lines_of(encoded)
        if not len(lines):
            return
        names, name = PlaneNames(encoded), name_of(encoded)
        device = device_of(name)
        if device is not None:
            self.devices.append(device)
        line_names = _line_names(lines)
        has_streams = any(_STREAM.match(each) for each in line_names)
        for line, line_name in enumerate(line_names):
            track = self.to.tracks.number(
                Track(
                    name, f"{line} {line_name}", _title(name, device), line_name, self._planes, _order(line, line_name)
                )
            )
            for block in event_blocks(lines, line, names):
                self.to.skip("malformed", block.broken)
                block = _with_paths(replace(block, offset=block.offset + begin), paths)
                if device is None:
                    self._host(block, track)
                elif _STREAM.match(line_name) or (not has_streams and line_name in _WORK_LINES):
                    self._work(block, track, device, line_name)
                else:
                    self._derived(block, track, device, line_name)
        self._planes += 1

    def _work(self, block: EventBlock, track: int, device: DevicePlane, line_name: str) -> None:
        stream = _STREAM.match(line_name)
        number = int(stream[1]) if stream else _WORK_LINES.index(line_name)
        is_copy = block.name.is_any_of(lambda name: name.lower().startswith(("memcpy", "copy-start")))
        is_set = block.name.is_any_of(lambda name: name.lower().startswith("memset"))
        # Loops and calls of a TPU contain what they run.
        is_holder = np.zeros(len(block.start), np.bool_) if stream else _holds_others(block)
        for category, mask in (
            (KERNEL, ~is_copy & ~is_set & ~is_holder),
            (COPY, is_copy & ~is_holder),
            (SET, is_set & ~is_holder),
            ("xla_control", is_holder),
        ):
            self.to.add(_work_runs(block, category, track, device, number).select(mask))

    def _host(self, block: EventBlock, track: int) -> None:
        is_frame = block.name.is_any_of(lambda name: name.startswith("$"))
        is_step, is_operation = block.has("step_num"), block.has(OPERATION)
        is_launch = block.has("correlation_id") & ~is_operation
        is_allocation = block.name.is_any_of(lambda name: name in _ALLOCATIONS) & block.has("allocation_bytes")
        rest = ~(is_frame | is_step | is_operation | is_launch | is_allocation)
        frames = _runs(block, FRAME, track, name=mapped(block.name, lambda name: name.removeprefix("$")))
        self.to.add(frames.select(is_frame))
        self.to.add(_runs(block, OPERATOR, track, texts=_program(block)).select(is_operation))
        launches = _runs(block, LAUNCH, track, integers={"correlation": block.integers["correlation_id"]})
        self.to.add(launches.select(is_launch))
        self.to.add(_runs(block, ANNOTATION, track).select(rest & (block.duration > 0)))
        self.to.add(_runs(block, "xla_moment", track).select(rest & (block.duration <= 0)))
        if is_step.any():
            steps = _runs(block, "xla_step", track).select(is_step)
            self.to.add(steps)
            self.to.add(step_runs(block.integers["step_num"][is_step], steps))
            self.has_host_steps = True
        if is_allocation.any():
            self.to.add_marks(_allocations(block, track, is_allocation))

    def _derived(self, block: EventBlock, track: int, device: DevicePlane, line_name: str) -> None:
        runs = _runs(block, f"xla_{line_name.lower().replace(' ', '_')}", track, texts=_program(block))
        self.to.add(runs)
        if line_name == "Steps" and device == self.devices[0]:
            self.device_steps.append(runs)

    def add_device_steps(self) -> None:
        """Mark the steps of the first device, where the host marks none."""
        for runs in self.device_steps if not self.has_host_steps else ():
            number = [int(name) if name.isdecimal() and len(name) < 16 else -1 for name in runs.name]
            given = np.array(number, np.int64)
            counted = np.arange(len(runs), dtype=np.int64)
            self.to.add(step_runs(given if (given >= 0).all() else counted, runs))


def device_of(plane: str) -> DevicePlane | None:
    """Return the device that a plane is of; None for a host."""
    match = _DEVICE.fullmatch(plane)
    if match is None or plane.startswith("/host:"):
        return None
    return DevicePlane(match[1].upper(), int(match[2][:9]))


def _line_names(lines: Messages) -> list[str]:
    names, display_names = lines.field_runs("name"), lines.field_runs("display_name")
    return [display_names.text(line) or names.text(line) or f"line {line}" for line in range(len(lines))]


def _title(plane: str, device: DevicePlane | None) -> str:
    if device is not None:
        return f"{device.kind} {device.number}"
    return plane.removeprefix("/host:") or plane


def _order(line: int, name: str) -> int:
    """Return the thread of Python first, and what XLA derived before the streams."""
    return -1 if name.startswith("python") else line + (1000 if _STREAM.match(name) else 0)


def _runs(
    block: EventBlock,
    category: str,
    track: int,
    *,
    name: TextColumn | None = None,
    integers: Mapping[str, NDArray[np.int64]] | None = None,
    texts: Mapping[str, TextColumn] | None = None,
) -> RecordedRuns:
    return RecordedRuns(
        category=category, start=block.start, duration=block.duration, name=block.name if name is None else name,
        track=np.full(len(block.start), track, np.int64), integers=integers or {}, texts=texts or {},
        offset=block.offset, size=block.size,
    )  # fmt: skip


def _work_runs(block: EventBlock, category: str, track: int, device: DevicePlane, stream: int) -> RecordedRuns:
    count = len(block.start)
    kernel, copy = block.texts["kernel_details"], block.texts["memcpy_details"]
    text = block.texts[OPERATION]
    collective = mapped(text if text.codes.any() else block.name, _collective)
    sizes = np.maximum(_numbers(copy, "size"), _numbers(block.texts["memset_details"], "size"))
    return RecordedRuns(
        category=category, start=block.start, duration=block.duration, name=block.name,
        track=np.full(count, track, np.int64),
        integers={
            "device": np.full(count, device.number, np.int64), "stream": np.full(count, stream, np.int64),
            "correlation": block.integers["correlation_id"], "bytes": np.maximum(sizes, 0),
            "registers per thread": _numbers(kernel, "regs"), "flops": block.integers["flops"],
            "bytes_accessed": block.integers["bytes_accessed"],
        },
        numbers={"est. achieved occupancy %": _occupancy(kernel)},
        texts={
            "grid": _listed(kernel, "grid"), "block": _listed(kernel, "block"), "Collective name": collective,
            **_program(block),
        },
        offset=block.offset, size=block.size,
    )  # fmt: skip


def _collective(name: str) -> str:
    return name.replace("-", "_") if _COMMUNICATION.search(name) else ""


def _program(block: EventBlock) -> dict[str, TextColumn]:
    return {name: block.texts[name] for name in (OPERATION, PATH, MODULE)}


def _with_paths(block: EventBlock, paths: Mapping[str, str]) -> EventBlock:
    """Events without a path get that of their operation."""
    text = block.texts[PATH]
    if not paths or text.codes.all():
        return block
    found = mapped(block.texts[OPERATION], lambda name: paths.get(name, ""))
    codes = np.where(text.codes > 0, text.codes, found.codes + len(text.values)).astype(np.uint32)
    both = mapped(TextColumn(codes, [*text.values, *found.values]), str)
    return replace(block, texts={**block.texts, PATH: both})


def _holds_others(block: EventBlock) -> NDArray[np.bool_]:
    order = np.lexsort((-block.duration, block.start))
    end = block.start + block.duration
    found = np.zeros(len(order), np.bool_)
    found[order[:-1]] = end[order[1:]] <= end[order[:-1]]
    found[order[:-1]] &= block.start[order[1:]] < end[order[:-1]]
    return found


def _allocations(block: EventBlock, track: int, mask: NDArray[np.bool_]) -> RecordedMarks:
    """Return the marks of an allocator of a device, as PyTorch has them."""
    integers = {name: np.maximum(column[mask], 0) for name, column in block.integers.items()}
    is_freed = block.name.select(mask).is_any_of(lambda name: name == "MemoryDeallocation")
    size = integers["allocation_bytes"]
    ordinal = _numbers(mapped(block.texts["allocator_name"].select(mask), lambda name: f"n:{_digits(name)}"), "n")
    return RecordedMarks(
        time=block.start[mask], name=TextColumn.constant(MEMORY_NAME, len(size)),
        track=np.full(len(size), track, np.int64),
        integers={
            "Device Type": np.ones(len(size), np.int64), "Device Id": np.maximum(ordinal, 0),
            "Addr": block.integers["addr"][mask], "Bytes": np.where(is_freed, -size, size),
            "Total Allocated": integers["bytes_allocated"], "Total Reserved": integers["bytes_reserved"],
        },
    )  # fmt: skip


def _digits(name: str) -> str:
    found = re.search(r"\d{1,9}", name)
    return found[0] if found else "0"


def _details(text: str) -> dict[str, str]:
    return dict(_DETAIL.findall(text))


def _of_values(column: TextColumn, convert: Callable[[str], int]) -> NDArray[np.int64]:
    found = np.array([convert(value) for value in column.values], np.int64)
    return found[column.codes] if len(found) else np.empty(0, np.int64)


def _numbers(column: TextColumn, name: str) -> NDArray[np.int64]:
    """Return a whole number among ``name:value`` pairs."""

    def convert(text: str) -> int:
        value = _details(text).get(name, "")
        return int(value) if value.isdecimal() and len(value) < 19 else NO_INTEGER

    return _of_values(column, convert)


def _listed(column: TextColumn, name: str) -> TextColumn:
    """Return ``4,1,1`` of such a pair as ``[4,1,1]``."""
    return mapped(column, lambda text: f"[{value}]" if (value := _details(text).get(name)) else "")


def _occupancy(column: TextColumn) -> NDArray[np.float64]:
    def convert(text: str) -> float:
        try:
            return float(_details(text).get("occ_pct", "nan"))
        except ValueError:
            return np.nan

    found = np.array([convert(value) for value in column.values])
    return found[column.codes] if len(found) else np.empty(0)
