# SPDX-License-Identifier: Apache-2.0
"""Reads the beginning of a file of unknown kind without waiting: a pipe or a device has none."""

from __future__ import annotations

import os
import stat

_FLAGS = os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_NONBLOCK", 0)


def file_head(path: str | os.PathLike[str], size: int, *, follows_links: bool = True) -> bytes:
    """Return the first ``size`` bytes of a regular file; empty of anything else.

    Opening a pipe waits for its writer, so it is opened without waiting, and only then known to be a pipe.

    Raises:
        OSError: the path can't be opened, or is a link and ``follows_links`` is not set.
    """
    descriptor = os.open(path, _FLAGS | (0 if follows_links else os.O_NOFOLLOW))
    try:
        return _read(descriptor, size) if stat.S_ISREG(os.fstat(descriptor).st_mode) else b""
    finally:
        os.close(descriptor)


def _read(descriptor: int, size: int) -> bytes:
    head = b""
    while len(head) < size and (part := os.read(descriptor, size - len(head))):
        head += part
    return head
