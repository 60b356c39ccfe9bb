# SPDX-License-Identifier: Apache-2.0
"""The rows of a step that pass a filter, in the order of a column."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from mindscope.debug.model.step_statistics import StepStatistics
from mindscope.debug.model.tensors import DebugTensor
from mindscope.debug.views.figures import FIGURES
from mindscope.errors import DebugDataError

Rows = NDArray[np.intp]

TEXTS: Mapping[str, Callable[[DebugTensor], str]] = MappingProxyType(
    {
        "operator": lambda tensor: tensor.operator,
        "module": lambda tensor: tensor.module,
        "type": lambda tensor: tensor.type,
        "phase": lambda tensor: tensor.phase.value,
        "role": lambda tensor: tensor.role.value,
        "slot": lambda tensor: tensor.slot,
        "dtype": lambda tensor: tensor.dtype,
    }
)
"""The columns of texts by name."""
ORDER = "order"
"""Name of the order of execution."""
SORTS = (ORDER, *TEXTS, *FIGURES)
"""Everything that rows can be sorted by."""


def non_finite_rows(recorded: StepStatistics) -> NDArray[np.bool_]:
    """Return which rows have a NaN or an infinity. Shape (rows,)."""
    return FIGURES["non_finite"].of(recorded.values) > 0


def matching_rows(recorded: StepStatistics, is_wanted: NDArray[np.bool_], *, only_non_finite: bool = False) -> Rows:
    """Return the rows of wanted tensors in the order of execution.

    Args:
        recorded: the step.
        is_wanted: for each tensor of the source, as ``TensorFilter.mask`` returns it.
        only_non_finite: leave out rows without NaN and infinities.
    """
    found = is_wanted[recorded.tensor]
    return np.flatnonzero(found & non_finite_rows(recorded) if only_non_finite else found)


def ordered_rows(
    recorded: StepStatistics, tensors: Sequence[DebugTensor], rows: Rows, sort: str, *, is_descending: bool
) -> Rows:
    """Return rows sorted by a column; equal ones in the order of execution, those without a number last.

    Raises:
        DebugDataError: no such column.
    """
    if sort == ORDER:
        return rows[::-1] if is_descending else rows
    if sort in TEXTS:
        indexes, inverse = np.unique(recorded.tensor[rows], return_inverse=True)
        texts = [TEXTS[sort](tensors[int(index)]).casefold() for index in indexes]
        rank = {text: number for number, text in enumerate(sorted(set(texts)))}
        keys = np.array([rank[text] for text in texts], np.float64)[inverse.reshape(-1)]
    elif sort in FIGURES:
        keys = FIGURES[sort].of(recorded.values[rows])
    else:
        raise DebugDataError(f"tensors have no column {sort!r}; they have {', '.join(SORTS)}")
    order = np.argsort(-keys if is_descending else keys, kind="stable")  # NaN comes last in both
    return rows[order]
