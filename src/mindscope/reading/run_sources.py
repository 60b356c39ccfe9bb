# SPDX-License-Identifier: Apache-2.0
"""Reads what the files of each run hold for the lineage table; reads a run again only after it changed."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import takewhile

from mindscope.lineage.config_files import read_config_files
from mindscope.lineage.run_row import lineage_cells
from mindscope.reading.hparams_sessions import read_hparams
from mindscope.reading.lineage import read_lineage
from mindscope.reading.run_source import RunSource
from mindscope.reading.source_cache import SourceCache
from mindscope.reading.whole_values import WholeValues
from mindscope.reasons import Reason
from mindscope.store import RunStore
from mindscope.store.contents import SettingsFile
from mindscope.store.record_cache import files_key
from mindscope.types import Kind

log = logging.getLogger(__name__)

FIELD_KINDS = frozenset({Kind.HPARAMS, Kind.TRAIN_LINEAGE, Kind.EVAL_LINEAGE, Kind.CUSTOM_LINEAGE})
"""Kinds to read from the event files."""
UNKNOWN = -1
SETTLED_NS = 2_000_000_000
"""A settings file that is younger may change again without another modification time."""


@dataclass(slots=True)
class _Known:
    """The source of one run, with the versions for which it is valid."""

    source: RunSource
    store_version: int = UNKNOWN
    field_version: int = UNKNOWN
    key: object = None  # the ``files_key`` for which the fields are valid
    saved_key: object = None
    settings: tuple[SettingsFile, ...] | None = ()  # as they were read; None if they could not be read


class RunSources:
    """The sources of all runs. Only one thread at a time may update them."""

    def __init__(self, cache: SourceCache | None = None) -> None:
        self._cache = cache
        self._known: dict[str, _Known] = {}
        self._unsettled: set[str] = set()  # runs whose settings files were too young, so each update reads them again
        self.by_run: dict[str, RunSource] = {}
        """Sources by run id, as of the last update."""
        self.version = 0
        """Grows with every update that found a change."""
        self._changed_at: dict[str, int] = {}  # by run: the version of its last change, in their order
        self._runs: Mapping[str, RunStore] | None = None  # the runs of ``_pairs``
        self._pairs: list[tuple[RunStore, _Known]] = []

    def changed_since(self, version: int) -> list[str]:
        """Return the runs that changed or are new since ``version``."""
        return [id for id, _ in takewhile(lambda entry: entry[1] > version, reversed(self._changed_at.items()))]

    def update(self, runs: Mapping[str, RunStore], check: Callable[[], None]) -> None:
        """Read changes. ``runs`` is a snapshot that never changes.

        Calls ``check`` before each changed run; an exception in it ends the update.
        """
        if self._cache is not None:
            self._cache.open()
        if runs is self._runs:
            stale = [store for store, known in self._pairs if known.store_version != store.version]
        else:
            stale = self._compare(runs)
        for store in stale:
            check()
            self._read(store)
        if runs is not self._runs:
            self._runs, self._pairs = runs, [(store, self._known[id]) for id, store in runs.items()]
        for id in tuple(self._unsettled):
            self._try(self._known[id], self._read_settings)
        if self._cache is not None:
            self._cache.save(runs)

    def _compare(self, runs: Mapping[str, RunStore]) -> list[RunStore]:
        """Forget removed runs; returns those that are new or changed."""
        self._runs = None
        for id in [id for id in self._known if id not in runs]:
            del self._known[id], self.by_run[id], self._changed_at[id]
            self._unsettled.discard(id)
        return [store for id, store in runs.items() if not self._is_known(id, store)]

    def _is_known(self, id: str, store: RunStore) -> bool:
        known = self._known.get(id)
        return known is not None and known.source.store is store and known.store_version == store.version

    def close(self) -> None:
        """Save what is unsaved."""
        if self._cache is not None:
            for known in self._known.values():
                self._save(known)
            self._cache.close(self._known)

    def _read(self, store: RunStore) -> None:
        """Read the changes of a run, and a new run."""
        known = self._known.get(store.id)
        if known is None or known.source.store is not store:
            known = self._known[store.id] = _Known(RunSource(store))
            self._restore(known)
        version = store.version  # before the values, so that a concurrent append is not missed
        if known.settings != store.settings:
            self._try(known, self._read_settings)
        if known.store_version != version:
            self._try(known, self._read_fields)
            known.store_version = version
        self._note(known)

    def _try(self, known: _Known, read: Callable[[_Known], None]) -> None:
        """Read a run; one that can't be read keeps its row, and is tried again after its next change."""
        store = known.source.store
        try:
            read(known)
        except Exception as error:
            log.exception("the lineage of run %s could not be read", store.id)
            known.source = RunSource(store, failure=row_failure(store, error))
            known.field_version, known.settings = UNKNOWN, None
            self._unsettled.discard(store.id)
            self._note(known)

    def _restore(self, known: _Known) -> None:
        """Take the source from the cache, if it is valid for the present state of the store."""
        store = known.source.store
        version, key = store.version, files_key(store)
        found = None if self._cache is None else self._cache.find(store, key)
        if found is not None:
            known.source, known.settings = found
            known.store_version = version
            known.key = known.saved_key = key

    def _read_fields(self, known: _Known) -> None:
        store = known.source.store
        key = files_key(store)  # before the values: if they are newer, the next process reads them again
        version = _field_version(store)
        known.key = key
        if version == known.field_version:
            return
        whole = WholeValues(store)
        fields = dict(lineage_cells(read_lineage(whole.all_of)))
        known.source = RunSource(store, fields, read_hparams(whole.all_of), known.source.config)
        known.field_version = version
        self._save(known)

    def _read_settings(self, known: _Known) -> None:
        store = known.source.store
        settings, now = store.settings, time.time_ns()
        config = read_config_files(file.path for file in settings)
        is_settled = all(abs(now - file.modified_ns) > SETTLED_NS for file in settings)
        (self._unsettled.discard if is_settled else self._unsettled.add)(store.id)
        if settings != known.settings:
            known.settings, known.saved_key = settings, None
        if config != known.source.config:
            known.source, known.saved_key = replace(known.source, config=config), None
            self._note(known)
        if known.store_version != UNKNOWN:
            self._save(known)

    def _note(self, known: _Known) -> None:
        id = known.source.store.id
        self.version += 1
        self._changed_at.pop(id, None)
        self._changed_at[id] = self.version
        self.by_run[id] = known.source

    def _save(self, known: _Known) -> None:
        """Give a source to the cache, unless it is there, or the next process could not see a change of its files."""
        if self._cache is None or known.saved_key == known.key or known.source.store.id in self._unsettled:
            return
        if known.source.failure is None and known.settings is not None:
            self._cache.add(known.source, known.settings, known.key)
            known.saved_key = known.key


def row_failure(store: RunStore, error: Exception) -> Reason:
    """Return the reason why a run has no row."""
    return Reason("row_failed", run=store.id, error=type(error).__name__, detail=str(error))


def _field_version(store: RunStore) -> int:
    return sum(1 + series.version for (kind, _), series in store.series.items() if kind in FIELD_KINDS)
