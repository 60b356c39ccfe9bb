# SPDX-License-Identifier: Apache-2.0
"""An index of the values in a print file: each is a message of the module ``Print``."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mindscope.debug.formats.print_file import ByteSpan, PrintedValue, read_value, value_spans
from mindscope.debug.logs.columns import GrowingColumn
from mindscope.debug.logs.index import LogMessage, MessageKind, rank_in_path
from mindscope.debug.logs.line_heads import Severity
from mindscope.debug.printing import elements_text
from mindscope.errors import FormatError
from mindscope.reasons import Reason

PRINT = "Print"
MOST_VALUES = 1 << 22
"""Largest number of values of a file; their spans take 0.1 GB."""
_PIECE = 1 << 16
"""Values that are found before their spans are kept in columns."""


class PrintIndex:
    """An index, as ``LogIndex``, of a file of ``print_file_path``. Values have no time and are sorted by discovery.

    ``read_more`` raises OSError also where bytes are no value, and after the last value that is read.
    """

    is_utc = True

    def __init__(self, path: Path, most_values: int = MOST_VALUES) -> None:
        self.path, self._most_values = path, most_values
        self.rank_of_file = rank_in_path(path)
        self.kinds = [MessageKind(Severity.UNKNOWN, PRINT, self.rank_of_file, False)]
        self.generation = 0
        self._identity: tuple[int, int] | None = None
        self._times: tuple[int, int] | None = None  # of modification and change when the whole file was read
        self._empty()

    def _empty(self) -> None:
        self.end = 0
        self._start, self._length, self._time = (GrowingColumn(np.int64) for _ in range(3))

    def __len__(self) -> int:
        return len(self._start)

    @property
    def start(self) -> NDArray[np.int64]:
        return self._start.values

    @property
    def time_ns(self) -> NDArray[np.int64]:
        return self._time.values

    @property
    def kind(self) -> NDArray[np.uint16]:
        return np.zeros(len(self), np.uint16)

    def read_more(self, most_bytes: int | None = None) -> int:
        state = self.path.stat()
        identity, times = (state.st_dev, state.st_ino), (state.st_mtime_ns, state.st_ctime_ns)
        is_rewritten = state.st_size == self.end and self._times not in (None, times)
        if self._identity is not None and (identity != self._identity or state.st_size < self.end or is_rewritten):
            self._empty()
            self.generation += 1
        self._identity = identity
        begin, spans = self.end, list[ByteSpan]()
        try:
            for span in islice(value_spans(self.path, begin), self._most_values - len(self)):
                spans.append(span)
                self.end = span.start + span.length
                if len(spans) == _PIECE or (most_bytes is not None and self.end - begin >= most_bytes):
                    break
        except FormatError as error:
            raise OSError(str(error)) from error
        finally:
            self._start.extend(np.array([span.start for span in spans], np.int64))
            self._length.extend(np.array([span.length for span in spans], np.int64))
            self._time.extend(np.full(len(spans), state.st_mtime_ns, np.int64))
        if len(self) == self._most_values and self.end < state.st_size:
            raise OSError(str(Reason("debug_entries_left", file=self.path.name, most=self._most_values)))
        self._times = times if self.end == state.st_size else None
        return self.end - begin

    def ends(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return byte after each value."""
        return self.start[rows] + self._length.values[rows]

    def messages(self, rows: NDArray[np.int64]) -> Iterator[LogMessage]:
        for row in rows.tolist():
            text = printed_text(self.value(row))
            yield LogMessage(row, Severity.UNKNOWN, 0, PRINT, self.rank_of_file, text)

    def value(self, row: int) -> PrintedValue:
        """Return a value; of one that is damaged a text that says so. Raises OSError."""
        span = ByteSpan(int(self.start[row]), int(self._length.values[row]))
        try:
            return read_value(self.path, span)
        except FormatError as error:
            return PrintedValue(f"damaged value at byte {span.start}: {error}")

    def texts(self, first: int, last: int) -> tuple[bytes, NDArray[np.int32]]:
        texts = [message.text.encode() for message in self.messages(np.arange(first, last + 1))]
        ends = np.cumsum([0, *map(len, texts)])
        return b"".join(texts), ends.astype(np.int32)


def printed_text(value: PrintedValue) -> str:
    """Return the text as Print writes it to the screen. Raises OSError."""
    if value.elements is None:
        return value.text
    try:
        return elements_text(value.elements, value.dtype)
    except FormatError as error:  # the file became shorter
        return str(error)
