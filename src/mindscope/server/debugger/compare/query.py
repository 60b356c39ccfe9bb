# SPDX-License-Identifier: Apache-2.0
"""Comparisons of debugging data as messages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mindscope.debug.compare import Difference
from mindscope.debug.compare.compared_step import ComparedOperator
from mindscope.debug.compare.operators import RecordedOperator
from mindscope.debug.difference_level import SEVERITY
from mindscope.debug.model.tensors import Phase, Role
from mindscope.errors import DebugDataError
from mindscope.server.debugger.compare.comparisons import OpenComparison
from mindscope.server.debugger.compare.schema import (
    ComparedOperatorEntry,
    ComparedOperatorsAnswer,
    ComparedOperatorsQuery,
    DebugComparisonHeader,
    DebugDifference,
    OperatorPair,
    UnmatchedAnswer,
    UnmatchedOperator,
    UnmatchedQuery,
)
from mindscope.server.http.columns import Packed, pack
from mindscope.server.http.json_numbers import finite

_SORT: dict[str, Callable[[ComparedOperator], Any]] = {
    "left": lambda each: each.difference.left,
    "right": lambda each: each.difference.right,
    "phase": lambda each: each.difference.phase,
    "inherited": lambda each: each.difference.inherited,
    "error": lambda each: each.difference.error,
    "added": lambda each: each.difference.added,
    "level": lambda each: SEVERITY[each.level()[0]],
}


def pack_comparison(opened: OpenComparison) -> Packed:
    """Pack the first difference, and the size of the difference in each compared step."""
    comparison = opened.comparison
    found, matching = comparison.divergence, comparison.matching
    differences = comparison.differences
    header = DebugComparisonHeader(
        version=opened.version,
        steps=comparison.steps,
        read_steps=len(differences),
        is_complete=opened.is_complete,
        unreadable_steps=len(opened.unreadable),
        cause=found.cause,
        is_comparable=found.is_comparable,
        step_offset=comparison.step_offset,
        is_offset_found=matching.step_offset.is_found,
        first=_entry(opened, found.first),
        bitwise=_entry(opened, found.bitwise),
        operators=max(matching.operators),
        matched=matching.matched_operators,
        unmatched_left=len(matching.unmatched_operators[0]),
        unmatched_right=len(matching.unmatched_operators[1]),
        by_hand=pair_entries(opened),
        step=[difference.step for difference in differences],
        error=[difference.error for difference in differences],
        unbounded=[difference.unbounded for difference in differences],
        differing=[difference.differing for difference in differences],
    )
    return pack(header)


def pair_entries(opened: OpenComparison) -> list[OperatorPair]:
    """Return the pairs made by hand that apply."""
    return [OperatorPair(left=one, right=other) for one, other in opened.by_hand.items()]


def operators_answer(opened: OpenComparison, query: ComparedOperatorsQuery) -> ComparedOperatorsAnswer:
    """Return a page of the operators of a step. Raises DebugDataError, FormatError, OSError."""
    step, rank = _step_and_rank(opened, query)
    operators = opened.operators(step, rank)
    words = [word.lower() for word in query.words]
    found = [
        operator
        for operator in operators
        if _has_words(f"{operator.difference.left} {operator.difference.right}", words)
    ]
    if query.only_differing:
        found = [each for each in found if _differs(each)]
    if query.sort != "order":
        found.sort(key=_SORT[query.sort], reverse=query.is_descending)
    elif query.is_descending:
        found.reverse()
    page = found[query.first :][: query.count]
    return ComparedOperatorsAnswer(
        version=opened.version,
        step=step,
        rank=rank,
        other_rank=_other_rank(opened, step, rank),
        other_step=step + opened.comparison.step_offset,
        total=len(operators),
        differing=sum(map(_differs, operators)),
        matching=len(found),
        operators=[_operator_entry(opened, each) for each in page],
    )


def unmatched_answer(opened: OpenComparison, query: UnmatchedQuery) -> UnmatchedAnswer:
    """Return a page of the operators of one side without a counterpart."""
    side = 0 if query.side == "left" else 1
    tensors = (opened.left, opened.right)[side].source.tensors
    operators = opened.comparison.matching.unmatched_operators[side]
    words = [word.lower() for word in query.words]
    found = [each for each in operators if _has_words(each.name, words)]

    def entry(operator: RecordedOperator) -> UnmatchedOperator:
        outputs = [tensors[tensor] for tensor in operator.tensors if tensors[tensor].role is not Role.INPUT]
        shape = (outputs or [operator.first])[0].shape
        return UnmatchedOperator(
            name=operator.name,
            phase=operator.first.phase,
            type=operator.first.type,
            shape=None if shape is None else list(shape),
        )

    page = found[query.first :][: query.count]
    return UnmatchedAnswer(total=len(operators), matching=len(found), operators=[entry(each) for each in page])


def _step_and_rank(opened: OpenComparison, query: ComparedOperatorsQuery) -> tuple[int, int]:
    """Return the step and the rank of a query: without a step, where the trainings part."""
    comparison = opened.comparison
    if query.step is not None:
        return query.step, query.rank
    if comparison.first is not None:
        return comparison.first.step, comparison.first.rank
    if not comparison.differences:
        raise DebugDataError("the trainings have no common step")
    step = comparison.differences[-1].step
    ranks = [rank for rank in opened.left.source.ranks if comparison.other_rank(step, rank) is not None]
    return step, ranks[0]


def _other_rank(opened: OpenComparison, step: int, rank: int) -> int:
    other = opened.comparison.other_rank(step, rank)
    return rank if other is None else other


def _operator_entry(opened: OpenComparison, operator: ComparedOperator) -> ComparedOperatorEntry:
    level, problems = operator.level()
    difference = operator.difference
    return ComparedOperatorEntry(
        difference=_known_entry(opened, difference),
        level=level,
        problems=list(problems),
        is_by_hand=opened.by_hand.get(difference.left) == difference.right,
    )


def _entry(opened: OpenComparison, difference: Difference | None) -> DebugDifference | None:
    return None if difference is None else _known_entry(opened, difference)


def _known_entry(opened: OpenComparison, difference: Difference) -> DebugDifference:
    role, _, slot = difference.tensor.partition(" ")
    return DebugDifference(
        step=difference.step,
        rank=difference.rank,
        other_rank=_other_rank(opened, difference.step, difference.rank),
        other_step=difference.other_step,
        left=difference.left,
        right=difference.right,
        phase=Phase(difference.phase),
        role=Role(role),
        slot=slot,
        order=difference.order,
        inherited=finite(difference.inherited),
        error=finite(difference.error),
        added=finite(difference.added),
        tolerance=difference.tolerance,
        differs=difference.differs,
        source_line=difference.source,
        row=difference.row,
        other_row=difference.other_row,
    )


def _differs(operator: ComparedOperator) -> bool:
    return operator.difference.differs or operator.is_input_different


def _has_words(text: str, words: Sequence[str]) -> bool:
    return all(word in text.lower() for word in words)
