# SPDX-License-Identifier: Apache-2.0
"""Debugging data in files: steps are listed first, statistics are computed on request, and kept."""

from __future__ import annotations

import threading
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mindscope.artifacts.problems import Problems
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
"""Rows that stay in memory, about 100 MB; also those of the step that was used last."""
_NO_STATISTICS = np.full(len(FIELDS), np.nan).tobytes()


@dataclass(frozen=True, slots=True)
class RecordedTensor:
    """One row of a step."""

    tensor: DebugTensor
    order: int
    """Order of the operator in the execution."""
    array: StoredArray | None = None
    """The elements; None where only statistics were recorded."""
    statistics: NDArray[np.float64] | None = None
    """Statistics that a file holds, columns as in ``FIELDS``; None where they are computed from the array."""
    digest: int = 0
    attributes: TensorAttributes | None = None
    """Attributes of the tensor. All rows of a step have them, or none."""


class _Computed(NamedTuple):
    arrays: Mapping[int, StoredArray]
    """Arrays by row; rows without one only have statistics."""
    statistics: StepStatistics


StepReader = Callable[[], Iterable[RecordedTensor]]
"""Lists the rows of a step, if possible without all of them in memory."""
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
        """Facts that the files have about the whole: versions, settings."""
        self.cache: StatisticsCache | None = None
        """Keeps what is computed of tensors; None computes it again in each process."""
        self._readers, self._overflow_readers = readers, overflow_readers or {}
        self._tensors: list[DebugTensor] = []
        self._indexes: dict[DebugTensor, int] = {}
        self._is_indexed = False
        self._computed: LRU[tuple[int, int], _Computed] = LRU(
            _MOST_ROWS, lambda computed: len(computed.statistics.tensor)
        )
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
                for rank, step in self._readers:
                    if self._computed.get((rank, step)) is None:
                        self._list(step, rank)
                self._is_indexed = True
            return self._tensors

    def steps(self, rank: int) -> Sequence[int]:
        """Return steps with data of a rank, ascending."""
        return sorted(step for each, step in self._readers if each == rank)

    def at(self, step: int, rank: int) -> StepStatistics:
        """Return the statistics of a step. Raises DebugDataError."""
        return self._at(step, rank).statistics

    def without_last_steps(self) -> RecordedSteps:
        """Return the data without the last step of each rank, which a training may still write."""
        last = {(rank, max(self.steps(rank))) for rank in self.ranks}
        readers = {key: reader for key, reader in self._readers.items() if key not in last}
        recorded_steps = RecordedSteps(
            self.format, self.framework, readers, self.problems, self.fields, self.facts, self._overflow_readers
        )
        recorded_steps.cache = self.cache
        return recorded_steps

    def overflows(self, step: int, rank: int) -> Sequence[Overflow]:
        """Return overflows within operators that a device recorded; empty without any. Raises as ``at``."""
        if (rank, step) not in self._readers:
            raise DebugDataError(f"rank {rank} has no debugging data of step {step}")
        reader = self._overflow_readers.get((rank, step))
        return reader() if reader else ()

    def array(self, step: int, rank: int, row: int) -> NDArray[Any] | None:
        """Return the whole tensor of a row of ``at``; None if only its statistics were recorded. Raises as ``at``."""
        stored = self._stored(step, rank, row)
        return None if stored is None else stored.read()

    def elements(self, step: int, rank: int, row: int) -> TensorElements | None:
        """Return the elements of a tensor; those that a file holds in C order are read piece by piece."""
        stored = self._stored(step, rank, row)
        return None if stored is None else stored.elements()

    def _stored(self, step: int, rank: int, row: int) -> StoredArray | None:
        computed = self._at(step, rank)
        rows = len(computed.statistics.tensor)
        if not 0 <= row < rows:
            raise DebugDataError(f"step {step} of rank {rank} has {rows} tensors, no row {row}")
        return computed.arrays.get(row)

    def history(self, tensors: Sequence[int], field: Field, rank: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return one statistic of some tensors over the steps of a rank."""
        return scanned_history(self, tensors, field, rank)

    def _at(self, step: int, rank: int) -> _Computed:
        with self._lock:
            return self._computed.get_or_add((rank, step), lambda: self._compute(step, rank))

    def _compute(self, step: int, rank: int) -> _Computed:
        if (rank, step) not in self._readers:
            raise DebugDataError(f"rank {rank} has no debugging data of step {step}")
        listed = self._list(step, rank)
        values, digests = listed.statistics.values, listed.statistics.digest
        computed = self._statistics(step, rank, list(listed.arrays.values()))
        for row, found in zip(listed.arrays, computed, strict=True):
            if found is not None:
                values[row], digests[row] = found
        return listed

    def _list(self, step: int, rank: int) -> _Computed:
        """Return a step without what is computed of its arrays; kept if there are none."""
        values = bytearray()
        digests, tensors, orders = array("Q"), array("i"), array("i")
        arrays: dict[int, StoredArray] = {}
        attributes: list[TensorAttributes] = []
        for row, recorded in enumerate(self._readers[rank, step]()):
            values += _NO_STATISTICS if recorded.statistics is None else recorded.statistics.tobytes()
            digests.append(0 if recorded.statistics is None else recorded.digest)
            tensors.append(self._number(recorded.tensor))
            orders.append(recorded.order)
            if recorded.array is not None:
                arrays[row] = recorded.array
            if recorded.attributes is not None:
                attributes.append(recorded.attributes)
        statistics = StepStatistics(
            step,
            rank,
            np.array(tensors, np.int32),
            np.array(orders, np.int32),
            np.frombuffer(values, np.float64).reshape(-1, len(FIELDS)),
            np.array(digests, np.uint64),
            attributes,
        )
        listed = _Computed(arrays, statistics)
        return listed if arrays else self._computed.add((rank, step), listed)

    def _statistics(self, step: int, rank: int, arrays: Sequence[StoredArray]) -> list[ArrayStatistics | None]:
        """Compute the statistics of each array; None of those that can't be read, which is noted."""

        def compute(stored: StoredArray) -> ArrayStatistics | None:
            return self.problems.read(stored.path, lambda _: stored.statistics())

        if self.cache is None:
            return [compute(each) for each in arrays]
        return self.cache.statistics(step, rank, arrays, compute)

    def _number(self, tensor: DebugTensor) -> int:
        number = self._indexes.setdefault(tensor, len(self._tensors))
        if number == len(self._tensors):
            self._tensors.append(tensor)
        return number
