# SPDX-License-Identifier: Apache-2.0
"""Opens files below a directory. No link leads out of it."""

from __future__ import annotations

import os
import stat
from pathlib import Path


def open_below(directory: Path, path: str) -> int:
    """Return a descriptor of the regular file at a path below a directory, to read from.

    No part of the path may be a link or lead upwards. Raises OSError.
    """
    *directories, name = path.split("/")
    if any(part in ("", ".", "..") for part in (*directories, name)) or "\0" in path:
        raise FileNotFoundError(f"{path} is no path below the directory")
    flags = os.O_RDONLY | os.O_CLOEXEC
    parent = os.open(directory, flags | os.O_DIRECTORY)
    try:
        for part in directories:
            child = os.open(part, flags | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=parent)
            os.close(parent)
            parent = child
        opened = os.open(name, flags | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=parent)
    finally:
        os.close(parent)
    if not stat.S_ISREG(os.fstat(opened).st_mode):
        os.close(opened)
        raise FileNotFoundError(f"{path} is no regular file")
    return opened
