# SPDX-License-Identifier: Apache-2.0
"""An index of the messages of a log file, whose text stays in the file."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mindscope.debug.logs._line_scan import LineScanner
from mindscope.debug.logs.captured_lines import printed_text
from mindscope.debug.logs.saved_index import Columns, SavedIndex, columns_in_memory
from mindscope.reasons import Reason

LONGEST_MESSAGE = 1 << 20
"""Bytes of a message that are read."""
MOST_IN_MEMORY = 1 << 24
"""Limit of the messages in memory; their columns take 0.3 GB."""
MOST_SAVED = 1 << 26
"""Messages of an index in a folder; with what a search keeps of them, a viewer takes 0.75 GB."""
_CHUNK = 4 << 20
_EARLIER_STATES = re.compile(rb"(?m)^[^\n]*\r(?![\r\n])")
"""Text that a progress bar draws over."""
_SPAN = 1 << 18
_WITNESS = 256
_SAVED_FROM = 8 << 20
"""Bytes of a log from which on its index is saved; a smaller one is read as fast as an index is opened."""
_RANK_IN_PATH = re.compile(r"(?:^|[^A-Za-z])rank[_-]?(\d{1,9})(?!\d)", re.ASCII)
_ATTEMPT = re.compile(r"attempt_\d+/(\d{1,9})/[^/]+$", re.ASCII)


class LogMessage(NamedTuple):
    """One message with all of its lines."""

    row: int
    level: int
    time_ns: int
    """0 if it has none."""
    module: str
    rank: int
    text: str


class MessageKind(NamedTuple):
    """The facts that many messages have in common."""

    level: int
    module: str
    rank: int
    """Rank; -1 if unknown."""
    has_time: bool


class _Committed(NamedTuple):
    """The state of an index before a line without its end."""

    end: int
    messages: int
    state: Any


class LogIndex:
    """Columns over the messages of one file: start, time, kind.

    A line with a head starts a message. Lines without one belong to the message before if it has a head of MindSpore or
    if they are indented or part of a traceback; any other line is a message of its own, of unknown level. A traceback
    after such a line is a message of its own too, of level ``ERROR``.
    ``read_more`` continues where it ended; a last line without its end is indexed again when it grows.

    Times are those of the clock of its machine, without a zone. The columns of a large log are in ``folder``, so that
    they take no memory, and the next process continues with them.
    """

    is_utc = False

    def __init__(self, path: Path, folder: Path | None = None, most_in_memory: int = MOST_IN_MEMORY) -> None:
        """Open a log, of which nothing is read yet.

        Args:
            path: of the log.
            folder: a cache; None keeps the columns in memory.
            most_in_memory: number of messages of which columns are kept in memory, about.

        Raises:
            OSError: the folder can't be written.
        """
        self.path = path
        self._most = most_in_memory
        self.rank_of_file = rank_in_path(path)
        self._saved = SavedIndex(folder, path) if folder is not None and _is_large(path) else None
        self._columns: Columns = columns_in_memory()
        self._scanner = LineScanner(self.rank_of_file)
        self._end = 0
        self._identity: tuple[int, int] | None = None
        self._times: tuple[int, int] | None = None  # of modification and change when the whole file was read
        self._witness = b""
        self._open_line: _Committed | None = None
        self.generation = 0
        """Counts how often the file was replaced, so that rows mean others."""
        if self._saved is not None:
            self._restore(self._saved)

    def _restore(self, saved: SavedIndex) -> None:
        self._columns, state = saved.open()
        with suppress(KeyError, TypeError, ValueError):
            scanner = LineScanner(self.rank_of_file, state["kinds"])
            scanner.state = tuple(state["state"])
            witness = bytes.fromhex(state["witness"])
            self._identity = (int(state["identity"][0]), int(state["identity"][1]))
            self._times = state["times"] and (int(state["times"][0]), int(state["times"][1]))
            self._scanner, self._end, self._witness = scanner, int(state["end"]), witness
            return
        self._truncate(0)

    def _reset(self) -> None:
        self._truncate(0)
        self._scanner = LineScanner(self.rank_of_file)
        self._end, self._witness, self._open_line, self._times = 0, b"", None, None
        self.generation += 1

    def _truncate(self, count: int) -> None:
        for column in self._columns.values():
            column.truncate(count)

    def __len__(self) -> int:
        return len(self._columns["kind"])

    @property
    def end(self) -> int:
        """Number of indexed bytes."""
        return self._end

    @property
    def start(self) -> NDArray[np.int64]:
        """Byte of the file at which each message starts."""
        return self._columns["start"].values

    @property
    def time_ns(self) -> NDArray[np.int64]:
        """Times of the messages as in ``LineHead``; one without a time has that of the message before, or 0."""
        return self._columns["time"].values

    @property
    def kind(self) -> NDArray[np.uint16]:
        """Index of the kind of each message in ``kinds``."""
        return self._columns["kind"].values

    @property
    def kinds(self) -> list[MessageKind]:
        """Kinds of messages that occur; more come with further messages."""
        return [MessageKind(*kind) for kind in self._scanner.kinds]

    def read_more(self, most_bytes: int | None = None) -> int:
        """Index the bytes that were added, and return their number.

        A file that became shorter, was replaced, or was written without growth is read again.

        Raises:
            OSError: it can't be read, or has more messages than there is memory for, after those before.
        """
        with self.path.open("rb") as file:
            state = os.fstat(file.fileno())
            identity, times = (state.st_dev, state.st_ino), (state.st_mtime_ns, state.st_ctime_ns)
            is_rewritten = self._end == state.st_size and self._times not in (None, times)
            if self._identity is not None and (
                identity != self._identity or is_rewritten or not self._is_witnessed(file)
            ):
                self._reset()
            self._identity = identity
            if self._end == state.st_size:
                self._times = times
                return 0
            if self._open_line is not None:
                self._end, count, self._scanner.state = self._open_line
                self._truncate(count)
                self._open_line = None
            begin = self._end
            file.seek(begin)
            limit = state.st_size if most_bytes is None else min(state.st_size, begin + max(most_bytes, 1))
            self._read(file, limit, state.st_size, time.localtime(state.st_mtime).tm_year)
            self._note_witness(file)
            self._times = times if self._end == state.st_size else None
        if self._saved is not None:
            self._save(self._saved)
        if self._is_full and self._end < state.st_size:
            raise OSError(str(Reason("debug_entries_left", file=self.path.name, most=len(self))))
        return self._end - begin

    def _read(self, file: BinaryIO, limit: int, size: int, year: int) -> None:
        pending = b""
        while self._end < limit and not self._is_full:
            data = pending + file.read(min(_CHUNK, size - self._end - len(pending)))
            if len(data) == len(pending):
                break
            pending = data[self._scan(data, year, is_end=False) :]
        if pending and self._end + len(pending) >= size and not self._is_full:
            self._open_line = _Committed(self._end, len(self), self._scanner.state)
            self._scan(pending, year, is_end=True)

    @property
    def _is_full(self) -> bool:
        return len(self) >= (self._most if self._saved is None else MOST_SAVED)

    def _scan(self, data: bytes, year: int, *, is_end: bool) -> int:
        taken, start, time_ns, kind = self._scanner.scan(memoryview(data), self._end, year, is_end)
        for column, values in zip(self._columns.values(), (start, time_ns, kind), strict=True):
            column.extend(values)
        self._end += taken
        return taken

    def _is_witnessed(self, file: BinaryIO) -> bool:
        """Return whether the bytes before the end are those that were read, so that the file only grew."""
        file.seek(self._end - len(self._witness))
        return file.read(len(self._witness)) == self._witness

    def _note_witness(self, file: BinaryIO) -> None:
        length = min(_WITNESS, self._end)
        file.seek(self._end - length)
        self._witness = file.read(length)

    def _save(self, saved: SavedIndex) -> None:
        end, count, state = self._open_line or _Committed(self._end, len(self), self._scanner.state)
        witness = self._witness[: max(0, len(self._witness) - (self._end - end))]
        found = {"end": end, "count": count, "state": state, "witness": witness.hex(), "kinds": self._scanner.kinds}
        saved.save({**found, "identity": self._identity, "times": self._times})

    def messages(self, rows: NDArray[np.int64]) -> Iterator[LogMessage]:
        """Yield the messages of ascending rows, at most a MiB of the text of each. Raises OSError."""
        starts = self.start[rows]
        lengths = np.minimum(self.ends(rows) - starts, LONGEST_MESSAGE)
        columns = (rows, starts, lengths, self.time_ns[rows], self.kind[rows])
        kinds = self.kinds
        span_start, span = 0, b""
        with self.path.open("rb") as file:
            for values in zip(*(column.tolist() for column in columns), strict=True):
                row, start, length, time_ns, kind = (int(value) for value in values)
                if not span_start <= start <= start + length <= span_start + len(span):
                    file.seek(start)
                    span_start, span = start, file.read(max(length, _SPAN))
                data = printed_text(span[start - span_start : start - span_start + length]).rstrip(b"\r\n")
                text = decoded(_EARLIER_STATES.sub(b"", data))
                each = kinds[kind]
                yield LogMessage(row, each.level, time_ns if each.has_time else 0, each.module, each.rank, text)

    def texts(self, first: int, last: int) -> tuple[bytes, NDArray[np.int32]]:
        """Return the bytes of rows ``first`` to ``last``, and where each of n begins in them and the last ends: (n +
        1,).

        At most a MiB of the last message is read. Raises OSError.
        """
        starts = self.start[first : last + 1]
        end = min(int(self.ends(np.array([last]))[0]), int(starts[-1]) + LONGEST_MESSAGE)
        with self.path.open("rb") as file:
            file.seek(int(starts[0]))
            data = file.read(end - int(starts[0]))
        return data, np.minimum(np.append(starts, end) - starts[0], len(data)).astype(np.int32)

    def ends(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return byte after each message."""
        if not rows.size:
            return rows
        last = len(self) - 1
        return np.where(rows == last, self._end, self.start[np.minimum(rows + 1, last)])


def decoded(data: bytes) -> str:
    """Decode UTF-8, else GB 2312, else UTF-8 with a mark in place of each byte that is none."""
    for encoding in ("utf-8", "gb2312"):
        with suppress(UnicodeDecodeError):
            return data.decode(encoding)
    return data.decode("utf-8", "replace")


def rank_in_path(path: Path) -> int:
    """Return the rank that a path names; -1 if it names none."""
    found = _ATTEMPT.search(path.as_posix()) or _last(_RANK_IN_PATH, path.as_posix())
    return int(found[1]) if found else -1


def _is_large(path: Path) -> bool:
    try:
        return path.stat().st_size >= _SAVED_FROM
    except OSError:
        return False


def _last(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    matches = list(pattern.finditer(text))
    return matches[-1] if matches else None
