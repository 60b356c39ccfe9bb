# SPDX-License-Identifier: Apache-2.0
"""Counts recording failures and logs each tag and reason once, so that they never interrupt the training."""

from __future__ import annotations

import logging
import re
import threading
from typing import NamedTuple

from mindscope.errors import ValueRejectedError

_LOG = logging.getLogger("mindscope")
MAX_REASONS = 100
"""Limit of warnings for one recorder; after that, it only counts."""
_MAX_CHARACTERS = 500  # of one reason
_NUMBER = re.compile(r"\d+")
_MORE = f"more than {MAX_REASONS} kinds of problems; further ones are counted, not logged"


def _one_line(error: Exception) -> str:
    """Return the text of an error as valid UTF-8 on one line, truncated if long."""
    text = " ".join(str(error).split()).encode("utf-8", "backslashreplace").decode()
    return text if len(text) <= _MAX_CHARACTERS else f"{text[:_MAX_CHARACTERS]}..."


class DropReport(NamedTuple):
    """Replaces values that were lost before they reached ``add_value``."""

    text: str
    lost: int
    """Number of lost values."""
    is_drop: bool
    """Whether they count as dropped; if not, newer values of the same step replaced them."""


class DropCounter:
    """Counts the values that a recorder dropped, and logs each cause once. Thread-safe."""

    def __init__(self) -> None:
        self.dropped = 0
        """Number of dropped values; it only grows."""
        self.replaced = 0
        """Number of values of summary operators that newer ones of the same step replaced."""
        self._warned: set[tuple[str, str, str]] = set()  # (cause, subject, reason) of logged messages
        self._reasons: list[str] = []  # reasons that no file contains yet
        self._first_error: Exception | None = None  # the first failure since the last ``pop_error``
        self._lock = threading.RLock()  # reentrant: a signal handler may record too

    def drop(self, count: int, cause: str, subject: str, error: Exception) -> None:
        """Count ``count`` values as lost; log ``error`` once for each cause, subject and text.

        Texts that differ only in their numbers are equal.
        """
        with self._lock:
            self.dropped += count
            self._first_error = self._first_error or error
        text = _one_line(error)
        if self._warn(cause, subject, text, f"{text} (logged once; mindscope/dropped counts what is dropped)"):
            with self._lock:
                self._reasons.append(text)

    def report(self, plugin: str, tag: str, problem: DropReport) -> None:
        """Count and log the values that a summary operator lost."""
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
        """Log ``text`` unless it was logged before or the limit is reached; returns whether it did."""
        key = (cause, subject, _NUMBER.sub("#", reason))
        with self._lock:
            if key in self._warned or len(self._warned) > MAX_REASONS:
                return False
            self._warned.add(key)
            is_last = len(self._warned) > MAX_REASONS
        _LOG.warning("%s", _MORE if is_last else text)
        return not is_last

    def pop_reasons(self) -> list[str]:
        """Return the reasons of dropped values since the last call."""
        with self._lock:
            reasons, self._reasons = self._reasons, []
        return reasons

    def pop_error(self) -> Exception | None:
        """Return the first failure since the last call, for a recorder with ``raise_exception``."""
        with self._lock:
            error, self._first_error = self._first_error, None
        return error
