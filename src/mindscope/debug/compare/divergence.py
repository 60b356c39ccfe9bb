# SPDX-License-Identifier: Apache-2.0
"""Searches the first differing step of two trainings, then the first differing operator."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mindscope.debug.compare.compared_step import ComparedStep
from mindscope.debug.compare.first_difference import first_difference
from mindscope.debug.compare.fused import Fused
from mindscope.debug.compare.matching import TensorMatching, match_tensors
from mindscope.debug.compare.result import Difference, Divergence, DivergenceCause
from mindscope.debug.compare.statistic_error import joined_statistics, statistic_errors, tolerance_of
from mindscope.debug.model.source import DebugSource
from mindscope.debug.model.step_statistics import StepStatistics
from mindscope.errors import DebugDataError


def compare_sources(
    left: DebugSource,
    right: DebugSource,
    *,
    by_hand: Mapping[str, str] | None = None,
    tolerance: float | None = None,
    check: Callable[[], None] = lambda: None,
) -> Divergence:
    """Where two trainings part first, over the steps and ranks that both have.

    Steps are read one after the other until one differs. A binary search would be wrong: trainings may differ in one
    step and agree in a later one.

    Args:
        left: one training.
        right: the other, of any framework.
        by_hand: names of operators of ``left`` with those of ``right`` that match.
        tolerance: largest relative error of equal tensors; by default that of the dtype.
        check: called for each step; an exception in it ends the search.

    Raises:
        DebugDataError: no step is in both; ``by_hand`` names an operator that is not there; as ``DebugSource.at``.
        FormatError, OSError: as ``DebugSource.at``.
    """
    comparing = _Comparing(left, right, match_tensors(left, right, by_hand), tolerance)
    bitwise: Difference | None = None
    pairs = _common_steps(left, right)
    for count, (step, ranks) in enumerate(pairs, start=1):
        check()
        for rank, other_rank in ranks:
            rows = comparing.rows(left.at(step, rank), right.at(step, other_rank))
            if bitwise is None:
                bitwise = rows.first_bitwise()
            if rows.differs.any():
                operators = rows.operators()
                cause, first = first_difference(operators)
                shown = tuple([each.difference for each in operators])
                return Divergence(comparing.matching, cause, first, bitwise, shown, count)
    return Divergence(comparing.matching, DivergenceCause.NONE, None, bitwise, (), len(pairs))


def operator_table(
    left: DebugSource, right: DebugSource, step: int, rank: int = 0, *, by_hand: Mapping[str, str] | None = None
) -> tuple[Difference, ...]:
    """All matched operators of one step with their errors, in execution order. Raises as ``compare_sources``."""
    comparing = _Comparing(left, right, match_tensors(left, right, by_hand), None)
    operators = comparing.rows(left.at(step, rank), right.at(step, rank)).operators()
    return tuple([each.difference for each in operators])


def _common_steps(left: DebugSource, right: DebugSource) -> list[tuple[int, list[tuple[int, int]]]]:
    """Steps of both with the pairs of ranks that have them; ranks of one rank each match whatever their numbers."""
    ranks = [(rank, rank) for rank in left.ranks if rank in right.ranks]
    if not ranks and left.ranks and right.ranks:
        ranks = [(left.ranks[0], right.ranks[0])]
    by_step: dict[int, list[tuple[int, int]]] = {}
    for one, other in ranks:
        for step in sorted(set(left.steps(one)).intersection(right.steps(other))):
            by_step.setdefault(step, []).append((one, other))
    if not by_step:
        raise DebugDataError(
            f"the trainings have no common step: the left one has {_extent(left)}, the right one {_extent(right)}"
        )
    return sorted(by_step.items())


def _extent(source: DebugSource) -> str:
    steps = [step for rank in source.ranks for step in source.steps(rank)]
    return f"steps {min(steps)} to {max(steps)}" if steps else "none"


@dataclass(slots=True)
class _Comparing:
    left: DebugSource
    right: DebugSource
    matching: TensorMatching
    tolerance: float | None
    tolerances: NDArray[np.float64] = field(init=False)
    """Of each matched pair of tensors."""
    has_digests: bool = field(init=False)

    def __post_init__(self) -> None:
        ours: list[int] = self.matching.left.tolist()
        theirs: list[int] = self.matching.right.tolist()
        found = [
            tolerance_of(self.left.tensors[one].dtype, self.right.tensors[other].dtype)
            for one, other in zip(ours, theirs, strict=True)
        ]
        self.tolerances = np.array(found, np.float64)
        if self.tolerance is not None:
            self.tolerances[:] = self.tolerance
        self.has_digests = (self.left.format, self.left.framework) == (self.right.format, self.right.framework)

    def rows(self, left: StepStatistics, right: StepStatistics) -> ComparedStep:
        """The pairs of tensors that both steps have, and their errors."""
        rows = [_last_rows(each, len(source.tensors)) for each, source in ((left, self.left), (right, self.right))]
        one, other = rows[0][self.matching.left], rows[1][self.matching.right]
        pairs = np.flatnonzero((one >= 0) & (other >= 0))
        one, other = one[pairs], other[pairs]
        errors = statistic_errors(left.values[one], right.values[other])
        is_same = np.zeros(len(pairs), np.bool_)
        is_known = np.zeros(len(pairs), np.bool_)
        if self.has_digests:
            is_known = (left.digest[one] != 0) & (right.digest[other] != 0)
            is_same = is_known & (left.digest[one] == right.digest[other])
        errors = np.where(is_same, 0.0, errors)
        fused = self._fused(left, right, rows)
        tolerances = self.tolerances[pairs]
        sources = self.left, self.right
        return ComparedStep(sources, self.matching, left, pairs, one, errors, tolerances, is_known & ~is_same, fused)

    def _fused(
        self, left: StepStatistics, right: StepStatistics, rows: list[NDArray[np.int64]]
    ) -> list[tuple[Fused, int, float, float]]:
        found: list[tuple[Fused, int, float, float]] = []
        for each in self.matching.fused:
            one, other = rows[0][list(each.left)], rows[1][list(each.right)]
            if (one >= 0).all() and (other >= 0).all():
                values = [joined_statistics(side.values[places]) for side, places in ((left, one), (right, other))]
                error = float(statistic_errors(values[0][None], values[1][None])[0])
                dtypes = self.left.tensors[each.left[0]].dtype, self.right.tensors[each.right[0]].dtype
                limit = tolerance_of(*dtypes) if self.tolerance is None else self.tolerance
                found.append((each, int(one[0]), error, limit))
        return found


def _last_rows(recorded: StepStatistics, tensors: int) -> NDArray[np.int64]:
    """The row of each tensor, the last one if it has several; -1 without one."""
    rows = np.full(tensors, -1, np.int64)
    rows[recorded.tensor] = np.arange(len(recorded.tensor))
    return rows
