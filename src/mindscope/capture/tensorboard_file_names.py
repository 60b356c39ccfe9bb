# SPDX-License-Identifier: Apache-2.0
"""The names of a recorder's files of TensorBoard's format.

A name is ``events.out.tfevents.{second}.{host}.{process}.{number}{suffix}``, as other writers name them: the number
counts the files of this process, so that no two writers share one.
"""

from __future__ import annotations

import itertools
import os
import platform
import re
import time
from pathlib import Path

_MODE_OPEN = 0o666  # the mask of the process applies, as to files of other writers
_SECOND = re.compile(r"events\.out\.tfevents\.(\d{10})\.")
_number = itertools.count()


class TensorBoardFileNames:
    """The names of the files in one directory."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self.second = max(int(time.time()), _newest_second(directory) + 1)
        """The second in the name of the first file: readers sort files by it, so it is above that of older files."""
        self._number = next(_number)

    def path(self, second: int, suffix: str) -> Path:
        """Return the file of ``second``."""
        name = f"events.out.tfevents.{second:010d}.{platform.node()}.{os.getpid()}.{self._number}{suffix}"
        return self.directory / name

    def create(self, second: int, suffix: str) -> tuple[int, int]:
        """Create the file; returns its descriptor and its second. Raises OSError."""
        self.directory.mkdir(parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0)
        while True:
            try:
                return os.open(self.path(second, suffix), flags, _MODE_OPEN), second
            except FileExistsError:  # an earlier process of this id, such as one of another container
                self._number = next(_number)


def _newest_second(directory: Path) -> int:
    """Return the largest second in the names of files in ``directory``; 0 without one."""
    try:
        matches = (_SECOND.match(file.name) for file in directory.iterdir())
        return max((int(name[1]) for name in matches if name is not None), default=0)
    except OSError:
        return 0
