# SPDX-License-Identifier: Apache-2.0
"""Makes rows of the lineage table from the runs below a directory; caches rows of unchanged runs."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import PurePosixPath

from mindscope.lineage.cell import Cell
from mindscope.lineage.column import RUN, ColumnKey, Group
from mindscope.lineage.config_files import NONE, ConfigFiles, Stamp, config_stamp, read_config_files
from mindscope.lineage.difference import FieldPair, compare_rows
from mindscope.lineage.index import Row, TableIndex
from mindscope.lineage.run_row import lineage_cells, parameter_cells
from mindscope.lineage.scalar_summary import scalar_cells
from mindscope.lineage.table import Table
from mindscope.reading.hparams_sessions import HparamsData, MetricInfo, read_hparams
from mindscope.reading.lineage import read_lineage
from mindscope.reading.run import Run
from mindscope.reading.whole_values import WholeValues
from mindscope.store import RunStore, ScalarSeries
from mindscope.types import Kind

FIELD_KINDS = frozenset({Kind.HPARAMS, Kind.TRAIN_LINEAGE, Kind.EVAL_LINEAGE, Kind.CUSTOM_LINEAGE})
"""Kinds to read from the event files."""
MEAN_OF = 10
_HOST = re.compile(
    r"summary\.\d+\.\d+\.(?P<mindspore>.+)_(?:MS|lineage)$|tfevents\.\d+\.(?P<tensorboard>.+?)(?:\.\d+){0,3}(?:\.v2)?$"
)


@dataclass(frozen=True, slots=True)
class ScalarChoice:
    """Scalars that become columns: tags that match one of ``patterns`` (``*`` and ``?``).

    Columns of each: last, min, max, the steps of both, and the mean of the last ``mean_of`` points.
    """

    patterns: tuple[str, ...] = ()
    mean_of: int = MEAN_OF

    def takes(self, tag: str) -> bool:
        return any(fnmatchcase(tag, pattern) for pattern in self.patterns)


@dataclass(slots=True)
class _Known:
    """Cached data of one run, with the versions for which it is valid."""

    store: RunStore
    store_version: int = -1
    field_version: int = -1
    fields: Row = field(default_factory=dict[ColumnKey, Cell])
    hparams: HparamsData = field(default_factory=HparamsData)
    stamp: Stamp = ()
    config: ConfigFiles = NONE
    row_key: tuple[object, ...] | None = None
    row: Row = field(default_factory=dict[ColumnKey, Cell])


class LineageRows:
    """The table over the runs of a catalog. Only one thread may update it."""

    def __init__(self, runs: Callable[[], Mapping[str, RunStore]], scalars: ScalarChoice | None = None) -> None:
        self._runs = runs
        self._scalars = scalars or ScalarChoice()
        self._known: dict[str, _Known] = {}
        self.index = TableIndex()

    @property
    def problems(self) -> tuple[str, ...]:
        """One message for each configuration file that can't be used."""
        return tuple(problem for known in self._known.values() for problem in known.config.problems)

    def update(self, now: float | None = None) -> frozenset[str]:
        """Read changes; returns the runs whose row changed. ``now`` is in seconds since 1970."""
        runs = self._runs()
        now = time.time() if now is None else now
        gone = [id for id in self._known if id not in runs]
        for id in gone:
            del self._known[id]
        for id, store in runs.items():
            known = self._known.get(id)
            if known is None or known.store is not store:
                known = self._known[id] = _Known(store)
            self._read(known)
        changed: dict[str, Row] = {}
        for id in runs:
            row_key = self._row_key(runs, id, now)
            known = self._known[id]
            if row_key != known.row_key:
                known.row = changed[id] = dict(self._row(runs, id, now))
                known.row_key = row_key
        return self.index.update(changed, gone)

    def table(self) -> Table:
        """All runs as of the last update, in natural order of their ids."""
        return self.index.table(self._known)

    def _read(self, known: _Known) -> None:
        """Read the data from files: lineage, hyperparameters, configuration."""
        store_version = known.store.version  # before the values, so that a concurrent append is not missed
        version = known.field_version if store_version == known.store_version else _field_version(known.store)
        known.store_version = store_version
        if version != known.field_version:
            whole = WholeValues(known.store)
            known.fields = dict(lineage_cells(read_lineage(whole.all_of)))
            known.hparams = read_hparams(whole.all_of)
            known.field_version = version
            known.row_key = None
        stamp = config_stamp(known.store.path, known.stamp)
        if stamp != known.stamp:
            known.stamp, known.config = stamp, read_config_files(known.store.path, stamp)
            known.row_key = None

    def _row_key(self, runs: Mapping[str, RunStore], id: str, now: float) -> tuple[object, ...]:
        """A key that changes whenever the row may change. Only a live run can change its state without new data."""
        known = self._known[id]
        store = known.store
        is_same = known.row_key is not None and known.row_key[0] == store.version
        is_quiet = is_same and known.row.get(_fact("state")) != "live"
        state = known.row.get(_fact("state")) if is_quiet else store.state(now)
        metrics = self._metrics(runs, id)
        others = tuple(runs[run].version for run, _, _ in metrics if run != id)
        return store.version, state, metrics, others

    def _row(self, runs: Mapping[str, RunStore], id: str, now: float) -> Iterator[tuple[ColumnKey, Cell]]:
        """The cells of a run; if two sources have a column, the event file has precedence."""
        known = self._known[id]
        row: dict[ColumnKey, Cell] = {RUN: id}
        row |= _run_facts(known.store, known.hparams, now)
        row |= self._scalar_cells(runs, id)
        row |= parameter_cells(known.config.settings)
        row |= parameter_cells(known.hparams.values)
        row |= known.fields
        return iter(row.items())

    def _scalar_cells(self, runs: Mapping[str, RunStore], id: str) -> Iterator[tuple[ColumnKey, Cell]]:
        for run, tag, name in self._metrics(runs, id):
            series = runs[run].scalars(tag)
            if series is not None and (last := _last(series)) is not None:
                yield ColumnKey(Group.METRIC, name), last
        store = runs[id]
        if self._scalars.patterns:
            for tag in store.tags(Kind.SCALAR):
                series = store.scalars(tag) if self._scalars.takes(tag) else None
                if series is not None:
                    points = series.visible()
                    yield from scalar_cells(tag, points.step, points.value, self._scalars.mean_of)

    def _metrics(self, runs: Mapping[str, RunStore], id: str) -> tuple[tuple[str, str, str], ...]:
        """(run, tag, name) of each metric of a session, from the experiment of this run or the nearest one above it.

        If no experiment is described, every scalar of the run is a metric.
        """
        known = self._known[id]
        if not known.hparams.has_session:
            return ()
        infos = next(self._experiments(id), None)
        if infos is None:
            return tuple((id, tag, tag) for tag in known.store.tags(Kind.SCALAR))
        found = ((_below(id, info.group), info) for info in infos)
        return tuple((run, info.tag, _metric_name(info)) for run, info in found if run in runs)

    def _experiments(self, id: str) -> Iterator[tuple[MetricInfo, ...]]:
        for run in _upwards(id):
            known = self._known.get(run)
            if known is not None and known.hparams.metrics is not None:
                yield known.hparams.metrics


