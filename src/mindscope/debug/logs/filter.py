# SPDX-License-Identifier: Apache-2.0
"""Selects messages of a log. Regular expressions run in RE2, in time linear in the text."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow
from numpy.typing import NDArray
from pyarrow import compute

from mindscope.debug.logs.index import LogIndex
from mindscope.debug.logs.line_heads import Level
from mindscope.errors import DebugDataError
from mindscope.reasons import Reason

_ARROW: Any = pyarrow  # both without types
_COMPUTE: Any = compute
_BATCH = 1024


@dataclass(frozen=True, slots=True)
class LogFilter:
    """Conditions that all hold; None and empty ones hold for every message."""

    least_level: Level = Level.UNKNOWN
    modules: Collection[str] | None = None
    ranks: Collection[int] | None = None
    first_ns: int | None = None
    """Messages without a time are left out if there is a first or last time."""
    last_ns: int | None = None
    text: str = ""
    """A part of the message, in any case."""
    regex: str = ""
    """Found anywhere in the message; syntax of RE2."""


def select_messages(index: LogIndex, condition: LogFilter, first_row: int = 0) -> Iterator[NDArray[np.int64]]:
    """Rows from ``first_row`` on that fulfil the conditions, ascending, batch by batch.

    Raises:
        DebugDataError: the regular expression is invalid.
        OSError: the file can't be read.
    """
    _check(condition.regex)
    rows = np.flatnonzero(_columns(index, condition)[first_row:]) + first_row
    if not condition.text and not condition.regex:
        yield rows
        return
    for begin in range(0, len(rows), _BATCH):
        batch = rows[begin : begin + _BATCH]
        texts: Any = _ARROW.array([message.text for message in index.messages(batch)], _ARROW.string())
        keep = np.ones(len(batch), bool)
        if condition.text:
            keep &= np.asarray(_COMPUTE.match_substring(texts, condition.text, ignore_case=True))
        if condition.regex:
            keep &= np.asarray(_COMPUTE.match_substring_regex(texts, condition.regex))
        if keep.any():
            yield batch[keep]


def _columns(index: LogIndex, condition: LogFilter) -> NDArray[np.bool_]:
    keep = index.level >= condition.least_level
    if condition.modules is not None:
        numbers = [place for place, name in enumerate(index.modules) if name in condition.modules]
        keep &= np.isin(index.module, numbers)
    if condition.ranks is not None:
        keep &= np.isin(index.rank, list(condition.ranks))
    if condition.first_ns is not None:
        keep &= (index.time_ns >= condition.first_ns) & (index.time_ns != 0)
    if condition.last_ns is not None:
        keep &= (index.time_ns <= condition.last_ns) & (index.time_ns != 0)
    return keep


def _check(regex: str) -> None:
    try:
        _COMPUTE.match_substring_regex(_ARROW.array([""], _ARROW.string()), regex or ".")
    except ValueError as error:
        raise DebugDataError(Reason("log_regex_invalid", regex=regex, detail=str(error))) from error
