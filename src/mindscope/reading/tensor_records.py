# SPDX-License-Identifier: Apache-2.0
"""Tensors of one step with their statistics, as tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.debug.model.fields import FIELDS, Field
from mindscope.debug.model.tensors import DebugTensor
from mindscope.table.columns import Ids, Texts
from mindscope.table.table import Table, Tabular


@dataclass(frozen=True, slots=True)
class TensorRecord:
    """One tensor of one step."""

    tensor: DebugTensor
    step: int
    rank: int
    order: int
    """Number of its operator in the execution of the step."""
    statistics: Mapping[Field, float]
    """NaN where one was not recorded."""
    array: NDArray[Any] | None
    """None if only statistics were recorded."""


@dataclass(frozen=True, slots=True)
class TensorRecords(Tabular):
    """Tensors of one step, in the order of execution."""

    records: tuple[TensorRecord, ...]

    def __len__(self) -> int:
        return len(self.records)

    def __getitem__(self, index: int) -> TensorRecord:
        return self.records[index]

    def to_table(self) -> TensorRows:
        """Return a row for each tensor, with a column for each statistic."""
        rows = [
            {
                **{"order": record.order, "operator": record.tensor.operator, "phase": str(record.tensor.phase)},
                **{"role": str(record.tensor.role), "slot": record.tensor.slot, "dtype": record.tensor.dtype},
                "shape": "" if record.tensor.shape is None else str(list(record.tensor.shape)),
            }
            for record in self.records
        ]
        statistics = {str(field): np.array([record.statistics[field] for record in self.records]) for field in FIELDS}
        return TensorRows.of_rows(rows).with_extra(statistics, {str(field): field.column for field in FIELDS})


@dataclass(frozen=True, kw_only=True)
class TensorRows(Table):
    """One row for each tensor of a step."""

    order: Ids
    operator: Texts
    phase: Texts
    role: Texts
    slot: Texts
    dtype: Texts
    shape: Texts
