# SPDX-License-Identifier: Apache-2.0
"""Beginnings of log lines: level, time, module, rank, as several programs write them.

MindSpore, C++ and Python::

    [WARNING] DEVICE(123,7f01,python):2026-11-23-20:41:31.123.456 [mindspore/ccsrc/a.cc:12] Run] message
    [ERROR] ME(123:140,MainProcess):2026-11-23-20:41:31.512.3 [mindspore/train/model.py:12] message

glog and absl, with or without a year, and PyTorch's form of it in brackets; Python's ``logging`` with a time; and
``LEVEL:NAME:message``. Each may begin with the rank, as ``torchrun`` writes: ``[rank3]:``, ``[default3]:``.
"""

from __future__ import annotations

import re
from datetime import datetime, timezone
from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple

LONGEST_HEAD = 512
"""Bytes of a line that are parsed."""
_US = 1000
_SECOND_NS = 10**9
_YEARS = (1970, 2262)
"""Whose nanoseconds fit into 64 bits."""


class Level(IntEnum):
    """Severity, in ascending order."""

    UNKNOWN = 0
    DEBUG = 1
    INFO = 2
    WARNING = 3
    ERROR = 4
    CRITICAL = 5


class LineHead(NamedTuple):
    """What a line begins with. It starts a message; lines after it without a head belong to it."""

    level: Level
    time_ns: int
    """Since 1970, as the clock of the machine showed it, without a time zone; 0 if the line has none."""
    module: str
    rank: int
    """-1 if the line does not name it."""
    takes_lines: bool = False
    """Whether every line after it that has no head belongs to it, as with MindSpore."""


_RANK = re.compile(r"\[(?:default|rank|trainer)(\d{1,9})(?:\|\d+)?\]:\s?", re.ASCII)
_MINDSPORE = re.compile(
    r"\[(DEBUG|INFO|WARNING|ERROR|CRITICAL)\] (\w+)\([^)]*\):"
    r"(\d{4}-\d\d-\d\d)-(\d\d:\d\d:\d\d)\.(\d{1,6})(?:\.(\d{1,3}))?",
    re.ASCII,
)
_GLOG = re.compile(
    r"\[?(?P<level>[VDIWEFC])(?P<year>\d{4})?(?P<month>\d\d)(?P<day>\d\d) (?P<clock>\d\d:\d\d:\d\d)\.(?P<us>\d{3,9})"
    r"(?: +\d+)? (?P<module>[^\s\]]+)\]",
    re.ASCII,
)
_DATED = re.compile(
    r"(?P<before>.{0,80}?)(?P<date>\d{4}-\d\d-\d\d)[T ](?P<clock>\d\d:\d\d:\d\d)(?:[,.](?P<us>\d{1,9}))?", re.ASCII
)
_LEVEL = re.compile(r"\b(?P<level>DEBUG|INFO|WARN(?:ING)?|ERROR|CRITICAL|FATAL)\b", re.ASCII)
_BASIC = re.compile(r"(?P<level>DEBUG|INFO|WARNING|ERROR|CRITICAL):(?P<module>[\w.]+):", re.ASCII)
_NAME = re.compile(r"[\s\[\]|:,-]*(?P<name>[A-Za-z_][\w.]*)", re.ASCII)
_BY_WORD = {
    **{level.name: level for level in Level}, "WARN": Level.WARNING, "FATAL": Level.CRITICAL,
}  # fmt: skip
_BY_LETTER = {
    "V": Level.DEBUG, "D": Level.DEBUG, "I": Level.INFO, "W": Level.WARNING, "E": Level.ERROR, "F": Level.CRITICAL,
    "C": Level.CRITICAL,
}  # fmt: skip


def parse_head(line: str, year: int) -> LineHead | None:
    """The head of a line; None if it has none of these forms.

    Args:
        line: without its end; only its beginning is parsed.
        year: of times that have none.
    """
    prefix = _RANK.match(line)
    rank = int(prefix[1]) if prefix else -1
    text = line[prefix.end() : LONGEST_HEAD] if prefix else line[:LONGEST_HEAD]
    start = text[:1]
    found: LineHead | None = None
    if start == "[" or start in _BY_LETTER:
        found = _mindspore(text, rank) or _glog(text, rank, year) or _basic(text, rank)
    return found or _dated(text, rank) or (LineHead(Level.UNKNOWN, 0, "", rank) if prefix else None)


def _mindspore(text: str, rank: int) -> LineHead | None:
    match = _MINDSPORE.match(text)
    if match is None:
        return None
    level, module, date, clock, first, second = match.groups("")
    start = _time(date, clock)
    if start is None:
        return None
    return LineHead(_BY_WORD[level], start + _microseconds(first + second) * _US, module, rank, takes_lines=True)


def _microseconds(digits: str) -> int:
    """Of ``123`` and ``456``. Python code cuts the number in two without zeros before it: 5123 us is ``512.3``."""
    return int(digits[:6])


def _glog(text: str, rank: int, year: int) -> LineHead | None:
    match = _GLOG.match(text)
    if match is None:
        return None
    second = _time(f"{match['year'] or f'{year:04}'}-{match['month']}-{match['day']}", match["clock"])
    fraction = int(match["us"].ljust(9, "0"))
    if second is None:
        return None
    module = match["module"].rpartition(":")[0] or match["module"]
    return LineHead(_BY_LETTER[match["level"]], second + fraction, module, rank)


def _basic(text: str, rank: int) -> LineHead | None:
    match = _BASIC.match(text)
    return LineHead(Level[match["level"]], 0, match["module"], rank) if match else None


def _dated(text: str, rank: int) -> LineHead | None:
    match = _DATED.match(text)
    if match is None:
        return None
    second = _time(match["date"], match["clock"])
    after = text[match.end() : match.end() + 160]
    word = _LEVEL.search(match["before"]) or _LEVEL.search(after)
    if second is None or (word is None and match["before"].strip("[( ")):
        return None
    level = _BY_WORD[word["level"]] if word else Level.UNKNOWN
    name = _NAME.match(after.replace(word["level"], "", 1) if word else after)
    return LineHead(level, second + int((match["us"] or "").ljust(9, "0")[:9]), name["name"] if name else "", rank)


@lru_cache(4096)
def _time(date: str, clock: str) -> int | None:
    try:
        moment = datetime.fromisoformat(f"{date}T{clock}").replace(tzinfo=timezone.utc)
    except ValueError:
        return None
    return int(moment.timestamp()) * _SECOND_NS if _YEARS[0] <= moment.year < _YEARS[1] else None
