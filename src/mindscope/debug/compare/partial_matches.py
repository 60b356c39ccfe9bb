# SPDX-License-Identifier: Apache-2.0
"""Matches what only one source recorded with parts of the other: modules, gradients, the loss, the optimizer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mindscope.debug.compare.chains import OperatorMatch
from mindscope.debug.compare.operators import RecordedOperator, RecordedOperators
from mindscope.debug.compare.samples import StepSample
from mindscope.debug.compare.tensor_pairs import Sides, module_pairs, outputs_of
from mindscope.debug.model.tensors import Phase, Role


def partial_matches(sides: Sides, indexes: Sequence[int]) -> Iterator[tuple[OperatorMatch, list[int]]]:
    """Matches of what the left source recorded alone.

    Args:
        sides: the sources.
        indexes: operators of the left source without a match.

    Returns:
        Each match, and the operators of the right source whose results it compares.
    """
    modules = {each.path.partition(".")[0] for each in sides.left.operators if each.is_module}
    for index in indexes:
        operator = sides.left.operators[index]
        if operator.is_loss:
            yield from _of_loss(sides, index)
        elif operator.first.role is Role.GRADIENT:
            yield from _of_gradient(sides, index)
        elif operator.is_module:
            yield from _of_module(sides, index, modules)


def _of_module(sides: Sides, index: int, modules: set[str]) -> Iterator[tuple[OperatorMatch, list[int]]]:
    """Yield the operators that the other source has in a module."""
    module, operators = sides.left.operators[index], sides.right.operators
    inner = [each for each, other in enumerate(operators) if _is_inside(other, module, modules)]
    pairs = module_pairs(sides, module, [operators[each] for each in inner])
    if pairs:
        own = [each for each in inner if operators[each].path == module.path]
        yield OperatorMatch((index,), tuple(inner), tuple(pairs)), own


def _is_inside(operator: RecordedOperator, module: RecordedOperator, modules: set[str]) -> bool:
    """Return whether an operator runs in a module. What computes the loss is in none."""
    if operator.phase is not module.phase or operator.is_parameter or operator.is_state or operator.is_loss:
        return False
    if not module.path:
        return not operator.path or operator.path.partition(".")[0] in modules
    return operator.path == module.path or operator.path.startswith(module.path + ".")


def _of_gradient(sides: Sides, index: int) -> Iterator[tuple[OperatorMatch, list[int]]]:
    """Yield the operator of the backward pass, in the module of the parameter, that returns its gradient."""
    gradient = sides.left.operators[index]
    makers = {
        tensor: each
        for each, operator in enumerate(sides.right.operators)
        if operator.phase is Phase.BACKWARD and operator.path == gradient.path and not operator.is_parameter
        for tensor in operator.tensors
    }
    pairs = sides.pair(gradient.tensors, outputs_of(sides, [sides.right.operators[each] for each in makers.values()]))
    if pairs:
        maker = makers[pairs[0][1]]
        yield OperatorMatch((index,), (maker,), tuple(pairs)), [maker]


def _of_loss(sides: Sides, index: int) -> Iterator[tuple[OperatorMatch, list[int]]]:
    """Yield the last operator of the forward pass that returns a single number."""
    tensors = sides.right.tensors
    for other in reversed(range(len(sides.right.operators))):
        operator = sides.right.operators[other]
        if operator.phase is not Phase.FORWARD or operator.is_parameter or not operator.computes:
            continue
        outputs = [tensor for tensor in operator.tensors if tensors[tensor].role is Role.OUTPUT]
        if outputs and sides.right.sizes[outputs[0]] == 1:
            loss = sides.left.operators[index].tensors[0]
            yield OperatorMatch((index,), (other,), ((loss, outputs[0]),)), [other]
            return


def updates_of(side: RecordedOperators, parameters: Sequence[int]) -> set[int]:
    """Return the operators of the optimizer whose results end in parameters: these hold what the operators compute.

    Args:
        side: the source.
        parameters: indexes of operators that are parameters.
    """
    found: set[int] = set()
    for sample in side.samples:
        found |= _updates_in(side, [side.operators[parameter].tensors[0] for parameter in parameters], sample)
    return found


def _updates_in(side: RecordedOperators, parameters: Sequence[int], sample: StepSample) -> set[int]:
    needed = {sample.key(parameter) for parameter in parameters if sample.has(parameter)}
    found: set[int] = set()
    for _, index, tensors in sorted(_optimizer_operators(side, sample), reverse=True):
        if any(sample.key(tensor) in needed for tensor in tensors if side.tensors[tensor].role is Role.OUTPUT):
            needed |= {sample.key(tensor) for tensor in tensors if side.tensors[tensor].role is Role.INPUT}
            found.add(index)
    return found


def _optimizer_operators(side: RecordedOperators, sample: StepSample) -> Iterator[tuple[int, int, list[int]]]:
    """Yield the order, index and tensors of each operator of a step."""
    for index, operator in enumerate(side.operators):
        tensors = [tensor for tensor in operator.tensors if sample.has(tensor)]
        if operator.phase is Phase.OPTIMIZER and not operator.is_parameter and tensors:
            yield max(map(sample.order, tensors)), index, tensors
