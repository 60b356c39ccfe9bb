# SPDX-License-Identifier: Apache-2.0
"""Columns in files that are mapped into memory, so that a computation may hold more of them than memory should.

A page of such a column takes memory of the process from its first access until it is released. The system may drop it
from its cache too, because the file holds it.
"""

from __future__ import annotations

import mmap
import os
import tempfile
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar, cast
from weakref import WeakSet

import numpy as np
from numpy.typing import NDArray

from mindscope.store.free_memory import release_free_memory

FEWEST_BYTES = 1 << 20
"""A smaller column stays in memory."""
_DISK = "/var/tmp"
"""``/tmp`` often is memory."""
_lock = Lock()
_mappings: WeakSet[mmap.mmap] = WeakSet()
"""All that are in use; guarded by ``_lock``."""

_T = TypeVar("_T", bound=NDArray[Any])


def mapped(values: _T) -> _T:
    """Return the same (n,) values in an unnamed file, read-only.

    It returns ``values`` itself if it is small, or if there is no room.

    The file is in ``TMPDIR``, else in ``/var/tmp``, and goes with the last array that uses it.
    """
    if values.nbytes < FEWEST_BYTES or not values.flags.owndata:
        return values
    with suppress(OSError), tempfile.TemporaryFile(dir=_directory(), buffering=0) as file:
        data = np.ascontiguousarray(values).view(np.uint8).data
        while data:
            data = data[file.write(data) :]
        return cast("_T", np.frombuffer(_map(file.fileno()), values.dtype))
    return values


def mapped_file(path: Path) -> NDArray[np.uint8]:
    """Return the bytes of a file that is not empty. Raises OSError."""
    with path.open("rb") as file:
        return np.frombuffer(_map(file.fileno()), np.uint8)


def release_pages() -> None:
    """Take all mapped columns, and what the allocator keeps free, from the memory of the process.

    The next access to a page reads it again.
    """
    with _lock:
        mappings = list(_mappings)
    for mapping in mappings:
        mapping.madvise(mmap.MADV_DONTNEED)
    if mappings:
        release_free_memory()


def _map(file: int) -> mmap.mmap:
    mapping = mmap.mmap(file, 0, access=mmap.ACCESS_READ)
    with _lock:
        _mappings.add(mapping)
    return mapping


def _directory() -> str | None:
    return None if os.environ.get("TMPDIR") or not os.access(_DISK, os.W_OK) else _DISK
