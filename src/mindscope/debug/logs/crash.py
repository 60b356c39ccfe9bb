# SPDX-License-Identifier: Apache-2.0
"""Finds the error that a log ends with: the last messages of a training that failed, and the exceptions in them."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import NamedTuple

from mindscope.debug.logs._line_scan import LineScanner
from mindscope.debug.logs.captured_lines import printed_text
from mindscope.debug.logs.index import MessageKind, decoded, rank_in_path
from mindscope.debug.logs.line_heads import Severity

_TAIL = 1 << 20
"""Bytes at the end of a log that are read."""
_MOST_BEFORE = 12
_MOST_LINE = 1000
_MOST_FRAMES = 100
_TRACEBACK = "Traceback (most recent call last)"
_PART = re.compile(r"^[ \t]*(?P<original>Original )?Traceback \(most recent call last\):?[ \t]*$", re.MULTILINE)
_RANK_PREFIX = re.compile(r"(?m)^\[(?:rank|default)\d+\]:[ ]?")
_FRAME = re.compile(r'^\s*File "(?P<file>[^"\n]+)", line (?P<line>\d+)(?:, in (?P<name>[^\n]+))?$')
_INSTALLED = re.compile(r"[/\\](?:site|dist)-packages[/\\]|[/\\]lib[/\\]python3|^<|[/\\]mindscope[/\\]\w+[/\\]")
_KILLED = re.compile(
    r"(?m)^Killed$|: line \d+:\s+\d+ Killed\b|oom[-_]kill|exitcode\s*: -9\b|[Ss]ignal 9\b|DUE TO TIME LIMIT"
    r"|DUE TO PREEMPTION|\bCANCELLED AT\b"
)
_CRASHED = re.compile(r"Segmentation fault|\(core dumped\)|Fatal Python error|terminate called|Bus error")
_MEMORY = re.compile(
    r"out of memory|can't allocate memory|\bMemoryError\b|OutOfMemory|unable to allocate|oom[-_]kill", re.IGNORECASE
)
_ENDING = re.compile(
    r"^\s*(?:$|Exception ignored|Error in |Current thread |Thread 0x|Extension modules:|srun: |slurmstepd: |Aborted"
    r"|=====|-----|Failures:|Root Cause|<NO_OTHER|\[\d+\]:|time +:|host +:|rank +:|exitcode +:|error_file|traceback +:"
    r"|wandb: |\S+ FAILED\s*$|\*\*\* |Sending process|W\d{4} |E\d{4} |leaked |warnings\.warn)"
)
"""Lines that launchers, the interpreter and loggers write after the error that ends a training."""


class CrashKind(str, Enum):
    """How a training ended."""

    ERROR = "error"
    """An exception."""
    INTERRUPTED = "interrupted"
    """A user interrupted it, which is no failure."""
    KILLED = "killed"
    CRASHED = "crashed"
    """The process itself failed, as by a segmentation fault."""

    def __str__(self) -> str:
        return self.value


class CrashError(NamedTuple):
    """An exception of a traceback."""

    error: str
    """Type and message, such as ``ValueError: bad record``."""
    line: str
    """Innermost line of the program itself, such as ``/train/data.py:12 read: raise ValueError``; empty if unknown."""


@dataclass(frozen=True, slots=True)
class Crash:
    """The error that a log ends with."""

    kind: CrashKind
    path: Path
    start: int
    """Byte of the file at which its message starts."""
    rank: int
    """Rank; -1 if unknown."""
    text: str
    """The traceback, or the line that says how the process ended."""
    errors: tuple[CrashError, ...]
    """The error, the error that it was raised for, and so on: the last one is the first cause. Never empty."""
    before: tuple[str, ...]
    """The last lines of the log before."""
    modified_at: float
    """When the file was written last, seconds since 1970."""

    @property
    def is_memory(self) -> bool:
        """Whether there was not enough memory."""
        return any(_MEMORY.search(error.error) for error in self.errors)


class _Message(NamedTuple):
    start: int
    level: int
    rank: int
    text: str

    @property
    def has_traceback(self) -> bool:
        return _TRACEBACK in self.text

    @property
    def is_end(self) -> bool:
        """Whether a message may follow the error that ends a training."""
        if self.has_traceback or self.level >= Severity.WARNING or _KILLED.search(self.text):
            return True
        return bool(_CRASHED.search(self.text) or _ENDING.match(_RANK_PREFIX.sub("", self.text)))


def read_crash(path: Path) -> Crash | None:
    """Return the error that a log ends with; None if it has none, or the training went on after it.

    A training went on if the file has further messages. Raises OSError.
    """
    with path.open("rb") as file:
        state = os.fstat(file.fileno())
        offset = max(0, state.st_size - _TAIL)
        file.seek(offset)
        data = file.read(_TAIL)
    if offset:
        cut = data.find(b"\n") + 1
        offset, data = offset + cut, data[cut:]
    if not data:
        return None
    messages = list(_messages(path, data, offset, time.localtime(state.st_mtime).tm_year))
    first = len(messages)
    while first and messages[first - 1].is_end:
        first -= 1
    return _crash(path, messages, first, state.st_mtime)


def _messages(path: Path, data: bytes, offset: int, year: int) -> Iterator[_Message]:
    scanner = LineScanner(rank_in_path(path))
    scanned = scanner.scan(memoryview(data), offset, year, True)
    of_number = [MessageKind(*each) for each in scanner.kinds]
    starts: list[int] = scanned[1].tolist()
    kinds: list[int] = scanned[3].tolist()
    for start, end, number in zip(starts, [*starts[1:], offset + len(data)], kinds, strict=True):
        kind = of_number[number]
        yield _Message(start, kind.level, kind.rank, decoded(printed_text(data[start - offset : end - offset])))


def _crash(path: Path, messages: Sequence[_Message], first: int, modified_at: float) -> Crash | None:
    ending = messages[first:]
    found = next((index for index, each in enumerate(ending) if each.has_traceback), None)
    if found is not None:
        text = _RANK_PREFIX.sub("", ending[found].text).rstrip()
        errors = _errors(text)
        is_interrupted = errors[0].error.startswith("KeyboardInterrupt")
        kind = CrashKind.INTERRUPTED if is_interrupted else CrashKind.ERROR
    else:
        found = next((index for index, each in enumerate(ending) if _CRASHED.search(each.text)), None)
        kind = CrashKind.CRASHED
        if found is None:
            found = next((index for index, each in enumerate(ending) if _KILLED.search(each.text)), None)
            kind = CrashKind.KILLED
        if found is None:
            return None
        text = ending[found].text.rstrip()
        errors = (CrashError(_matching_line(text), ""),)
    message = ending[found]
    before = [line[:_MOST_LINE] for each in messages[max(0, first + found - _MOST_BEFORE) : first + found]
              for line in each.text.rstrip("\n").split("\n")]  # fmt: skip
    return Crash(kind, path, message.start, message.rank, text, errors, tuple(before[-_MOST_BEFORE:]), modified_at)


def _matching_line(text: str) -> str:
    return next((line for line in text.splitlines() if _CRASHED.search(line) or _KILLED.search(line)), text)[
        :_MOST_LINE
    ]


def _errors(text: str) -> tuple[CrashError, ...]:
    """Return the exceptions of tracebacks: the one that ended the training, then those that led to it."""
    crash_errors: list[CrashError] = []
    starts = list(_PART.finditer(text))
    for index, match in enumerate(starts):
        end = starts[index + 1].start() if index + 1 < len(starts) else len(text)
        error = _error(text[match.end() : end])
        crash_errors.insert(1 if match["original"] and crash_errors else 0, error)
    return tuple(crash_errors) or (CrashError(text.strip().splitlines()[-1][:_MOST_LINE], ""),)


def _error(text: str) -> CrashError:
    lines = text.strip("\n").split("\n")
    frames = [(index, match) for index, line in enumerate(lines) if (match := _FRAME.match(line))][-_MOST_FRAMES:]
    after = frames[-1][0] + 1 if frames else 0
    error = next((line.strip() for line in lines[after:] if line.strip() and line[:1] not in " \t"), "")
    if not error:  # nested in the message of another error, all of it indented
        error = next((line.strip() for line in reversed(lines[after:]) if line.strip()), "")
    own = [frame for frame in frames if not _INSTALLED.search(frame[1]["file"])] or frames
    return CrashError(error[:_MOST_LINE], _location(lines, *own[-1]) if own else "")


def _location(lines: Sequence[str], index: int, match: re.Match[str]) -> str:
    code = lines[index + 1].strip() if index + 1 < len(lines) and not _FRAME.match(lines[index + 1]) else ""
    name = f" {match['name'].strip()}" if match["name"] else ""
    return f"{match['file']}:{match['line']}{name}{f': {code}' if code else ''}"[:_MOST_LINE]
