# SPDX-License-Identifier: Apache-2.0
"""Appends whole records to the event files of one recorder."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

from mindscope.capture.encoded import Buffer, LargeRecord

Record = bytes | LargeRecord
MODE_FINISHED = 0o400
"""Marks a complete file of MindSpore's format for readers."""


class Names(Protocol):
    """The names of the files of one kind."""

    second: int

    def path(self, second: int, suffix: str) -> Path:
        """Return the file of ``second``."""
        ...

    def create(self, second: int, suffix: str) -> tuple[int, int]:
        """Create the first free file from ``second`` on; returns its descriptor and its second. Raises OSError."""
        ...


class EventFileWriter:
    """One of a recorder's kinds of file: appends records, starts a new file before ``max_size`` is exceeded.

    ``end`` makes the last record of a complete file; without it, a complete file is read-only. Not thread-safe.
    """

    def __init__(
        self,
        names: Names,
        suffix: str,
        head: Callable[[], bytes],
        max_size: int | None,
        end: Callable[[], bytes] | None = None,
    ) -> None:
        self._end = end
        self._names = names
        self._suffix = suffix
        self._head = head  # makes the first record of a file; empty if there is none
        self._max_size = max_size
        self._descriptor: int | None = None
        self._second: int | None = None  # of the newest file, None before the first
        self._identity = (0, 0)  # device and inode of the newest file
        self._size = 0  # bytes of whole records in it
        self._head_size = 0  # bytes of the first record in the newest file, 0 before it is written
        self._is_released = False  # the newest file is closed for a while
        self.path: Path | None = None
        """The newest file, None before the first."""

    def append(self, records: Sequence[Record]) -> int:
        """Append ``records`` in order; returns by how many bytes the largest record exceeds ``max_size``, or 0.

        Raises:
            AppendError: some could not be written; it holds the count of those that were. The file ends with the last
                whole record.
        """
        done = 0
        excess = 0
        while done < len(records):
            try:
                self._prepare(len(records[done]))
                count = self._fitting(records, done)
                excess = max(excess, self._excess(records[done]))
                written, error = self._write(records[done : done + count])
            except OSError as failure:
                self.abandon()
                written, error = 0, failure
            done += written
            if error is not None:
                raise AppendError(done, error) from error
        return excess

    def close(self) -> None:
        """Mark the newest file as complete and close it."""
        if self._end is not None:
            if self._is_released:
                with contextlib.suppress(OSError):
                    self._open_again()
            if self._descriptor is not None:
                self._close_if_replaced(self._descriptor)
            if self._descriptor is not None and self._size:
                self._write([self._end()])
        self._mark_and_close()

    def _mark_and_close(self) -> None:
        if self._descriptor is not None and self._end is None:
            with contextlib.suppress(OSError):
                os.fchmod(self._descriptor, MODE_FINISHED)
        self.abandon()

    def release(self) -> None:
        """Close the descriptor until the next record: a process has a limited number of them."""
        if self._descriptor is not None:
            self.abandon()
            self._is_released = True

    @property
    def is_open(self) -> bool:
        """Whether it holds a descriptor."""
        return self._descriptor is not None

    def abandon(self) -> None:
        """Close the descriptor without changing the file: in a forked child, it belongs to the parent."""
        if self._descriptor is not None:
            with contextlib.suppress(OSError):
                os.close(self._descriptor)
        self._descriptor = None

    def _prepare(self, size: int) -> None:
        """Open a file that has space for a record of ``size`` bytes."""
        if self._is_released:
            self._open_again()
        if self._descriptor is not None:
            self._close_if_replaced(self._descriptor)
        has_records = self._size > self._head_size
        if self._max_size is not None and has_records and self._size + size > self._max_size:
            self.close()
        if self._descriptor is None:
            self._open()

    def _open(self) -> None:
        wanted = self._names.second if self._second is None else max(int(time.time()), self._second + 1)
        self._descriptor, self._second = self._names.create(wanted, self._suffix)
        self.path = self._names.path(self._second, self._suffix)
        self._identity = _identity(os.fstat(self._descriptor))
        self._size = 0
        self._head_size = 0

    def _open_again(self) -> None:
        """Open the file that was released, unless it is gone."""
        self._is_released = False
        assert self.path is not None
        with contextlib.suppress(FileNotFoundError):
            self._descriptor = os.open(self.path, os.O_WRONLY | getattr(os, "O_CLOEXEC", 0))

    def _close_if_replaced(self, descriptor: int) -> None:
        """Forget the file if it was deleted or truncated, or if other code closed its descriptor."""
        try:
            state = os.fstat(descriptor)
        except OSError:
            self._descriptor = None
            return
        if _identity(state) != self._identity:
            self._descriptor = None  # another file has this number now
        elif state.st_nlink == 0 or state.st_size < self._size:
            self.abandon()

    def _fitting(self, records: Sequence[Record], start: int) -> int:
        """Return the number of records from ``start`` on that fit into the open file; at least one."""
        if self._max_size is None:
            return len(records) - start
        size = (self._size or len(self._head())) + len(records[start])
        count = 1
        while start + count < len(records) and size + len(records[start + count]) <= self._max_size:
            size += len(records[start + count])
            count += 1
        return count

    def _excess(self, record: Record) -> int:
        if self._max_size is None:
            return 0
        return max(0, (self._size or len(self._head())) + len(record) - self._max_size)

    def _write(self, records: Sequence[Record]) -> tuple[int, OSError | None]:
        """Write ``records``. Returns the number of whole written records, and the error that stopped the rest."""
        assert self._descriptor is not None
        head = b"" if self._size else self._head()
        written, error = _write_at(self._descriptor, _buffers(head, records), self._size)
        if error is None:
            self._head_size = self._head_size or len(head)
            self._size += written
            return len(records), None
        return self._keep_whole(head, records, written), error

    def _keep_whole(self, head: bytes, records: Sequence[Record], written: int) -> int:
        """Truncate the file after the last whole record of the ``written`` bytes; returns the number of those."""
        kept = 0
        size = len(head)
        if written < size:
            size = 0
        else:
            self._head_size = self._head_size or size
            while kept < len(records) and size + len(records[kept]) <= written:
                size += len(records[kept])
                kept += 1
        self._size += size
        assert self._descriptor is not None
        try:
            os.ftruncate(self._descriptor, self._size)
        except OSError:
            self._mark_and_close()  # can't truncate: the cut record must stay the last one in the file
        return kept


class AppendError(Exception):
    """The error of a file to which only a part of a batch of records was appended."""

    def __init__(self, written: int, error: OSError) -> None:
        super().__init__(str(error))
        self.written = written
        """Number of records of the batch that were written whole."""
        self.error = error


def _buffers(head: bytes, records: Sequence[Record]) -> Iterator[Buffer]:
    """Yield ``head`` and ``records`` in as few buffers as possible without a copy of large ones."""
    small = [head] if head else []
    for record in records:
        if isinstance(record, bytes):
            small.append(record)
        else:
            yield b"".join(small)
            yield from record.buffers
            small = []
    yield small[0] if len(small) == 1 else b"".join(small)


def _write_at(descriptor: int, buffers: Iterable[Buffer], offset: int) -> tuple[int, OSError | None]:
    written = 0
    try:
        for buffer in buffers:
            rest = memoryview(buffer)
            while rest:
                count = os.pwrite(descriptor, rest, offset + written)
                written += count
                rest = rest[count:]
    except OSError as error:
        return written, error
    return written, None


def _identity(state: os.stat_result) -> tuple[int, int]:
    return state.st_dev, state.st_ino
