# SPDX-License-Identifier: Apache-2.0
"""Sealed rows: files of plain columns that are mapped when rows are asked for.

A chunk holds rows of many series, those of one series beside each other. Its bytes are the columns one after the other,
each as in memory (little endian), which is why a series is read without copying it:

    step of all rows | wall_time of all rows | value of all rows
"""

from __future__ import annotations

import mmap
import os
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from weakref import ref

import numpy as np
from numpy.typing import NDArray

from mindscope.errors import MindscopeError

Columns = dict[str, NDArray[Any]]
Layout = Mapping[str, np.dtype[Any]]

SCALAR_LAYOUT: Layout = {"step": np.dtype("<i8"), "wall_time": np.dtype("<f8"), "value": np.dtype("<f4")}
REFERENCE_LAYOUT: Layout = {
    "step": np.dtype("<i8"),
    "wall_time": np.dtype("<f8"),
    "offset": np.dtype("<i8"),
    "length": np.dtype("<i8"),
}


class ChunkDamagedError(MindscopeError):
    """A sealed file that is gone or holds other bytes than were written: its rows have to be read from the logs."""


class Chunk:
    """A file of ``rows`` sealed rows. It is never changed; rows handed out stay readable when it is deleted."""

    __slots__ = ("_mapped", "folder", "layout", "name", "rows")

    def __init__(self, folder: Path, name: str, layout: Layout, rows: int) -> None:
        self.folder = folder
        self.name = name
        self.layout = layout
        self.rows = rows
        self._mapped: ref[NDArray[np.uint8]] | None = None  # one mapping for all rows that are in use

    @property
    def path(self) -> Path:
        """Where the file is."""
        return self.folder / self.name

    @property
    def size_bytes(self) -> int:
        return size_bytes(self.layout, self.rows)

    def read(self, start: int, count: int) -> Columns:
        """Some rows, as read-only views of the file. Raises ChunkDamagedError when it is gone or has another size."""
        mapped = self._map()
        columns: Columns = {}
        at = 0
        for name, dtype in self.layout.items():
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


class Sealed:
    """The rows of one series in a chunk. They are checked when they are first read."""

    __slots__ = ("_is_checked", "checksum", "chunk", "count", "start")

    def __init__(self, chunk: Chunk, start: int, count: int, checksum: int) -> None:
        self.chunk = chunk
        self.start = start
        self.count = count
        self.checksum = checksum
        self._is_checked = False

    def read(self) -> Columns:
        """The rows. Raises ChunkDamagedError."""
        columns = self.chunk.read(self.start, self.count)
        if not self._is_checked:
            got = checksum_of([columns])
            if got != self.checksum:
                raise ChunkDamagedError(
                    f"rows {self.start} to {self.start + self.count} of {self.chunk.path}: checksum is {got:#010x}, "
                    f"want {self.checksum:#010x}; the log is read again"
                )
            self._is_checked = True
        return columns


def write_chunk(path: Path, layout: Layout, series: Sequence[Sequence[Columns]]) -> list[Sealed]:
    """Write the rows of several series, each given in parts; returns where each stands.

    The file has its name only once it is complete. Raises OSError.
    """
    counts = [sum(columns["step"].size for columns in parts) for parts in series]
    unfinished = path.with_suffix(".part")
    with unfinished.open("wb", buffering=1 << 20) as file:
        for name in layout:
            for parts in series:
                for columns in parts:
                    file.write(_bytes(columns[name]))
    unfinished.replace(path)
    chunk = Chunk(path.parent, path.name, layout, sum(counts))
    starts = np.cumsum([0, *counts]).tolist()
    return [
        Sealed(chunk, start, count, checksum_of(parts))
        for start, count, parts in zip(starts, counts, series, strict=False)
    ]


def checksum_of(parts: Sequence[Columns]) -> int:
    """CRC-32 of the columns of a series one after the other, however the rows are parted."""
    checksum = 0
    for name in parts[0]:
        for columns in parts:
            checksum = zlib.crc32(_bytes(columns[name]), checksum)
    return checksum


def size_bytes(layout: Layout, rows: int) -> int:
    """Size of a chunk."""
    return rows * sum(dtype.itemsize for dtype in layout.values())


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
