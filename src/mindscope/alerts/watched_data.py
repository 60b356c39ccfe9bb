# SPDX-License-Identifier: Apache-2.0
"""Debugging data of a training that are watched: statistics in event files, or a dump."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

from mindscope.artifacts.version import DirectoryVersions
from mindscope.debug.formats.statistics_cache import StatisticsCache
from mindscope.debug.model.source import DebugSource
from mindscope.debug.open import DebugData, with_cache
from mindscope.ingest import Catalog
from mindscope.reading.debug import RecordedSource, statistics_version
from mindscope.reading.debugging_data import OWN, dumps_of
from mindscope.store import RunStore
from mindscope.store.contents import ContentKind

_DUMPS = frozenset(
    (ContentKind.MINDSPORE_DUMP, ContentKind.MSPROBE_DUMP, ContentKind.TENSOR_DUMP, ContentKind.DEBUG_MODE_LOG)
)
DataKey = tuple[str, str]
"""Run, and source: ``.`` or the path of a dump."""


class WatchedData(Protocol):
    """Debugging data as of now."""

    @property
    def key(self) -> DataKey: ...

    @property
    def last_wall_time(self) -> float:
        """Time of the last write in seconds since 1970, 0 if it is not known."""
        ...

    def state(self, now: float) -> tuple[object, ...]:
        """Return a value that changes with the content."""
        ...

    def is_growing(self, now: float) -> bool:
        """Return whether further steps are expected."""
        ...

    def open(self, earlier: DebugSource | None) -> DebugSource:
        """Return the data; ``earlier`` is a source of them. Raises DebugDataError, FormatError, OSError."""
        ...

    def run(self, rank: int) -> str:
        """Return the run of a rank."""
        ...


class RecordedData:
    """The statistics that a ``Debugger`` recorded into the runs of all ranks of a training."""

    def __init__(self, stores: Sequence[RunStore]) -> None:
        self._stores = tuple(stores)
        self._source: RecordedSource | None = None

    @property
    def runs(self) -> tuple[str, ...]:
        """The ids of the runs, by rank."""
        return tuple([store.id for store in self._stores])

    @property
    def key(self) -> DataKey:
        return self._stores[0].id, OWN

    @property
    def last_wall_time(self) -> float:
        return max(store.last_wall_time or 0.0 for store in self._stores)

    def state(self, now: float) -> tuple[object, ...]:
        return (*(statistics_version(store) for store in self._stores), self.is_growing(now))

    def is_growing(self, now: float) -> bool:
        return any(store.state(now) == "live" for store in self._stores)

    def open(self, earlier: DebugSource | None) -> DebugSource:
        known = earlier if isinstance(earlier, RecordedSource) else None
        self._source = RecordedSource(self._stores, known)
        return self._source

    def run(self, rank: int) -> str:
        return self.key[0] if self._source is None else self._source.run(rank)


@dataclass(frozen=True)
class DumpData:
    """A dump of another tool, which does not say when it is complete."""

    key: DataKey
    found: DebugData
    version: str
    is_settled: bool
    """Whether its last steps are complete."""
    is_followed: bool
    """Whether further steps are expected."""
    last_wall_time: float = 0.0

    @staticmethod
    def below(
        catalog: Catalog,
        versions: Mapping[DataKey, str],
        directory_versions: DirectoryVersions,
        cache: StatisticsCache | None,
        *,
        is_followed: bool,
    ) -> Iterator[DumpData]:
        """Yield all dumps that can be read; ``versions`` are those of the last time."""
        for id, store in catalog.runs.items():
            if not _DUMPS.isdisjoint(content.kind for content in store.contents):
                with suppress(OSError):  # deleted since it was found
                    for name, found in dumps_of(store):
                        version = directory_versions.of(found.path)
                        is_settled = not is_followed or versions.get((id, name)) == version
                        yield DumpData((id, name), with_cache(found, cache), version, is_settled, is_followed)

    def state(self, now: float) -> tuple[object, ...]:
        return self.version, self.is_settled

    def is_growing(self, now: float) -> bool:
        return self.is_followed

    def open(self, earlier: DebugSource | None) -> DebugSource:
        return self.found.read() if self.is_settled else self.found.read().without_last_steps()

    def run(self, rank: int) -> str:
        return self.key[0]
