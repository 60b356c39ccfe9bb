# SPDX-License-Identifier: Apache-2.0
"""More values of the runs in the cache of a base directory, in a file of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from threading import Lock
from typing import Protocol

from mindscope.store.run_index import RunIndex, State, state_record


class CacheOwner(Protocol):
    """The cache that the table belongs to."""

    @property
    def is_writer(self) -> bool:
        """Whether this process writes the cache."""
        ...

    def has_room(self, more_bytes: int) -> bool:
        """Return whether this process may write ``more_bytes``."""
        ...


class CacheTable:
    """A JSON object and bytes of each run, such as its lineage. Thread-safe.

    A process that does not write the cache reads the values, and its ``put`` has no effect. The caller must
    check whether a value is valid: the file may be older than the run.
    """

    def __init__(self, index: RunIndex, owner: CacheOwner, stop_writing: Callable[[OSError], None]) -> None:
        """``stop_writing`` is called when a write fails."""
        self._index = index
        self._owner = owner
        self._stop_writing = stop_writing
        self._lock = Lock()  # guards the index

    @property
    def size_bytes(self) -> int:
        """Size of the file in bytes."""
        return self._index.size_bytes

    def load(self) -> dict[str, State]:
        """Return the values by run; without those that are damaged, empty if the file has another format."""
        with self._lock:
            try:
                found = self._load()
                if self._owner.is_writer and not self._index.is_tidy:
                    self._index.write(found)
            except OSError as error:
                self._stop_writing(error)
                return {}
            return found

    def put(self, values: Mapping[str, State]) -> None:
        """Add values of runs; they replace earlier ones."""
        records = {id: state_record(id, *value) for id, value in values.items()}
        if not records or not self._owner.has_room(sum(map(len, records.values()))):
            return
        with self._lock:
            try:
                self._index.put_all(records)
            except OSError as error:
                self._stop_writing(error)

    def keep_only(self, ids: Iterable[str]) -> None:
        """Remove the values of all other runs."""
        with self._lock:
            try:
                for id in self._index.ids - set(ids) if self._owner.is_writer else ():
                    self._index.remove(id)
            except OSError as error:
                self._stop_writing(error)

    def _load(self) -> dict[str, State]:
        try:
            return self._index.load()
        except (KeyError, TypeError, ValueError, RecursionError):
            return {}
