# SPDX-License-Identifier: Apache-2.0
"""Tensors of one step with their statistics, as tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from mindscope.debug.model.fields import FIELDS, Field
from mindscope.debug.model.tensors import DebugTensor
from mindscope.tables import Tabular


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

    def __getitem__(self, place: int) -> TensorRecord:
        return self.records[place]

    def _columns(self) -> dict[str, list[Any]]:
        names = ("order", "operator", "phase", "role", "slot", "dtype", "shape")
        columns: dict[str, list[Any]] = {name: [] for name in (*names, *map(str, FIELDS))}
        for each in self.records:
            tensor = each.tensor
            shape = "" if tensor.shape is None else str(list(tensor.shape))
            facts = (each.order, tensor.operator, str(tensor.phase), str(tensor.role), tensor.slot, tensor.dtype, shape)
            for name, value in zip(names, facts, strict=True):
                columns[name].append(value)
            for field in FIELDS:
                columns[str(field)].append(each.statistics[field])
        return columns
