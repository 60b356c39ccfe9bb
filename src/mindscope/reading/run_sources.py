# SPDX-License-Identifier: Apache-2.0
"""Reads what the files of each run hold for the lineage table; reads a run again only after it changed."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from mindscope.lineage.cell import Cell
from mindscope.lineage.column import ColumnKey
from mindscope.lineage.config_files import NONE, ConfigFiles, Stamp, config_stamp, read_config_files
from mindscope.lineage.index import Row
from mindscope.lineage.run_row import lineage_cells
from mindscope.reading.hparams_sessions import HparamsData, read_hparams
from mindscope.reading.lineage import read_lineage
from mindscope.reading.whole_values import WholeValues
from mindscope.reasons import Reason
from mindscope.store import RunStore
from mindscope.types import Kind

log = logging.getLogger(__name__)

FIELD_KINDS = frozenset({Kind.HPARAMS, Kind.TRAIN_LINEAGE, Kind.EVAL_LINEAGE, Kind.CUSTOM_LINEAGE})
"""Kinds to read from the event files."""


@dataclass(frozen=True, slots=True, eq=False)
class RunSource:
    """What the files of a run hold. A change makes a new object.

    ``failure`` is set if the run can't be read; the other fields are then empty.
    """

    store: RunStore
    fields: Row = field(default_factory=dict[ColumnKey, Cell])
    hparams: HparamsData = field(default_factory=HparamsData)
    config: ConfigFiles = NONE
    failure: Reason | None = None


@dataclass(slots=True)
class _Known:
    """The source of one run, with the versions for which it is valid."""

    source: RunSource
    store_version: int = -1
    field_version: int = -1
    stamp: Stamp = ()
    failed_at: int | None = None  # the version of the store at which it could not be read


class RunSources:
    """The sources of all runs. Only one thread may update them."""

    def __init__(self) -> None:
        self._known: dict[str, _Known] = {}
        self.by_run: dict[str, RunSource] = {}
        """As of the last update."""

    def update(self, runs: Mapping[str, RunStore], check: Callable[[], None]) -> None:
        """Read changes. Calls ``check`` before each run; an exception in it ends the update."""
        for id in [id for id in self._known if id not in runs]:
            del self._known[id], self.by_run[id]
        for id, store in runs.items():
            check()
            known = self._known.get(id)
            if known is None or known.source.store is not store:
                known = self._known[id] = _Known(RunSource(store))
            self._update(known, store)
            self.by_run[id] = self._known[id].source

    def _update(self, known: _Known, store: RunStore) -> None:
        """A run that can't be read keeps its place and hides no other; it is tried again after its next change."""
        version = store.version
        if version == known.failed_at:
            return
        try:
            _read(known, store)
            known.failed_at = None
        except Exception as error:
            log.exception("the lineage of run %s could not be read", store.id)
            source = RunSource(store, failure=row_failure(store, error))
            self._known[store.id] = _Known(source, failed_at=version)


def row_failure(store: RunStore, error: Exception) -> Reason:
    """Why a run has no row."""
    return Reason("row_failed", run=store.id, error=type(error).__name__, detail=str(error))


def _read(known: _Known, store: RunStore) -> None:
    source = known.source
    fields, hparams, config = source.fields, source.hparams, source.config
    store_version = store.version  # before the values, so that a concurrent append is not missed
    version = known.field_version if store_version == known.store_version else _field_version(store)
    known.store_version = store_version
    if version != known.field_version:
        known.field_version = version
        whole = WholeValues(store)
        fields = dict(lineage_cells(read_lineage(whole.all_of)))
        hparams = read_hparams(whole.all_of)
    stamp = config_stamp(store.path, known.stamp)
    if stamp != known.stamp:
        known.stamp = stamp
        config = read_config_files(store.path, stamp)
    if fields is not source.fields or config is not source.config:
        known.source = RunSource(store, fields, hparams, config)


def _field_version(store: RunStore) -> int:
    return sum(1 + series.version for (kind, _), series in store.series.items() if kind in FIELD_KINDS)
