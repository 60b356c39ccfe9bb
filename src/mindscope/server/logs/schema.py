# SPDX-License-Identifier: Apache-2.0
"""Messages about text logs. Times are in seconds since 1970."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from pydantic import Field

from mindscope.server.http.schema import MAX_RUNS, Answer, IsNumber, Query, ReasonEntry, Whole

MOST_LINES = 500
MOST_COLUMNS = 1000
MOST_NAMES = 1000
MOST_TEXT = 4096
MOST_NUMBER = 2**53
Index = Annotated[int, Field(ge=0, le=MOST_NUMBER), IsNumber]
Step = Annotated[int, Field(ge=-MOST_NUMBER, le=MOST_NUMBER), IsNumber]
Time = Annotated[float, Field(ge=0, le=2**33)]


class LogLevel(str, Enum):
    """Severities, in ascending order; ``unknown`` is a line that names none."""

    UNKNOWN = "unknown"
    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"
    CRITICAL = "critical"


class LogFilesQuery(Query):
    """The runs whose logs are listed."""

    runs: list[str] = Field(max_length=MAX_RUNS)


class LogFileEntry(Answer):
    """A log file; ``name`` is its path relative to the directory of the run."""

    name: str
    size_bytes: int


class RunLogs(Answer):
    """The log files of a training, under the first of its runs."""

    run: str
    files: list[LogFileEntry]


class LogFilesAnswer(Answer):
    """Trainings that have logs, in the order of the runs."""

    logs: list[RunLogs]


class OfLog(Query):
    """The log of a training: all of its files, or those that are named."""

    run: str
    files: list[str] = Field([], max_length=MOST_NAMES)


class LogConditions(OfLog):
    """Conditions that all hold. Empty lists and texts, and null, hold for every message.

    ``text`` is a part of the message in any case, ``regex`` an expression of RE2.
    """

    least_level: LogLevel = LogLevel.UNKNOWN
    modules: list[str] = Field([], max_length=MOST_NAMES)
    ranks: list[Whole] = Field([], max_length=MOST_NAMES)
    text: str = Field("", max_length=MOST_TEXT)
    regex: str = Field("", max_length=MOST_TEXT)
    from_time: Time | None = None
    to_time: Time | None = None


class LogLinesQuery(LogConditions):
    """A page of messages: from place ``first`` on, or around a time or step, or the last ones.

    ``error_after`` and ``error_before`` are places: the page is around the next error from there. Errors are messages
    of level ``error`` and ``critical``, and tracebacks. ``at_crash``: it is around the error that the training ended
    with, which has no messages of the same file after it.
    """

    first: Index = 0
    count: Annotated[int, Field(ge=0, le=MOST_LINES), IsNumber] = 100
    at_time: Time | None = None
    at_step: Step | None = None
    is_last: bool = False
    error_after: Index | None = None
    error_before: Index | None = None
    at_crash: bool = False


class LogFormat(str, Enum):
    """The format of a file: ``text`` as it was logged, ``csv`` with time, level, module, rank and file."""

    TEXT = "text"
    CSV = "csv"


class LogFileQuery(LogConditions):
    """The messages to save, and their format."""

    format: LogFormat = LogFormat.TEXT


class LogMatch(Answer):
    """The line of a message that matches the filter: its number from 0, its text, and the matching characters of it.

    ``text`` is a part of a long line.
    """

    line: int
    text: str
    begin: int
    end: int


class LogLine(Answer):
    """A message: its first lines, the number of its file, and what it says of itself.

    ``row`` is its number in the file, ``rank`` is null if unknown. ``lines`` is how many lines it has. The first
    ``head`` characters of ``text`` are what ``wall_time``, ``level``, ``rank`` and ``module`` were read from. ``match``
    is null without a text or an expression to search for.
    """

    file: int
    row: int
    level: LogLevel
    wall_time: float | None
    module: str
    rank: int | None
    text: str
    head: int
    lines: int
    is_cut: bool
    match: LogMatch | None


class LogProblem(Answer):
    """A file that can't be read now."""

    file: str
    problem: ReasonEntry


class LogLinesAnswer(Answer):
    """A page of messages.

    ``files`` are the names by number. ``matching`` messages were found among ``searched`` of ``total`` so far; if
    ``is_complete`` is false, the next request finds more. ``at`` is the place that was requested by time or step.
    ``generation`` changes when a file was replaced.
    """

    files: list[str]
    modules: list[str]
    ranks: list[int]
    first: int
    at: int | None
    lines: list[LogLine]
    matching: int
    searched: int
    total: int
    indexed_bytes: int
    total_bytes: int
    is_complete: bool
    generation: str
    problems: list[LogProblem]


class LogMessageQuery(OfLog):
    """The message to show with all of its lines."""

    file: Annotated[int, Field(ge=0, le=MOST_NAMES), IsNumber]
    row: Index


class LogTensor(Answer):
    """A printed tensor.

    ``rows`` are its first elements: those along the last axis in columns, those of all other axes one below the other;
    empty if the text abbreviates them. ``min``, ``max`` and ``mean`` are of its finite elements, null without any.
    """

    dtype: str
    shape: list[int]
    rows: list[list[str]]
    is_cut: bool
    min: float | None
    max: float | None
    mean: float | None
    non_finite: int


class LogMessageAnswer(Answer):
    """A message with all of its lines, at most its first MiB, and the tensors that were printed in it.

    ``step`` is the last one that the training had recorded, null if unknown.
    """

    text: str
    tensors: list[LogTensor]
    step: int | None
    is_cut: bool


class LogHistogramQuery(LogConditions):
    """Into how many parts the time is divided."""

    columns: Annotated[int, Field(ge=1, le=MOST_COLUMNS), IsNumber] = 200


class LogStep(Answer):
    """The time at which the training recorded a step."""

    step: int
    wall_time: float


class LogHistogramAnswer(Answer):
    """The counts of matching messages of each level over time.

    ``start`` and ``end`` are null if no message has a time. ``counts`` has the levels that occur.
    """

    start: float | None
    end: float | None
    counts: dict[LogLevel, list[int]]
    steps: list[LogStep]
    is_complete: bool
