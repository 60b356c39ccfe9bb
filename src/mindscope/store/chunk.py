# SPDX-License-Identifier: Apache-2.0
"""Sealed rows: files of plain columns that are memory-mapped when rows are read.

A chunk holds rows of many series; the rows of one series are contiguous. The file is a concatenation of columns, each
in its memory format (little-endian), so that reading a series copies nothing:

    step of the rows that store it | wall_time of all rows | value of all rows

Evenly spaced steps, see ``formats/step_ranges.py``, are not stored.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from weakref import ref

import numpy as np
from numpy.typing import NDArray

from mindscope.errors import MindscopeError
from mindscope.formats.frames import crc32c
from mindscope.formats.step_ranges import MAX_SHARED_ROWS, StepRanges, step_range_of

Columns = dict[str, NDArray[Any]]
Layout = Mapping[str, np.dtype[Any]]

STEP = np.dtype("<i8")
Step = int | tuple[int, int]
"""Steps of the rows of a series: index of the first stored step, or first step and stride of a progression."""

SCALAR_LAYOUT: Layout = {"step": STEP, "wall_time": np.dtype("<f8"), "value": np.dtype("<f4")}
WIDE_SCALAR_LAYOUT: Layout = {"step": STEP, "wall_time": np.dtype("<f8"), "value": np.dtype("<f8")}
"""Layout of a series with a value that does not fit float32."""
REFERENCE_LAYOUT: Layout = {
    "step": STEP,
    "wall_time": np.dtype("<f8"),
    "offset": np.dtype("<i8"),
    "length": np.dtype("<i8"),
}


class ChunkDamagedError(MindscopeError):
    """A sealed file is missing or its bytes changed: the rows must be read from the logs again."""


class Chunk:
    """A file of ``rows`` rows, which stores the step of ``stored_steps`` of them.

    The file is immutable; returned rows stay readable after its deletion.
    """

    __slots__ = ("_mapped", "folder", "layout", "name", "rows", "step_ranges", "stored_steps")

    def __init__(
        self, folder: Path, name: str, layout: Layout, rows: int, stored_steps: int, step_ranges: StepRanges
    ) -> None:
        self.folder = folder
        self.name = name
        self.layout = layout
        self.rows = rows
        self.stored_steps = stored_steps
        self.step_ranges = step_ranges  # shared with other chunks
        self._mapped: ref[NDArray[np.uint8]] | None = None  # one mapping, shared by all returned rows

    @property
    def path(self) -> Path:
        """Path of the file."""
        return self.folder / self.name

    @property
    def size_bytes(self) -> int:
        return size_bytes(self.layout, self.rows, self.stored_steps)

    def read(self, start: int, count: int, step: Step) -> Columns:
        """Return some rows, as read-only views of the file.

        Raises ChunkDamagedError if it is gone or has another size.
        """
        mapped = self._map()
        at = self.stored_steps * STEP.itemsize
        columns: Columns = {}
        if isinstance(step, int):
            columns["step"] = mapped[step * STEP.itemsize : (step + count) * STEP.itemsize].view(STEP)
        else:
            columns["step"] = self.step_ranges.column(*step, count)
        for name, dtype in _unstepped(self.layout):
            first = at + start * dtype.itemsize
            columns[name] = mapped[first : first + count * dtype.itemsize].view(dtype)
            at += self.rows * dtype.itemsize
        return columns

    def _map(self) -> NDArray[np.uint8]:
        mapped = self._mapped() if self._mapped else None
        if mapped is None:
            mapped = _map_file(self.path, self.size_bytes)
            self._mapped = ref(mapped)
        return mapped


class ChunkSlice:
    """The rows of one series in a chunk. The first read verifies the checksum."""

    __slots__ = ("_is_checked", "checksum", "chunk", "count", "start", "step")

    def __init__(self, chunk: Chunk, start: int, count: int, step: Step, checksum: int) -> None:
        self.chunk = chunk
        self.start = start
        self.count = count
        self.step = step
        self.checksum = checksum
        self._is_checked = False

    def read(self) -> Columns:
        """Return the rows. Raises ChunkDamagedError."""
        columns = self.chunk.read(self.start, self.count, self.step)
        if not self._is_checked:
            got = checksum_of([columns], has_steps=isinstance(self.step, int))
            if got != self.checksum:
                raise ChunkDamagedError(
                    f"rows {self.start} to {self.start + self.count} of {self.chunk.path}: checksum is {got:#010x}, "
                    f"want {self.checksum:#010x}; the log is read again"
                )
            self._is_checked = True
        return columns


def write_chunk(
    path: Path, layout: Layout, series: Sequence[Sequence[Columns]], step_ranges: StepRanges
) -> list[ChunkSlice]:
    """Write the rows of several series, each passed in parts; returns the slice of each series.

    The file gets its name only when it is complete. Raises OSError.
    """
    counts = [sum(columns["step"].size for columns in parts) for parts in series]
    steps, stored_steps = _step_entries(series, counts)
    stored = [parts for step, parts in zip(steps, series, strict=True) if isinstance(step, int)]
    unfinished = path.with_suffix(".part")
    try:
        with unfinished.open("wb", buffering=1 << 20) as file:
            for name, parts in (*(("step", parts) for parts in stored), *_parts_by_column(layout, series)):
                for columns in parts:
                    file.write(_bytes(columns[name]))
        unfinished.replace(path)
    except OSError:  # free the bytes, the disk may be full
        unfinished.unlink(missing_ok=True)
        raise
    chunk = Chunk(path.parent, path.name, layout, sum(counts), stored_steps, step_ranges)
    starts = np.cumsum([0, *counts]).tolist()
    return [
        ChunkSlice(chunk, start, count, step, checksum_of(parts, has_steps=isinstance(step, int)))
        for start, count, step, parts in zip(starts, counts, steps, series, strict=False)
    ]


def _parts_by_column(layout: Layout, series: Sequence[Sequence[Columns]]) -> Iterator[tuple[str, Sequence[Columns]]]:
    return ((name, parts) for name, _ in _unstepped(layout) for parts in series)


def _step_entries(series: Sequence[Sequence[Columns]], counts: list[int]) -> tuple[list[Step], int]:
    """Return the step entry of each series, and the total count of stored steps."""
    steps: list[Step] = []
    stored = 0
    for parts, count in zip(series, counts, strict=True):
        step_range = _step_range(parts) if count <= MAX_SHARED_ROWS else None
        steps.append(stored if step_range is None else step_range)
        stored += count if step_range is None else 0
    return steps, stored


def _step_range(parts: Sequence[Columns]) -> tuple[int, int] | None:
    steps = [columns["step"] for columns in parts]
    return step_range_of(steps[0] if len(steps) == 1 else np.concatenate(steps))


def checksum_of(parts: Sequence[Columns], has_steps: bool) -> int:
    """Return the CRC-32C of the concatenated columns of a series.

    It does not depend on how the rows are split into parts.
    """
    checksum = 0
    for name in parts[0]:
        for columns in parts if has_steps or name != "step" else ():
            checksum = crc32c(_bytes(columns[name]), before=checksum)
    return checksum


def size_bytes(layout: Layout, rows: int, stored_steps: int) -> int:
    """Return the size of a chunk."""
    return stored_steps * STEP.itemsize + rows * sum(dtype.itemsize for _, dtype in _unstepped(layout))


def _unstepped(layout: Layout) -> list[tuple[str, np.dtype[Any]]]:
    return [(name, dtype) for name, dtype in layout.items() if name != "step"]


def _map_file(path: Path, want_bytes: int) -> NDArray[np.uint8]:
    try:
        with path.open("rb") as file:
            got_bytes = os.fstat(file.fileno()).st_size
            if got_bytes == want_bytes:
                return np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), np.uint8)
    except OSError as error:
        raise ChunkDamagedError(f"{path}: {error.strerror}; the log is read again") from error
    raise ChunkDamagedError(f"{path}: it has {got_bytes} bytes, want {want_bytes}; the log is read again")


def _bytes(column: NDArray[Any]) -> memoryview:
    return np.ascontiguousarray(column).view(np.uint8).data
