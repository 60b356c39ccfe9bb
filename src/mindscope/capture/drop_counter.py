# SPDX-License-Identifier: Apache-2.0
"""What went wrong while recording: counted, logged once for each tag and reason, never in the way of the training."""

from __future__ import annotations

import logging
import re
import threading
from typing import NamedTuple

from mindscope.errors import ValueRejectedError

_LOG = logging.getLogger("mindscope")
MAX_REASONS = 100
"""Warnings of one recorder; after them it only counts."""
_MAX_CHARACTERS = 500  # characters of one reason
_NUMBER = re.compile(r"\d+")
_MORE = f"more than {MAX_REASONS} kinds of problems; further ones are counted, not logged"


def _one_line(error: Exception) -> str:
    """The text of an error as UTF-8 can hold it, cut where it is long."""
    text = " ".join(str(error).split()).encode("utf-8", "backslashreplace").decode()
    return text if len(text) <= _MAX_CHARACTERS else f"{text[:_MAX_CHARACTERS]}..."


class DropReport(NamedTuple):
    """Values that were lost on their way to ``add_value``, which takes it in their place."""

    text: str
    lost: int
    """How many values."""
    is_drop: bool
    """Whether they count as dropped; otherwise newer values of the step replaced them."""


class DropCounter:
    """Counts the values that a recorder had to drop, and logs each cause once. Safe from any thread."""

    def __init__(self) -> None:
        self.dropped = 0
        """How many values were dropped so far; it only grows."""
        self.replaced = 0
        """How many values of summary operators newer ones of the same step replaced."""
        self._warned: set[tuple[str, str, str]] = set()  # (cause, subject, reason) that a message was logged for
        self._reasons: list[str] = []  # why values were dropped, as far as no file says it yet
        self._first_error: Exception | None = None  # the first failure that no caller has seen yet
        self._lock = threading.RLock()  # reentrant: a signal handler may record too

    def drop(self, count: int, cause: str, subject: str, error: Exception) -> None:
        """Count ``count`` values as lost; ``error`` is logged unless the same was for this cause and subject.

        Texts that differ in their numbers only are the same.
        """
        with self._lock:
            self.dropped += count
            self._first_error = self._first_error or error
        text = _one_line(error)
        if self._warn(cause, subject, text, f"{text} (logged once; mindscope/dropped counts what is dropped)"):
            with self._lock:
                self._reasons.append(text)

    def report(self, plugin: str, tag: str, problem: DropReport) -> None:
        """Count and log what an operator could not keep."""
        if problem.is_drop:
            self.drop(problem.lost, plugin, tag, ValueRejectedError(problem.text))
            return
        with self._lock:
            self.replaced += problem.lost
        self.warn_once("twice", f"{plugin} {tag}", problem.text)

    def warn_once(self, cause: str, subject: str, text: str) -> None:
        """Log a warning once for each cause and subject."""
        self._warn(cause, subject, "", text)

    def _warn(self, cause: str, subject: str, reason: str, text: str) -> bool:
        """Log ``text`` unless the same was logged, or too much; returns whether it did."""
        key = (cause, subject, _NUMBER.sub("#", reason))
        with self._lock:
            if key in self._warned or len(self._warned) > MAX_REASONS:
                return False
            self._warned.add(key)
            is_last = len(self._warned) > MAX_REASONS
        _LOG.warning("%s", _MORE if is_last else text)
        return not is_last

    def pop_reasons(self) -> list[str]:
        """Why values were dropped, since the last call."""
        with self._lock:
            reasons, self._reasons = self._reasons, []
        return reasons

    def pop_error(self) -> Exception | None:
        """The first failure since the last call, for a recorder that was told to raise."""
        with self._lock:
            error, self._first_error = self._first_error, None
        return error
