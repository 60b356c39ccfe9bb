# SPDX-License-Identifier: Apache-2.0
"""Lineage tables over the same runs for several choices of scalars, and what changed in them since a cursor."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from secrets import token_hex
from threading import Lock
from typing import NamedTuple

from mindscope.lineage.pipeline import Pipeline
from mindscope.lru import LRU
from mindscope.reading.lineage_rows import LineageRows, ScalarChoice
from mindscope.reading.lineage_table import LineageTable
from mindscope.reading.pipelines import PipelineReader
from mindscope.reading.run_sources import RunSources
from mindscope.reading.scalar_summaries import ScalarSummaries
from mindscope.reading.source_cache import SourceCache
from mindscope.store import RunStore
from mindscope.store.garbage import gc_disabled
from mindscope.store.record_cache import OpenTable

MOST_CHOICES = 8
"""Tables of more choices of scalars are not kept."""
CHECK_INTERVAL_S = 0.1


class Changes(NamedTuple):
    """The changes since a cursor: new and changed runs, removed runs, and whether the list of all runs is another."""

    runs: frozenset[str]
    gone: frozenset[str]
    has_other_runs: bool


class LineageView(NamedTuple):
    """A table, the cursor for the next call, and the changes since a cursor; None if that is of another table."""

    table: LineageTable
    cursor: str
    changes: Changes | None


class _Kept(NamedTuple):
    """The rows of one choice of scalars; ``token`` distinguishes its cursors from those of others."""

    rows: LineageRows
    token: str


class LineageTables:
    """Tables over the runs that ``runs`` returns. For any thread.

    They share what they read of the files. ``check`` is called now and then; an exception in it ends the call.
    """

    def __init__(
        self,
        runs: Callable[[], Mapping[str, RunStore]],
        check: Callable[[], None] = lambda: None,
        open_table: OpenTable | None = None,
    ) -> None:
        """``open_table`` opens a table in the cache of the runs."""
        self._runs = runs
        self._check = check
        self._pipelines = PipelineReader()
        self._lock = Lock()  # guards all below
        self._sources = RunSources(SourceCache(open_table) if open_table else None)
        self._summaries = ScalarSummaries(open_table)
        self._kept: LRU[ScalarChoice, _Kept] = LRU(MOST_CHOICES)

    def view(self, choice: ScalarChoice, since: str | None = None) -> LineageView:
        """Return the current table. ``since`` is the cursor of an earlier view."""
        with self._locked(), gc_disabled():
            rows, token = self._kept.get_or_add(choice, lambda: self._rows(choice))
            self._summaries.open()
            rows.update(check=self._check)
            self._summaries.save(self._runs())
            version = _version_of(since, token, rows.index.version)
            changes = None if version is None else _changes(rows, version)
            table = LineageTable(rows.table(), rows.problems, self._pipeline)
            return LineageView(table, f"{token}-{rows.index.version}", changes)

    def close(self) -> None:
        """Save what the cache does not have yet. Call it before the cache is closed."""
        with self._lock:
            self._sources.close()
            self._summaries.close(self._runs())

    @contextmanager
    def _locked(self) -> Generator[None]:
        """Hold the lock; calls ``check`` while another thread has it, because the first table takes seconds."""
        while not self._lock.acquire(timeout=CHECK_INTERVAL_S):
            self._check()
        try:
            yield
        finally:
            self._lock.release()

    def _rows(self, choice: ScalarChoice) -> _Kept:
        return _Kept(LineageRows(self._runs, choice, self._sources, self._summaries), token_hex(8))

    def _pipeline(self, run: str) -> Pipeline:
        self._check()
        store = self._runs().get(run)
        return () if store is None else self._pipelines.read(store)


def _version_of(cursor: str | None, token: str, newest: int) -> int | None:
    """Return the version in a cursor; None if the cursor is not of this table."""
    given, _, version = (cursor or "").partition("-")
    if given != token or not (version.isascii() and version.isdigit()) or len(version) > len(str(newest)):
        return None
    return int(version) if int(version) <= newest else None


def _changes(rows: LineageRows, version: int) -> Changes:
    changed = rows.index.changed_since(version)
    gone = frozenset(run for run in changed if rows.index.row(run) is None)
    return Changes(changed - gone, gone, rows.index.order_version > version)
