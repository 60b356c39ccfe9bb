# SPDX-License-Identifier: Apache-2.0
"""Debugging data in files: steps are listed first, statistics are computed on request, and kept."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mindscope.debug.formats.problems import Problems
from mindscope.debug.formats.statistics_cache import ArrayStatistics, StatisticsCache
from mindscope.debug.formats.stored_array import StoredArray
from mindscope.debug.model.attributes import TensorAttributes
from mindscope.debug.model.elements import TensorElements
from mindscope.debug.model.fields import FIELDS, Field
from mindscope.debug.model.history import scanned_history
from mindscope.debug.model.overflows import Overflow
from mindscope.debug.model.step_statistics import StepStatistics
from mindscope.debug.model.tensors import DebugTensor
from mindscope.errors import DebugDataError
from mindscope.lru import LRU

_MOST_ROWS = 1 << 18
"""Rows that stay in memory, about 150 MB."""


@dataclass(frozen=True, slots=True)
class RecordedTensor:
    """One row of a step."""

    tensor: DebugTensor
    order: int
    """Of the operator, in the order of execution."""
    array: StoredArray | None = None
    """None where only statistics were recorded."""
    statistics: NDArray[np.float64] | None = None
    """Those that a file holds, columns as in ``FIELDS``; None where they are computed from the array."""
    digest: int = 0
    attributes: TensorAttributes | None = None
    """Of all rows of a step or of none."""


class _Computed(NamedTuple):
    rows: Sequence[RecordedTensor]
    statistics: StepStatistics


StepReader = Callable[[], Sequence[RecordedTensor]]
OverflowsReader = Callable[[], Sequence[Overflow]]


class RecordedSteps:
    """A DebugSource over files. ``problems`` holds what can't be read; those rows have only NaN."""

    def __init__(
        self,
        format: str,
        framework: str,
        readers: Mapping[tuple[int, int], StepReader],
        problems: Problems,
        fields: frozenset[Field] = frozenset(FIELDS),
        facts: Mapping[str, Any] | None = None,
        overflow_readers: Mapping[tuple[int, int], OverflowsReader] | None = None,
    ) -> None:
        """``readers`` list the rows of (rank, step), ``overflow_readers`` the overflows that a device recorded."""
        self.format, self.framework, self.problems, self.fields = format, framework, problems, fields
        self.facts = facts or {}
        """What the files say of the whole: versions, settings."""
        self.cache: StatisticsCache | None = None
        """Keeps what is computed of tensors; None computes it again in each process."""
        self._readers, self._overflow_readers = readers, overflow_readers or {}
        self._tensors: list[DebugTensor] = []
        self._places: dict[DebugTensor, int] = {}
        self._is_indexed = False
        self._computed: LRU[tuple[int, int], _Computed] = LRU(_MOST_ROWS, lambda computed: len(computed.rows))
        self._lock = threading.RLock()

    @property
    def ranks(self) -> Sequence[int]:
        """Ranks with data, ascending."""
        return sorted({rank for rank, _ in self._readers})

    @property
    def tensors(self) -> Sequence[DebugTensor]:
        """All tensors of all steps and ranks. Lists the files of every step on first use."""
        with self._lock:
            if not self._is_indexed:
                for reader in self._readers.values():
                    self._index(reader())
                self._is_indexed = True
            return self._tensors

    def steps(self, rank: int) -> Sequence[int]:
        """Steps with data of a rank, ascending."""
        return sorted(step for each, step in self._readers if each == rank)

    def at(self, step: int, rank: int) -> StepStatistics:
        """The statistics of a step. Raises DebugDataError."""
        return self._at(step, rank).statistics

    def without_last_steps(self) -> RecordedSteps:
        """The data without the last step of each rank, which a training may still write."""
        last = {(rank, max(self.steps(rank))) for rank in self.ranks}
        readers = {key: reader for key, reader in self._readers.items() if key not in last}
        found = RecordedSteps(
            self.format, self.framework, readers, self.problems, self.fields, self.facts, self._overflow_readers
        )
        found.cache = self.cache
        return found

    def overflows(self, step: int, rank: int) -> Sequence[Overflow]:
        """Overflows within operators that a device recorded; empty without any. Raises as ``at``."""
        if (rank, step) not in self._readers:
            raise DebugDataError(f"rank {rank} has no debugging data of step {step}")
        reader = self._overflow_readers.get((rank, step))
        return reader() if reader else ()

    def array(self, step: int, rank: int, row: int) -> NDArray[Any] | None:
        """The whole tensor of a row of ``at``; None if only its statistics were recorded. Raises as ``at``."""
        stored = self._stored(step, rank, row)
        return None if stored is None else stored.read()

    def elements(self, step: int, rank: int, row: int) -> TensorElements | None:
        """As ``array``; what a file holds in C order is read piece by piece."""
        stored = self._stored(step, rank, row)
        return None if stored is None else stored.elements()

    def _stored(self, step: int, rank: int, row: int) -> StoredArray | None:
        rows = self._at(step, rank).rows
        if not 0 <= row < len(rows):
            raise DebugDataError(f"step {step} of rank {rank} has {len(rows)} tensors, no row {row}")
        return rows[row].array

    def history(self, tensors: Sequence[int], field: Field, rank: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """One statistic of some tensors over the steps of a rank."""
        return scanned_history(self, tensors, field, rank)

    def _at(self, step: int, rank: int) -> _Computed:
        with self._lock:
            return self._computed.get_or_add((rank, step), lambda: self._compute(step, rank))

    def _compute(self, step: int, rank: int) -> _Computed:
        if (rank, step) not in self._readers:
            raise DebugDataError(f"rank {rank} has no debugging data of step {step}")
        rows = self._readers[rank, step]()
        values = np.full((len(rows), len(FIELDS)), np.nan)
        digests = np.zeros(len(rows), np.uint64)
        for place, row in enumerate(rows):
            if row.statistics is not None:
                values[place], digests[place] = row.statistics, row.digest
        arrays = {place: row.array for place, row in enumerate(rows) if row.array is not None}
        computed = self._statistics(step, rank, list(arrays.values()))
        for place, found in zip(arrays, computed, strict=True):
            if found is not None:
                values[place], digests[place] = found
        tensor = np.array(self._index(rows), np.int32)
        order = np.array([row.order for row in rows], np.int32)
        attributes = [row.attributes for row in rows if row.attributes is not None]
        return _Computed(rows, StepStatistics(step, rank, tensor, order, values, digests, attributes))

    def _statistics(self, step: int, rank: int, arrays: Sequence[StoredArray]) -> list[ArrayStatistics | None]:
        """Of each array; None of those that can't be read, which is noted."""

        def compute(stored: StoredArray) -> ArrayStatistics | None:
            return self.problems.read(stored.path, lambda _: stored.statistics())

        if self.cache is None:
            return [compute(each) for each in arrays]
        return self.cache.statistics(step, rank, arrays, compute)

    def _index(self, rows: Sequence[RecordedTensor]) -> list[int]:
        for row in rows:
            if row.tensor not in self._places:
                self._places[row.tensor] = len(self._tensors)
                self._tensors.append(row.tensor)
        return [self._places[row.tensor] for row in rows]
