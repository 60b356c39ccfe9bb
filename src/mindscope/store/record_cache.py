# SPDX-License-Identifier: Apache-2.0
"""A table in the cache of the runs that a thread of its own writes, after the responses, which have priority."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from threading import Event, Thread
from typing import Any, Generic, TypeVar

from mindscope.store.cache_table import CacheTable
from mindscope.store.run import RunStore
from mindscope.store.run_index import State

SAVE_INTERVAL_S = 10.0
"""Shortest interval at which new records are saved."""
DELAY_S = 1.0
RUNS_AT_ONCE = 500

OpenTable = Callable[[str, int], "CacheTable | None"]
Entry = TypeVar("Entry")


class RecordCache(Generic[Entry]):
    """One record of each run. Only one thread at a time may use it."""

    def __init__(self, open_table: OpenTable, name: str, format: int, encode: Callable[[Entry], State]) -> None:
        """``open_table`` returns the table of a name and format in the cache of the runs; None if there is none yet.

        ``encode`` makes the record of what ``add`` got; the writing thread calls it.
        """
        self._open_table = lambda: open_table(name, format)
        self._name = name
        self._encode = encode
        self._table: CacheTable | None = None
        self._saved: dict[str, State] = {}  # read from the table, until the record is used
        self._unsaved: dict[str, Entry] = {}
        self._writer: Thread | None = None
        self._is_closing = Event()
        self._written_at = -SAVE_INTERVAL_S

    def open(self) -> None:
        """Read the table, once there is one."""
        if self._table is None:
            self._table = self._open_table()
            self._saved = {} if self._table is None else self._table.load()

    def find(self, id: str) -> State | None:
        """Return the record of a run from an earlier process, which may be outdated."""
        return self._saved.get(id)

    def forget(self, id: str) -> None:
        """Release the memory of a record that was used, or is outdated."""
        self._saved.pop(id, None)

    def add(self, id: str, entry: Entry) -> None:
        """Save a record soon; it replaces earlier records of the run."""
        self.forget(id)
        self._unsaved[id] = entry

    def save(self, ids: Iterable[str]) -> None:
        """Begin to write what was added, unless the last time was a moment ago. ``ids`` are all runs."""
        is_busy = self._writer is not None and self._writer.is_alive()
        if self._unsaved and not is_busy and time.monotonic() - self._written_at >= SAVE_INTERVAL_S:
            entries, self._unsaved = self._unsaved, {}
            self._written_at = time.monotonic()
            self._writer = Thread(target=self._write, args=(entries, frozenset(ids)), name=f"mindscope-{self._name}")
            self._writer.start()

    def close(self, ids: Iterable[str]) -> None:
        """Write what was added, and wait until it is written."""
        self._is_closing.set()
        if self._writer is not None:
            self._writer.join()
        self._write(self._unsaved, frozenset(ids))
        self._unsaved = {}

    def _write(self, entries: Mapping[str, Entry], ids: frozenset[str]) -> None:
        self._is_closing.wait(DELAY_S)
        known = [id for id in entries if id in ids]
        if self._table is None or not known:
            return
        for start in range(0, len(known), RUNS_AT_ONCE):
            self._table.put({id: self._encode(entries[id]) for id in known[start : start + RUNS_AT_ONCE]})
        self._table.keep_only(ids)


def files_key(store: RunStore) -> list[Any]:
    """Changes whenever the event files of a run do."""
    return [
        [file.name, file.size_bytes, file.modified_at, file.read_bytes, file.records, file.rewinds, len(file.damages)]
        for file in store.files
    ]
