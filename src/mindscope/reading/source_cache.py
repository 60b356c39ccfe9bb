# SPDX-License-Identifier: Apache-2.0
"""Keeps the sources of the lineage table in the cache of the runs, so that the next process need not read the files.

A record has a key of the files that it was made from: size, modification time, records and damages of each event file
as the store has them, and the stamp of the settings files. It is used only if both are the same.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import astuple
from threading import Event, Thread
from typing import Any, NamedTuple, cast

from mindscope.lineage.cell import Cell
from mindscope.lineage.column import ColumnKey, Group
from mindscope.lineage.config_files import NONE, ConfigFiles, Stamp
from mindscope.reading.hparams_sessions import HparamsData, MetricInfo
from mindscope.reading.run_source import RunSource
from mindscope.reasons import Reason, reason_from_json, reason_to_json
from mindscope.store import RunStore
from mindscope.store.cache_table import CacheTable
from mindscope.store.run_index import State

NAME = "lineage"
FORMAT = 1
"""Increase it with every change of the records, or of how files become cells."""
SAVE_INTERVAL_S = 10.0
"""Shortest interval at which new sources are saved."""
DELAY_S = 1.0
RUNS_AT_ONCE = 500

OpenTable = Callable[[str, int], "CacheTable | None"]


class _Entry(NamedTuple):
    """A source to save."""

    source: RunSource
    stamp: Stamp
    key: object


class SourceCache:
    """The cached sources of the runs. Only one thread at a time may use it; it writes in a thread of its own."""

    def __init__(self, open_table: OpenTable) -> None:
        """``open_table`` returns the table of a name and format in the cache of the runs; None if there is none yet."""
        self._open_table = open_table
        self._table: CacheTable | None = None
        self._saved: dict[str, State] = {}  # read from the table, until ``find`` returns them
        self._keys: dict[bytes, tuple[ColumnKey, ...]] = {}  # columns by their JSON: most runs have the same ones
        self._unsaved: dict[str, _Entry] = {}
        self._writer: Thread | None = None
        self._is_closing = Event()
        self._written_at = -SAVE_INTERVAL_S

    def open(self) -> None:
        """Read the table, once there is one."""
        if self._table is None:
            self._table = self._open_table(NAME, FORMAT)
            self._saved = {} if self._table is None else self._table.load()

    def find(self, store: RunStore, key: object) -> tuple[RunSource, Stamp] | None:
        """The source of a run, and the stamp of the settings files for which it is valid; None if there is none.

        ``key`` is the ``files_key`` of the run.
        """
        saved = self._saved.get(store.id)
        try:
            if saved is None or saved[0]["key"] != key:
                return None
            stamp = tuple([(str(name), int(time_ns), int(size)) for name, time_ns, size in saved[0]["stamp"]])
            source = self._source(store, saved[1])
        except (LookupError, TypeError, ValueError, AttributeError, RecursionError):
            return None
        del self._saved[store.id]
        return source, stamp

    def add(self, source: RunSource, stamp: Stamp, key: object) -> None:
        """Save a source soon. ``key`` is the ``files_key`` for which its fields are valid."""
        self._saved.pop(source.store.id, None)
        self._unsaved[source.store.id] = _Entry(source, stamp, key)

    def save(self, ids: Iterable[str]) -> None:
        """Begin to write what was added, unless the last time was a moment ago. ``ids`` are all runs."""
        is_busy = self._writer is not None and self._writer.is_alive()
        if self._unsaved and not is_busy and time.monotonic() - self._written_at >= SAVE_INTERVAL_S:
            entries, self._unsaved = self._unsaved, {}
            self._written_at = time.monotonic()
            self._writer = Thread(target=self._write, args=(entries, frozenset(ids)), name="mindscope-lineage-saver")
            self._writer.start()

    def close(self, ids: Iterable[str]) -> None:
        """Write what was added, and wait until it is written."""
        self._is_closing.set()
        if self._writer is not None:
            self._writer.join()
        self._write(self._unsaved, frozenset(ids))
        self._unsaved = {}

    def _write(self, entries: Mapping[str, _Entry], ids: frozenset[str]) -> None:
        """Write after the first responses, which have priority."""
        self._is_closing.wait(DELAY_S)
        known = [id for id in entries if id in ids]
        if self._table is None or not known:
            return
        for start in range(0, len(known), RUNS_AT_ONCE):
            self._table.put({id: _record(entries[id]) for id in known[start : start + RUNS_AT_ONCE]})
        self._table.keep_only(ids)

    def _source(self, store: RunStore, body: bytes) -> RunSource:
        columns, values = body.split(b"\n")
        keys = self._keys.get(columns)
        if keys is None:
            keys = tuple([ColumnKey(Group(group), name) for group, name in json.loads(columns)])
            self._keys[columns] = keys
        cells, hparams, settings, problems = json.loads(values)
        fields = dict(zip(keys, map(_cell, cells), strict=True))
        return RunSource(store, fields, _hparams(hparams), _config(settings, problems))


def files_key(store: RunStore) -> list[Any]:
    """Changes whenever the event files of a run do."""
    return [
        [each.name, each.size_bytes, each.modified_at, each.read_bytes, each.records, each.rewinds, len(each.damages)]
        for each in store.files
    ]


def _record(entry: _Entry) -> State:
    source = entry.source
    columns = json.dumps([[each.group.value, each.name] for each in source.fields], separators=(",", ":"))
    hparams = None if source.hparams == HparamsData() else astuple(source.hparams)
    problems = [reason_to_json(problem) for problem in source.config.problems]
    values = [list(source.fields.values()), hparams, dict(source.config.settings), problems]
    body = f"{columns}\n{json.dumps(values, separators=(',', ':'))}".encode()
    return {"key": entry.key, "stamp": entry.stamp}, body


def _cell(value: Any) -> Cell:
    return tuple([_cell(each) for each in cast("list[Any]", value)]) if isinstance(value, list) else value


def _hparams(state: Any) -> HparamsData:
    if state is None:
        return HparamsData()
    values, metrics, *others = state
    infos = None if metrics is None else tuple([MetricInfo(*each) for each in metrics])
    return HparamsData(values, infos, *others)


def _config(settings: Mapping[str, Any], problems: Iterable[object]) -> ConfigFiles:
    if not settings and not problems:
        return NONE
    cells = {name: _cell(value) for name, value in settings.items()}
    return ConfigFiles(cells, tuple([cast("Reason", reason_from_json(each)) for each in problems]))
