# SPDX-License-Identifier: Apache-2.0
"""All statistics of a few tensors over the steps, read step by step."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mindscope.debug.model.fields import FIELDS
from mindscope.debug.model.step_statistics import StepStatistics
from mindscope.debug.views.figures import Figure

_FIRST_CAPACITY = 64


class TensorHistory:
    """Grows step by step. Of a tensor that a step has more than once, the last row counts.

    Args:
        tensors: indexes in ``DebugSource.tensors``.
    """

    def __init__(self, tensors: Sequence[int]) -> None:
        self.tensors = tuple(tensors)
        self.steps: list[int] = []
        """Steps that were added."""
        self._values = np.full((_FIRST_CAPACITY, len(self.tensors), len(FIELDS)), np.nan)

    def add(self, recorded: StepStatistics) -> None:
        """Add a step, later than all before."""
        self.skip(recorded.step)
        into = self._values[len(self.steps) - 1]
        for column, tensor in enumerate(self.tensors):
            rows = np.flatnonzero(recorded.tensor == tensor)
            if rows.size:
                into[column] = recorded.values[rows[-1]]

    def skip(self, step: int) -> None:
        """Add a step that can't be read: its values are NaN."""
        if len(self.steps) == len(self._values):
            self._values = np.concatenate([self._values, np.full_like(self._values, np.nan)])
        self.steps.append(step)

    @property
    def values(self) -> NDArray[np.float64]:
        """Return all statistics of each tensor. Shape (steps, tensors, fields)."""
        return self._values[: len(self.steps)]

    def figure(self, figure: Figure) -> NDArray[np.float64]:
        """Return a figure of each tensor, NaN where it was not recorded. Shape (steps, tensors)."""
        return figure.of(self.values)
