# SPDX-License-Identifier: Apache-2.0
"""Selects messages of a log. Regular expressions run in RE2, in time linear in the text."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope import search_regex
from mindscope.debug.logs.captured_lines import without_heads
from mindscope.debug.logs.index import MessageKind
from mindscope.debug.logs.line_heads import Severity
from mindscope.debug.logs.message_index import MessageIndex
from mindscope.errors import DebugDataError
from mindscope.reasons import Reason

_GROUP = 1 << 16
_FAR = 1 << 16
_SPAN = 4 << 20
"""Bytes that are read at once, more of a longer message."""


@dataclass(frozen=True, slots=True)
class LogFilter:
    """Conditions that all hold; None and empty ones hold for every message."""

    least_level: Severity = Severity.UNKNOWN
    modules: Collection[str] | None = None
    ranks: Collection[int] | None = None
    first_ns: int | None = None
    """A message without a time has that of the message before; those before any time are left out."""
    last_ns: int | None = None
    text: str = ""
    """A part of the message, in any case."""
    regex: str = ""
    """Found anywhere in the message; syntax of RE2, where ^ and $ match at the ends of lines."""

    @property
    def has_pattern(self) -> bool:
        """Whether texts must be read."""
        return bool(self.text or self.regex)


def select_messages(index: MessageIndex, condition: LogFilter, first_row: int = 0) -> Iterator[NDArray[np.int64]]:
    """Yield rows from ``first_row`` on that fulfil the conditions, ascending, batch by batch.

    Raises:
        DebugDataError: the regular expression is invalid.
        OSError: the file can't be read.
    """
    check_regex(condition.regex)
    rows = np.flatnonzero(matching_columns(index, condition, first_row)) + first_row
    if not condition.has_pattern:
        yield rows
        return
    for batch in spans_of(index, rows):
        span = search_span(index, condition, batch)
        if span.size:
            yield span


def matching_columns(
    index: MessageIndex, condition: LogFilter, first_row: int = 0, end_row: int | None = None
) -> NDArray[np.bool_]:
    """Return which of the rows fulfil the conditions on level, module, rank and time."""
    is_kind = np.array([_is_kind(kind, condition) for kind in index.kinds], bool)
    rows = slice(first_row, end_row)
    keep = (
        is_kind[index.kind[rows]]
        if is_kind.size and not is_kind.all()
        else np.full(len(index.kind[rows]), is_kind.size > 0)
    )
    if condition.first_ns is not None:
        time_ns = index.time_ns[rows]
        keep &= (time_ns >= condition.first_ns) & (time_ns != 0)
    if condition.last_ns is not None:
        time_ns = index.time_ns[rows]
        keep &= (time_ns <= condition.last_ns) & (time_ns != 0)
    return keep


def spans_of(index: MessageIndex, rows: NDArray[np.int64]) -> Iterator[NDArray[np.int64]]:
    """Yield ascending rows in groups whose messages lie close together in the file: each group is one read."""
    for begin in range(0, len(rows), _GROUP):
        group = rows[begin : begin + _GROUP]
        starts, ends = index.start[group], index.ends(group)
        far = starts[1:] - ends[:-1] > _FAR
        piece = (starts[1:] - starts[0]) // _SPAN
        breaks = np.flatnonzero(far | (piece != (starts[:-1] - starts[0]) // _SPAN)) + 1
        yield from np.split(group, breaks)


def search_span(index: MessageIndex, condition: LogFilter, rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Search ascending rows for messages with the text and the pattern, at most in a MiB of each message.

    Raises OSError.
    """
    first, last = int(rows[0]), int(rows[-1])
    data, starts = without_heads(*with_line_ends(*index.texts(first, last)))
    keep = np.zeros(last + 1 - first, bool)
    keep[rows - first] = True
    if condition.text:
        keep &= search_regex.text_search(condition.text).rows(data, starts)
    if condition.regex:
        keep &= search_regex.line_search(condition.regex).rows(data, starts)
    return np.flatnonzero(keep) + first


def match_in(condition: LogFilter, text: str) -> tuple[int, int] | None:
    """Return the characters of the first match of the pattern, or else of the text of a filter; None without one."""
    if condition.regex:
        return search_regex.line_search(condition.regex).span(text)
    return search_regex.text_search(condition.text).span(text) if condition.text else None


def with_line_ends(data: bytes, starts: NDArray[np.integer[Any]]) -> tuple[bytes, NDArray[np.integer[Any]]]:
    """Return texts that all end with a line feed; one is added to those that have none."""
    array = np.frombuffer(data, np.uint8)
    lacks_end = np.diff(starts) == 0
    lacks_end[~lacks_end] = array[starts[1:][~lacks_end] - 1] != ord("\n")
    if not lacks_end.any():
        return data, starts
    data = np.insert(array, starts[1:][lacks_end], ord("\n")).tobytes()
    return data, starts + np.concatenate([[0], np.cumsum(lacks_end)])


def _is_kind(kind: MessageKind, condition: LogFilter) -> bool:
    return (
        kind.level >= condition.least_level
        and (condition.modules is None or kind.module in condition.modules)
        and (condition.ranks is None or kind.rank in condition.ranks)
    )


def check_regex(regex: str) -> None:
    """Raises DebugDataError if RE2 can't use it, or if it is too large."""
    try:
        search_regex.check(regex)
    except search_regex.RegexError as error:
        raise DebugDataError(Reason("log_regex_invalid", regex=regex, detail=str(error))) from error
