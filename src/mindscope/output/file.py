# SPDX-License-Identifier: Apache-2.0
"""The file of captured output: lines with a time and the name of their stream, as containers log.

::

    2026-11-26T20:41:31.123456+08:00 stdout F epoch 1
    2026-11-26T20:41:31.123470+08:00 stderr P a long line, continued by the next one

The form is that of Kubernetes' container runtimes: ``F`` ends a line, ``P`` does not.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path


class OutputFile:
    """A file of lines, which raises nothing; a full one becomes ``NAME.1``, and at most ``backups`` are kept.

    What can't be written, as on a full disk, is counted; the next line that can be written says how much is missing.
    """

    def __init__(self, path: Path, max_bytes: int, backups: int) -> None:
        self._path, self._max_bytes, self._backups = path, max_bytes, backups
        self._file: int | None = None
        self._size = 0
        self._is_torn = False  # the file ends within a line
        self._missing = 0

    def write(self, stream: str, lines: Iterable[tuple[bytes, bool]], now_s: float) -> None:
        """Append lines of a stream that end now, in seconds since 1970."""
        head = f"{_time_text(now_s)} {stream} "
        data = b"".join(head.encode() + (b"F " if is_whole else b"P ") + text + b"\n" for text, is_whole in lines)
        if data:
            try:
                self._append(data, head)
            except OSError:
                self._missing += data.count(b"\n")
                self.close()

    def _append(self, data: bytes, head: str) -> None:
        self._open()
        if self._size and self._size + len(data) > self._max_bytes:
            self._rotate()
        if self._missing:
            data = f"{head}F [{self._missing} lines could not be written]\n".encode() + data
        if self._is_torn:
            data = b"\n" + data
        written = os.write(self._file or 0, data)
        self._size += written
        self._is_torn = written < len(data) or (self._is_torn and not written)
        if written < len(data):
            raise OSError("disk full")
        self._missing = 0

    def _open(self) -> None:
        """Open the file, again if another process rotated it, or somebody deleted it."""
        if self._file is not None and not self._is_current(self._file):
            self.close()
        if self._file is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._file = os.open(self._path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
            self._size = os.fstat(self._file).st_size
            self._is_torn = self._size > 0 and os.pread(self._file, 1, self._size - 1) != b"\n"

    def _is_current(self, file: int) -> bool:
        with suppress(OSError):
            own, there = os.fstat(file), self._path.stat()
            return (own.st_dev, own.st_ino) == (there.st_dev, there.st_ino)
        return False

    def _rotate(self) -> None:
        for number in range(self._backups, 0, -1):
            older = self._path if number == 1 else self._numbered(number - 1)
            with suppress(FileNotFoundError):
                older.replace(self._numbered(number))
        if self._backups == 0:
            self._path.unlink(missing_ok=True)
        self.close()
        self._open()

    def _numbered(self, number: int) -> Path:
        return self._path.with_name(f"{self._path.name}.{number}")

    def close(self) -> None:
        """Close the file; the next line opens it again."""
        if self._file is not None:
            with suppress(OSError):
                os.close(self._file)
            self._file = None


def _time_text(now_s: float) -> str:
    local = time.localtime(now_s)
    minutes = local.tm_gmtoff // 60
    zone = f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}"
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', local)}.{int(now_s % 1 * 1e6):06}{zone}"
