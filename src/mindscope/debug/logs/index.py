# SPDX-License-Identifier: Apache-2.0
"""An index of the messages of a log file, whose text stays in the file."""

from __future__ import annotations

import os
import re
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mindscope.debug.logs.columns import GrowingColumn
from mindscope.debug.logs.line_heads import LONGEST_HEAD, Level, LineHead, parse_head

_LONGEST_PIECE = 1 << 16
"""A longer line is read in pieces, of which the first is parsed."""
_LONGEST_MESSAGE = 1 << 20
_SPAN = 1 << 18
_MOST_PENDING = 1 << 16
_RANK_IN_PATH = re.compile(r"(?:^|[^A-Za-z])rank[_-]?(\d{1,9})(?!\d)", re.ASCII)
_ATTEMPT = re.compile(r"attempt_\d+/(\d{1,9})/[^/]+$", re.ASCII)
_TRACEBACK = "Traceback (most recent call last)"
_NO_HEAD = LineHead(Level.UNKNOWN, 0, "", -1)


class LogMessage(NamedTuple):
    """One message with all of its lines."""

    row: int
    level: int
    time_ns: int
    module: str
    rank: int
    text: str


class _OpenLine(NamedTuple):
    """A line without its end, and what was so before it."""

    start: int
    is_message: bool
    took_lines: bool
    was_traceback: bool


class LogIndex:
    """Columns over the messages of one file: start, level, time, module, rank.

    A line with a head starts a message. Lines without one belong to the message before if it has a head of MindSpore or
    if they are indented or part of a traceback; any other line is a message of its own, of unknown level.
    ``read_more`` continues where it ended; a last line without its end is indexed again when it grows.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.modules: list[str] = []
        """Names, by the numbers in ``module``."""
        self._numbers: dict[str, int] = {}
        self._reset()
        found = _ATTEMPT.search(path.as_posix()) or _last(_RANK_IN_PATH, path.as_posix())
        self.rank_of_file = int(found[1]) if found else -1
        """The rank that the path names; -1 if it names none."""

    def _reset(self) -> None:
        self._start, self._time = GrowingColumn(np.int64), GrowingColumn(np.int64)
        self._level, self._module, self._rank = (GrowingColumn(dtype) for dtype in (np.int8, np.int32, np.int32))
        self._end = 0
        self._count = 0
        self._pending: list[tuple[int, int, int, int, int]] = []
        self._open: _OpenLine | None = None
        self._identity: tuple[int, int] | None = None
        self._takes_lines = self._is_traceback = False

    def __len__(self) -> int:
        return self._count

    @property
    def start(self) -> NDArray[np.int64]:
        """Byte of the file at which each message starts."""
        return self._start.values

    @property
    def time_ns(self) -> NDArray[np.int64]:
        """As in ``LineHead``; 0 where unknown."""
        return self._time.values

    @property
    def level(self) -> NDArray[np.int8]:
        """Values of ``Level``."""
        return self._level.values

    @property
    def module(self) -> NDArray[np.int32]:
        """Numbers of modules."""
        return self._module.values

    @property
    def rank(self) -> NDArray[np.int32]:
        """-1 where unknown."""
        return self._rank.values

    def read_more(self, most_bytes: int | None = None) -> int:
        """Index what was added; returns the bytes read. A file that became shorter or was replaced is read again.

        Raises:
            OSError: it can't be read.
        """
        with self.path.open("rb") as file:
            state = os.fstat(file.fileno())
            identity = state.st_dev, state.st_ino
            if self._identity not in (None, identity) or state.st_size < self._end:
                self._reset()
            self._identity = identity
            if self._open is not None and state.st_size > self._end:
                self._forget(self._open)
            file.seek(self._end)
            year = time.localtime(state.st_mtime).tm_year
            try:
                return self._read(file, year, most_bytes)
            finally:
                self._flush()

    def _read(self, file: BinaryIO, year: int, most_bytes: int | None) -> int:
        begin = self._end
        limit = sys.maxsize if most_bytes is None else begin + most_bytes
        while self._end < limit:
            piece = file.readline(_LONGEST_PIECE)
            if not piece:
                break
            before = self._count, self._takes_lines, self._is_traceback
            start = self._end
            self._add_line(piece, year)
            while True:
                self._end += len(piece)
                if piece.endswith(b"\n"):
                    break
                piece = file.readline(_LONGEST_PIECE)
                if not piece:
                    self._open = _OpenLine(start, self._count > before[0], *before[1:])
                    break
            if len(self._pending) >= _MOST_PENDING:
                self._flush()
        return self._end - begin

    def _flush(self) -> None:
        columns = (self._start, self._level, self._time, self._rank, self._module)
        for column, values in zip(columns, zip(*self._pending, strict=True), strict=False):
            column.extend(values)
        self._pending.clear()

    def _forget(self, line: _OpenLine) -> None:
        """Take back a line that was indexed before its end was written."""
        if line.is_message:
            for column in (self._start, self._level, self._time, self._rank, self._module):
                column.drop_last()
            self._count -= 1
        self._end, self._takes_lines, self._is_traceback = line.start, line.took_lines, line.was_traceback
        self._open = None

    def _add_line(self, piece: bytes, year: int) -> None:
        text = piece[:LONGEST_HEAD].decode("utf-8", "replace").rstrip("\r\n")
        head = parse_head(text, year)
        if head is None and len(self) and self._continues(text):
            return
        self._takes_lines = head is not None and head.takes_lines
        self._is_traceback = text.startswith(_TRACEBACK)
        self._add(head or _NO_HEAD)

    def _continues(self, text: str) -> bool:
        if self._takes_lines or text[:1].isspace() or not text:
            return True
        was_traceback = self._is_traceback
        self._is_traceback = text.startswith(_TRACEBACK)
        return was_traceback or self._is_traceback

    def _add(self, head: LineHead) -> None:
        number = self._numbers.get(head.module, -1)
        if number < 0:
            number = self._numbers[head.module] = len(self.modules)
            self.modules.append(head.module)
        rank = head.rank if head.rank >= 0 else self.rank_of_file
        self._pending.append((self._end, head.level, head.time_ns, rank, number))
        self._count += 1

    def messages(self, rows: NDArray[np.int64]) -> Iterator[LogMessage]:
        """The messages of ascending rows, at most a MiB of the text of each. Raises OSError."""
        starts = self.start[rows]
        ends = np.append(self.start[1:], self._end)[rows]
        lengths = np.minimum(ends - starts, _LONGEST_MESSAGE)
        columns = (rows, starts, lengths, self.level[rows], self.time_ns[rows], self.module[rows], self.rank[rows])
        span_start, span = 0, b""
        with self.path.open("rb") as file:
            for row, start, length, level, time_ns, module, rank in zip(
                *(each.tolist() for each in columns), strict=True
            ):
                if not span_start <= start <= start + length <= span_start + len(span):
                    file.seek(start)
                    span_start, span = start, file.read(max(length, _SPAN))
                data = span[start - span_start : start - span_start + length]
                text = data.decode("utf-8", "replace").rstrip("\r\n")
                yield LogMessage(row, level, time_ns, self.modules[module], rank, text)


def _last(pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    found = list(pattern.finditer(text))
    return found[-1] if found else None
