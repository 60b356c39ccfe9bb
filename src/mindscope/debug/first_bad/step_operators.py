# SPDX-License-Identifier: Apache-2.0
"""The operators of one step: which of their inputs and outputs are not finite."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum

import numpy as np

from mindscope.debug.model.damage import non_finite_kinds
from mindscope.debug.model.step_statistics import StepStatistics
from mindscope.debug.model.tensors import DebugTensor, Phase, Role

PHASES = {Phase.FORWARD: 0, Phase.BACKWARD: 1, Phase.OPTIMIZER: 2}


@dataclass(slots=True)
class StepOperator:
    """One operator or module of a step, or the computation of one gradient or the update of one parameter."""

    tensor: DebugTensor
    """A tensor of it, for its names."""
    phase: Phase
    order: int
    bad_inputs: list[int] = field(default_factory=list[int])
    """Rows that are not finite, in a way that harmless steps did not have."""
    bad_outputs: list[int] = field(default_factory=list[int])
    old_inputs: list[int] = field(default_factory=list[int])
    """Rows that are not finite, as in a harmless step."""
    old_outputs: list[int] = field(default_factory=list[int])
    inputs: list[int] = field(default_factory=list[int])
    outputs: list[int] = field(default_factory=list[int])
    buffers: list[int] = field(default_factory=list[int])
    """Rows of buffers that are not finite before it runs; only of modules that hold them."""

    @property
    def is_module(self) -> bool:
        """Whether it is a module, which contains operators and modules."""
        return is_module(self.tensor)

    @property
    def non_finite_outputs(self) -> list[int]:
        """The bad outputs, else those that are as in a harmless step."""
        return self.bad_outputs or self.old_outputs

    @property
    def time(self) -> tuple[int, int]:
        """Phase and order of the operator in the step."""
        return PHASES[self.phase], self.order

    def contains(self, other: StepOperator) -> bool:
        """Return whether the other is inside of this module, in the same phase."""
        if not self.is_module or self.phase is not other.phase or other is self:
            return False
        inner, outer = other.tensor.module, self.tensor.module
        if inner == outer:
            return not other.is_module
        return not outer or inner.startswith(outer + ".")


def is_module(tensor: DebugTensor) -> bool:
    """Return whether a tensor is of a module: formats with full names say so, operators of PyTorch have a namespace."""
    if tensor.name:
        return tensor.name.startswith(("Module.", "Cell."))
    return "::" not in tensor.type


@dataclass(slots=True)
class StepOperators:
    """All operators of a step, in the order of execution."""

    recorded: StepStatistics
    operators: list[StepOperator]
    bad_parameters: list[int]
    """Rows of parameters that are not finite before the forward pass uses them."""
    old_parameters: frozenset[int]
    """Rows of ``bad_parameters`` that are as in a harmless step."""
    tensors: Sequence[DebugTensor]
    kinds: list[int]
    """Kinds of the numbers of each row, as ``non_finite_kinds``."""

    @classmethod
    def of(
        cls, recorded: StepStatistics, tensors: Sequence[DebugTensor], harmless: Mapping[int, int] | None = None
    ) -> StepOperators:
        """Groups the rows of a step. ``harmless``: of tensors, the kinds of numbers that undamaged steps had too."""
        kinds: list[int] = non_finite_kinds(recorded).tolist()
        is_old = [
            kinds[row] & ~(harmless or {}).get(tensor, 0) == 0 for row, tensor in enumerate(recorded.tensor.tolist())
        ]
        tensor_of_row: list[int] = recorded.tensor.tolist()
        orders: list[int] = recorded.order.tolist()
        last_forward = max(
            (order for tensor, order in zip(tensor_of_row, orders, strict=True)
             if tensors[tensor].phase is Phase.FORWARD and tensors[tensor].role in (Role.INPUT, Role.OUTPUT)),
            default=-1,
        )  # fmt: skip
        grouping = _Grouping()
        for row, (tensor, order) in enumerate(zip(tensor_of_row, orders, strict=True)):
            state = _State.FINITE if not kinds[row] else _State.OLD if is_old[row] else _State.BAD
            grouping.add(row, tensors[tensor], order, state, is_after=order > last_forward)
        bad = grouping.bad_parameters
        old = frozenset([row for row in bad if is_old[row]])
        return cls(recorded, grouping.result(), bad, old, tensors, kinds)

    def signature(self, row: int) -> tuple[float, ...]:
        """Return what a copy of a tensor shares with it when no digest was recorded: its counts."""
        return tuple(np.nan_to_num(self.recorded.values[row, :4], nan=-1).tolist())


class _State(Enum):
    FINITE = 0
    OLD = 1
    """The tensor is not finite, as in a harmless step."""
    BAD = 2


@dataclass(slots=True)
class _Grouping:
    groups: dict[tuple[object, ...], StepOperator] = field(default_factory=dict[tuple[object, ...], StepOperator])
    bad_parameters: list[int] = field(default_factory=list[int])
    gradients: list[tuple[int, DebugTensor, int, _State]] = field(
        default_factory=list[tuple[int, DebugTensor, int, _State]]
    )
    updates: list[tuple[int, DebugTensor, int, _State]] = field(
        default_factory=list[tuple[int, DebugTensor, int, _State]]
    )

    def add(self, row: int, tensor: DebugTensor, order: int, state: _State, *, is_after: bool) -> None:
        if tensor.role is Role.GRADIENT:
            self.gradients.append((row, tensor, order, state))
        elif tensor.role is Role.PARAMETER:
            if tensor.phase is Phase.OPTIMIZER or is_after:
                self.updates.append((row, tensor, order, state))
            elif state is not _State.FINITE:
                self.bad_parameters.append(row)
        else:
            key = order, tensor.phase, tensor.module, tensor.type, tensor.call, tensor.name
            group = self.groups.setdefault(key, StepOperator(tensor, tensor.phase, order))
            if tensor.role is not Role.BUFFER:
                _add(group, row, state, is_output=tensor.role is Role.OUTPUT)
            elif state is not _State.FINITE:
                group.buffers.append(row)

    def result(self) -> list[StepOperator]:
        of_modules = {each.tensor.module: each for each in self.groups.values()
                      if each.phase is Phase.BACKWARD and each.is_module}  # fmt: skip
        made: list[StepOperator] = []
        for row, tensor, order, state in self.gradients:
            group = of_modules.get(tensor.module)
            if group is None:
                group = StepOperator(tensor, Phase.BACKWARD, order)
                made.append(group)
            _add(group, row, state, is_output=True)
        rows = {(tensor.module, tensor.slot): (row, state) for row, tensor, _, state in self.gradients}
        for row, tensor, order, state in self.updates:
            group = StepOperator(tensor, Phase.OPTIMIZER, order)
            made.append(group)
            _add(group, row, state, is_output=True)
            if (tensor.module, tensor.slot) in rows:
                _add(group, *rows[tensor.module, tensor.slot], is_output=False)
        return sorted([*self.groups.values(), *made], key=lambda each: each.time)


def _add(operator: StepOperator, row: int, state: _State, *, is_output: bool) -> None:
    (operator.outputs if is_output else operator.inputs).append(row)
    if state is _State.BAD:
        (operator.bad_outputs if is_output else operator.bad_inputs).append(row)
    elif state is _State.OLD:
        (operator.old_outputs if is_output else operator.old_inputs).append(row)
