# SPDX-License-Identifier: Apache-2.0
"""Turns what a program writes to a terminal into the lines of a log."""

from __future__ import annotations

import re
from collections.abc import Iterator

PROGRESS_S = 10.0
"""Seconds between two states of a progress bar that become lines."""
LONGEST_PIECE = 16 << 10
"""Bytes of a line after which its beginning is written."""
_TOKENS = re.compile(rb"([\n\r]|\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-Z^_])")
_UP = re.compile(rb"\x1b\[(\d*)A")
_OPEN_ESCAPE = re.compile(rb"\x1b(?:\[[0-?]*[ -/]*|\][^\x07\x1b]{0,256})?\Z")


class OutputLines:
    """The lines of one stream: ``(text, is_whole)``, without colors.

    Of a line that is drawn over, as a progress bar, only a state every ``PROGRESS_S`` and the last one are lines.
    """

    def __init__(self) -> None:
        self._line = b""
        self._open_escape = b""
        self._is_returned = False  # after a carriage return: the next text replaces the line
        self._is_redrawn = False
        self._up = 0  # rows from the lowest one, as nested progress bars move the cursor
        self._pending = b""  # the last state of a row that the cursor left
        self._written = b""  # the last state that became a line
        self._progress_s = -PROGRESS_S

    def feed(self, data: bytes, now_s: float) -> Iterator[tuple[bytes, bool]]:
        """Yield the lines that end with further bytes, at a time of a steady clock."""
        data = self._open_escape + data
        rest = _OPEN_ESCAPE.search(data)
        self._open_escape = rest[0] if rest else b""
        for token in _TOKENS.split(data[: len(data) - len(self._open_escape)]):
            if token == b"\n":
                yield from self._end_line(now_s)
            elif token == b"\r":
                self._is_returned = True
            elif token[:1] == b"\x1b":
                yield from self._escape(token, now_s)
            elif token:
                self._add(token)
        if self._is_redrawn:
            yield from self._progress(now_s)
        while len(self._line) >= LONGEST_PIECE:
            yield self._line[:LONGEST_PIECE], False
            self._line = self._line[LONGEST_PIECE:]

    def finish(self) -> Iterator[tuple[bytes, bool]]:
        """Yield the rest that was not written yet."""
        yield from self._flush()
        if self._line and self._line != self._written:
            yield self._line, True
        self._begin_line()

    def _add(self, text: bytes) -> None:
        if self._is_returned:
            self._begin_line()
            self._is_redrawn = True
        self._line += text

    def _end_line(self, now_s: float) -> Iterator[tuple[bytes, bool]]:
        if self._up > 0:
            self._up -= 1
            yield from self._leave_row(now_s)
            return
        yield from self._flush()
        if not self._is_redrawn or (self._line and self._line != self._written):
            yield self._line, True
        self._begin_line()

    def _begin_line(self) -> None:
        self._line, self._is_returned, self._is_redrawn = b"", False, False

    def _escape(self, token: bytes, now_s: float) -> Iterator[tuple[bytes, bool]]:
        match = _UP.fullmatch(token)
        if match:
            yield from self._leave_row(now_s)
            self._up += int(match[1] or 1)

    def _leave_row(self, now_s: float) -> Iterator[tuple[bytes, bool]]:
        """Leave a row that will be drawn again."""
        if self._line.strip():
            self._pending = self._line
            yield from self._progress(now_s)
        self._begin_line()

    def _progress(self, now_s: float) -> Iterator[tuple[bytes, bool]]:
        line = self._line
        if line.strip() and line != self._written and now_s - self._progress_s >= PROGRESS_S:
            self._progress_s, self._written, self._pending = now_s, line, b""
            yield line, True

    def _flush(self) -> Iterator[tuple[bytes, bool]]:
        if self._pending and self._pending != self._written:
            yield self._pending, True
        self._pending = b""
