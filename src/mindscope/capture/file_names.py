# SPDX-License-Identifier: Apache-2.0
"""The names of the event files of one recorder.

A name is ``{prefix}.out.events.summary.{second}.{device_id}.{host}{suffix}``. The second tells recorders apart that
start together: whoever finds a name taken tries the next second, and both files of a recorder carry the same one.
"""

from __future__ import annotations

import contextlib
import os
import platform
import time
from collections.abc import Sequence
from pathlib import Path

_MODE_OPEN = 0o600

# File names that recorders of this process announced, by whom, so that no two announce the same. Needs no lock:
# setdefault is atomic.
_reserved: dict[str, object] = {}


class FileNames:
    """The file names of one recorder. The first second is announced at once, its files are created when needed."""

    def __init__(self, directory: Path, prefix: str, suffixes: Sequence[str]) -> None:
        self.directory = directory
        self._stem = f"{prefix}.out.events.summary."
        self._place = f".{device_id()}.{platform.node()}"
        self._suffixes = suffixes
        self._own: set[int] = set()  # seconds under which this recorder created a file
        self.second = int(time.time())
        """The second that the recorder's files begin with."""
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
                    os.close(descriptor)  # another process took the sibling's name in this moment
                    path.unlink()
            second += 1

    def forget(self) -> None:
        """Let others announce the names that no file was created for."""
        for path in [path for path, names in _reserved.items() if names is self]:
            del _reserved[path]

    def _reserve(self, second: int) -> bool:
        return _reserved.setdefault(str(self.path(second, self._suffixes[0])), self) is self

    def _is_taken(self, second: int, but: str = "") -> bool:
        return any(self.path(second, suffix).exists() for suffix in self._suffixes if suffix != but)


def device_id() -> int:
    """The rank of this process in a distributed run, 0 outside of one."""
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
