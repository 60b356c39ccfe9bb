# SPDX-License-Identifier: Apache-2.0
"""Makes rows of the lineage table from the runs below a directory; makes only rows of changed runs again."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import PurePosixPath

from mindscope.lineage.cell import Cell
from mindscope.lineage.column import RUN, ColumnKey, Group
from mindscope.lineage.difference import FieldPair, compare_rows
from mindscope.lineage.index import Row, TableIndex
from mindscope.lineage.run_row import parameter_cells
from mindscope.lineage.table import Table
from mindscope.reading.hparams_sessions import MetricInfo
from mindscope.reading.run_source import RunSource
from mindscope.reading.run_sources import RunSources, row_failure
from mindscope.reading.scalar_summaries import ScalarSummaries
from mindscope.reading.scalars import MEAN_OF
from mindscope.reasons import Reason
from mindscope.store import RunStore
from mindscope.types import Kind

log = logging.getLogger(__name__)

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
    """The row of one run, and a key that changes whenever the row may change."""

    source: RunSource | None = None
    row_key: tuple[object, ...] = ()
    row: Row = field(default_factory=dict[ColumnKey, Cell])


class LineageRows:
    """The table over the runs of a catalog. Only one thread may update it, and its sources."""

    def __init__(
        self,
        runs: Callable[[], Mapping[str, RunStore]],
        scalars: ScalarChoice | None = None,
        sources: RunSources | None = None,
        summaries: ScalarSummaries | None = None,
    ) -> None:
        """Several tables over the same runs may share ``sources`` and ``summaries``."""
        self._runs = runs
        self._scalars = scalars or ScalarChoice()
        self._sources = sources or RunSources()
        self._summaries = summaries or ScalarSummaries()
        self._seen = 0  # the version of the sources at the last update
        self._last_runs: Mapping[str, RunStore] | None = None  # of the last update
        self._known: dict[str, _Known] = {}  # by run, in the order of the runs
        self._problems: dict[str, tuple[Reason, ...]] = {}
        self._live: set[str] = set()  # runs whose state changes without new data
        self._sessions: set[str] = set()  # runs whose metrics other runs may have
        self.index = TableIndex()

    @property
    def problems(self) -> tuple[Reason, ...]:
        """A reason for each settings file and each run that can't be read."""
        ids = [id for id in self._known if id in self._problems] if self._problems else ()
        return tuple(problem for id in ids for problem in self._problems[id])

    def update(self, now: float | None = None, check: Callable[[], None] = lambda: None) -> frozenset[str]:
        """Read changes; returns the runs whose row changed. ``now`` is in seconds since 1970.

        Calls ``check`` for each changed run; an exception in it ends the update; the next one continues from there.
        """
        runs = self._runs()
        now = time.time() if now is None else now
        self._sources.update(runs, check)
        has_same_runs = runs is self._last_runs
        gone = [] if has_same_runs else [id for id in self._known if id not in runs]
        for id in gone:
            self._forget(id)
        changed: dict[str, Row] = {}
        for id in self._stale(runs, bool(gone)):
            if self._renew(runs, id, now):
                changed[id] = self._known[id].row
        if not has_same_runs:
            self._known = {id: self._known[id] for id in runs}
            self._last_runs = runs
        return self.index.update(changed, gone)

    def table(self) -> Table:
        """Return all runs as of the last update, in natural order of their ids."""
        return self.index.table(self._known)

    def _stale(self, runs: Mapping[str, RunStore], is_run_gone: bool) -> Iterable[str]:
        """Return the runs whose row may have changed: their sources did, they are live, or other runs have their
        metrics.
        """
        version = self._sources.version
        stale = dict.fromkeys(self._sources.changed_since(self._seen))
        self._seen = version
        if stale or is_run_gone:
            stale.update(dict.fromkeys(self._sessions))
        stale.update(dict.fromkeys(self._live))
        return [id for id in stale if id in runs]

    def _forget(self, id: str) -> None:
        del self._known[id]
        self._problems.pop(id, None)
        self._live.discard(id)
        self._sessions.discard(id)

    def _renew(self, runs: Mapping[str, RunStore], id: str, now: float) -> bool:
        """Make the row of a run again if its sources changed; returns whether they did.

        A failure costs only this row.
        """
        source = self._sources.by_run[id]
        known = self._known.setdefault(id, _Known())
        problems = [*source.config.problems, *([] if source.failure is None else [source.failure])]
        row_key: tuple[object, ...] = (runs[id].version, "")
        try:
            row_key = self._row_key(runs, id, known, now)
            if source is known.source and row_key == known.row_key:
                return False
            known.row = dict(self._row(runs, id, now))
        except Exception as error:
            log.exception("the row of run %s could not be made", id)
            known.row = {RUN: id}
            problems.append(row_failure(runs[id], error))
        known.source, known.row_key = source, row_key
        self._note(id, known, problems)
        return True

    def _note(self, id: str, known: _Known, problems: Sequence[Reason]) -> None:
        is_session = known.source is not None and known.source.hparams.has_session
        for ids, belongs in ((self._live, known.row.get(_STATE) == "live"), (self._sessions, is_session)):
            (ids.add if belongs else ids.discard)(id)
        if problems:
            self._problems[id] = tuple(problems)
        else:
            self._problems.pop(id, None)

    def _row_key(self, runs: Mapping[str, RunStore], id: str, known: _Known, now: float) -> tuple[object, ...]:
        """Return a key that changes with the row: only a live run can change its state without new data."""
        store = runs[id]
        is_same = known.row_key[:1] == (store.version,)
        is_quiet = is_same and known.row.get(_STATE) != "live"
        state = known.row.get(_STATE) if is_quiet else store.state(now)
        metrics = self._metrics(runs, id)
        others = tuple(runs[run].version for run, _, _ in metrics if run != id)
        return store.version, state, metrics, others

    def _row(self, runs: Mapping[str, RunStore], id: str, now: float) -> Iterator[tuple[ColumnKey, Cell]]:
        """Return the cells of a run; if two sources have a column, the event file has precedence."""
        source = self._sources.by_run[id]
        row: dict[ColumnKey, Cell] = {RUN: id}
        row |= _run_facts(source, now)
        row |= self._scalar_cells(runs, id)
        row |= parameter_cells(source.config.settings)
        row |= parameter_cells(source.hparams.values)
        row |= source.fields
        return iter(row.items())

    def _scalar_cells(self, runs: Mapping[str, RunStore], id: str) -> Iterator[tuple[ColumnKey, Cell]]:
        for run, tag, name in self._metrics(runs, id):
            last = self._summaries.last(runs[run], tag, self._scalars.mean_of)
            if last is not None:
                yield ColumnKey(Group.METRIC, name), last
        store = runs[id]
        if self._scalars.patterns and Kind.SCALAR in store.tag_counts():  # the counts need no series of the cache
            for tag in store.tags(Kind.SCALAR):
                if self._scalars.takes(tag):
                    yield from self._summaries.cells(store, tag, self._scalars.mean_of)

    def _metrics(self, runs: Mapping[str, RunStore], id: str) -> tuple[tuple[str, str, str], ...]:
        """Return (run, tag, name) of each metric of a session.

        They are from the experiment of this run or the nearest one above it.

        If no experiment is described, every scalar of the run is a metric.
        """
        source = self._sources.by_run[id]
        if not source.hparams.has_session:
            return ()
        infos = next(self._experiments(id), None)
        if infos is None:
            return tuple((id, tag, tag) for tag in source.store.tags(Kind.SCALAR))
        found = ((_below(id, info.group), info) for info in infos)
        return tuple((run, info.tag, _metric_name(info)) for run, info in found if run in runs)

    def _experiments(self, id: str) -> Iterator[tuple[MetricInfo, ...]]:
        for run in _upwards(id):
            source = self._sources.by_run.get(run)
            if source is not None and source.hparams.metrics is not None:
                yield source.hparams.metrics


