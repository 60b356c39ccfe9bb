# SPDX-License-Identifier: Apache-2.0
"""Watchpoints over a source: an evaluation that continues with the next request, and its hits as messages."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence

from mindscope.debug.model.tensors import DebugTensor
from mindscope.debug.watchpoints import (
    CONDITIONS,
    RECOMMENDED,
    Evaluation,
    Hit,
    Problem,
    Watchpoint,
    WatchpointSearch,
    parse_watchpoint,
)
from mindscope.debug.watchpoints.conditions import Condition, Parameter
from mindscope.debug.watchpoints.recommended import Recommendation
from mindscope.errors import WatchpointError
from mindscope.reasons import Reason
from mindscope.server.debugger.messages import tensor_entry
from mindscope.server.debugger.sources import MOST_OPEN, OpenSource
from mindscope.server.debugger.step_reader import StepReader
from mindscope.server.debugger.watchpoints_schema import (
    MOST_MARKS,
    DebugConditionEntry,
    DebugConditionsAnswer,
    DebugHitEntry,
    DebugHitSteps,
    DebugParameterEntry,
    DebugRecommendationEntry,
    DebugUnevaluatedEntry,
    DebugWatchAnswer,
    DebugWatchpointEntry,
    DebugWatchQuery,
    HitOrder,
)
from mindscope.server.http.json_numbers import finite
from mindscope.server.http.schema import ReasonEntry
from mindscope.server.jobs.jobs import Jobs


class _Work:
    """The evaluation of watchpoints in one version of a source."""

    def __init__(self, opened: OpenSource, watchpoints: Sequence[Watchpoint], *, is_growing: bool) -> None:
        self.opened = opened
        self.read = StepReader(opened)
        self.search = WatchpointSearch(
            opened.source, watchpoints, read=self.read, is_growing=is_growing, folds_all=True
        )

    def take_over(self, earlier: _Work) -> None:
        """Continue the evaluation."""
        self.search.take_over(earlier.search)
        if self.search.read_steps:
            self.read.unreadable |= earlier.read.unreadable

    @property
    def is_complete(self) -> bool:
        """Whether all steps are evaluated."""
        return self.search.is_over

    def run_step(self) -> None:
        """Evaluate one step more. Raises DebugDataError."""
        self.search.read_next()


class WatchpointSearches(Jobs[tuple[tuple[str, str], tuple[str, ...]], _Work]):
    """The evaluations that were used last. For any thread."""

    most = MOST_OPEN

    def answer(self, opened: OpenSource, query: DebugWatchQuery, *, is_growing: bool) -> DebugWatchAnswer:
        """Evaluate further steps, at least one. Raises DebugDataError, FormatError, OSError.

        Args:
            opened: the source.
            query: the watchpoints, and the page of their hits.
            is_growing: the training records further steps.
        """
        parsed = [_parsed(text) for text in query.watchpoints]
        valid = [each for each in parsed if isinstance(each, Watchpoint)]
        key = opened.key, tuple(each.text for each in valid)
        return self.advance(
            key,
            (opened, is_growing),
            lambda: _Work(opened, valid, is_growing=is_growing),
            lambda work: _answer(work, query, parsed),
        )


def _parsed(text: str) -> Watchpoint | ReasonEntry:
    try:
        return parse_watchpoint(text)
    except WatchpointError as error:
        return ReasonEntry.of(Reason("watchpoint_invalid", detail=str(error)))


def _answer(work: _Work, query: DebugWatchQuery, parsed: Sequence[Watchpoint | ReasonEntry]) -> DebugWatchAnswer:
    search = work.search
    found = search.result()
    valid = [index for index, each in enumerate(parsed) if isinstance(each, Watchpoint)]  # of those in the search
    matching, first, hits = _page(search, found, query, valid)
    entries = [
        DebugWatchpointEntry(
            text=text, condition="", recommendation=None, settings={}, patterns=[], for_steps=1,
            problem=None if isinstance(each, Watchpoint) else each, tensors=0, hits=0, consequences=0, first_step=None,
            unevaluated=[],
        )
        for text, each in zip(query.watchpoints, parsed, strict=True)
    ]  # fmt: skip
    for number, index in enumerate(valid):
        entries[index] = _entry(number, search, found)
    return DebugWatchAnswer(
        version=work.opened.version,
        steps=search.steps,
        read_steps=search.read_steps,
        unreadable_steps=len(work.read.unreadable),
        is_complete=work.is_complete,
        watchpoints=entries,
        matching=matching,
        first=first,
        hits=hits,
        marks=_marks(search.counts),
    )


def _entry(number: int, search: WatchpointSearch, found: Evaluation) -> DebugWatchpointEntry:
    watchpoint = search.watchpoints[number]
    steps = [step for step, counts in search.counts.items() if counts.get(number)]
    return DebugWatchpointEntry(
        text=watchpoint.text,
        condition=watchpoint.condition.id,
        recommendation=watchpoint.recommendation.name if watchpoint.recommendation else None,
        settings=dict(watchpoint.settings),
        patterns=list(watchpoint.patterns),
        for_steps=watchpoint.for_steps,
        problem=None,
        tensors=search.matched[number],
        hits=sum(search.counts[step][number] for step in steps),
        consequences=found.consequences.get(number, 0),
        first_step=min(steps, default=None),
        unevaluated=[
            DebugUnevaluatedEntry(
                parameter=each.parameter,
                problems=[str(problem.name).lower() for problem in Problem if problem in each.problem],
                missing=list(each.missing),
                count=each.count,
                first_step=each.first_step,
            )
            for each in found.unevaluated
            if each.watchpoint == number
        ],
    )


def _page(
    search: WatchpointSearch, found: Evaluation, query: DebugWatchQuery, valid: Sequence[int]
) -> tuple[int, int, list[DebugHitEntry]]:
    wanted = None if query.watchpoint is None else valid.index(query.watchpoint) if query.watchpoint in valid else -1
    tensors = found.tensors
    if query.by is HitOrder.TENSOR:
        of_query = search.consequences if query.of_consequences else search.groups
        matching, groups = of_query.page(query.first, query.count, wanted)
        return matching, query.first, [_hit(group.first, group.last, group.count, tensors, valid) for group in groups]
    all_hits = search.following_hits if query.of_consequences else found.hits
    hits = [hit for hit in all_hits if wanted in (None, hit.watchpoint)]
    first = query.first if query.at_step is None else _first_of_page(hits, query.at_step, query.count)
    return len(hits), first, [_hit(hit, hit, 1, tensors, valid) for hit in hits[first:][: query.count]]


def _first_of_page(hits: Sequence[Hit], step: int, count: int) -> int:
    """Return the first index of the page with the first hit from a step on; that of the last page if there is none."""
    index = bisect_left(hits, step, key=lambda hit: hit.step)
    return min(index, max(len(hits) - 1, 0)) // max(count, 1) * count


def _hit(first: Hit, last: Hit, count: int, tensors: Sequence[DebugTensor], valid: Sequence[int]) -> DebugHitEntry:
    return DebugHitEntry(
        watchpoint=valid[first.watchpoint],
        parameter=first.parameter,
        set_value=finite(first.set_value),
        rank=first.rank,
        step=first.step,
        since=first.since,
        row=first.row,
        tensor=tensor_entry(first.tensor, tensors[first.tensor]),
        actual=finite(first.actual),
        count=count,
        last_step=last.step,
        last_row=last.row,
        last_actual=finite(last.actual),
    )


def _marks(counts: Mapping[int, Mapping[int, int]]) -> list[DebugHitSteps]:
    steps = sorted(counts)
    each = math.ceil(len(steps) / MOST_MARKS)
    parts = [steps[start : start + each] for start in range(0, len(steps), each)] if steps else []
    return [
        DebugHitSteps(
            first_step=part[0], last_step=part[-1], count=sum(sum(counts[step].values()) for step in part)
        )
        for part in parts
    ]  # fmt: skip


def conditions_answer() -> DebugConditionsAnswer:
    """Return all conditions with their parameters, and the recommended watchpoints."""
    return DebugConditionsAnswer(
        conditions=[_condition(condition) for condition in CONDITIONS.values()],
        recommended=[_recommendation(each) for each in RECOMMENDED.values()],
    )


def _condition(condition: Condition) -> DebugConditionEntry:
    return DebugConditionEntry(
        id=condition.id,
        abbreviation=condition.abbreviation,
        kind=condition.kind,
        is_of_first_step=condition.is_of_first_step,
        parameters=[_parameter(parameter) for parameter in condition.parameters],
    )


def _parameter(parameter: Parameter) -> DebugParameterEntry:
    return DebugParameterEntry(
        name=parameter.name,
        statistic=parameter.statistic.name if parameter.statistic else None,
        comparison=parameter.comparison,
        default=parameter.default,
        low=finite(parameter.low),
        high=finite(parameter.high),
        is_low_excluded=parameter.is_low_excluded,
    )


def _recommendation(recommendation: Recommendation) -> DebugRecommendationEntry:
    return DebugRecommendationEntry(
        name=recommendation.name,
        condition=recommendation.condition,
        settings=dict(recommendation.settings),
        for_steps=recommendation.for_steps,
        types=sorted(recommendation.types),
    )
