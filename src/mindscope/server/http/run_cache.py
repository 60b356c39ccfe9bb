# SPDX-License-Identifier: Apache-2.0
"""Per-run cache of slow reads, invalidated by the version of the store."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Generic, TypeVar

from mindscope.lru import LRU
from mindscope.reading.run import Run
from mindscope.server.http.schema import MAX_RUNS
from mindscope.store import RunStore
from mindscope.types import Kind

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Known(Generic[T]):
    """A value, with the version of the store and the version of the kinds at which it was read."""

    store: RunStore
    version: int
    read_version: int
    value: T


class RunValueCache(Generic[T]):
    """LRU cache of one value per run. For any thread; two threads may read the same value at once.

    Reads a value again after the run has changed; with ``kinds``, only after values of these kinds have changed.
    """

    def __init__(self, read: Callable[[Run], T], limit: int = MAX_RUNS, kinds: Collection[Kind] | None = None) -> None:
        self._read = read
        self._kinds = kinds
        self._runs: LRU[str, Known[T]] = LRU(limit)

    def get(self, store: RunStore) -> T:
        """Return the value of a run, from the cache if it is valid."""
        version = store.version  # read before the value, so that a concurrent append is not missed
        known = self._runs.get(store.id)
        if known is None or known.store is not store or known.version != version:
            read_version = self._read_version(store, version)
            is_same = known is not None and known.store is store and known.read_version == read_version
            value = known.value if known is not None and is_same else self._read(_run_of(store))
            known = self._runs.add(store.id, Known(store, version, read_version, value))
        return known.value

    def _read_version(self, store: RunStore, version: int) -> int:
        if self._kinds is None:
            return version
        return sum(1 + series.version for (kind, _), series in store.series.items() if kind in self._kinds)


def _run_of(store: RunStore) -> Run:
    return Run(store, lambda: False)
