# SPDX-License-Identifier: Apache-2.0
"""Reads one statistic of some tensors over the steps, from the statistics of each step."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mindscope.debug.model.fields import Field
from mindscope.debug.model.source import DebugSource


def scanned_history(
    source: DebugSource, tensors: Sequence[int], field: Field, rank: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Read a history as ``DebugSource.history``, for a source that has no faster way than to read every step."""
    steps = np.array(source.steps(rank), np.int64)
    values = np.full((len(steps), len(tensors)), np.nan)
    column_of = np.full(len(source.tensors), -1)
    column_of[list(tensors)] = np.arange(len(tensors))
    for row, step in enumerate(steps.tolist()):
        recorded = source.at(step, rank)
        column = column_of[recorded.tensor]
        is_wanted = column >= 0
        values[row, column[is_wanted]] = recorded.column(field)[is_wanted]  # the last of equal columns stays
    return steps, values
