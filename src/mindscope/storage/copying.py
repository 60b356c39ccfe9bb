# SPDX-License-Identifier: Apache-2.0
"""Copies one object into a file: only what it grew by, if its old bytes are the same."""

from __future__ import annotations

import os
import tempfile
from collections import deque
from collections.abc import Generator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from threading import Event

from mindscope.errors import StorageError
from mindscope.reasons import Reason
from mindscope.storage.storage import ObjectReplacedError, Storage, StoredObject

CHUNK_BYTES = 4 << 20
"""Bytes of one request."""
AHEAD = 2
"""Requests for one object at the same time."""
_RANGE_WORKERS = 8
TAIL_BYTES = 4 << 10
"""The last bytes of a file are compared with those of the object before it is taken for the same that grew."""
_TRIES = 4
"""Versions of an object that is replaced while it is read."""


class Copier:
    """Copies objects of one store. For any thread. Holds at most ``AHEAD`` chunks for each object."""

    def __init__(self, storage: Storage, parts: Path, stopping: Event) -> None:
        """``parts``: directory for unfinished files, on the same file system as the targets."""
        self._storage, self._parts, self._stopping = storage, parts, stopping
        self._pool = ThreadPoolExecutor(_RANGE_WORKERS, "mindscope-ranges")

    def copy(self, object: StoredObject, target: Path, before: StoredObject | None, *, grows: bool) -> StoredObject:
        """Make a file equal to an object; returns the object as it was copied, which may be a newer one.

        Args:
            object: as it was listed.
            target: the file; its directory must exist.
            before: the object that the file is a copy of, None if that is unknown.
            grows: whether programs only append to it: then the file may be a beginning of the object meanwhile.

        Raises:
            FileNotFoundError: the object is gone.
            StorageError: it can't be read, or is replaced again and again.
            OSError: the file can't be written.
        """
        for _ in range(_TRIES):
            try:
                self._bring(object, target, before, grows)
            except ObjectReplacedError:
                object, before = self._storage.stat(object.path), None
            else:
                os.utime(target, (object.modified_at, object.modified_at))
                return object
        raise ObjectReplacedError(Reason("object_replaced", address=object.path))

    def _bring(self, object: StoredObject, target: Path, before: StoredObject | None, grows: bool) -> None:
        is_same = before is not None and before.size == object.size and object.etag and before.etag == object.etag
        if is_same and target.is_file():
            return
        if grows and self._append(object, target):
            return
        descriptor, unfinished = tempfile.mkstemp(dir=self._parts)
        try:
            with os.fdopen(descriptor, "wb") as file:
                for chunk in self._chunks(object, 0):
                    file.write(chunk)
            Path(unfinished).replace(target)
        except BaseException:
            Path(unfinished).unlink(missing_ok=True)
            raise

    def _append(self, object: StoredObject, target: Path) -> bool:
        """Append what the object has more than the file; returns whether the file is a beginning of the object.

        The file is one at every moment: chunks are written in their order.
        """
        size = target.stat().st_size if target.exists() else 0
        if object.size <= size:
            return object.size == size == 0 and target.exists()
        start = max(size - TAIL_BYTES, 0)
        tail = _bytes_from(target, start) if size else b""
        chunks = self._chunks(object, start)
        first = next(chunks)
        if not first.startswith(tail):
            chunks.close()
            return False
        with target.open("ab", buffering=0) as file:
            file.write(first[len(tail) :])
            for chunk in chunks:
                file.write(chunk)
        return True

    def _chunks(self, object: StoredObject, start: int) -> Generator[bytes]:
        """Yield the bytes of an object from ``start`` on, in their order; asks for the next ones meanwhile."""
        starts = iter(range(start, object.size, CHUNK_BYTES))
        if object.size - start <= CHUNK_BYTES:  # the most frequent case needs no other thread
            yield from (self._range(object, start) for start in starts)
            return
        waiting: deque[Future[bytes]] = deque()
        try:
            for begin in starts:
                waiting.append(self._pool.submit(self._range, object, begin))
                if len(waiting) >= AHEAD:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()

    def _range(self, object: StoredObject, start: int) -> bytes:
        if self._stopping.is_set():
            raise StorageError(Reason("storage_failed", address=object.path, detail="stopped"))
        stop = min(start + CHUNK_BYTES, object.size)
        data = self._storage.read_range(object, start, stop)
        if len(data) != stop - start:
            raise ObjectReplacedError(Reason("object_replaced", address=object.path))
        return data


def _bytes_from(path: Path, start: int) -> bytes:
    with path.open("rb") as file:
        file.seek(start)
        return file.read()
