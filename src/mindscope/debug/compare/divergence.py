# SPDX-License-Identifier: Apache-2.0
"""Searches the first differing step of two trainings, then the first differing operator."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from mindscope.debug.compare.comparison import Comparison
from mindscope.debug.compare.result import Difference, Divergence
from mindscope.debug.model.source import DebugSource
from mindscope.errors import DebugDataError


def compare_sources(
    left: DebugSource,
    right: DebugSource,
    *,
    by_hand: Mapping[str, str] | None = None,
    tolerance: float | None = None,
    step_offset: int | None = None,
    check: Callable[[], None] = lambda: None,
) -> Divergence:
    """Find where two trainings part first, over the steps and ranks that both have.

    Args:
        left: one training.
        right: the other, of any framework.
        by_hand: names of operators of ``left`` with those of ``right`` that match.
        tolerance: largest relative error of equal tensors; by default that of the dtype.
        step_offset: what is added to a step of ``left`` to get that of ``right``; by default the one with which the
            tensors of the first steps agree, mostly 0.
        check: called for each step; an exception in it ends the search.

    Raises:
        DebugDataError: no step is in both; ``by_hand`` names an operator that is not there; as ``DebugSource.at``.
        FormatError, OSError: as ``DebugSource.at``.
    """
    comparison = Comparison(left, right, by_hand=by_hand, tolerance=tolerance, step_offset=step_offset)
    if not comparison.steps:
        raise DebugDataError(
            f"the trainings have no common step{_with(step_offset)}: the left one has {_extent(left)}, the right one "
            f"{_extent(right)}"
        )
    while comparison.first is None and not comparison.is_over:
        check()
        comparison.read_next()
    return comparison.divergence


def operator_table(
    left: DebugSource,
    right: DebugSource,
    step: int,
    rank: int = 0,
    *,
    by_hand: Mapping[str, str] | None = None,
    step_offset: int | None = None,
) -> tuple[Difference, ...]:
    """Return all matched operators of one step with their errors, in execution order. Raises as ``compare_sources``.

    ``step`` and ``rank`` are those of the left training.
    """
    comparison = Comparison(left, right, by_hand=by_hand, step_offset=step_offset)
    other = comparison.other_rank(step, rank)
    if other is None:
        raise DebugDataError(f"step {step} of rank {rank} is not in both trainings{_with(step_offset)}")
    compared = comparison.compare(left.at(step, rank), right.at(step + comparison.step_offset, other))
    return tuple([operator.difference for operator in compared.operators()])


def _extent(source: DebugSource) -> str:
    steps = [step for rank in source.ranks for step in source.steps(rank)]
    return f"steps {min(steps)} to {max(steps)}" if steps else "none"


def _with(step_offset: int | None) -> str:
    return f" with an offset of {step_offset}" if step_offset else ""
