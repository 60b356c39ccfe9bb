# SPDX-License-Identifier: Apache-2.0
"""Holds one step of one rank with what the steps before it showed, for conditions and guards."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mindscope.debug.model.fields import Field
from mindscope.debug.model.step_statistics import StepStatistics
from mindscope.debug.model.tensor_table import TensorTable


@dataclass(slots=True)
class RankState:
    """The state of each tensor of a rank after its steps so far. Columns of shape (tensors,)."""

    seen: NDArray[np.int64]
    """The number of steps in which it was recorded."""
    began_at_zero: NDArray[np.bool_]
    """Whether its mean |before| was 0 when it was recorded first."""
    has_changed: NDArray[np.bool_]
    """Whether an update was above 0."""
    previous: StepStatistics | None = None

    @classmethod
    def of(cls, tensors: int) -> RankState:
        """Return the state before the first step."""
        return cls(np.zeros(tensors, np.int64), np.zeros(tensors, np.bool_), np.zeros(tensors, np.bool_))

    def grow(self, tensors: int) -> None:
        """Take further tensors, none of which was seen."""
        more = (0, tensors - len(self.seen))
        self.seen, self.began_at_zero = np.pad(self.seen, more), np.pad(self.began_at_zero, more)
        self.has_changed = np.pad(self.has_changed, more)

    def add(self, recorded: StepStatistics) -> None:
        """Takes in a step, after it was evaluated."""
        self.begin(recorded)
        self.seen[np.unique(recorded.tensor)] += 1
        self.has_changed[recorded.tensor[recorded.column(Field.MEAN_ABS_UPDATE) > 0]] = True
        self.previous = recorded

    def begin(self, recorded: StepStatistics) -> None:
        """Takes in what a step says about the tensors that it records first."""
        is_new = self.seen[recorded.tensor] == 0
        self.began_at_zero[recorded.tensor[is_new & (recorded.column(Field.MEAN_ABS_BEFORE) == 0)]] = True


@dataclass(frozen=True, slots=True)
class StepContext:
    """A step of a rank, and its surroundings."""

    recorded: StepStatistics
    table: TensorTable
    state: RankState
    is_first: bool
    """Whether it is the first recorded step, and the first one or two of the training."""
    overflows: frozenset[int] = frozenset()
    """Orders of operators in which the device recorded an overflow, if a watchpoint needs them."""
