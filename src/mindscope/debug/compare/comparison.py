# SPDX-License-Identifier: Apache-2.0
"""Compares two trainings step by step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mindscope.debug.compare.compared_step import ComparedStep, FusedError
from mindscope.debug.compare.first_difference import first_difference
from mindscope.debug.compare.matching import match_tensors
from mindscope.debug.compare.names import has_undefined_outputs
from mindscope.debug.compare.result import Difference, Divergence, DivergenceCause
from mindscope.debug.compare.samples import StepSample
from mindscope.debug.compare.statistic_error import joined_statistics, statistic_errors, tolerance_of
from mindscope.debug.compare.step_offset import common_steps
from mindscope.debug.model.source import DebugSource
from mindscope.debug.model.step_statistics import StepStatistics
from mindscope.debug.model.tensors import DebugTensor, Role

ReadStep = Callable[[int, int], StepStatistics | None]


@dataclass(frozen=True, slots=True)
class StepDifference:
    """The distance of two trainings in a step, over all ranks."""

    step: int
    error: float
    """Largest relative error, infinite if that of any tensor is; NaN if no tensor compares."""
    unbounded: int
    """Tensors whose counts of elements, NaN or infinities differ."""
    differing: int
    """Tensors beyond their tolerance."""


class Comparison:
    """Compares the steps that two trainings have, one after the other, so that it can pause after each.

    A binary search would be wrong: trainings may differ in one step and agree in a later one.

    Args:
        left: one training.
        right: the other, of any framework.
        by_hand: names of operators of ``left`` with those of ``right`` that match.
        tolerance: largest relative error of equal tensors; by default that of the dtype.
        step_offset: what is added to a step of ``left`` to get that of ``right``; by default it is found.
        read: of each side, reads a step of a rank as ``DebugSource.at``; None leaves that step out.

    Raises:
        DebugDataError: ``by_hand`` names an operator that is not there.
        FormatError, OSError: as ``DebugSource.at``.
    """

    def __init__(
        self,
        left: DebugSource,
        right: DebugSource,
        *,
        by_hand: Mapping[str, str] | None = None,
        tolerance: float | None = None,
        step_offset: int | None = None,
        read: tuple[ReadStep, ReadStep] | None = None,
    ) -> None:
        self._sources, self._read = (left, right), read or (left.at, right.at)
        self._tolerance = tolerance
        self.matching = match_tensors(left, right, by_hand, step_offset)
        self._tolerances = self._pair_tolerances()
        matched: list[int] = self.matching.left.tolist()
        self._is_undefined = np.array([_is_undefined(left.tensors[each]) for each in matched], np.bool_)
        """Whether the elements of a matched pair of tensors are undefined."""
        self._has_digests = (left.format, left.framework) == (right.format, right.framework)
        self._steps = list(common_steps(left, right, self.step_offset).items())
        self.differences: list[StepDifference] = []
        """Differences of the steps that were read."""
        self.cause = DivergenceCause.NONE
        self.first: Difference | None = None
        self._bitwise: Difference | None = None
        self._operators: tuple[Difference, ...] = ()
        self._compared = 0

    @property
    def step_offset(self) -> int:
        """The number that is added to a step of the left training to get that of the right one."""
        return self.matching.step_offset.steps

    @property
    def steps(self) -> int:
        """The number of steps that both have."""
        return len(self._steps)

    @property
    def is_over(self) -> bool:
        """Whether no step is left."""
        return len(self.differences) == len(self._steps)

    @property
    def divergence(self) -> Divergence:
        """The result of the steps that were read."""
        return Divergence(self.matching, self.cause, self.first, self._bitwise, self._operators, self._compared)

    def other_rank(self, step: int, rank: int) -> int | None:
        """Return the rank of the right training that is compared with one of the left.

        It is None without one at that step.
        """
        return next((other for each, ranks in self._steps if each == step for one, other in ranks if one == rank), None)

    def take_over(self, earlier: Comparison) -> None:
        """Continue an earlier comparison of the same data, which had fewer steps; else compare from the start."""
        count = len(earlier.differences)
        is_same = all(
            np.array_equal(one, other)
            for one, other in (
                (self.matching.left, earlier.matching.left), (self.matching.right, earlier.matching.right)
            )
        ) and self.step_offset == earlier.step_offset  # fmt: skip
        if is_same and self.matching.fused == earlier.matching.fused and self._steps[:count] == earlier._steps[:count]:
            self.differences, self.cause, self.first = list(earlier.differences), earlier.cause, earlier.first
            self._bitwise, self._operators, self._compared = earlier._bitwise, earlier._operators, earlier._compared

    def read_next(self) -> None:
        """Compare the next step of all ranks. Raises as ``DebugSource.at``; the step then counts as read."""
        step, ranks = self._steps[len(self.differences)]
        self.differences.append(StepDifference(step, float("nan"), 0, 0))
        compared_steps: list[ComparedStep] = []
        for rank, other in ranks:
            left, right = self._read[0](step, rank), self._read[1](step + self.step_offset, other)
            if left is not None and right is not None:
                compared_steps.append(self.compare(left, right))
        self.differences[-1] = _difference_of(step, compared_steps)
        for compared in compared_steps:
            if self.first is None:
                self._search(compared)

    def _search(self, compared: ComparedStep) -> None:
        self._compared = len(self.differences)
        if self._bitwise is None:
            self._bitwise = compared.first_bitwise()
        if compared.differs.any():
            operators = compared.operators()
            self.cause, self.first = first_difference(operators)
            self._operators = tuple([operator.difference for operator in operators])

    def compare(self, left: StepStatistics, right: StepStatistics) -> ComparedStep:
        """Return the pairs of tensors that both steps have, and their errors."""
        rows = [
            StepSample.of(each, len(source.tensors)).row
            for each, source in zip((left, right), self._sources, strict=True)
        ]
        one, other = rows[0][self.matching.left], rows[1][self.matching.right]
        pairs = np.flatnonzero((one >= 0) & (other >= 0))
        one, other = one[pairs], other[pairs]
        errors = statistic_errors(left.values[one], right.values[other])
        is_same = np.zeros(len(pairs), np.bool_)
        is_known = np.zeros(len(pairs), np.bool_)
        if self._has_digests:
            is_known = (left.digest[one] != 0) & (right.digest[other] != 0)
            is_same = is_known & (left.digest[one] == right.digest[other])
        is_undefined = self._is_undefined[pairs]
        errors = np.where(is_undefined, np.nan, np.where(is_same, 0.0, errors))
        return ComparedStep(
            self._sources, self.matching, (left, right), pairs, (one, other), errors,
            self._tolerances[pairs], is_known & ~is_same & ~is_undefined, self._fused(left, right, rows),
        )  # fmt: skip

    def _pair_tolerances(self) -> NDArray[np.float64]:
        """Return the tolerance of each matched pair of tensors."""
        ours: list[int] = self.matching.left.tolist()
        theirs: list[int] = self.matching.right.tolist()
        if self._tolerance is not None:
            return np.full(len(ours), self._tolerance)
        left, right = (source.tensors for source in self._sources)
        tolerances = [
            tolerance_of(left[one].dtype, right[other].dtype) for one, other in zip(ours, theirs, strict=True)
        ]
        return np.array(tolerances, np.float64)

    def _fused(
        self, left: StepStatistics, right: StepStatistics, rows: list[NDArray[np.int64]]
    ) -> tuple[FusedError, ...]:
        fused_errors: list[FusedError] = []
        tensors = [source.tensors for source in self._sources]
        for each in self.matching.fused:
            one, other = rows[0][list(each.left)], rows[1][list(each.right)]
            if (one >= 0).all() and (other >= 0).all():
                values = (joined_statistics(left.values[one]), joined_statistics(right.values[other]))
                error = float(statistic_errors(values[0][None], values[1][None])[0])
                limit = tolerance_of(tensors[0][each.left[0]].dtype, tensors[1][each.right[0]].dtype)
                limit = limit if self._tolerance is None else self._tolerance
                fused_errors.append(FusedError(each, (int(one[0]), int(other[0])), values, error, limit))
        return tuple(fused_errors)


def _is_undefined(tensor: DebugTensor) -> bool:
    return tensor.role is Role.OUTPUT and has_undefined_outputs(tensor.type)


def _difference_of(step: int, compared: list[ComparedStep]) -> StepDifference:
    fused = [each.error for step in compared for each in step.fused]
    errors = np.concatenate([*(each.errors for each in compared), np.array(fused, np.float64)])
    numbers = errors[~np.isnan(errors)]
    differing = sum(int(each.differs.sum()) for each in compared)
    largest = float(numbers.max()) if numbers.size else float("nan")
    return StepDifference(step, largest, int(np.isposinf(errors).sum()), differing)
