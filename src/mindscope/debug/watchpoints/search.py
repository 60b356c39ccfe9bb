# SPDX-License-Identifier: Apache-2.0
"""An evaluation of watchpoints that can pause after each step, and take up steps that a training records later."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mindscope.debug.model.source import RECORDED_BEFORE, DebugSource
from mindscope.debug.model.step_statistics import StepStatistics
from mindscope.debug.model.tensor_table import TensorTable, known_rows
from mindscope.debug.model.tensors import DebugTensor
from mindscope.debug.watchpoints.consequences import FirstDamage
from mindscope.debug.watchpoints.hit_groups import HitGroups
from mindscope.debug.watchpoints.hits import Evaluation, Hit, Problem, Unevaluated
from mindscope.debug.watchpoints.statistics import OPERATOR_OVERFLOW
from mindscope.debug.watchpoints.step_context import RankState, StepContext
from mindscope.debug.watchpoints.step_evaluation import Rows, Verdict, evaluate_step
from mindscope.debug.watchpoints.watchpoint import Watchpoint

MOST_HITS = 10_000
_LAST_FIRST_STEP = 1
"""Trainings count their steps from 0 or from 1."""
STREAK = np.dtype([("steps", "i8"), ("since", "i8")])
_Opening = tuple[int, str, Problem, tuple[str, ...]]


class WatchpointSearch:
    """Evaluates watchpoints step by step. Its memory grows with the number of tensors, and of steps with hits.

    Args:
        source: the debugging data.
        watchpoints: the conditions.
        steps: only hits of these steps; earlier ones are still read, because conditions compare steps.
        ranks: only these ranks; by default all.
        most_hits: hits beyond are only counted and grouped. Consequences of another hit have a limit of their own.
        read: reads a step of a rank as ``DebugSource.at``, which it is without one; None leaves that step out.
        is_growing: the training records further steps, so a watchpoint waits for all its ``for_steps``.
        on_hits: called with the first hit of a parameter of a watchpoint in a step of a rank, and how many there are.
    """

    def __init__(
        self,
        source: DebugSource,
        watchpoints: Sequence[Watchpoint],
        *,
        steps: Iterable[int] | None = None,
        ranks: Iterable[int] | None = None,
        most_hits: int = MOST_HITS,
        read: Callable[[int, int], StepStatistics | None] | None = None,
        is_growing: bool = False,
        folds_all: bool = False,
        on_hits: Callable[[Hit, int], None] = lambda first, count: None,
    ) -> None:
        self._folds_all = folds_all
        self._source, self._read, self._on_hits = source, read or source.at, on_hits
        self.watchpoints = tuple(watchpoints)
        self._wanted = None if steps is None else frozenset(steps)
        self._most_hits = most_hits
        self._table = TensorTable.of(source)
        self._tensors = tuple(source.tensors)
        self._masks = [self._mask(watchpoint) for watchpoint in self.watchpoints]
        last = None if self._wanted is None else max(self._wanted, default=-1)
        self._steps = {rank: [step for step in source.steps(rank) if last is None or step <= last]
                       for rank in (source.ranks if ranks is None else ranks)}  # fmt: skip
        self._in_a_row = {rank: [point.for_steps if is_growing else min(point.for_steps, len(source.steps(rank)))
                                 for point in self.watchpoints] for rank in self._steps}  # fmt: skip
        self._state = _State(_HitList(HitGroups(len(self._tensors))), _HitList(HitGroups(len(self._tensors))))
        self._queue = self._unread()

    @property
    def steps(self) -> int:
        """The number of steps, those of each rank."""
        return sum(map(len, self._steps.values()))

    @property
    def read_steps(self) -> int:
        """The number of ``steps`` that were read."""
        return self.steps - len(self._queue)

    @property
    def is_over(self) -> bool:
        """Whether no step is left."""
        return not self._queue

    @property
    def groups(self) -> HitGroups:
        """All hits, by tensor."""
        return self._state.first.groups

    @property
    def consequences(self) -> HitGroups:
        """All hits that follow from another one, by tensor."""
        return self._state.following.groups

    @property
    def following_hits(self) -> Sequence[Hit]:
        """The first of the hits that follow from another one, in execution order."""
        return self._state.following.ordered(self._most_hits)

    @property
    def counts(self) -> Mapping[int, Mapping[int, int]]:
        """The number of hits of each watchpoint with any, by step, without consequences."""
        return self._state.first.counts

    @property
    def matched(self) -> list[int]:
        """The number of tensors that each watchpoint watches."""
        return [int(mask.sum()) for mask in self._masks]

    def take_over(self, earlier: WatchpointSearch) -> bool:
        """Continue an earlier search with the same arguments in the same data, which had fewer steps and tensors.

        Other data, and runs that became long enough for ``for_steps``, are searched from the start: returns False.
        """
        if not self._continues(earlier):
            return False
        self._state = earlier._state
        self._state.grow(len(self._tensors))
        self._queue = self._unread()
        return True

    def _continues(self, earlier: WatchpointSearch) -> bool:
        count = len(earlier._tensors)
        return (
            self.watchpoints == earlier.watchpoints
            and (self._wanted, self._most_hits) == (earlier._wanted, earlier._most_hits)
            and list(map(_identity, self._tensors[:count])) == list(map(_identity, earlier._tensors))
            and all(
                self._steps.get(rank, [])[: len(read)] == read and self._in_a_row[rank] == earlier._in_a_row[rank]
                for rank, read in earlier._state.read.items()
            )
        )

    def read_next(self) -> None:
        """Read the next step of a rank. Raises as ``DebugSource.at``; the step then counts as read."""
        step, rank = self._queue.pop()
        self._state.read.setdefault(rank, []).append(step)
        recorded = self._read(step, rank)
        if recorded is not None:
            self._add(known_rows(recorded, self._table))

    def grow(self, source: DebugSource) -> None:
        """Continue in a source that has the same tensors, and new ones after them."""
        self._source, self._tensors = source, tuple(source.tensors)
        self._table = TensorTable.of(source)
        self._masks = [self._mask(watchpoint) for watchpoint in self.watchpoints]
        self._state.grow(len(self._tensors))

    def add(self, recorded: StepStatistics) -> list[Hit]:
        """Evaluate a step that a training just recorded, whether its source has it or not.

        Returns its hits, without those that follow from the first bad number.
        """
        rank = recorded.rank
        self._in_a_row.setdefault(rank, [watchpoint.for_steps for watchpoint in self.watchpoints])
        self._steps.setdefault(rank, []).append(recorded.step)
        self._state.read.setdefault(rank, []).append(recorded.step)
        self._add(known_rows(recorded, self._table))
        hits, self._state.first.hits, self._state.following.hits = self._state.first.hits, [], []
        return hits

    def result(self) -> Evaluation:
        """Return the hits so far, in execution order."""
        state = self._state
        unevaluated = [
            Unevaluated(number, parameter, problem, missing, value.count, value.first_step, value.first_tensor)
            for (number, parameter, problem, missing), value in state.open.items()
        ]
        unmatched = [number for number, mask in enumerate(self._masks) if not mask.any()]
        return Evaluation(
            self._source.tensors, self.watchpoints, tuple(state.first.ordered(self._most_hits)), state.first.counts,
            state.following.of_watchpoints(), tuple(unevaluated), tuple(unmatched), state.evaluated,
        )  # fmt: skip

    def _unread(self) -> list[tuple[int, int]]:
        """Return steps and ranks to read, the next one last."""
        return sorted(
            [
                (step, rank)
                for rank, steps in self._steps.items()
                for step in steps[len(self._state.read.get(rank, [])) :]
            ],
            reverse=True,
        )

    def _mask(self, watchpoint: Watchpoint) -> NDArray[np.bool_]:
        mask = self._table.kinds[watchpoint.condition.kind] & watchpoint.matches(self._tensors)
        if watchpoint.recommendation is not None and watchpoint.recommendation.types:
            mask &= np.isin(self._table.plain_types, sorted(watchpoint.recommendation.types))
        return mask

    def _add(self, recorded: StepStatistics) -> None:
        is_wanted = self._wanted is None or recorded.step in self._wanted
        state = self._state.ranks.setdefault(recorded.rank, RankState.of(len(self._tensors)))
        state.begin(recorded)
        is_first = state.previous is None and recorded.step <= _LAST_FIRST_STEP
        context = StepContext(recorded, self._table, state, is_first, self._overflows(recorded))
        if self._folds_all or any(map(_has_consequences, self.watchpoints)):
            damage = self._state.damages.setdefault(recorded.rank, FirstDamage())
            is_before = self._source.format == RECORDED_BEFORE
            damage.add(recorded, self._tensors, self._table, is_recorded_before=is_before)
        for number, watchpoint in enumerate(self.watchpoints):
            rows = np.flatnonzero(self._masks[number][recorded.tensor])
            if rows.size:
                self._evaluate(number, watchpoint, context, rows, is_wanted)
        state.add(recorded)
        self._state.evaluated += is_wanted

    def _overflows(self, recorded: StepStatistics) -> frozenset[int]:
        if all(watchpoint.condition.statistic is not OPERATOR_OVERFLOW for watchpoint in self.watchpoints):
            return frozenset()
        overflows = self._source.overflows(recorded.step, recorded.rank)
        return frozenset(each.order for each in overflows if each.order >= 0)

    def _evaluate(self, number: int, watchpoint: Watchpoint, context: StepContext, rows: Rows, is_wanted: bool) -> None:
        if watchpoint.recommendation is not None:
            rows = rows[watchpoint.recommendation.guard(context)[rows]]
        for verdict in evaluate_step(self._source, watchpoint, context, rows):
            since, is_lasting = self._streaks(number, context.recorded, verdict)
            if is_wanted:
                self._add_hits(number, context.recorded, verdict, is_lasting, since)
                self._state.add_problems(number, context.recorded, verdict)

    def _streaks(
        self, number: int, recorded: StepStatistics, verdict: Verdict
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """Return the step since which each row holds, and whether these are enough consecutive steps."""
        key = recorded.rank, number, verdict.parameter
        streaks = self._state.streaks.setdefault(key, np.zeros(len(self._tensors), STREAK))
        holding = np.unique(recorded.tensor[verdict.rows])
        longer = streaks[holding]
        longer["since"] = np.where(longer["steps"] > 0, longer["since"], recorded.step)
        longer["steps"] += 1
        streaks["steps"][recorded.tensor] = 0
        streaks[holding] = longer
        own = streaks[recorded.tensor[verdict.rows]]
        return own["since"], own["steps"] >= self._in_a_row[recorded.rank][number]

    def _add_hits(
        self, number: int, recorded: StepStatistics, verdict: Verdict, is_lasting: NDArray[np.bool_],
        since: NDArray[np.int64],
    ) -> None:  # fmt: skip
        rows, actual, since = verdict.rows[is_lasting], verdict.actual[is_lasting], since[is_lasting]
        if not rows.size:
            return
        at = int(np.argmin(recorded.order[rows]))
        first = _hit(number, recorded, verdict, int(rows[at]), float(actual[at]), int(since[at]))
        self._on_hits(first, len(rows))
        follows = np.zeros(len(rows), np.bool_)
        if _has_consequences(self.watchpoints[number]):
            follows = self._state.damages[recorded.rank].is_consequence(recorded, rows)
        elif self._folds_all:
            follows = self._state.damages[recorded.rank].is_later(recorded, rows, since)
        for mask, into in ((~follows, self._state.first), (follows, self._state.following)):
            if mask.any():
                into.add(number, verdict, recorded, rows[mask], actual[mask], since[mask], self._most_hits)


def _has_consequences(watchpoint: Watchpoint) -> bool:
    return watchpoint.recommendation is not None and watchpoint.recommendation.has_consequences


@dataclass(slots=True)
class _HitList:
    """Hits, by tensor and by step."""

    groups: HitGroups
    hits: list[Hit] = field(default_factory=list[Hit])
    """Hits; those of the last step are complete, also beyond the limit, because ranks follow each other."""
    counts: dict[int, Counter[int]] = field(default_factory=dict[int, Counter[int]])

    def add(
        self, number: int, verdict: Verdict, recorded: StepStatistics, rows: Rows, actual: NDArray[np.float64],
        since: NDArray[np.int64], most_hits: int,
    ) -> None:  # fmt: skip
        """Add the hits of a step, in the order of execution."""
        self.groups.add(number, verdict, recorded, rows, actual, since)
        self.counts.setdefault(recorded.step, Counter())[number] += len(rows)
        if len(self.hits) < most_hits or (self.hits and recorded.step <= self.hits[-1].step):
            self.hits += [
                _hit(number, recorded, verdict, row, value, begin)
                for row, value, begin in zip(rows.tolist(), actual.tolist(), since.tolist(), strict=True)
            ]

    def ordered(self, most: int) -> list[Hit]:
        self.hits.sort(key=lambda hit: (hit.step, hit.order, hit.rank, hit.row, hit.watchpoint))
        return self.hits[:most]

    def of_watchpoints(self) -> Counter[int]:
        """Return the number of hits of each watchpoint."""
        return sum(self.counts.values(), Counter[int]())


@dataclass(slots=True)
class _OpenCount:
    first_step: int
    first_tensor: int
    count: int = 0


@dataclass(slots=True)
class _State:
    """The state of a search after the steps that it read."""

    first: _HitList
    following: _HitList
    """Hits that follow from another one."""
    damages: dict[int, FirstDamage] = field(default_factory=dict[int, FirstDamage])
    """Damage by rank."""
    read: dict[int, list[int]] = field(default_factory=dict[int, list[int]])
    """Steps that were read, by rank."""
    ranks: dict[int, RankState] = field(default_factory=dict[int, RankState])
    streaks: dict[tuple[int, int, str], NDArray[np.void]] = field(
        default_factory=dict[tuple[int, int, str], NDArray[np.void]]
    )
    """Consecutive steps in which each tensor held, and since which, by rank, watchpoint and parameter."""
    open: dict[_Opening, _OpenCount] = field(default_factory=dict[_Opening, _OpenCount])
    evaluated: int = 0

    def grow(self, tensors: int) -> None:
        for each in (self.first, self.following):
            each.groups.grow(tensors)
        for state in self.ranks.values():
            state.grow(tensors)
        self.streaks = {key: np.concatenate([streaks, np.zeros(tensors - len(streaks), STREAK)])
                        for key, streaks in self.streaks.items()}  # fmt: skip

    def add_problems(self, number: int, recorded: StepStatistics, verdict: Verdict) -> None:
        for problem, rows, missing in verdict.problems:
            if rows.size:
                key = number, verdict.parameter, problem, missing
                first = int(recorded.tensor[rows[0]])
                self.open.setdefault(key, _OpenCount(recorded.step, first)).count += len(rows)


def _identity(tensor: DebugTensor) -> tuple[object, ...]:
    """Return what does not change while a source grows: all but shape and stack."""
    return tensor.module, tensor.type, tensor.phase, tensor.role, tensor.slot, tensor.call, tensor.dtype, tensor.name


def _hit(number: int, recorded: StepStatistics, verdict: Verdict, row: int, actual: float, since: int) -> Hit:
    tensor, order = int(recorded.tensor[row]), int(recorded.order[row])
    name, limit = verdict.parameter, verdict.set_value
    return Hit(recorded.step, recorded.rank, tensor, row, order, number, name, limit, actual, since)
