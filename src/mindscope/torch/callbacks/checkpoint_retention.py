# SPDX-License-Identifier: Apache-2.0
"""Retention of checkpoints."""

from __future__ import annotations

from pathlib import Path


class CheckpointRetention:
    """Removes checkpoints that are no longer wanted.

    Args:
        most: number of newest files that stay; 0 or None if all do or minutes decide.
        minutes: of each such span of time one stays, and always the newest.
    """

    def __init__(self, most: int | None, minutes: int | None) -> None:
        self._most, self._span_s = most or 0, (minutes or 0) * 60
        self._files: list[Path] = []
        """Files, the oldest first; with minutes only the newest, which a next one may replace."""
        self._span_began_s: float | None = None

    def keep(self, file: Path, now_s: float) -> None:
        """Add a new checkpoint, and remove those over the limit."""
        self._files = [each for each in self._files if each != file] + [file]
        if self._most:
            while len(self._files) > self._most:
                self._files.pop(0).unlink(missing_ok=True)
        elif self._span_s:
            self._keep_one_a_span(now_s)

    def _keep_one_a_span(self, now_s: float) -> None:
        if self._span_began_s is None:
            self._span_began_s = now_s
        if now_s - self._span_began_s >= self._span_s:
            self._span_began_s = now_s
        else:
            for old in self._files[:-1]:
                old.unlink(missing_ok=True)
        self._files = self._files[-1:]
