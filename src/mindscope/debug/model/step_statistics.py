# SPDX-License-Identifier: Apache-2.0
"""The statistics of all tensors that were recorded in one step by one rank."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mindscope.debug.model.attributes import TensorAttributes
from mindscope.debug.model.fields import COLUMN, Field


@dataclass(frozen=True, slots=True)
class StepStatistics:
    """The statistics of a step: a row for each tensor, in the order of execution. A tensor may have several rows."""

    step: int
    rank: int
    tensor: NDArray[np.int32]
    """Indexes in ``DebugSource.tensors``. Shape (rows,)."""
    order: NDArray[np.int32]
    """Number of the operator in the order of execution: inputs and outputs of one operator have the same. (rows,)."""
    values: NDArray[np.float64]
    """Columns as in ``FIELDS``; shape (rows, fields)."""
    digest: NDArray[np.uint64]
    """A hash of the bytes of each tensor; 0 where none was recorded. (rows,). Only those of one source compare."""
    attributes: Sequence[TensorAttributes] = ()
    """Attributes of each row, or empty where the format has none."""

    def column(self, field: Field) -> NDArray[np.float64]:
        """Return one statistic of every row."""
        return self.values[:, COLUMN[field]]
