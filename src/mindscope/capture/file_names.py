# SPDX-License-Identifier: Apache-2.0
"""The names of the event files of one recorder.

A name is ``{prefix}.out.events.summary.{second}.{device_id}.{host}{suffix}``. The second distinguishes recorders that
start together: if a name is taken, a recorder tries the next second. Both files of a recorder use the same second.
"""

from __future__ import annotations

import contextlib
import os
import platform
import time
from collections.abc import Sequence
from pathlib import Path

_MODE_OPEN = 0o600

# File names reserved by recorders of this process, with their owner, so that no two use the same. Needs no lock:
# setdefault is atomic.
_reserved: dict[str, object] = {}


class FileNames:
    """The file names of one recorder. Reserves the first second at once; creates files only when needed."""

    def __init__(self, directory: Path, prefix: str, suffixes: Sequence[str]) -> None:
        self.directory = directory
        self._stem = f"{prefix}.out.events.summary."
        self._place = f".{device_id()}.{platform.node()}"
        self._suffixes = suffixes
        self._own: set[int] = set()  # seconds for which this recorder created a file
        self.second = int(time.time())
        """The second in the names of the recorder's first files."""
        while self._is_taken(self.second) or not self._reserve(self.second):
            self.second += 1

    def path(self, second: int, suffix: str) -> Path:
        """The file of ``second``."""
        return self.directory / f"{self._stem}{second}{self._place}{suffix}"

    def create(self, second: int, suffix: str) -> tuple[int, int]:
        """Create the first free file from ``second`` on; returns its descriptor and its second. Raises OSError."""
        self.directory.mkdir(parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0)
        while True:
            if second in self._own or not self._is_taken(second):
                path = self.path(second, suffix)
                with contextlib.suppress(FileExistsError):
                    descriptor = os.open(path, flags, _MODE_OPEN)
                    if second in self._own or not self._is_taken(second, but=suffix):
                        self._own.add(second)
                        self.second = max(self.second, second) if self._own == {second} else self.second
                        return descriptor, second
                    os.close(descriptor)  # another process created the sibling file in this moment
                    path.unlink()
            second += 1

    def forget(self) -> None:
        """Release reserved names for which no file was created."""
        for path in [path for path, names in _reserved.items() if names is self]:
            del _reserved[path]

    def _reserve(self, second: int) -> bool:
        return _reserved.setdefault(str(self.path(second, self._suffixes[0])), self) is self

    def _is_taken(self, second: int, but: str = "") -> bool:
        return any(self.path(second, suffix).exists() for suffix in self._suffixes if suffix != but)


def device_id() -> int:
    """The rank of this process in a distributed run, 0 if it is not distributed."""
    size = _environment_number("RANK_SIZE", "WORLD_SIZE")
    if size is not None and size <= 1:
        return 0
    return _environment_number("RANK_ID", "RANK") or 0


def _environment_number(*names: str) -> int | None:
    for name in names:
        text = os.environ.get(name, "")
        if text.isdecimal():
            return int(text)
    return None
