# SPDX-License-Identifier: Apache-2.0
"""The stream of a writer that writes nothing to disk."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mindscope.capture.event_stream import EventStream, sealed_batch


class Nowhere(EventStream):
    """Takes every value and keeps none; creates no directory."""

    def __init__(self) -> None:
        self.batch = sealed_batch()

    def reset_after_fork(self) -> None:
        """Do nothing."""

    def add_scalar(self, *arguments: Any, **options: Any) -> None:
        """Do nothing."""

    def add_prepared(self, *arguments: Any, **options: Any) -> None:
        """Do nothing."""

    def add_event(self, *arguments: Any, **options: Any) -> None:
        """Do nothing."""

    def reject(self, plugin: str, tag: str, error: Exception) -> None:
        """Do nothing."""

    def warn_once(self, cause: str, subject: str, text: str) -> None:
        """Do nothing."""

    def leave_out_suffix(self, directory: str) -> None:
        """Do nothing."""

    def run_files(self) -> dict[str, Path]:
        """Return no files."""
        return {}

    def flush(self, timeout_s: float | None = None) -> bool:
        """Return at once."""
        return True

    def close(self) -> None:
        """Do nothing."""
