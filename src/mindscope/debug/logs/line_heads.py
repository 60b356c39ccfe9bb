# SPDX-License-Identifier: Apache-2.0
"""Beginnings of log lines: level, time, module, rank, as several programs write them.

MindSpore, C++ and Python::

    [WARNING] DEVICE(123,7f01,python):2026-11-23-20:41:31.123.456 [mindspore/ccsrc/a.cc:12] Run] message
    [ERROR] ME(123:140,MainProcess):2026-11-23-20:41:31.512.3 [mindspore/train/model.py:12] message

glog and absl, with or without a year, and PyTorch's form of it in brackets; Python's ``logging`` with a time; and
``LEVEL:NAME:message``; and ``slurmstepd: error: message`` of Slurm, also after a progress bar. Each may begin
with the rank, as ``torchrun`` writes: ``[rank3]:``, ``[default3]:``. Captured output has a time and a stream before
each line, see ``captured_lines``.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from mindscope.debug.logs._line_heads import head_of


class Severity(IntEnum):
    """Severity, in ascending order."""

    UNKNOWN = 0
    DEBUG = 1
    INFO = 2
    WARNING = 3
    ERROR = 4
    CRITICAL = 5


class LineHead(NamedTuple):
    """The head of a line. It starts a message; lines after it without a head belong to it."""

    level: Severity
    time_ns: int
    """Since 1970, as the clock of the machine showed it, without a time zone; 0 if the line has none."""
    module: str
    rank: int
    """-1 if the line does not name it."""
    takes_lines: bool = False
    """Whether every line after it that has no head belongs to it, as with MindSpore."""
    length: int = 0
    """Characters of the line before its message."""


def parse_head(line: str, year: int) -> LineHead | None:
    """Return the head of a line; None if it has none of these forms.

    Args:
        line: without its end; only its beginning is parsed.
        year: of times that have none.
    """
    found = head_of(line.encode("utf-8", "replace"), year)
    return None if found is None else LineHead(Severity(found[0]), *found[1:])