def compare_runs(one: RunStore, other: RunStore, scalars: Iterable[str] = ()) -> tuple[FieldPair, ...]:
    """Compares two runs field by field; differing fields come first."""
    choice = ScalarChoice(tuple(scalars))
    return compare_rows(row_alone(one, choice), row_alone(other, choice))


def row_alone(store: RunStore, scalars: ScalarChoice | None = None) -> Row:
    """Return the row of a run without others, whose metrics may be its own."""
    rows = LineageRows(lambda: {store.id: store}, scalars)
    rows.update()
    return rows.index.row(store.id) or {}


def _run_facts(source: RunSource, now: float) -> dict[ColumnKey, Cell]:
    store, hparams = source.store, source.hparams
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


_STATE = ColumnKey(Group.FACT, "state")


def _fact(name: str) -> ColumnKey:
    return ColumnKey(Group.FACT, name)


def _host(names: Iterable[str]) -> str | None:
    """Return the host name in the first event file name that has one."""
    matches = (_HOST.match(name, max(name.find("summary."), name.find("tfevents."), 0)) for name in names)
    return next((match["mindspore"] or match["tensorboard"] for match in matches if match), None)


def _below(id: str, group: str) -> str:
    return id if not group else group if id == "." else f"{id}/{group}"


def _upwards(id: str) -> Iterator[str]:
    """Yield the run itself, then its parent directories up to the base directory."""
    yield id
    yield from (str(path) for path in PurePosixPath(id).parents if str(path) != id)


def _metric_name(info: MetricInfo) -> str:
    return f"{info.group}/{info.tag}" if info.group else info.tag
