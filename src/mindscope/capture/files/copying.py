# SPDX-License-Identifier: Apache-2.0
"""Copies a file with its hash, whole or not at all."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import stat
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

if sys.platform == "linux":
    import fcntl
else:
    fcntl: Any = None

_CLONE = 0x40049409
"""The request FICLONE: a copy that shares its blocks until one of the two changes."""
_CHUNK = 4 << 20
_RESERVE = 1 << 30
"""Bytes of the disk that stay free for the training; of a small disk a twentieth."""


class ChangedError(OSError):
    """The file was written after it was logged, before its copy was whole."""


class DiskFullError(OSError):
    """The disk has too little room for a copy."""


class Source(NamedTuple):
    """A regular file as it was when it was logged. Its descriptor keeps a file that is deleted or replaced."""

    path: Path
    descriptor: int | None
    """None if it is opened when it is copied."""
    state: tuple[int, int, int]
    data: bytes | None = None
    """The content of a small file, which may be overwritten at once."""

    @classmethod
    def of(cls, path: Path, *, is_held: bool, most_bytes: int = 0) -> Source:
        """Return the file with this path, with its content up to ``most_bytes``.

        Raises OSError, also for anything but a regular file.
        """
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_NONBLOCK", 0))
        facts = os.fstat(descriptor)
        is_file, is_small = stat.S_ISREG(facts.st_mode), facts.st_size <= most_bytes
        try:
            data = os.pread(descriptor, facts.st_size, 0) if is_file and is_small else None
        finally:
            if is_small or not is_file or not is_held:
                os.close(descriptor)
        if not is_file:
            raise OSError(errno.EINVAL, "this is no regular file", str(path))
        if data is not None and len(data) < facts.st_size:
            raise ChangedError(errno.ESTALE, "it became shorter while it was read", str(path))
        return cls(path, descriptor if is_held and not is_small else None, _state(facts), data)

    def close(self) -> None:
        """Close the descriptor."""
        if self.descriptor is not None:
            with suppress(OSError):
                os.close(self.descriptor)


def copy_file(source: Source, target: Path) -> tuple[int, str]:
    """Copy a file to a path that does not exist. Return its size in bytes and its SHA-256.

    Raises:
        ChangedError: the file has another content than it had.
        DiskFullError, OSError: it can't be copied. Nothing stays of it.
    """
    if source.data is not None:
        return write_file(source.data, target)
    opened = source.descriptor
    reading = os.open(source.path, os.O_RDONLY | os.O_CLOEXEC) if opened is None else os.dup(opened)
    try:
        _check(source, reading)
        check_room(target.parent, os.fstat(reading).st_size)
        writing = os.open(target, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
        try:
            copied = _copied(reading, writing)
        finally:
            os.close(writing)
        _check(source, reading)
    except BaseException:
        target.unlink(missing_ok=True)
        raise
    finally:
        os.close(reading)
    return copied


def write_file(data: bytes, target: Path) -> tuple[int, str]:
    """Write a file, as ``copy_file``. Raises DiskFullError, OSError."""
    check_room(target.parent, len(data))
    try:
        target.write_bytes(data)
    except BaseException:
        target.unlink(missing_ok=True)
        raise
    return len(data), hashlib.sha256(data).hexdigest()


def link_file(source: Source, target: Path) -> tuple[int, str]:
    """Link to a file instead of a copy; a copy where the file systems differ. As ``copy_file``."""
    try:
        os.link(source.path, target)
    except OSError:
        return copy_file(source, target)
    reading = os.open(target, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return _copied(reading, None)
    finally:
        os.close(reading)


def check_room(directory: Path, size: int) -> None:
    """Raises DiskFullError where a file of this size leaves too little room for the training."""
    usage = shutil.disk_usage(directory)
    if usage.free - size < min(_RESERVE, usage.total // 20):
        raise DiskFullError(errno.ENOSPC, f"{size} bytes leave too little free space", str(directory))


def _copied(reading: int, writing: int | None) -> tuple[int, str]:
    """Return size and hash of what is copied; of what is read without a descriptor to write to."""
    is_clone = writing is not None and _is_cloned(reading, writing)
    source, target = (writing, None) if is_clone else (reading, writing)
    digest, size = hashlib.sha256(), 0
    while chunk := os.pread(source or reading, _CHUNK, size):
        digest.update(chunk)
        size += len(chunk)
        while chunk and target is not None:
            chunk = chunk[os.write(target, chunk) :]
    return size, digest.hexdigest()


def _is_cloned(reading: int, writing: int) -> bool:
    if fcntl is None:
        return False
    try:
        fcntl.ioctl(writing, _CLONE, reading)
    except OSError:  # most file systems can't
        return False
    return True


def _check(source: Source, descriptor: int) -> None:
    if _state(os.fstat(descriptor)) != source.state:
        raise ChangedError(
            errno.ESTALE,
            "it was written again before its copy was whole; give each step a file of its own",
            str(source.path),
        )


def _state(facts: os.stat_result) -> tuple[int, int, int]:
    return facts.st_ino, facts.st_size, facts.st_mtime_ns