def compare_runs(one: Run, other: Run, scalars: Iterable[str] = ()) -> tuple[FieldPair, ...]:
    """Compares two runs field by field; differing fields come first."""
    choice = ScalarChoice(tuple(scalars))
    return compare_rows(_row_alone(one.store, choice), _row_alone(other.store, choice))


def _row_alone(store: RunStore, scalars: ScalarChoice) -> Row:
    rows = LineageRows(lambda: {store.id: store}, scalars)
    rows.update()
    return rows.index.row(store.id) or {}


def _field_version(store: RunStore) -> int:
    return sum(1 + series.version for (kind, _), series in store.series.items() if kind in FIELD_KINDS)


def _run_facts(store: RunStore, hparams: HparamsData, now: float) -> dict[ColumnKey, Cell]:
    first, last = store.first_wall_time, store.last_wall_time
    facts: dict[str, Cell | None] = {
        "state": store.state(now),
        "start": hparams.start if first is None else first,
        "duration": None if first is None or last is None else last - first,
        "last_step": store.last_step,
        "host": _host(file.name for file in store.files),
        "session_status": hparams.status,
        "session_group": hparams.group,
    }
    return {_fact(name): value for name, value in facts.items() if value is not None}


def _fact(name: str) -> ColumnKey:
    return ColumnKey(Group.FACT, name)


def _host(names: Iterable[str]) -> str | None:
    """The host name in the first event file name that has one."""
    found = (_HOST.search(name) for name in names)
    return next((match["mindspore"] or match["tensorboard"] for match in found if match), None)


def _last(series: ScalarSeries) -> float | None:
    parts = series.visible_parts().parts
    values = next((part["value"] for part in reversed(parts) if part["value"].size), None)
    if values is None:
        return None
    return float(str(values[-1])) if values.dtype == "float32" else float(values[-1])


def _below(id: str, group: str) -> str:
    return id if not group else group if id == "." else f"{id}/{group}"


def _upwards(id: str) -> Iterator[str]:
    """The run itself, then its parent directories up to the base directory."""
    yield id
    yield from (str(path) for path in PurePosixPath(id).parents if str(path) != id)


def _metric_name(info: MetricInfo) -> str:
    return f"{info.group}/{info.tag}" if info.group else info.tag
