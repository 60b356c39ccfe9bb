# SPDX-License-Identifier: Apache-2.0
"""Evaluates watchpoints over the steps of a source, one step in memory at a time."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mindscope.debug.model.source import DebugSource
from mindscope.debug.watchpoints.hits import Evaluation, Hit, Problem, Unevaluated
from mindscope.debug.watchpoints.step_context import RankState, StepContext
from mindscope.debug.watchpoints.step_evaluation import Rows, Verdict, evaluate_step
from mindscope.debug.watchpoints.tensor_table import TensorTable, known_rows
from mindscope.debug.watchpoints.watchpoint import Watchpoint

MOST_HITS = 10_000
_LAST_FIRST_STEP = 1
"""Trainings count their steps from 0 or from 1."""


def evaluate_watchpoints(
    source: DebugSource,
    watchpoints: Sequence[Watchpoint],
    *,
    steps: Iterable[int] | None = None,
    ranks: Iterable[int] | None = None,
    most_hits: int = MOST_HITS,
    check: Callable[[], None] = lambda: None,
) -> Evaluation:
    """The hits of watchpoints over recorded statistics, and what could not be evaluated.

    Args:
        source: the debugging data.
        watchpoints: the conditions.
        steps: only hits of these steps; the others are still read, because conditions compare steps.
        ranks: only these ranks; by default all.
        most_hits: hits beyond are only counted.
        check: called for each step; an exception in it ends the evaluation.

    Raises:
        DebugDataError, FormatError, OSError: as ``DebugSource.at``.
    """
    running = _Running(source, tuple(watchpoints), most_hits)
    wanted = None if steps is None else frozenset(steps)
    last = max(wanted, default=-1) if wanted is not None else None
    by_step: dict[int, list[int]] = defaultdict(list)
    for rank in source.ranks if ranks is None else ranks:
        for step in source.steps(rank):
            by_step[step].append(rank)
    for step in sorted(by_step):
        if last is not None and step > last:
            break
        check()
        for rank in by_step[step]:
            running.add(step, rank, is_wanted=wanted is None or step in wanted)
    return running.result()


@dataclass(slots=True)
class _OpenCount:
    first_step: int
    first_tensor: int
    count: int = 0


@dataclass(slots=True)
class _Running:
    """The state of an evaluation; its memory does not grow with the number of steps, except ``counts``."""

    source: DebugSource
    watchpoints: tuple[Watchpoint, ...]
    most_hits: int
    table: TensorTable = field(init=False)
    masks: list[NDArray[np.bool_]] = field(init=False)
    states: dict[int, RankState] = field(default_factory=dict[int, RankState])
    in_a_row: dict[tuple[int, int, str], NDArray[np.int64]] = field(
        default_factory=dict[tuple[int, int, str], NDArray[np.int64]]
    )
    """By rank, watchpoint and parameter: in how many consecutive steps of a tensor it held."""
    hits: list[Hit] = field(default_factory=list[Hit])
    pending: list[Hit] = field(default_factory=list[Hit])
    """Hits of the current step, of all ranks."""
    counts: dict[int, Counter[int]] = field(default_factory=dict[int, Counter[int]])
    open: dict[tuple[int, str, Problem, tuple[str, ...]], _OpenCount] = field(
        default_factory=dict[tuple[int, str, Problem, tuple[str, ...]], _OpenCount]
    )
    evaluated: int = 0

    def __post_init__(self) -> None:
        self.table = TensorTable.of(self.source)
        self.masks = [self._mask(each) for each in self.watchpoints]

    def _mask(self, watchpoint: Watchpoint) -> NDArray[np.bool_]:
        mask = self.table.kinds[watchpoint.condition.kind] & watchpoint.matches(self.source.tensors)
        if watchpoint.types:
            mask &= np.isin(self.table.plain_types, sorted(watchpoint.types))
        return mask

    def add(self, step: int, rank: int, *, is_wanted: bool) -> None:
        recorded = known_rows(self.source.at(step, rank), self.table)
        state = self.states.setdefault(rank, RankState.of(len(self.table.is_float)))
        state.begin(recorded)
        is_first = state.previous is None and step <= _LAST_FIRST_STEP
        context = StepContext(recorded, self.table, state, is_first)
        for number, watchpoint in enumerate(self.watchpoints):
            rows = np.flatnonzero(self.masks[number][recorded.tensor])
            if rows.size:
                self._evaluate(number, watchpoint, context, rows, is_wanted)
        state.add(recorded)
        self.evaluated += is_wanted

    def _evaluate(self, number: int, watchpoint: Watchpoint, context: StepContext, rows: Rows, is_wanted: bool) -> None:
        if watchpoint.guard is not None:
            rows = rows[watchpoint.guard(context)[rows]]
        for verdict in evaluate_step(self.source, watchpoint, context, rows):
            is_lasting = self._is_lasting(number, watchpoint, context, verdict)
            if is_wanted:
                self._add_hits(number, context, verdict, is_lasting)
                self._add_problems(number, context, verdict)

    def _is_lasting(
        self, number: int, watchpoint: Watchpoint, context: StepContext, verdict: Verdict
    ) -> NDArray[np.bool_]:
        """Of the rows that hold, those that held in enough consecutive steps."""
        recorded = context.recorded
        if watchpoint.for_steps <= 1:
            return np.ones(len(verdict.rows), np.bool_)
        key = recorded.rank, number, verdict.parameter
        counts = self.in_a_row.setdefault(key, np.zeros(len(self.table.is_float), np.int64))
        holding = np.unique(recorded.tensor[verdict.rows])
        longer = counts[holding] + 1
        counts[recorded.tensor] = 0
        counts[holding] = longer
        wanted = min(watchpoint.for_steps, len(self.source.steps(recorded.rank)))
        return counts[recorded.tensor[verdict.rows]] >= wanted

    def _add_hits(self, number: int, context: StepContext, verdict: Verdict, is_lasting: NDArray[np.bool_]) -> None:
        recorded = context.recorded
        rows, actual = verdict.rows[is_lasting], verdict.actual[is_lasting]
        if not rows.size:
            return
        self.counts.setdefault(recorded.step, Counter())[number] += len(rows)
        if self.pending and self.pending[0].step != recorded.step:
            self._flush()
        if len(self.hits) < self.most_hits:
            self.pending += [
                _hit(number, context, verdict, row, value)
                for row, value in zip(rows.tolist(), actual.tolist(), strict=True)
            ]

    def _flush(self) -> None:
        """Moves the hits of a step to the result, in execution order."""
        self.pending.sort(key=lambda hit: (hit.order, hit.rank, hit.row, hit.watchpoint))
        self.hits += self.pending[: max(self.most_hits - len(self.hits), 0)]
        self.pending = []

    def _add_problems(self, number: int, context: StepContext, verdict: Verdict) -> None:
        for problem, rows, missing in verdict.problems:
            if rows.size:
                key = number, verdict.parameter, problem, missing
                first = int(context.recorded.tensor[rows[0]])
                self.open.setdefault(key, _OpenCount(context.recorded.step, first)).count += len(rows)

    def result(self) -> Evaluation:
        self._flush()
        unevaluated = [
            Unevaluated(number, parameter, problem, missing, each.count, each.first_step, each.first_tensor)
            for (number, parameter, problem, missing), each in self.open.items()
        ]
        unmatched = [number for number, mask in enumerate(self.masks) if not mask.any()]
        return Evaluation(
            self.source.tensors, self.watchpoints, tuple(self.hits), self.counts, tuple(unevaluated), tuple(unmatched),
            self.evaluated,
        )  # fmt: skip


def _hit(number: int, context: StepContext, verdict: Verdict, row: int, actual: float) -> Hit:
    recorded = context.recorded
    place, order = int(recorded.tensor[row]), int(recorded.order[row])
    return Hit(recorded.step, recorded.rank, place, row, order, number, verdict.parameter, verdict.set_value, actual)
