# SPDX-License-Identifier: Apache-2.0
"""Finds, opens and keeps the debugging data of runs."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from threading import RLock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.analysis.ranks import rank_stores
from mindscope.artifacts.opened import OpenArtifacts
from mindscope.artifacts.version import DirectoryVersions
from mindscope.debug.formats.statistics_cache import StatisticsCache
from mindscope.debug.model.elements import TensorElements
from mindscope.debug.model.source import DebugSource
from mindscope.debug.model.step_statistics import StepStatistics
from mindscope.debug.open import DebugData, with_cache
from mindscope.debug.views.tensor_filter import TensorFilter
from mindscope.ingest import Catalog
from mindscope.lru import LRU
from mindscope.reading.debug import RecordedSource, has_statistics, statistics_version
from mindscope.reading.debugging_data import OWN, dumps_of
from mindscope.reasons import Reason
from mindscope.server.http.disconnect import check_connected
from mindscope.store import RunStore

MOST_OPEN = 8
_MOST_STEPS = 4  # of a source, that stay in memory
_MOST_TENSORS = 4  # of a source; those whose files are not in C order are in memory as a whole


class SourceNotFoundError(LookupError):
    """A run has no such debugging data."""

    def __init__(self, run: str, source: str) -> None:
        super().__init__(Reason("debug_source_not_found", run=run, source=source))


@dataclass(eq=False)
class OpenSource:
    """Debugging data that are open, and what was read of them last. For any thread."""

    source: DebugSource
    version: str
    key: tuple[str, str]
    """Run and source; versions of the same data have the same."""
    _lock: RLock = field(default_factory=RLock)
    _steps: LRU[tuple[int, int], StepStatistics] = field(default_factory=lambda: LRU(_MOST_STEPS))
    _tensors: LRU[tuple[int, int, int], TensorElements | None] = field(default_factory=lambda: LRU(_MOST_TENSORS))
    _masks: dict[TensorFilter, NDArray[np.bool_]] = field(default_factory=dict[TensorFilter, NDArray[np.bool_]])

    def at(self, step: int, rank: int) -> StepStatistics:
        """Return the statistics of a step as ``DebugSource.at``, and keep them."""
        with self._lock:
            return self._steps.get_or_add((step, rank), lambda: self.source.at(step, rank))

    def read(self, step: int, rank: int) -> StepStatistics:
        """Return the statistics of a step for a pass over many steps, of which none is kept."""
        with self._lock:
            return self._steps.get((step, rank)) or self.source.at(step, rank)

    def elements(self, step: int, rank: int, row: int) -> TensorElements | None:
        """Return elements as ``DebugSource.elements``.

        A read raises if the client has disconnected or the request takes too long.
        """
        with self._lock:
            return self._tensors.get_or_add((step, rank, row), lambda: self._elements(step, rank, row))

    def _elements(self, step: int, rank: int, row: int) -> TensorElements | None:
        elements = self.source.elements(step, rank, row)
        return None if elements is None else _while_connected(elements)

    def mask(self, chosen: TensorFilter) -> NDArray[np.bool_]:
        """Return whether each tensor passes a filter. Raises DebugDataError."""
        with self._lock:
            known = self._masks.get(chosen)
            if known is None or len(known) != len(self.source.tensors):
                self._masks = {chosen: chosen.mask(self.source.tensors)}
            return self._masks[chosen]


def _while_connected(elements: TensorElements) -> TensorElements:
    def read(start: int, count: int) -> NDArray[Any]:
        check_connected()
        return elements.read(start, count)

    return replace(elements, read=read)


class OpenSources:
    """The debugging data that were used last. For any thread."""

    def __init__(self, cache: StatisticsCache | None) -> None:
        self._cache = cache
        self._versions = DirectoryVersions()
        self._open: OpenArtifacts[tuple[str, str], OpenSource] = OpenArtifacts(MOST_OPEN)

    def get(self, catalog: Catalog, run: str, source: str) -> OpenSource:
        """Return the source of a run.

        Raises:
            SourceNotFoundError: the run has no such source.
            RunNotFoundError, DebugDataError, FormatError, OSError: it can't be opened.
        """
        store = catalog.run(run)
        if source == OWN:
            return self._own(store, catalog.runs)
        found = next((found for name, found in dumps_of(store) if name == source), None)
        if found is None:
            raise SourceNotFoundError(run, source)
        return self.dump(run, source, found)

    def dump(self, run: str, source: str, found: DebugData) -> OpenSource:
        """Return the data in a directory. Raises FormatError, OSError."""
        key, version = (run, source), self._versions.of(found.path)
        return self._open.get(key, version, lambda _: OpenSource(with_cache(found, self._cache).read(), version, key))

    def _own(self, store: RunStore, runs: Mapping[str, RunStore]) -> OpenSource:
        stores = [rank_store for rank_store in rank_stores(store, runs) if has_statistics(rank_store)]
        if not stores:
            raise SourceNotFoundError(store.id, OWN)
        key, version = (stores[0].id, OWN), "-".join(f"{statistics_version(each):x}" for each in stores)

        def recorded(last: OpenSource | None) -> OpenSource:
            earlier = None if last is None else last.source
            source = RecordedSource(stores, earlier if isinstance(earlier, RecordedSource) else None)
            return OpenSource(source, version, key)

        return self._open.get(key, version, recorded)


def is_growing(catalog: Catalog, run: str, source: str) -> bool:
    """Return whether a training still records into the event files of a run or of its other ranks."""
    now, known = time.time(), catalog.runs
    return source == OWN and run in known and any(
        rank_store.state(now) == "live" for rank_store in rank_stores(known[run], known)
    )  # fmt: skip
