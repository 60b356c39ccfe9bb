# SPDX-License-Identifier: Apache-2.0
"""Statistics that were computed from the tensors of a step, kept in a folder as one file for each step."""

from __future__ import annotations

import hashlib
import os
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mindscope.debug.formats.stored_array import StoredArray
from mindscope.debug.model.fields import FIELDS
from mindscope.store.cache import RESERVED_BYTES
from mindscope.store.column_file import ColumnFileKind, open_columns, save_columns
from mindscope.store.workspace_caches import LOCK_NAME, hold

ArrayStatistics = tuple[NDArray[np.float64], int]
"""Statistics and digest, as ``StoredArray.statistics`` returns them."""
SUFFIX = ".tensorstatistics"
_KIND = ColumnFileKind(b"MSTS", 1)
"""The version changes with ``StoredArray.statistics``."""
_FIELDS = ",".join(FIELDS)
_SETTLED_NS = 2 * 10**9
"""Times of files may be this coarse: a younger file may change again without another time."""
_HEADER_BYTES = 1024
"""Largest number of bytes of the header of a file."""
_KEPT_SHARE = 0.75
"""Share of the limit that remains after the least recently used files made room."""


class StatisticsCache:
    """The files in ``folder``; the least recently used ones make room for others. For any thread and process.

    A file holds for one state of the files of its step: their paths, sizes and times. What can't be saved is as if it
    was never saved, and a damaged file as if it was not there.
    """

    def __init__(self, folder: Path, limit_bytes: int) -> None:
        self._folder, self._limit_bytes = folder, limit_bytes
        self._used_bytes: int | None = None
        """Bytes of the folder; None before it was listed. Guarded by the lock file, as the folder is."""

    def statistics(
        self,
        step: int,
        rank: int,
        arrays: Sequence[StoredArray],
        compute: Callable[[StoredArray], ArrayStatistics | None],
    ) -> list[ArrayStatistics | None]:
        """Return the statistics of the arrays of a step: saved ones, or computed ones, which are saved if none
        is None.
        """
        key = _key_of(arrays)
        path = self._path(step, rank, arrays)
        saved = None if path is None or key is None else _open(path, key, len(arrays))
        if saved is not None:
            return [*saved]
        computed = [compute(array) for array in arrays]
        complete = [each for each in computed if each is not None]
        if path is not None and key is not None and len(complete) == len(arrays) and _is_settled(arrays, key):
            self._save(path, key, complete)
        return computed

    def _path(self, step: int, rank: int, arrays: Sequence[StoredArray]) -> Path | None:
        """Return the path of the file, which is the same for all states of a step."""
        if not arrays:
            return None
        text = f"{rank} {step} ".encode() + os.fsencode(arrays[0].path.parent.absolute())
        return self._folder / (hashlib.sha256(text).hexdigest()[:24] + SUFFIX)

    def _save(self, path: Path, key: str, statistics: Sequence[ArrayStatistics]) -> None:
        values = np.array([each for each, _ in statistics])
        digests = np.array([digest for _, digest in statistics], np.uint64)
        with suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
            lock = hold(self._folder / LOCK_NAME)
            if lock is None:  # another one saves a step, or deletes the folder
                return
            with lock:
                if self._has_room(values.nbytes + digests.nbytes + _HEADER_BYTES):
                    save_columns(path, _KIND, key, {}, {"values": values.ravel(), "digests": digests})

    def _has_room(self, size: int) -> bool:
        """Return whether a file may be saved; deletes others if needed."""
        if self._used_bytes is None or self._used_bytes + size > self._limit_bytes:
            self._used_bytes = _evict(self._folder, self._limit_bytes, size)
        self._used_bytes += size
        return self._used_bytes <= self._limit_bytes and shutil.disk_usage(self._folder).free - size > RESERVED_BYTES


def _key_of(arrays: Sequence[StoredArray]) -> str | None:
    """Return a key of what the statistics of arrays depend on; None if a file can't be read now."""
    found = hashlib.sha256(_FIELDS.encode())
    states: dict[Path, tuple[int, int, int]] = {}
    try:
        for array in arrays:
            state = states.get(array.path) or states.setdefault(array.path, _state(array.path))
            found.update(repr((array.path.name, state, _layout(array))).encode())
    except OSError:
        return None
    return found.hexdigest()


def _state(path: Path) -> tuple[int, int, int]:
    """Return what changes with a file: its size, its time, and which file it is."""
    status = path.stat()
    return status.st_size, status.st_mtime_ns, status.st_ino


def _layout(array: StoredArray) -> tuple[object, ...]:
    """Describe the elements of the file that an array has; how they are unpacked follows from the file."""
    element, layout = array.element, (array.offset, array.shape, array.is_fortran, array.unpacked_shape)
    return (element.name, str(element.stored), *layout)


def _is_settled(arrays: Sequence[StoredArray], key: str) -> bool:
    """Return whether the files are as before, and a further change would show in their times."""
    try:
        newest = max(array.path.stat().st_mtime_ns for array in arrays)
    except OSError:
        return False
    return newest < time.time_ns() - _SETTLED_NS and _key_of(arrays) == key


def _open(path: Path, key: str, count: int) -> list[ArrayStatistics] | None:
    """Return the statistics of a file for a key; None if it has none."""
    try:
        opened = open_columns(path, _KIND, key, is_checked=True)
        if opened is None:
            return None
        values = np.array(opened.columns["values"]).reshape(count, len(FIELDS))
        digests = opened.columns["digests"].tolist()
    except (OSError, ValueError, KeyError, TypeError):
        return None
    with suppress(OSError):
        os.utime(path)  # the time of its last use
    return list(zip(values, digests, strict=True))


def _evict(folder: Path, limit_bytes: int, size: int) -> int:
    """Delete the least recently used files if the others and ``size`` bytes pass the limit; returns their bytes."""
    saved = sorted(_stats(folder), key=lambda stat: stat[1].st_mtime)
    total = sum(status.st_size for _, status in saved)
    if total + size <= limit_bytes:
        return total
    for path, status in saved:
        if total + size <= limit_bytes * _KEPT_SHARE:
            break
        path.unlink(missing_ok=True)
        total -= status.st_size
    return total


def _stats(folder: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """Yield all files of a cache, and those that a process which ended did not complete."""
    for path in folder.glob(f"*{SUFFIX}*"):
        with suppress(FileNotFoundError):
            yield path, path.stat()
