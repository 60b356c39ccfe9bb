# SPDX-License-Identifier: Apache-2.0
"""Debugging data in memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.debug.model.elements import TensorElements, elements_of
from mindscope.debug.model.fields import FIELDS, Field
from mindscope.debug.model.history import scanned_history
from mindscope.debug.model.overflows import Overflow
from mindscope.debug.model.step_statistics import StepStatistics
from mindscope.debug.model.tensors import DebugTensor
from mindscope.errors import DebugDataError


@dataclass(slots=True)
class LoadedSource:
    """A DebugSource whose statistics are all in memory."""

    tensors: Sequence[DebugTensor]
    recorded: Iterable[StepStatistics]
    format: str = "mindscope"
    framework: str = ""
    fields: frozenset[Field] = frozenset(FIELDS)
    arrays: Mapping[tuple[int, int, int], NDArray[Any]] = field(
        default_factory=dict[tuple[int, int, int], NDArray[Any]]
    )
    """Whole tensors by step, rank and row."""
    recorded_overflows: Mapping[tuple[int, int], Sequence[Overflow]] = field(
        default_factory=dict[tuple[int, int], Sequence[Overflow]]
    )
    """Overflows by step and rank."""
    _by_step: dict[tuple[int, int], StepStatistics] = field(init=False)

    def __post_init__(self) -> None:
        self._by_step = {(each.rank, each.step): each for each in self.recorded}

    @property
    def ranks(self) -> Sequence[int]:
        """Ranks with data, ascending."""
        return sorted({rank for rank, _ in self._by_step})

    def steps(self, rank: int) -> Sequence[int]:
        """Return steps with data of a rank, ascending."""
        return sorted(step for each, step in self._by_step if each == rank)

    def at(self, step: int, rank: int) -> StepStatistics:
        """Return the statistics of a step. Raises DebugDataError."""
        if (rank, step) not in self._by_step:
            raise DebugDataError(f"rank {rank} has no debugging data of step {step}")
        return self._by_step[rank, step]

    def array(self, step: int, rank: int, row: int) -> NDArray[Any] | None:
        """Return the whole tensor of a row; None if only its statistics were recorded."""
        return self.arrays.get((step, rank, row))

    def elements(self, step: int, rank: int, row: int) -> TensorElements | None:
        """Return the elements of a row; None if only its statistics were recorded."""
        array = self.array(step, rank, row)
        tensor = self.tensors[int(self.at(step, rank).tensor[row])]
        return None if array is None else elements_of(array, tensor.dtype)

    def overflows(self, step: int, rank: int) -> Sequence[Overflow]:
        """Return overflows that a device recorded in a step."""
        return self.recorded_overflows.get((step, rank), ())

    def history(self, tensors: Sequence[int], field: Field, rank: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return one statistic of some tensors over the steps of a rank."""
        return scanned_history(self, tensors, field, rank)
