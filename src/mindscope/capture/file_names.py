# SPDX-License-Identifier: Apache-2.0
"""The names of the event files of one recorder.

A name is ``{prefix}.out.events.summary.{second}.{rank}.{host}{suffix}``. The second distinguishes recorders that
start together: if a name is taken, a recorder tries the next second. Both files of a recorder use the same second.
"""

from __future__ import annotations

import contextlib
import logging
import os
import platform
import re
import time
from collections.abc import Sequence
from pathlib import Path

from mindscope.rank import current_launch

_LOG = logging.getLogger("mindscope")
_MODE_OPEN = 0o600
_STARTED = time.time()
_MOST_APART_S = 60

# File names reserved by recorders of this process, with their owner, so that no two use the same. Needs no lock:
# setdefault is atomic.
_reserved: dict[str, object] = {}


class FileNames:
    """The file names of one recorder. Reserves the first second at once; creates files only when needed."""

    def __init__(self, directory: Path, prefix: str, suffixes: Sequence[str]) -> None:
        self.directory = directory
        self._stem = f"{prefix}.out.events.summary."
        self._rank = device_id()
        self._suffixes = suffixes
        self._own: set[int] = set()  # seconds for which this recorder created a file
        self.second = int(time.time())
        """The second in the names of the recorder's first files."""
        while self._is_taken(self.second) or not self._reserve(self.second):
            self.second += 1

    def path(self, second: int, suffix: str) -> Path:
        """Return the file of ``second``."""
        return self.directory / f"{self._stem}{second}.{self._rank}.{platform.node()}{suffix}"

    def create(self, second: int, suffix: str) -> tuple[int, int]:
        """Create the first free file from ``second`` on; returns its descriptor and its second. Raises OSError.

        If another rank of this training writes into the directory, the first file goes into ``rank_N`` of it: the steps
        of two ranks in one directory would be those of one run.
        """
        if self._own:
            return self._create(second, suffix)
        self._rank = device_id()  # the processes may have met since the recorder was made
        descriptor, second = self._create(second, suffix)
        if (other := self._other_rank()) is None:
            return descriptor, second
        os.close(descriptor)  # only now: of two that look before they create, none would see the other
        self.path(second, suffix).unlink()
        self._own.clear()
        self._leave_to(other)
        return self._create(second, suffix)

    def _other_rank(self) -> str | None:
        """Return the number in the name of a file that another rank wrote since this process started.

        It returns None if none did.
        """
        if not current_launch(os.environ).is_distributed:
            return None
        names = re.compile(rf"{re.escape(self._stem)}\d+\.(\d+)\..*({'|'.join(map(re.escape, self._suffixes))})")
        with os.scandir(self.directory) as entries:
            others = [(match[1], each) for each in entries if (match := names.fullmatch(each.name))]
        return next((rank for rank, each in others if int(rank) != self._rank and _is_new(each)), None)

    def _leave_to(self, other: str) -> None:
        shared, self.directory = self.directory, self.directory / f"rank_{self._rank}"
        _LOG.warning(
            "rank %s of the training records into %s too, so rank %d records into %s; give each process a directory",
            other, shared, self._rank, self.directory,
        )  # fmt: skip

    def _create(self, second: int, suffix: str) -> tuple[int, int]:
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


def _is_new(file: os.DirEntry[str]) -> bool:
    """Return whether a file was written since this process started, or shortly before it: ranks don't start at once."""
    try:
        return file.stat().st_mtime > _STARTED - _MOST_APART_S
    except OSError:
        return False


def device_id() -> int:
    """Return the rank of this process in a distributed run, 0 if it is not distributed."""
    launch = current_launch(os.environ)
    return 0 if launch.size is not None and launch.size <= 1 else launch.rank
