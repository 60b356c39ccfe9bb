# SPDX-License-Identifier: Apache-2.0
"""Finds the first bad number over steps and ranks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from mindscope.debug.first_bad.growth import growth_of
from mindscope.debug.first_bad.origin import Origin, find_origin
from mindscope.debug.first_bad.result import Cause, FirstBad
from mindscope.debug.first_bad.step_operators import StepOperator, StepOperators
from mindscope.debug.model.fields import COLUMN, Field
from mindscope.debug.model.source import DebugSource
from mindscope.debug.model.tensors import DebugTensor, Role
from mindscope.debug.watchpoints.damage import damaged_rows, non_finite_counts
from mindscope.debug.watchpoints.tensor_table import TensorTable, known_rows

_COUNTS = (Field.NAN, Field.POSITIVE_INF, Field.NEGATIVE_INF, Field.COUNT)
_MOST_CHAIN = 200
_MOST_INPUTS = 8


def find_first_bad(source: DebugSource, check: Callable[[], None] = lambda: None) -> FirstBad | None:
    """The first operator in time whose inputs are finite and outputs not, if that damages the training; else None.

    Steps come first, then ranks: one whose origin computes before one that got its values by a collective, then the
    earlier phase and place in the step. Infinity that a mask fills in and a softmax takes away does no damage, neither
    does a step that a scaler of mixed precision skips.

    Raises:
        DebugDataError, FormatError, OSError: as ``DebugSource.at``.
    """
    table = TensorTable.of(source)
    ranks_of: dict[int, list[int]] = {}
    for rank in source.ranks:
        for step in source.steps(rank):
            ranks_of.setdefault(step, []).append(rank)
    harmless: dict[int, set[int]] = {rank: set() for rank in source.ranks}
    for step in sorted(ranks_of):
        check()
        origins: dict[int, Origin] = {}
        for rank in ranks_of[step]:
            recorded = known_rows(source.at(step, rank), table)
            damaged = damaged_rows(recorded, table)
            if not damaged.size:
                harmless[rank].update(recorded.tensor[non_finite_counts(recorded) > 0].tolist())
                continue
            operators = StepOperators.of(recorded, source.tensors, frozenset(harmless[rank]))
            found = find_origin(operators, damaged.tolist())
            if found is not None:
                origins[rank] = found
        if origins:
            return _First(source, table, step, origins).result()
    return None


@dataclass(frozen=True, slots=True)
class _First:
    source: DebugSource
    table: TensorTable
    step: int
    origins: Mapping[int, Origin]

    def result(self) -> FirstBad:
        rank = min(self.origins, key=lambda each: (*_age(self.origins[each]), each))
        origin = self.origins[rank]
        recorded = known_rows(self.source.at(self.step, rank), self.table)
        place = int(recorded.tensor[origin.row])
        named = origin.enclosing or origin.operator
        cause = Cause.OTHER_RANK if origin.is_collective and origin.cause is Cause.OPERATOR else origin.cause
        inputs = origin.operator.inputs[:_MOST_INPUTS] if cause is Cause.OPERATOR else []
        growths = [
            growth_of(self.source, int(recorded.tensor[row]), rank, self.step) for row in inputs
        ]  # of each input up to this step, where it is still finite
        return FirstBad(
            cause=cause,
            step=self.step,
            rank=rank,
            operator=_name(named),
            phase=str(origin.operator.phase),
            order=origin.operator.order,
            tensor=place,
            tensor_name=_tensor_name(self.source.tensors[place]),
            row=origin.row,
            counts={str(field): int(np.nan_to_num(recorded.values[origin.row, COLUMN[field]])) for field in _COUNTS},
            is_first_step=self.step == self.source.steps(rank)[0] and self.step > 1,
            is_module=named.is_module and named.tensor.role in (Role.INPUT, Role.OUTPUT),
            source=_line(named) or _line(origin.operator),
            inputs=tuple([self._range(recorded.values[row], int(recorded.tensor[row])) for row in inputs]),
            growth=tuple([each for each in growths if each is not None]),
            chain=tuple(dict.fromkeys(_name(each) for each in origin.chain[:_MOST_CHAIN])),
            other_ranks={other: _name(each.operator) for other, each in self.origins.items() if other != rank},
            before=_name(origin.operator),
        )

    def _range(self, values: np.ndarray, place: int) -> str:
        tensor = self.source.tensors[place]
        low, high = values[COLUMN[Field.MIN]], values[COLUMN[Field.MAX]]
        facts = [_tensor_name(tensor), f"from {low:.6g} to {high:.6g}"]
        zeros, near = values[COLUMN[Field.ZERO]], values[COLUMN[Field.NEAR_MAX]]
        if zeros > 0:
            facts.append(f"{zeros:,.0f} zeros")
        if near > 0:
            facts.append(f"{near:,.0f} near the end of {tensor.dtype}")
        return ", ".join(facts)


def _age(origin: Origin) -> tuple[bool, int, int]:
    return (origin.is_collective, *origin.operator.time)


def _name(operator: StepOperator) -> str:
    tensor = operator.tensor
    if tensor.role is Role.GRADIENT:
        return f"gradient of {_tensor_name(tensor)}"
    if tensor.role is Role.PARAMETER:
        return f"update of {_tensor_name(tensor)}"
    return tensor.operator


def _tensor_name(tensor: DebugTensor) -> str:
    if tensor.role in (Role.PARAMETER, Role.GRADIENT):
        return f"{tensor.module}.{tensor.slot}".lstrip(".")
    return f"{tensor.role} {tensor.slot} of {tensor.operator}"


def _line(operator: StepOperator) -> str:
    return operator.tensor.stack[0] if operator.tensor.stack else ""
