# SPDX-License-Identifier: Apache-2.0
"""Pairs the tensors of matched operators, and what enters and leaves a chain of operators."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from mindscope.debug.compare.operators import RecordedOperator, RecordedOperators
from mindscope.debug.compare.samples import StepSample
from mindscope.debug.compare.statistic_error import statistic_errors
from mindscope.debug.model.tensors import DebugTensor, Role

Pairs = list[tuple[int, int]]
_MOST_ERROR = 1e-3
"""Relative error of the statistics of two tensors that are the same, in the first step."""


@dataclass(frozen=True)
class Sides:
    """Two sources, and steps of both in which equal trainings hold equal values."""

    left: RecordedOperators
    right: RecordedOperators
    samples: tuple[tuple[StepSample, StepSample], ...]

    def swapped(self) -> Sides:
        """Return the right source as the left one."""
        return Sides(self.right, self.left, tuple([(other, one) for one, other in self.samples]))

    def error(self, one: int, other: int) -> float:
        """Return the distance of a left tensor from a right one in the first step that has both; infinite if
        not known.
        """
        for left, right in self.samples:
            if left.has(one) and right.has(other):
                found = float(statistic_errors(left.values(one)[None], right.values(other)[None])[0])
                return np.inf if np.isnan(found) else found
        return np.inf

    def pair(self, ours: Sequence[int], theirs: Sequence[int]) -> Pairs:
        """Return tensors with equal numbers of elements.

        Of several, it returns those whose values in the first step agree.
        """
        of_left, of_right = self._by_size(self.left, ours), self._by_size(self.right, theirs)
        pairs: Pairs = []
        for size, tensors in of_left.items():
            others = of_right.get(size, [])
            pairs += [(tensors[0], others[0])] if len(tensors) == len(others) == 1 else self.nearest(tensors, others)
        return pairs

    def agreeing(self, entering: Pairs, leaving: Pairs) -> Pairs:
        """Return inputs without those that differ in the first step although the outputs agree: they are something
        else.
        """
        if not leaving or any(self.error(*pair) > _MOST_ERROR for pair in leaving):
            return entering
        return [pair for pair in entering if self.error(*pair) <= _MOST_ERROR]

    def _by_size(self, side: RecordedOperators, tensors: Iterable[int]) -> dict[tuple[int, bool], list[int]]:
        groups: dict[tuple[int, bool], list[int]] = defaultdict(list)
        for tensor in tensors:
            size = side.sizes[tensor]
            if size is not None:
                groups[size, _is_float(side.tensors[tensor])].append(tensor)
        return groups

    def nearest(self, tensors: Sequence[int], others: Sequence[int]) -> Pairs:
        """Return tensors whose values agree in the first step, the nearest first."""
        errors = sorted((self.error(one, other), one, other) for one in tensors for other in others)
        found: dict[int, int] = {}
        for error, one, other in errors:
            if error <= _MOST_ERROR and one not in found and other not in found.values():
                found[one] = other
        return list(found.items())


def operator_pairs(sides: Sides, one: RecordedOperator, other: RecordedOperator) -> Pairs:
    """Return the tensors of two operators: of equal types by role and slot, else by their numbers of elements."""
    ours, theirs = _by_role(sides.left, one), _by_role(sides.right, other)
    if one.is_parameter or one.first.type == other.first.type:
        return [pair for role, of_left in ours.items() for pair in _by_slot(sides, of_left, theirs.get(role, []))]
    pairs = {role: sides.pair(of_left, theirs.get(role, [])) for role, of_left in ours.items()}
    entering = pairs.pop(Role.INPUT, [])
    leaving = [pair for of_role in pairs.values() for pair in of_role]
    return [*sides.agreeing(entering, leaving), *leaving]


def _by_slot(sides: Sides, ours: list[int], theirs: list[int]) -> Pairs:
    if len(ours) == len(theirs) == 1:
        return [(ours[0], theirs[0])]
    slots = {sides.right.tensors[their].slot: their for their in reversed(theirs)}
    return [(our, slots[slot]) for our in ours if (slot := sides.left.tensors[our].slot) in slots]


def _by_role(side: RecordedOperators, operator: RecordedOperator) -> dict[Role, list[int]]:
    groups: dict[Role, list[int]] = defaultdict(list)
    for tensor in operator.tensors:
        groups[side.tensors[tensor].role].append(tensor)
    return groups


def chain_pairs(sides: Sides, left: Sequence[RecordedOperator], right: Sequence[RecordedOperator]) -> Pairs:
    """Return the tensors that enter and leave two chains; empty if no output matches another one."""
    for sample, other in sides.samples:
        ours, theirs = _Borders.of(sides.left, left, sample), _Borders.of(sides.right, right, other)
        leaving = sides.pair(ours.leaving, theirs.leaving) or sides.pair(ours.outputs[-1:], theirs.outputs[-1:])
        if leaving:
            return [*sides.agreeing(sides.pair(ours.entering, theirs.entering), leaving), *leaving]
    return []


def module_pairs(sides: Sides, module: RecordedOperator, right: Sequence[RecordedOperator]) -> Pairs:
    """Return the tensors of a module of the left source, and those that enter and leave the operators in it."""
    ours = _by_role(sides.left, module)
    for _, sample in sides.samples:
        theirs = _Borders.of(sides.right, right, sample)
        inputs, outputs = ours.get(Role.INPUT, []), ours.get(Role.OUTPUT, [])
        if not outputs and (entering := sides.nearest(inputs, theirs.inputs)):
            return entering
        entering = sides.pair(inputs, theirs.entering)
        leaving = sides.pair(outputs, theirs.leaving) or sides.nearest(outputs, theirs.outputs)
        if leaving:
            return [*sides.agreeing(entering, leaving), *leaving]
    return []


def outputs_of(sides: Sides, right: Sequence[RecordedOperator]) -> list[int]:
    """Return the outputs of operators of the right source, of equal tensors the first one."""
    for _, sample in sides.samples:
        found = _unique(_Borders.of(sides.right, right, sample).outputs, sample)
        if found:
            return found
    return []


@dataclass(frozen=True, slots=True)
class _Borders:
    """Tensors of a chain in a step, of equal ones one."""

    entering: list[int]
    """Inputs that no earlier operator of the chain made."""
    leaving: list[int]
    """Outputs that no later one takes."""
    inputs: list[int]
    """All inputs, in the order of execution."""
    outputs: list[int]
    """All outputs, in the order of execution."""

    @classmethod
    def of(cls, side: RecordedOperators, chain: Sequence[RecordedOperator], sample: StepSample) -> _Borders:
        tensors = sorted(
            (each for operator in chain for each in operator.tensors if sample.has(each)), key=sample.order
        )
        inputs = [tensor for tensor in tensors if side.tensors[tensor].role is Role.INPUT]
        outputs = [tensor for tensor in tensors if side.tensors[tensor].role is not Role.INPUT]
        made: dict[int, int] = {}
        for tensor in outputs:
            made.setdefault(sample.key(tensor), sample.order(tensor))
        taken: dict[int, int] = {sample.key(tensor): sample.order(tensor) for tensor in inputs}
        entering = [tensor for tensor in inputs if made.get(sample.key(tensor), np.inf) >= sample.order(tensor)]
        leaving = [tensor for tensor in outputs if taken.get(sample.key(tensor), -1) <= sample.order(tensor)]
        return cls(_unique(entering, sample), _unique(leaving[::-1], sample), inputs, outputs)


def _unique(tensors: Iterable[int], sample: StepSample) -> list[int]:
    found: dict[int, int] = {}
    for tensor in tensors:
        found.setdefault(sample.key(tensor), tensor)
    return list(found.values())


def _is_float(tensor: DebugTensor) -> bool:
    return not tensor.dtype or "float" in tensor.dtype or "complex" in tensor.dtype
