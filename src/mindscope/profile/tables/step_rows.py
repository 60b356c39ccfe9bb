# SPDX-License-Identifier: Apache-2.0
"""Operators and kernels of each step, of formats that have no tree of calls."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.tables.kernels import Kernels
from mindscope.profile.tables.operators import Operators
from mindscope.table.columns import TextColumn

_T = TypeVar("_T", Operators, Kernels)


@dataclass(frozen=True)
class StepRows:
    """Tables with the column ``step``; None where the format can't tell the step of its rows."""

    operators: Operators | None = None
    kernels: Kernels | None = None

    def of_steps(self, first: int, last: int) -> StepRows:
        """Select the steps from number ``first`` to ``last``, merged over the steps; a table without rows is None."""
        return StepRows(_of_steps(self.operators, first, last), _of_steps(self.kernels, first, last))


def step_texts(
    times: NDArray[np.int64], start: NDArray[np.int64], end: NDArray[np.int64], numbers: NDArray[np.int64]
) -> TextColumn:
    """Return the numbers of the steps in which times lie; ``start`` in ascending order."""
    index = np.searchsorted(start, times, side="right") - 1
    is_within = (index >= 0) & (times < end[np.maximum(index, 0)])
    codes = np.where(is_within, index + 1, 0).astype(np.uint32)
    return TextColumn(codes, ["", *map(str, numbers.tolist())])


def _of_steps(table: _T | None, first: int, last: int) -> _T | None:
    if table is None or table.step is None:
        return None
    chosen = table.select(table.step.is_any_of(lambda step: step != "" and first <= int(step) <= last))
    if not len(chosen):
        return None
    others = replace(chosen, step=None)
    return others.group_by(*(name for name, column in others.columns().items() if isinstance(column, TextColumn)))
