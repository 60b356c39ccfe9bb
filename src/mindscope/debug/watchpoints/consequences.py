# SPDX-License-Identifier: Apache-2.0
"""Finds which hits of NaN and infinity follow from the first: one bad number soon fills all tensors of a training."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mindscope.debug.first_bad.harmless import HarmlessValues
from mindscope.debug.first_bad.origin import find_origin
from mindscope.debug.first_bad.step_operators import StepOperators
from mindscope.debug.model.damage import damaged_rows
from mindscope.debug.model.step_statistics import StepStatistics
from mindscope.debug.model.tensor_table import TensorTable
from mindscope.debug.model.tensors import DebugTensor


@dataclass(slots=True)
class FirstDamage:
    """The origin of the damage of a rank that lasts up to its newest step."""

    _harmless: HarmlessValues = field(default_factory=HarmlessValues)
    _step: int | None = None
    _row: int = -1
    """The tensor in that step from which the others have it; -1 if no operator has the damaged ones."""
    _order: int = -1
    """Number of the operator of that tensor in the order of execution."""

    def add(
        self, recorded: StepStatistics, tensors: Sequence[DebugTensor], table: TensorTable, *, is_recorded_before: bool
    ) -> None:
        """Take in a step. The arguments are those of ``find_origin``; a step without damage ends the damage."""
        damaged = damaged_rows(recorded, table)
        if not damaged.size:
            self._step = None
            self._harmless.add(recorded)
        elif self._step is None:
            operators = StepOperators.of(recorded, tensors, self._harmless.kinds)
            origin = find_origin(operators, damaged.tolist(), is_recorded_before=is_recorded_before)
            self._step, self._row = recorded.step, -1 if origin is None else origin.row
            self._order = int(recorded.order[damaged].min()) if origin is None else origin.operator.order

    def is_consequence(self, recorded: StepStatistics, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return whether rows that are not finite in the newest step follow from another one. Shape (rows,)."""
        if recorded.step != self._step or not rows.size:
            return np.full(len(rows), self._step is not None)
        first = self._row if self._row in rows else int(rows[np.argmin(recorded.order[rows])])
        return rows != first

    def is_later(self, recorded: StepStatistics, rows: NDArray[np.intp], since: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return whether hits of any condition in the newest step began after the damage. Shape (rows,).

        ``since``: the step since which each holds.
        """
        if self._step is None:
            return np.zeros(len(rows), np.bool_)
        if recorded.step == self._step:
            return (since == self._step) & (recorded.order[rows] > self._order)
        return since >= self._step
