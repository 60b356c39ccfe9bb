# SPDX-License-Identifier: Apache-2.0
"""Several log files as one log, in the order of time; what a filter selects of them."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mindscope.debug.logs.columns import GrowingColumn
from mindscope.debug.logs.filter import LogFilter, check_regex, matching_columns, search_span, spans_of
from mindscope.debug.logs.index import LogMessage
from mindscope.debug.logs.line_heads import Severity
from mindscope.debug.logs.message_index import open_index

SECOND_NS = 10**9
_HOUR_NS = 3600 * SECOND_NS
_PIECE = 8 << 20
"""Bytes that a step indexes."""
_GROUP = 1 << 17
_LEAST_GROUP = 1 << 6
_QUICK_S, _SLOW_S = 0.05, 0.2
"""A group of messages that is searched faster or slower than this makes the next group larger or smaller."""
_NEAR_NS = 60 * SECOND_NS
_FARTHEST_ZONE = 14
_WHOLE = 1 << 20


class FileMessage(NamedTuple):
    """A message, the number of its file, and when it was written: s since 1970, None if unknown."""

    file: int
    message: LogMessage
    wall_time: float | None


class LogFile:
    """A file of a log. ``error`` is the reason why it can't be read now."""

    def __init__(self, path: Path, name: str, folder: Path | None) -> None:
        self.name = name
        self._folder = folder
        self.index = open_index(path, folder)
        self.error: OSError | None = None
        self.size = 0
        self.is_indexed = True
        """Whether nothing more can be indexed before the next ``refresh``."""
        self._zone: tuple[int, int] | None = None

    def refresh(self) -> None:
        """Look for bytes that were added."""
        try:
            state = self.index.path.stat()
            if self.index.end == 0 and state.st_size:  # only now its form can be recognized
                self.index = open_index(self.index.path, self._folder)
            self.size, self.error, self.is_indexed = state.st_size, None, False
        except OSError as error:
            self.error, self.is_indexed = error, True

    def index_piece(self) -> None:
        """Index some of the bytes that were added."""
        try:
            self.is_indexed = not self.index.read_more(_PIECE)
        except OSError as error:
            self.error, self.is_indexed = error, True

    def zone_ns(self) -> int:
        """Return nanoseconds by which the times of the file are ahead of UTC.

        A file was written last when its last line was: if both differ by about whole hours, those are the zone of its
        machine. Otherwise it is the zone of this machine.
        """
        times = self.index.time_ns
        if self.index.is_utc or not len(times) or times[-1] == 0:
            return 0
        if self._zone is None or self._zone[0] != self.index.generation:
            last = int(times[-1])
            ahead = last - self.index.path.stat().st_mtime_ns
            hours = round(ahead / _HOUR_NS)
            if abs(ahead - hours * _HOUR_NS) > _NEAR_NS or abs(hours) > _FARTHEST_ZONE:
                local = datetime.fromtimestamp(last / SECOND_NS, timezone.utc).replace(tzinfo=None).astimezone()
                hours = (local.utcoffset() or timedelta()).total_seconds() / 3600
            self._zone = self.index.generation, round(hours * _HOUR_NS)
        return self._zone[1]

    def wall_times(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return nanoseconds since 1970 in UTC of messages; 0 where unknown."""
        times = self.index.time_ns[rows]
        return np.where(times == 0, 0, times - self.zone_ns())


class LogFiles:
    """The files of a training. For one thread at a time."""

    def __init__(self, paths: Sequence[tuple[str, Path]], folder: Path | None) -> None:
        self.files = [LogFile(path, name, folder) for name, path in paths]

    @property
    def generations(self) -> tuple[int, ...]:
        """Change when rows of a file mean other messages."""
        return tuple(file.index.generation for file in self.files)

    @property
    def total_bytes(self) -> int:
        return sum(file.size for file in self.files)

    @property
    def indexed_bytes(self) -> int:
        return sum(min(file.index.end, file.size) for file in self.files)

    @property
    def is_complete(self) -> bool:
        """Whether nothing more can be indexed now: a file with an error has no more messages."""
        return all(file.is_indexed for file in self.files)

    def __len__(self) -> int:
        return sum(len(file.index) for file in self.files)

    def refresh(self) -> None:
        """Look for bytes that were added to the files."""
        for file in self.files:
            file.refresh()

    def run_step(self) -> None:
        """Index some bytes of the file of which the fewest are indexed."""
        min((each for each in self.files if not each.is_indexed), key=lambda file: file.index.end).index_piece()


class Selection:
    """The messages that fulfil conditions, in the order of time as far as they were there at once; others follow.

    Times of the conditions are nanoseconds since 1970 in UTC.
    """

    def __init__(self, logs: LogFiles, condition: LogFilter) -> None:
        """Raises DebugDataError if the regular expression is invalid."""
        check_regex(condition.regex)
        self._logs, self._condition = logs, condition
        self._scanned = [0] * len(logs.files)
        self._file, self._row = GrowingColumn(np.uint16), GrowingColumn(np.uint32)
        self._pending: list[tuple[NDArray[np.uint16], NDArray[np.uint32]]] = []
        self._group = _GROUP if not condition.regex else 1 << 12  # messages that a step searches
        self.generations = logs.generations

    def __len__(self) -> int:
        return len(self._row)

    @property
    def is_complete(self) -> bool:
        """Whether every indexed message was checked."""
        return not self._pending and self._scanned == [len(file.index) for file in self._logs.files]

    @property
    def searched(self) -> int:
        """The number of messages that were checked."""
        return sum(self._scanned) - sum(len(rows) for _, rows in self._pending)

    def run_step(self) -> None:
        """Check some messages that were not checked before."""
        self._take_new()
        if not self._pending:
            return
        began = time.monotonic()
        files, rows = self._pending[0][0][: self._group], self._pending[0][1][: self._group]
        keep = np.zeros(len(rows), bool)
        for number in np.unique(files).tolist():
            mine = np.flatnonzero(files == number)
            order = np.argsort(rows[mine], kind="stable")
            keep[mine[order]] = self._search(number, rows[mine[order]].astype(np.int64))
        self._add(files[keep], rows[keep])
        self._leave_out(len(rows))
        self._group = _next_group(self._group, time.monotonic() - began)

    def _leave_out(self, count: int) -> None:
        """Forget the first pending rows, which were searched."""
        files, rows = self._pending[0]
        if count < len(rows):
            self._pending[0] = files[count:], rows[count:]
        else:
            self._pending.pop(0)

    def _take_new(self) -> None:
        files: list[NDArray[np.uint16]] = []
        rows: list[NDArray[np.uint32]] = []
        times: list[NDArray[np.int64]] = []
        for number, file in enumerate(self._logs.files):
            first, end = self._scanned[number], len(file.index)
            if first < end:
                found = np.flatnonzero(matching_columns(file.index, self._local(file), first, end)) + first
                files.append(np.full(len(found), number, np.uint16))
                rows.append(found.astype(np.uint32))
                times.append(file.wall_times(found) if len(self._logs.files) > 1 else np.empty(0, np.int64))
                self._scanned[number] = end
        if not files:
            return
        if len(files) > 1:
            order = np.argsort(np.concatenate(times), kind="stable")
            all_files, all_rows = np.concatenate(files)[order], np.concatenate(rows)[order]
        else:
            all_files, all_rows = files[0], rows[0]
        if not self._condition.has_pattern:
            self._add(all_files, all_rows)
            return
        for begin in range(0, len(all_rows), _GROUP):
            self._pending.append((all_files[begin : begin + _GROUP], all_rows[begin : begin + _GROUP]))

    def _local(self, file: LogFile) -> LogFilter:
        first, last = self._condition.first_ns, self._condition.last_ns
        if first is None and last is None:
            return self._condition
        zone = file.zone_ns()
        return replace(
            self._condition,
            first_ns=None if first is None else first + zone,
            last_ns=None if last is None else last + zone,
        )

    def _search(self, number: int, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        file = self._logs.files[number]
        try:
            spans = [search_span(file.index, self._condition, span) for span in spans_of(file.index, rows)]
        except OSError as error:
            file.error = error
            return np.zeros(len(rows), bool)
        return np.isin(rows, np.concatenate(spans)) if spans else np.zeros(len(rows), bool)

    def _add(self, files: NDArray[np.uint16], rows: NDArray[np.uint32]) -> None:
        self._file.extend(files)
        self._row.extend(rows)

    def messages(self, first: int, count: int) -> list[FileMessage]:
        """Read messages from index ``first`` on. Raises OSError."""
        files, rows = self._file.values[first : first + count], self._row.values[first : first + count].astype(np.int64)
        found: list[FileMessage | None] = [None] * len(rows)
        for number in np.unique(files).tolist():
            file = self._logs.files[int(number)]
            indexes = np.flatnonzero(files == number)
            indexes = indexes[np.argsort(rows[indexes], kind="stable")]
            wall_times = file.wall_times(rows[indexes]).tolist()
            for index, message in enumerate(file.index.messages(rows[indexes])):
                wall_time = wall_times[index] / SECOND_NS if wall_times[index] and message.time_ns else None
                found[int(indexes[index])] = FileMessage(int(number), message, wall_time)
        return [each for each in found if each is not None]

    def index_at(self, wall_time: float) -> int:
        """Return the first message of that time or later; the last one if all are earlier. 0 if there are none."""
        low, high = 0, len(self)
        while low < high:
            middle = (low + high) // 2
            if self._wall_ns(middle) < wall_time * SECOND_NS:
                low = middle + 1
            else:
                high = middle
        return min(low, max(len(self) - 1, 0))

    def error_index(self, index: int, *, is_before: bool) -> int | None:
        """Return the index of the first error after an index, or of the last one before it; None without one."""
        is_error = np.zeros(len(self), bool)
        for number, file in enumerate(self._logs.files):
            mine = np.flatnonzero(self._file.values == number)
            level = np.array([kind.level for kind in file.index.kinds], np.int64)
            is_error[mine] = level[file.index.kind[self._row.values[mine].astype(np.int64)]] >= Severity.ERROR
        errors = np.flatnonzero(is_error)
        found = errors[errors < index][-1:] if is_before else errors[errors > index][:1]
        return int(found[0]) if found.size else None

    def index_of(self, file: int, row: int) -> int | None:
        """Return the index of a message; None if it is not selected."""
        rows = np.flatnonzero((self._row.values == row) & (self._file.values == file))
        return int(rows[0]) if rows.size else None

    def _wall_ns(self, index: int) -> int:
        row = self._row.values[index : index + 1].astype(np.int64)
        return int(self._logs.files[int(self._file.values[index])].wall_times(row)[0])

    def time_range(self) -> tuple[float, float] | None:
        """Return the earliest and the latest time of a message, s since 1970, also if times go back.

        It is None without any.
        """
        ends = [
            (int(known.min()) - file.zone_ns(), int(known.max()) - file.zone_ns())
            for file in self._logs.files
            if len(known := _known(file.index.time_ns))
        ]
        return (min(each for each, _ in ends) / SECOND_NS, max(each for _, each in ends) / SECOND_NS) if ends else None

    def histogram(self, first: float, last: float, columns: int) -> NDArray[np.int64]:
        """Count the messages of each level over time: (levels, columns), from ``first`` to ``last`` s."""
        counts = np.zeros((len(Severity), columns), np.int64)
        start, width = int(first * SECOND_NS), max(int((last - first) * SECOND_NS), 1)
        for file, rows in self._by_file():
            wall = file.wall_times(rows)
            column = (wall - start) // -(-width // columns)
            level = np.array([kind.level for kind in file.index.kinds], np.int64)[file.index.kind[rows]]
            inside = (wall != 0) & (column >= 0) & (column < columns)
            counts += np.bincount((level * columns + column)[inside], minlength=counts.size).reshape(counts.shape)
        return counts

    def _by_file(self) -> Iterator[tuple[LogFile, NDArray[np.int64]]]:
        for begin in range(0, len(self), _WHOLE):
            files, rows = self._file.values[begin : begin + _WHOLE], self._row.values[begin : begin + _WHOLE]
            for number in np.unique(files).tolist():
                yield self._logs.files[number], rows[files == number].astype(np.int64)


def _next_group(count: int, seconds: float) -> int:
    """Return how many messages to search next after ``count`` of them took so long."""
    if seconds > _SLOW_S:
        return max(count // 4, _LEAST_GROUP)
    return min(count * 2, _GROUP) if seconds < _QUICK_S else count


def _known(times: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the times from the first one that is not 0."""
    return times[int(np.argmax(times != 0)) :] if times.size and times[-1] != 0 else times[:0]
