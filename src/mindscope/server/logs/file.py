# SPDX-License-Identifier: Apache-2.0
"""All messages that fulfil conditions, as text or as CSV."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from functools import partial
from itertools import chain

from mindscope.debug.logs.log_files import FileMessage
from mindscope.server.http.disconnect import call_for_clients
from mindscope.server.logs.query import LEVELS, filter_of, searched
from mindscope.server.logs.schema import LogFileQuery, LogFormat
from mindscope.server.logs.sources import OpenLog
from mindscope.table.file import csv_text

_PAGE = 1000
_HEADER = ("time", "level", "module", "rank", "file", "message")


def file_of(opened: OpenLog, query: LogFileQuery) -> Iterator[str]:
    """Return the file in pieces; what is added to the log during the call is left out. Raises DebugDataError."""
    opened.selection(filter_of(query))  # raises before the first piece
    pages = _pages(opened, query)
    if query.format is LogFormat.TEXT:
        return ("".join(f"{each.message.text}\n" for each in page) for page in pages)
    files = [file.name for file in opened.logs.files]
    return csv_text(chain([_HEADER], (_cells(each, files) for page in pages for each in page)))


def _pages(opened: OpenLog, query: LogFileQuery) -> Iterator[list[FileMessage]]:
    first, end = 0, None
    while end is None or first < end:
        with opened.lock:
            if end is None:
                selection, is_complete = call_for_clients(lambda: False, partial(searched, opened, query))
                end = len(selection) if is_complete else None
            else:
                selection = opened.selection(filter_of(query))
            page = selection.messages(first, _PAGE if end is None else min(_PAGE, end - first))
        first += len(page)
        if not page and end is not None:
            return
        yield page


def _cells(entry: FileMessage, files: list[str]) -> tuple[str | int, ...]:
    message, seconds = entry.message, entry.wall_time
    clock = "" if seconds is None else datetime.fromtimestamp(seconds).astimezone().isoformat(timespec="milliseconds")
    rank = message.rank if message.rank >= 0 else ""
    level = LEVELS[message.level].value
    return (clock, level, message.module, rank, files[entry.file], message.text)
