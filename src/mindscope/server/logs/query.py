# SPDX-License-Identifier: Apache-2.0
"""Messages, single messages and histograms of logs."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress

import numpy as np

from mindscope.debug.logs.filter import LogFilter, match_in
from mindscope.debug.logs.index import LONGEST_MESSAGE
from mindscope.debug.logs.line_heads import Severity, parse_head
from mindscope.debug.logs.log_files import SECOND_NS, FileMessage, Selection
from mindscope.ingest import Catalog
from mindscope.reading.training_logs import TrainingLogs, crashes_of
from mindscope.reasons import Reason
from mindscope.server.http.run_stores import trainings_of
from mindscope.server.http.schema import ReasonEntry
from mindscope.server.jobs.jobs import run_steps
from mindscope.server.logs.schema import (
    MOST_NAMES,
    LogConditions,
    LogFileEntry,
    LogFilesAnswer,
    LogHistogramAnswer,
    LogHistogramQuery,
    LogLevel,
    LogLine,
    LogLinesAnswer,
    LogLinesQuery,
    LogMatch,
    LogMessageAnswer,
    LogMessageQuery,
    LogProblem,
    LogStep,
    RunLogs,
)
from mindscope.server.logs.sources import NoLogError, OpenLog
from mindscope.server.logs.tensors import tensors_of
from mindscope.store import RunStore
from mindscope.types import Kind

BUDGET_S = 0.5
"""A request reads and searches for about this long, and answers with what it has."""
_MOST_LIST_TEXT = 2000
_ANY_YEAR = 2000  # of times without one, which are not read here
_MOST_LIST_LINES = 4
_MATCH_BEFORE = 100
"""Characters before a match that are shown of its line."""
_MOST_MATCH_TEXT = 400
_MOST_STEPS = 60
LEVELS = list(LogLevel)
"""Levels by number."""


def list_logs(catalog: Catalog, runs: Sequence[str]) -> LogFilesAnswer:
    """Return the log files of trainings; ranks of one training have one entry."""
    answer, logs = LogFilesAnswer(logs=[]), TrainingLogs(catalog.runs)
    for store, _ in trainings_of(catalog, runs):
        files: list[LogFileEntry] = []
        for name, path in logs.of(store).items():
            with suppress(OSError):  # deleted since it was found
                files.append(LogFileEntry(name=name, size_bytes=path.stat().st_size))
        if files:
            answer.logs.append(RunLogs(run=store.id, files=files))
    return answer


def lines_answer(opened: OpenLog, query: LogLinesQuery, store: RunStore) -> LogLinesAnswer:
    """Return a page of messages. Raises DebugDataError, OSError."""
    with opened.lock:
        selection, is_complete = searched(opened, query)
        at = _crash_index(selection, opened, store) if query.at_crash else _index(selection, query, store)
        first = query.first if at is None else max(0, at - query.count // 2)
        condition = filter_of(query)
        kinds = {kind for file in opened.logs.files for kind in file.index.kinds}
        return LogLinesAnswer(
            files=[each.name for each in opened.logs.files],
            modules=sorted({kind.module for kind in kinds if kind.module})[:MOST_NAMES],
            ranks=sorted({kind.rank for kind in kinds if kind.rank >= 0})[:MOST_NAMES],
            first=first,
            at=at,
            lines=[_line(message, condition) for message in selection.messages(first, query.count)],
            matching=len(selection),
            searched=selection.searched,
            total=len(opened.logs),
            indexed_bytes=opened.logs.indexed_bytes,
            total_bytes=opened.logs.total_bytes,
            is_complete=is_complete,
            generation="-".join(str(generation) for generation in opened.logs.generations),
            problems=[
                LogProblem(file=file.name, problem=ReasonEntry.of(Reason("unreadable", detail=str(file.error))))
                for file in opened.logs.files
                if file.error is not None
            ],
        )


def message_answer(opened: OpenLog, query: LogMessageQuery, store: RunStore) -> LogMessageAnswer:
    """Return one message. Raises NoLogError, OSError."""
    with opened.lock:
        if query.file >= len(opened.logs.files):
            raise NoLogError(query.run)
        file = opened.logs.files[query.file]
        if query.row >= len(file.index):
            _index_added(opened)
        if query.row >= len(file.index):
            raise NoLogError(query.run)
        rows = np.array([query.row])
        length = int(file.index.ends(rows)[0] - file.index.start[query.row])
        text = next(iter(file.index.messages(rows))).text
        step = _step_at(store, int(file.wall_times(rows)[0]) / SECOND_NS)
        tensors = tensors_of(file.index, query.row, text)
    is_cut = length > LONGEST_MESSAGE
    return LogMessageAnswer(text=text, tensors=tensors, step=step, is_cut=is_cut)


def histogram_answer(opened: OpenLog, query: LogHistogramQuery, store: RunStore) -> LogHistogramAnswer:
    """Counts of matching messages over time. Raises DebugDataError, OSError."""
    with opened.lock:
        selection, is_complete = searched(opened, query)
        times = selection.time_range()
        if times is None:
            return LogHistogramAnswer(start=None, end=None, counts={}, steps=[], is_complete=is_complete)
        start = times[0] if query.from_time is None else query.from_time
        end = max(start, times[1] if query.to_time is None else query.to_time)
        counts = selection.histogram(start, end + 1e-3, query.columns)
    return LogHistogramAnswer(
        start=start,
        end=end,
        counts={LEVELS[level]: row.tolist() for level, row in enumerate(counts) if row.any()},
        steps=_steps(store, start, end),
        is_complete=is_complete,
    )


def searched(opened: OpenLog, query: LogConditions) -> tuple[Selection, bool]:
    """Index and search for the time of a request. Return what was found, and whether nothing is left to search.

    Raises DebugDataError, and as ``check_connected``.
    """
    left_s = _index_added(opened)
    selection = run_steps(opened.selection(filter_of(query)), left_s)
    return selection, selection.is_complete and opened.logs.is_complete


def _index_added(opened: OpenLog) -> float:
    """Index what was added for the time of a request; return the rest of that time."""
    began = time.monotonic()
    opened.logs.refresh()
    run_steps(opened.logs, BUDGET_S)
    return BUDGET_S - (time.monotonic() - began)


def filter_of(query: LogConditions) -> LogFilter:
    """Return the conditions of a query."""
    return LogFilter(
        least_level=Severity(LEVELS.index(query.least_level)),
        modules=tuple(query.modules) or None,
        ranks=tuple(query.ranks) or None,
        first_ns=None if query.from_time is None else int(query.from_time * SECOND_NS),
        last_ns=None if query.to_time is None else int(query.to_time * SECOND_NS),
        text=query.text,
        regex=query.regex,
    )


def _index(selection: Selection, query: LogLinesQuery, store: RunStore) -> int | None:
    if query.error_after is not None:
        return selection.error_index(query.error_after, is_before=False)
    if query.error_before is not None:
        return selection.error_index(query.error_before, is_before=True)
    if query.is_last:
        return max(0, len(selection) - 1)
    wall_time = query.at_time if query.at_step is None else _time_of(store, query.at_step)
    return None if wall_time is None else selection.index_at(wall_time)


def _crash_index(selection: Selection, opened: OpenLog, store: RunStore) -> int | None:
    """Return the index of the error that the training ended with; None without one, or if it is not selected."""
    indexes = {file.name: (number, file.index) for number, file in enumerate(opened.logs.files)}
    crashes = crashes_of({name: index.path for name, (_, index) in indexes.items()}, [store])
    if not crashes:
        return None
    number, index = indexes[crashes[0].name]
    row = int(np.searchsorted(index.start, crashes[0].crash.start, side="right")) - 1
    return selection.index_of(number, row)


def _line(entry: FileMessage, condition: LogFilter) -> LogLine:
    message = entry.message
    text = _drawn(message.text)
    lines = text.split("\n", _MOST_LIST_LINES)
    excerpt = "\n".join(lines[:_MOST_LIST_LINES])[:_MOST_LIST_TEXT]
    head = parse_head(excerpt, _ANY_YEAR)
    return LogLine(
        file=entry.file,
        row=message.row,
        level=LEVELS[message.level],
        wall_time=entry.wall_time,
        module=message.module,
        rank=message.rank if message.rank >= 0 else None,
        text=excerpt,
        head=0 if head is None else head.length,
        lines=message.text.count("\n") + 1,
        is_cut=len(excerpt) < len(text),
        match=_match(text, condition),
    )


def _match(text: str, condition: LogFilter) -> LogMatch | None:
    """Return the line of a message in which the filter matches first, at most some hundred characters around it."""
    span = match_in(condition, text)
    if span is None:
        return None
    begin = text.rfind("\n", 0, span[0]) + 1
    line_end = text.find("\n", begin)
    end = min(span[1], len(text) if line_end < 0 else line_end)
    first = max(begin, span[0] - _MATCH_BEFORE)
    return LogMatch(
        line=text.count("\n", 0, begin),
        text=text[first : len(text) if line_end < 0 else line_end][:_MOST_MATCH_TEXT],
        begin=span[0] - first,
        end=min(end - first, _MOST_MATCH_TEXT),
    )


def _drawn(text: str) -> str:
    """Return a text as a terminal shows it: of a line that was drawn over, as by a progress bar, only the last
    state.
    """
    if "\r" not in text:
        return text
    return "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n"))


def _time_of(store: RunStore, step: int) -> float | None:
    """Return the time of the step, or else of the next one; None without steps."""
    points = _clock(store)
    if points is None:
        return None
    steps, times = points
    return float(times[min(int(np.searchsorted(steps, step)), len(times) - 1)])


def _step_at(store: RunStore, wall_time: float) -> int | None:
    """Return the last step that was recorded until then; None without one."""
    points = _clock(store)
    if points is None or not wall_time:
        return None
    row = int(np.searchsorted(points[1], wall_time, "right")) - 1
    return int(points[0][row]) if row >= 0 else None


def _steps(store: RunStore, start: float, end: float) -> list[LogStep]:
    """Return some steps of the range of time, evenly spread."""
    points = _clock(store)
    if points is None:
        return []
    steps, times = points
    inside = np.flatnonzero((times >= start) & (times <= end))
    chosen = inside[:: max(1, -(-len(inside) // _MOST_STEPS))]
    return [LogStep(step=int(steps[each]), wall_time=float(times[each])) for each in chosen]


def _clock(store: RunStore) -> tuple[np.ndarray, np.ndarray] | None:
    """Return steps and their times, of the longest series of any kind; of equally long ones, of a scalar."""
    series = [(len(value), kind is Kind.SCALAR, value) for (kind, _), value in store.series.items() if len(value)]
    if not series:
        return None
    points = max(series, key=lambda each: each[:2])[2].visible()
    return (points.step, points.wall_time) if len(points) else None
