# SPDX-License-Identifier: Apache-2.0
"""Collects what could not be read of a profile of several files: every other file is read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import count
from pathlib import Path
from typing import TypeVar

from mindscope.errors import FormatError
from mindscope.profile.formats.csv_table import CsvTable
from mindscope.reasons import UNCODED, Reason, os_reason, reason_of

_MOST_COLUMNS = 12
_T = TypeVar("_T")


class Problems(dict[str, str]):
    """File -> the reason why it can't be read. Part of ``ProfileFacts.properties`` as ``problems``.

    It grows as parts are read. A further reason of ``a.csv`` is that of ``a.csv (2)``.
    """

    def read(self, path: Path | None, reader: Callable[[Path], _T]) -> _T | None:
        """Return what the reader makes of a file; None if there is none, or if it can't be read, which is noted."""
        if path is None:
            return None
        try:
            return reader(path)
        except (OSError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError) as error:
            self[path.name] = problem_of(error)
            return None

    def skip(self, path: Path, table: CsvTable) -> None:
        """Note rows of a table that could not be read, or that don't fit in memory."""
        if table.skipped:
            self.note(path.name, Reason("profile_rows_skipped", count=table.skipped))
        if table.left_out:
            self.note(path.name, Reason("profile_rows_left_out", count=table.left_out, read=len(table)))

    def note(self, name: str, reason: Reason) -> None:
        """Add what is wrong with a file to what else is."""
        for number in count(1):
            place = name if number == 1 else f"{name} ({number})"
            if self.setdefault(place, reason) == reason:
                return


def problem_of(error: Exception) -> Reason:
    """Why a file can't be read."""
    if isinstance(error, OSError):
        return Reason("profile_file_unreadable", **os_reason(error))
    known = reason_of(error)
    if known.code != UNCODED or isinstance(error, FormatError):
        return known
    return Reason("profile_file_failed", error=type(error).__name__, detail=str(error))


def columns_missing(wanted: str, columns: Sequence[str]) -> Reason:
    """A table has none of the columns for the ``wanted`` data, but others."""
    return Reason("profile_columns_missing", wanted=wanted, columns=", ".join(columns[:_MOST_COLUMNS]) or "-")
