# SPDX-License-Identifier: Apache-2.0
"""Finds what differs first in a step: the batch, parameters, or an operator with equal inputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mindscope.debug.compare.compared_step import ComparedOperator
from mindscope.debug.compare.result import Difference, DivergenceCause
from mindscope.debug.first_bad.step_operators import PHASES, is_module
from mindscope.debug.model.tensors import Phase, Role


def first_difference(operators: Sequence[ComparedOperator]) -> tuple[DivergenceCause, Difference]:
    """Return the cause and the first difference of a step in which something differs.

    Args:
        operators: of the step, in execution order; at least one differs.
    """
    changed = [operator for operator in operators if _is_used_parameter(operator) and operator.difference.differs]
    entering = _differing_input(operators, {each.digest for each in changed} - {0}, bool(changed))
    used = None if entering is None else _used_by(entering, operators)
    if entering is not None and (used is not None or not entering.is_worst_input_made):
        if used is None:
            return DivergenceCause.BATCH, entering.difference
        names = used.difference.left, used.difference.right
        return DivergenceCause.PARAMETERS, replace(entering.difference, left=names[0], right=names[1])
    changed = changed or [operator for operator in operators if operator.error_before > operator.difference.tolerance]
    if changed:
        return DivergenceCause.PARAMETERS, changed[0].difference
    differing = [operator for operator in operators if operator.difference.differs or operator.is_input_different]
    if entering is not None and entering is differing[0]:  # what made its input has no counterpart
        return DivergenceCause.GRADUAL, entering.difference
    origins = [each for each in differing
               if not each.is_input_different and (each.has_inputs or each is differing[0])]  # fmt: skip
    if origins:
        first = min(origins, key=lambda each: each.time)
        while inner := [origin for origin in origins if _contains(first, origin)]:
            first = min(inner, key=lambda each: each.time)
        return DivergenceCause.OPERATOR, first.difference
    return DivergenceCause.GRADUAL, differing[0].difference


def _is_used_parameter(operator: ComparedOperator) -> bool:
    """Return whether it is a parameter as the forward pass uses it, not as the optimizer leaves it."""
    return operator.is_parameter and operator.time[0] != PHASES[Phase.OPTIMIZER]


def _differing_input(
    operators: Sequence[ComparedOperator], parameters: set[int], has_parameters: bool
) -> ComparedOperator | None:
    """Return the first differing operator, if its inputs differ, and no module around it got equal ones.

    None if the input is a parameter that differs.
    """
    sides = (Role.INPUT, Role.OUTPUT)
    forward = [
        operator for operator in operators if operator.tensor.phase is Phase.FORWARD and operator.tensor.role in sides
    ]
    first = next((each for each in forward if each.difference.differs or each.is_input_different), None)
    if first is None or not first.is_input_different:
        return None
    is_parameter = first.worst_input_digest in parameters or (has_parameters and not is_module(first.tensor))
    is_inside = any(_contains(each, first) and each.has_inputs and not each.is_input_different for each in forward)
    return None if is_parameter or is_inside else first


def _used_by(operator: ComparedOperator, operators: Sequence[ComparedOperator]) -> ComparedOperator | None:
    """Return the parameter that the differing input of an operator is: of its module, with the same dimensions."""
    entering = operator.worst_input
    if entering is None or is_module(operator.tensor) or not entering.shape:
        return None
    owned = [each for each in operators if each.is_parameter and each.tensor.module == entering.module]
    shape = sorted(entering.shape)  # it may be transposed
    return next((each for each in owned if each.tensor.shape and sorted(each.tensor.shape) == shape), None)


def _contains(outer: ComparedOperator, inner: ComparedOperator) -> bool:
    """Return whether an operator ran inside of a module, in the same phase."""
    one, other = outer.tensor, inner.tensor
    if outer is inner or not is_module(one) or one.phase is not other.phase or other.role is Role.PARAMETER:
        return False
    if one.module == other.module:
        return not is_module(other)
    return not one.module or other.module.startswith(one.module + ".")
