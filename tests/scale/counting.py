# SPDX-License-Identifier: Apache-2.0
"""Counts the work of this process where it meets the system: files opened, directories listed, looks, bytes read."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

LOOKS = frozenset({os.stat, os.lstat, os.fstat})


@dataclass
class Work:
    """What was done below one directory; ``bytes_read`` and ``looks`` (calls of stat) are those of the process."""

    base: str
    opened: list[str] = field(default_factory=list)
    listed: list[str] = field(default_factory=list)
    looks: int = 0
    bytes_read: int = 0


_counting: Work | None = None


def _hear(event: str, arguments: tuple[Any, ...]) -> None:
    if _counting is None or event not in ("open", "os.scandir", "os.listdir"):
        return
    path = str(arguments[0])
    if path.startswith(_counting.base):
        (_counting.opened if event == "open" else _counting.listed).append(path)


sys.addaudithook(_hear)  # for good: the interpreter takes none back


def _profile(frame: FrameType, event: str, argument: Any) -> None:
    if event == "c_call" and argument in LOOKS and _counting is not None:
        _counting.looks += 1


@contextmanager
def counted(base: Path) -> Iterator[Work]:
    """The work of this thread, and of those that begin meanwhile, until the block ends."""
    global _counting
    before = _bytes_read()
    _counting = work = Work(str(base))
    threading.setprofile(_profile)
    sys.setprofile(_profile)
    try:
        yield work
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
        _counting = None
        work.bytes_read = _bytes_read() - before


def _bytes_read() -> int:
    """By the kernel's account, so whichever way they were read, unless they were mapped."""
    lines = dict(line.split(": ") for line in Path("/proc/self/io").read_text().splitlines())
    return int(lines["rchar"])
