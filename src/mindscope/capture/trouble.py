# SPDX-License-Identifier: Apache-2.0
"""What went wrong while recording: counted, said once a cause, never in the way of the training."""

from __future__ import annotations

import logging
import threading

_LOG = logging.getLogger("mindscope")


class Trouble:
    """Counts the values that a recorder had to drop, and says each cause once. Safe from any thread."""

    def __init__(self) -> None:
        self.dropped = 0
        """How many values were dropped so far; it only grows."""
        self._said: set[tuple[str, str]] = set()  # (cause, subject) that a message was logged for
        self._late: Exception | None = None  # the first failure that no caller has seen yet
        self._lock = threading.RLock()  # reentrant: a signal handler may record too

    def drop(self, count: int, cause: str, subject: str, error: Exception) -> None:
        """Count ``count`` values as lost; ``error`` is logged unless the same cause and subject was."""
        with self._lock:
            self.dropped += count
            self._late = self._late or error
        self.say(cause, subject, f"{error} (what can't be recorded is counted as mindscope/dropped; this is said once)")

    def say(self, cause: str, subject: str, text: str) -> None:
        """Log a warning once for each cause and subject."""
        with self._lock:
            is_new = (cause, subject) not in self._said
            self._said.add((cause, subject))
        if is_new:
            _LOG.warning("%s", text)

    def take_late(self) -> Exception | None:
        """The first failure since the last call, for a recorder that was told to raise."""
        with self._lock:
            late, self._late = self._late, None
        return late
