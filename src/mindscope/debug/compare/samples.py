# SPDX-License-Identifier: Apache-2.0
"""The first steps of a source, from which a comparison reads the flow of data between operators."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mindscope.debug.model.fields import Field
from mindscope.debug.model.source import DebugSource
from mindscope.debug.model.step_statistics import StepStatistics
from mindscope.errors import FormatError

STEPS = 2
"""Some operators of an optimizer run from the second step on."""


@dataclass(frozen=True, slots=True)
class StepSample:
    """One step by the indexes of its tensors. Columns of shape (tensors,)."""

    step: int
    row: NDArray[np.int64]
    """Row of each tensor in the step, the last one if it has several; -1 without one."""
    recorded: StepStatistics

    @classmethod
    def of(cls, recorded: StepStatistics, tensors: int) -> StepSample:
        """Return a step by the indexes of its tensors."""
        row = np.full(tensors, -1, np.int64)
        known = recorded.tensor < tensors
        row[recorded.tensor[known]] = np.flatnonzero(known)
        return cls(recorded.step, row, recorded)

    def has(self, tensor: int) -> bool:
        """Return whether the step has a tensor."""
        return bool(self.row[tensor] >= 0)

    def key(self, tensor: int) -> int:
        """Return equal numbers for equal tensors: the digest, without one a number from the statistics."""
        row = int(self.row[tensor])
        return int(self.recorded.digest[row]) or zlib.crc32(self.recorded.values[row].tobytes())

    def order(self, tensor: int) -> int:
        """Return the order of the operator in the execution."""
        return int(self.recorded.order[self.row[tensor]])

    def values(self, tensor: int) -> NDArray[np.float64]:
        """Return the statistics of a tensor, shape (fields,)."""
        return self.recorded.values[self.row[tensor]]

    def in_order(self) -> list[int]:
        """Return the indexes of tensors in the order of execution."""
        rows = np.lexsort((np.arange(len(self.recorded.order)), self.recorded.order))
        tensors: list[int] = self.recorded.tensor[rows].tolist()
        return tensors

    def counts(self) -> dict[int, int]:
        """Return the number of elements of each tensor where it was recorded."""
        counts = self.recorded.column(Field.COUNT)
        return {int(tensor): int(counts[row]) for row, tensor in enumerate(self.recorded.tensor)
                if np.isfinite(counts[row])}  # fmt: skip


def samples_of(source: DebugSource) -> tuple[StepSample, ...]:
    """Return the first steps of the first rank that can be read."""
    samples: list[StepSample] = []
    for rank in source.ranks[:1]:
        for step in source.steps(rank):
            sample = sample_at(source, step, rank)
            samples += [sample] if sample is not None else []
            if len(samples) == STEPS:
                return tuple(samples)
    return tuple(samples)


def sample_at(source: DebugSource, step: int, rank: int) -> StepSample | None:
    """Return a step; None if it can't be read."""
    try:
        return StepSample.of(source.at(step, rank), len(source.tensors))
    except (FormatError, OSError):
        return None
