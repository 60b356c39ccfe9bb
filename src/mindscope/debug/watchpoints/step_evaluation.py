# SPDX-License-Identifier: Apache-2.0
"""Evaluates one watchpoint over the rows of one step."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mindscope.debug.model.fields import COLUMN, Field
from mindscope.debug.model.source import DebugSource
from mindscope.debug.model.step_statistics import StepStatistics
from mindscope.debug.watchpoints.conditions import Comparison, Parameter
from mindscope.debug.watchpoints.hits import Problem
from mindscope.debug.watchpoints.statistics import OPERATOR_OVERFLOW, UNCHANGED, Column, Statistic
from mindscope.debug.watchpoints.step_context import StepContext
from mindscope.debug.watchpoints.watchpoint import Watchpoint
from mindscope.errors import FormatError

Rows = NDArray[np.int64]
MOST_ELEMENTS = 2**28
"""Largest number of elements of a whole tensor that is read; larger ones have the problem ``TOO_LARGE``."""


@dataclass(slots=True)
class Verdict:
    """The verdict of one parameter on the rows of a step."""

    parameter: str
    set_value: float
    rows: Rows
    """Rows for which it holds."""
    actual: Column
    problems: list[tuple[Problem, Rows, tuple[str, ...]]]
    """Rows without an answer, by reason, and what is missing."""


def evaluate_step(source: DebugSource, watchpoint: Watchpoint, context: StepContext, rows: Rows) -> Iterator[Verdict]:
    """Yield the verdict of each compared parameter over some rows of a step."""
    condition = watchpoint.condition
    if condition.is_of_first_step and not context.is_first:
        return
    problems: list[tuple[Problem, Rows, tuple[str, ...]]] = []
    if not condition.takes_non_finite:
        rows, problems = _finite(context, rows)
    if condition.statistic is not None:
        first = condition.parameters[0].name if condition.parameters else ""
        held = _Comparing(source, watchpoint, context, condition.statistic, Comparison.ABOVE, 0.0)
        yield held.verdict(rows, problems, first, watchpoint.settings.get(first, np.nan))
        return
    for parameter in watchpoint.compared:
        if parameter.statistic is not None:
            yield _compared(source, watchpoint, context, parameter, parameter.statistic, rows, problems)
            problems = []  # reported once


def _compared(
    source: DebugSource,
    watchpoint: Watchpoint,
    context: StepContext,
    parameter: Parameter,
    statistic: Statistic,
    rows: Rows,
    problems: list[tuple[Problem, Rows, tuple[str, ...]]],
) -> Verdict:
    set_value = watchpoint.settings[parameter.name]
    held = _Comparing(source, watchpoint, context, statistic, parameter.comparison, set_value)
    return held.verdict(rows, problems, parameter.name, set_value)


def _finite(context: StepContext, rows: Rows) -> tuple[Rows, list[tuple[Problem, Rows, tuple[str, ...]]]]:
    """Return the rows of finite, not empty tensors, and the problems of the others."""
    values = context.recorded.values[rows]
    has_nan = values[:, COLUMN[Field.NAN]] > 0
    has_infinity = (values[:, COLUMN[Field.POSITIVE_INF]] > 0) | (values[:, COLUMN[Field.NEGATIVE_INF]] > 0)
    is_empty = values[:, COLUMN[Field.COUNT]] == 0
    problems: list[tuple[Problem, Rows, tuple[str, ...]]] = []
    for problem, mask in (
        (Problem.NAN, has_nan & ~has_infinity),
        (Problem.INFINITY, has_infinity & ~has_nan),
        (Problem.NAN | Problem.INFINITY, has_nan & has_infinity),
        (Problem.NO_VALUE, is_empty),
    ):
        if mask.any():
            problems.append((problem, rows[mask], ()))
    return rows[~(has_nan | has_infinity | is_empty)], problems


@dataclass(frozen=True, slots=True)
class _Comparing:
    source: DebugSource
    watchpoint: Watchpoint
    context: StepContext
    statistic: Statistic
    comparison: Comparison
    set_value: float

    def verdict(
        self, rows: Rows, problems: list[tuple[Problem, Rows, tuple[str, ...]]], name: str, set_value: float
    ) -> Verdict:
        low, high = self.statistic.bounds(self.context.recorded.values[rows], self.watchpoint.settings)
        if self.statistic is UNCHANGED:
            low, high = _with_digests(self.context, rows, low, high)
        if self.statistic is OPERATOR_OVERFLOW and self.context.overflows:
            low = high = _overflowing(self.context, rows)
        is_unknown = np.isnan(low) | np.isnan(high)
        certain, possible = self._holds(low, high), self._holds(high, low)
        is_open = is_unknown | (possible & ~certain)
        actual = np.where(self.comparison is Comparison.BELOW, high, low)
        found = list(problems)
        if is_open.any():
            certain = certain & ~is_open
            found += self._by_whole_tensors(rows, np.flatnonzero(is_open), is_unknown, certain, actual)
        return Verdict(name, set_value, rows[certain], actual[certain], found)

    def _holds(self, low: Column, high: Column) -> NDArray[np.bool_]:
        with np.errstate(invalid="ignore"):
            if self.comparison is Comparison.BELOW:
                return high < self.set_value
            return low >= self.set_value if self.comparison is Comparison.AT_LEAST else low > self.set_value

    def _by_whole_tensors(
        self, rows: Rows, indexes: Rows, is_unknown: NDArray[np.bool_], certain: NDArray[np.bool_], actual: Column
    ) -> list[tuple[Problem, Rows, tuple[str, ...]]]:
        """Decide open rows by whole tensors, in ``certain`` and ``actual``. Returns the rows that stay open."""
        left: dict[tuple[Problem, bool], list[int]] = {}
        for index in indexes.tolist():
            exact = self._exact(int(rows[index]))
            if isinstance(exact, Problem):
                left.setdefault((exact, bool(is_unknown[index])), []).append(int(rows[index]))
                continue
            value = np.array([exact])
            certain[index], actual[index] = self._holds(value, value)[0], exact
        return [
            (problem, np.array(each, np.int64), self._missing(problem, unknown))
            for (problem, unknown), each in left.items()
        ]

    def _missing(self, problem: Problem, is_unknown: bool) -> tuple[str, ...]:
        if problem is Problem.NO_EARLIER_VALUE:
            return ()
        fields = tuple(str(need) for need in self.statistic.needs) if is_unknown else ()
        if self.statistic is OPERATOR_OVERFLOW:
            return ("operator_overflow",)
        return (*fields, "tensor") if self.statistic.exact is not None else fields

    def _exact(self, row: int) -> float | Problem:
        """Return the exact value of a row from whole tensors, or why there is none."""
        recorded, statistic = self.context.recorded, self.statistic
        is_change = Field.MEAN_ABS_UPDATE in statistic.needs
        previous = self.context.state.previous
        missing = Problem.NOT_RECORDED if statistic.exact is None else Problem.WHOLE_TENSOR_NEEDED
        if statistic.exact is None:
            return missing
        if is_change and previous is None and np.isnan(recorded.column(Field.MEAN_ABS_UPDATE)[row]):
            return Problem.NO_EARLIER_VALUE
        if recorded.column(Field.COUNT)[row] > MOST_ELEMENTS:
            return Problem.TOO_LARGE
        try:
            now = self.source.array(recorded.step, recorded.rank, row)
            before = self._before(previous, row) if is_change and now is not None else None
        except (FormatError, OSError):  # one damaged file costs only its own tensor
            return Problem.NO_VALUE
        if now is None or now.size == 0 or (before is not None and before.shape != now.shape):
            return missing
        if now.dtype.kind == "c":  # complex numbers have no order
            return Problem.NO_VALUE
        found = statistic.exact(np.asarray(now, np.float64), before, self.watchpoint.settings)
        return missing if found is None else found

    def _before(self, previous: StepStatistics | None, row: int) -> Column | None:
        if previous is None:
            return None
        earlier = np.flatnonzero(previous.tensor == self.context.recorded.tensor[row])
        if not earlier.size:
            return None
        found = self.source.array(previous.step, previous.rank, int(earlier[-1]))
        return None if found is None else np.asarray(found, np.float64)


def _overflowing(context: StepContext, rows: Rows) -> Column:
    """Return 1 for outputs of operators in which the device recorded an overflow, else 0."""
    recorded, is_input = context.recorded, context.table.is_input
    is_result = ~is_input[recorded.tensor[rows]]
    return (np.isin(recorded.order[rows], list(context.overflows)) & is_result).astype(np.float64)


def _with_digests(context: StepContext, rows: Rows, low: Column, high: Column) -> tuple[Column, Column]:
    """Return the bounds of ``UNCHANGED`` where the bytes of a tensor are those of the recorded step before."""
    previous, recorded = context.state.previous, context.recorded
    if previous is None:
        return low, high
    earlier = np.zeros(len(context.state.seen), np.uint64)
    earlier[previous.tensor] = previous.digest
    is_same = (recorded.digest[rows] != 0) & (recorded.digest[rows] == earlier[recorded.tensor[rows]])
    is_same &= np.isnan(low) | np.isnan(high)
    return np.where(is_same, 1.0, low), np.where(is_same, 1.0, high)
