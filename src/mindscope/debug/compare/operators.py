# SPDX-License-Identifier: Apache-2.0
"""The operators of a source as a comparison matches them: in the order of execution, with what they compute."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property

from mindscope.debug.compare.names import alike_type, moves_memory, parts_of, plain_path
from mindscope.debug.compare.samples import StepSample, samples_of
from mindscope.debug.first_bad.step_operators import is_module
from mindscope.debug.model.source import DebugSource
from mindscope.debug.model.tensors import DebugTensor, Phase, Role

_INPUTS_WITH_BIAS = 3
_LOSS = "loss"


@dataclass(frozen=True, slots=True)
class RecordedOperator:
    """An operator, a module, a parameter or a gradient with its tensors, by role and slot."""

    tensors: tuple[int, ...]
    """Indexes in ``DebugSource.tensors``."""
    first: DebugTensor
    position: int
    """Position in the order of execution."""
    path: str
    """Path of its module, without wrappers and classes."""
    parts: tuple[str, ...]
    """The types that it computes, one after the other."""
    is_state: bool
    """Whether it is an input of the graph, a constant, or what only an optimizer keeps."""

    @property
    def name(self) -> str:
        """The name of an operator, or of a parameter: ``encoder.0.weight``."""
        return owner_of(self.first)

    @property
    def phase(self) -> Phase:
        """The part of the step in which it runs."""
        return self.first.phase

    @property
    def is_parameter(self) -> bool:
        """Whether it is a parameter or its gradient, not an operator."""
        return self.first.role in (Role.PARAMETER, Role.GRADIENT)

    @property
    def is_module(self) -> bool:
        """Whether it is a module, which contains operators and modules."""
        return not self.is_parameter and not self.is_state and not self.is_loss and is_module(self.first)

    @property
    def is_loss(self) -> bool:
        """Whether it is the loss that was given to a ``Debugger``."""
        return self.first.type == _LOSS and not self.first.module

    @property
    def computes(self) -> bool:
        """Whether it computes a value of the training. Others count in the coverage only if they match."""
        return not self.is_state and (self.is_parameter or self.is_module or not moves_memory(self.first.type))


@dataclass(frozen=True)
class RecordedOperators:
    """The operators of a source."""

    tensors: Sequence[DebugTensor]
    operators: tuple[RecordedOperator, ...]
    samples: tuple[StepSample, ...]
    """Samples of the first steps."""

    @classmethod
    def of(cls, source: DebugSource) -> RecordedOperators:
        """Return the operators in the order of the first steps.

        Raises as ``DebugSource.at``, if no step can be read.
        """
        tensors, samples = source.tensors, samples_of(source)
        positions = _positions(samples)
        groups = _groups(tensors)
        with_bias = {plain_path(tensor.module) for tensor in tensors if tensor.slot in ("bias", "beta")}
        without = {plain_path(tensor.module) for tensor in tensors if tensor.role is Role.PARAMETER} - with_bias
        last = len(tensors)
        recorded_operators: list[RecordedOperator] = []
        for group in groups:
            first = tensors[group[0]]
            path = plain_path(first.module)
            has_bias = _has_bias(first, [tensors[each] for each in group], path, without)
            is_state = _is_state(first, len(group), source.format)
            position = min(positions.get(each, last + each) for each in group)
            recorded_operators.append(
                RecordedOperator(group, first, position, path, _parts(first, has_bias=has_bias), is_state)
            )
        return cls(tensors, tuple(sorted(recorded_operators, key=lambda each: each.position)), samples)

    @cached_property
    def sizes(self) -> tuple[int | None, ...]:
        """The number of elements of each tensor, None where it is not known or varies."""
        counted: dict[int, int] = {}
        for sample in reversed(self.samples):
            counted |= sample.counts()
        return tuple([
            _size(tensor.shape) if tensor.shape is not None else counted.get(index)
            for index, tensor in enumerate(self.tensors)
        ])  # fmt: skip

    def main_size(self, operator: RecordedOperator) -> int | None:
        """Return the number of elements of the first output, of a parameter its own."""
        tensors = [tensor for tensor in operator.tensors if self.tensors[tensor].role is not Role.INPUT]
        return self.sizes[tensors[0]] if tensors else None


def owner_of(tensor: DebugTensor) -> str:
    """Return the name in messages of the operator, the parameter or the gradient that a tensor is of."""
    own = f"{tensor.module}.{tensor.slot}".lstrip(".")
    if tensor.role is Role.PARAMETER:
        return own
    return f"gradient of {own}" if tensor.role is Role.GRADIENT else tensor.operator


def _positions(samples: Sequence[StepSample]) -> dict[int, int]:
    """Return the position of each tensor in the order of execution of the first step that has it."""
    order: dict[int, int] = {}
    for sample in samples:
        for tensor in sample.in_order():
            order.setdefault(tensor, len(order))
    return order


def _groups(tensors: Sequence[DebugTensor]) -> list[tuple[int, ...]]:
    groups: dict[Hashable, list[int]] = defaultdict(list)
    for index, tensor in enumerate(tensors):
        if tensor.role is Role.BUFFER:  # few trainings have any
            continue
        slot = tensor.slot if tensor.role in (Role.PARAMETER, Role.GRADIENT) else ""
        key = tensor.module, tensor.type, tensor.phase, tensor.call, tensor.name, slot, slot and tensor.role
        groups[key].append(index)
    return [tuple(group) for group in groups.values()]


def _has_bias(first: DebugTensor, tensors: Sequence[DebugTensor], path: str, without: set[str]) -> bool:
    if is_module(first):
        return path not in without
    if alike_type(first.type) == "linear":
        return True
    return sum(tensor.role is Role.INPUT and tensor.shape != () for tensor in tensors) >= _INPUTS_WITH_BIAS


def _parts(first: DebugTensor, *, has_bias: bool) -> tuple[str, ...]:
    if first.phase is Phase.FORWARD:
        return parts_of(first.type, has_bias=has_bias)
    alike = alike_type(first.type)
    return tuple(reversed(parts_of(first.type, has_bias=True))) if alike == "crossentropyloss" else (alike,)


def _is_state(first: DebugTensor, tensors: int, format: str) -> bool:
    if first.role is Role.PARAMETER:  # a Debugger records weights after their update, a dump what optimizers keep
        return first.phase is Phase.OPTIMIZER and format == "mindspore_dump"
    is_alone = tensors == 1 and not first.module and "::" not in first.type
    return is_alone and (first.type == "Constant" or (first.role is Role.INPUT and first.type == "Parameter"))


def _size(shape: tuple[int, ...]) -> int:
    size = 1
    for each in shape:
        size *= each
    return size
