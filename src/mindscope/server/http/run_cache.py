# SPDX-License-Identifier: Apache-2.0
"""What is slow to read of a run, and stays true as long as what it is read from does not change."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Generic, TypeVar

from mindscope.server.http.schema import MAX_RUNS
from mindscope.store import RunStore
from mindscope.types import Kind

if TYPE_CHECKING:
    from mindscope.reading import Run

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Known(Generic[T]):
    """What was read of a store when it had a version, and when the kinds that matter had theirs."""

    store: RunStore
    version: int
    read_version: int
    value: T


class RunCache(Generic[T]):
    """Remembers one thing of each run. For any thread; two may read the same at once.

    It is read again when the run changed, or, with ``kinds``, when values of these kinds came or went.
    """

    def __init__(self, read: Callable[[Run], T], limit: int = MAX_RUNS, kinds: Collection[Kind] | None = None) -> None:
        self._read = read
        self._limit = limit
        self._kinds = kinds
        self._lock = Lock()
        self._known: OrderedDict[str, Known[T]] = OrderedDict()  # by run, the longest unused first

    def get(self, store: RunStore) -> T:
        """What is read of a run now, or was when nothing that matters was different."""
        version = store.version  # first, so that what grows meanwhile is read again
        with self._lock:
            known = self._known.get(store.id)
        if known is None or known.store is not store or known.version != version:
            read_version = self._read_version(store, version)
            is_same = known is not None and known.store is store and known.read_version == read_version
            value = known.value if known is not None and is_same else self._read(_run_of(store))
            known = Known(store, version, read_version, value)
        self._keep(store.id, known)
        return known.value

    def _read_version(self, store: RunStore, version: int) -> int:
        if self._kinds is None:
            return version
        return sum(1 + series.version for (kind, _), series in store.series.items() if kind in self._kinds)

    def _keep(self, id: str, known: Known[T]) -> None:
        with self._lock:
            self._known[id] = known
            self._known.move_to_end(id)
            while len(self._known) > self._limit:
                self._known.popitem(last=False)


def _run_of(store: RunStore) -> Run:
    from mindscope.reading import Run  # imports export, graphs and lineage: not for the first answer

    return Run(store, lambda: False)
