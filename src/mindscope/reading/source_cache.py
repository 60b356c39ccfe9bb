# SPDX-License-Identifier: Apache-2.0
"""Keeps the sources of the lineage table in the cache of the runs, so that the next process need not read the files.

A record has a key of the files that it was made from: size, modification time, records and damages of each event file
as the store has them, and the state of each settings file. The fields are used only if the event files are the same,
the settings only if the settings files are.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import astuple
from typing import Any, NamedTuple, cast

from mindscope.lineage.cell import Cell
from mindscope.lineage.column import ColumnKey, Group
from mindscope.lineage.config_files import NONE, ConfigFiles
from mindscope.reading.hparams_sessions import HparamsData, MetricInfo
from mindscope.reading.run_source import RunSource
from mindscope.reasons import Reason, reason_from_json, reason_to_json
from mindscope.store import RunStore
from mindscope.store.contents import SettingsFile
from mindscope.store.record_cache import OpenTable, RecordCache
from mindscope.store.run_index import State

NAME = "lineage"
FORMAT = 2
"""Increase it with every change of the records, or of how files become cells."""


class _Entry(NamedTuple):
    """A source to save."""

    source: RunSource
    settings: tuple[SettingsFile, ...]
    key: object


class SourceCache:
    """The cached sources of the runs. Only one thread at a time may use it."""

    def __init__(self, open_table: OpenTable) -> None:
        self._records = RecordCache(open_table, NAME, FORMAT, _record)
        self._keys: dict[bytes, tuple[ColumnKey, ...]] = {}  # columns by their JSON: most runs have the same ones

    def open(self) -> None:
        """Read the table, once there is one."""
        self._records.open()

    def find(self, store: RunStore, key: object) -> tuple[RunSource, tuple[SettingsFile, ...]] | None:
        """Return the source of a run, and the settings files for which it is valid; None if there is none.

        ``key`` is the ``files_key`` of the run.
        """
        saved = self._records.find(store.id)
        try:
            if saved is None or saved[0]["key"] != key:
                return None
            settings = tuple([SettingsFile(str(path), *map(int, state)) for path, *state in saved[0]["settings"]])
            source = self._source(store, saved[1])
        except (LookupError, TypeError, ValueError, AttributeError, RecursionError):
            return None
        self._records.forget(store.id)
        return source, settings

    def add(self, source: RunSource, settings: tuple[SettingsFile, ...], key: object) -> None:
        """Save a source soon. ``key`` is the ``files_key`` for which its fields are valid."""
        self._records.add(source.store.id, _Entry(source, settings, key))

    def save(self, ids: Iterable[str]) -> None:
        """Begin to write what was added. ``ids`` are all runs."""
        self._records.save(ids)

    def close(self, ids: Iterable[str]) -> None:
        """Write what was added, and wait until it is written."""
        self._records.close(ids)

    def _source(self, store: RunStore, body: bytes) -> RunSource:
        columns, values = body.split(b"\n")
        keys = self._keys.get(columns)
        if keys is None:
            keys = tuple([ColumnKey(Group(group), name) for group, name in json.loads(columns)])
            self._keys[columns] = keys
        cells, hparams, settings, problems = json.loads(values)
        fields = dict(zip(keys, map(_cell, cells), strict=True))
        return RunSource(store, fields, _hparams(hparams), _config(settings, problems))


def _record(entry: _Entry) -> State:
    source = entry.source
    columns = json.dumps([[field.group.value, field.name] for field in source.fields], separators=(",", ":"))
    hparams = None if source.hparams == HparamsData() else astuple(source.hparams)
    problems = [reason_to_json(problem) for problem in source.config.problems]
    values = [list(source.fields.values()), hparams, dict(source.config.settings), problems]
    body = f"{columns}\n{json.dumps(values, separators=(',', ':'))}".encode()
    return {"key": entry.key, "settings": entry.settings}, body


def _cell(value: Any) -> Cell:
    return tuple([_cell(each) for each in cast("list[Any]", value)]) if isinstance(value, list) else value


def _hparams(state: Any) -> HparamsData:
    if state is None:
        return HparamsData()
    values, metrics, *others = state
    infos = None if metrics is None else tuple([MetricInfo(*metric) for metric in metrics])
    return HparamsData(values, infos, *others)


def _config(settings: Mapping[str, Any], problems: Iterable[object]) -> ConfigFiles:
    if not settings and not problems:
        return NONE
    cells = {name: _cell(value) for name, value in settings.items()}
    return ConfigFiles(cells, tuple([cast("Reason", reason_from_json(problem)) for problem in problems]))
