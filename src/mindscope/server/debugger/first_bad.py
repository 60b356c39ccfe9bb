# SPDX-License-Identifier: Apache-2.0
"""The first bad number of a source: a search that continues with the next request, and its result as a message."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from mindscope.debug.first_bad import FirstBad, FirstBadSearch, Growth, OperatorRow, unfinished_step
from mindscope.debug.first_bad.explanation import Explanation
from mindscope.debug.first_bad.finder import explanations_since, followed_tensors, steps_before
from mindscope.debug.first_bad.growth import fit_growth
from mindscope.debug.model.tensors import Phase
from mindscope.debug.views.figures import FIGURES
from mindscope.debug.views.tensor_history import TensorHistory
from mindscope.server.debugger.first_bad_schema import (
    DebugExplanation,
    DebugFirstBad,
    DebugFirstBadAnswer,
    DebugGrowth,
    DebugOperatorEntry,
    DebugUnfinishedStep,
)
from mindscope.server.debugger.messages import row_entry, tensor_entry
from mindscope.server.debugger.schema import DebugRowEntry
from mindscope.server.debugger.sources import MOST_OPEN, OpenSource
from mindscope.server.debugger.step_reader import StepReader
from mindscope.server.http.json_numbers import finite
from mindscope.server.jobs.jobs import Jobs


@dataclass(eq=False)
class _Work:
    """The search in one version of a source, then the history of what explains the result."""

    opened: OpenSource
    read: StepReader = field(init=False)
    search: FirstBadSearch = field(init=False)
    history: TensorHistory | None = None
    """History of the growing inputs, then of what explains them; None while nothing is found."""
    steps_of_history: list[int] = field(default_factory=list[int])
    """Steps to add to the history, the next one last."""

    def __post_init__(self) -> None:
        self.read = StepReader(self.opened)
        self.search = FirstBadSearch(self.opened.source, self.read)

    def take_over(self, earlier: _Work) -> None:
        """Continue the search, and read the history again."""
        self.search.take_over(earlier.search)
        if self.search.read_steps:
            self.read.unreadable |= earlier.read.unreadable
        self._begin_history()

    @property
    def is_complete(self) -> bool:
        """Whether nothing is left to read."""
        return self.search.is_over and not self.steps_of_history

    def run_step(self) -> None:
        """Read one step more. Raises DebugDataError."""
        if not self.search.is_over:
            self.search.read_next()
            self._begin_history()
        elif self.search.found is not None and self.history is not None:
            step = self.steps_of_history.pop()
            recorded = self.read(step, self.search.found.rank)
            self.history.skip(step) if recorded is None else self.history.add(recorded)

    def _begin_history(self) -> None:
        found = self.search.found
        if found is None:
            return
        self.history = TensorHistory([*self.search.growing, *followed_tensors(found.explanations)])
        if self.history.tensors:
            self.steps_of_history = [*steps_before(self.opened.source, found)][::-1]

    def growths(self) -> list[Growth]:
        if self.history is None:
            return []
        steps, magnitude = np.array(self.history.steps), self.history.figure(FIGURES["max_abs"])
        tensors = self.opened.source.tensors
        fits = [fit_growth(steps, magnitude[:, column], tensors[tensor].dtype, tensor)
                for column, tensor in enumerate(self.search.growing)]  # fmt: skip
        return [fit for fit in fits if fit is not None]

    def explanations(self) -> tuple[Explanation, ...]:
        if self.history is None or self.search.found is None:
            return ()
        return explanations_since(self.search.found.explanations, self.history, self.opened.source.tensors)


class FirstBadSearches(Jobs[tuple[str, str], _Work]):
    """The searches in the sources that were used last. For any thread."""

    most = MOST_OPEN

    def answer(self, opened: OpenSource) -> DebugFirstBadAnswer:
        """Search further, at least one step. Raises DebugDataError, FormatError, OSError."""
        return self.advance(opened.key, opened, lambda: _Work(opened), _answer)


def _answer(work: _Work) -> DebugFirstBadAnswer:
    search = work.search
    return DebugFirstBadAnswer(
        version=work.opened.version,
        steps=search.steps,
        read_steps=search.read_steps,
        unreadable_steps=len(work.read.unreadable),
        is_complete=work.is_complete,
        found=None if search.found is None else _found(work, search.found),
        unfinished=_unfinished(work) if work.is_complete else None,
    )


def _unfinished(work: _Work) -> DebugUnfinishedStep | None:
    found = unfinished_step(work.opened.source, work.read)
    return None if found is None else DebugUnfinishedStep(step=found.step, rank=found.rank, operator=found.operator)


def _found(work: _Work, found: FirstBad) -> DebugFirstBad:
    recorded, tensors, rows = work.opened.at(found.step, found.rank), work.opened.source.tensors, found.rows

    def entry(row: int) -> DebugRowEntry:
        return row_entry(recorded, row, tensors[int(recorded.tensor[row])])

    return DebugFirstBad(
        cause=found.cause,
        step=found.step,
        rank=found.rank,
        phase=Phase(found.phase),
        operator=_operator(rows.operator),
        before=_operator(rows.before),
        tensor=entry(found.row),
        is_first_step=found.is_first_step,
        is_module=found.is_module,
        has_finite_inputs=found.has_finite_inputs,
        since=found.since,
        made_by=found.made_by,
        inputs=[entry(row) for row in rows.inputs],
        outputs=[entry(row) for row in rows.outputs],
        explanations=[_explanation(explanation, work) for explanation in work.explanations()]
        if work.is_complete
        else [],
        growth=[_growth(growth, work) for growth in work.growths()] if work.is_complete else [],
        chain=[_operator(each) for each in rows.chain],
        other_ranks={rank: _operator(each) for rank, each in sorted(rows.other_ranks.items())},
        stack=list(rows.stack),
    )


def _operator(operator: OperatorRow) -> DebugOperatorEntry:
    return DebugOperatorEntry(kind=operator.kind, name=operator.name, row=operator.row)


def _explanation(each: Explanation, work: _Work) -> DebugExplanation:
    return DebugExplanation(
        trait=each.trait,
        kind=each.kind,
        name=each.name,
        tensor=tensor_entry(each.tensor, work.opened.source.tensors[each.tensor]),
        row=each.row,
        line=each.line,
        count=each.count,
        total=each.total,
        value=each.value,
        since=each.since,
        inputs_reach=finite(each.inputs_reach),
        update_ratio=finite(each.update_ratio) if each.has_large_update else None,
    )


def _growth(growth: Growth, work: _Work) -> DebugGrowth:
    return DebugGrowth(
        tensor=tensor_entry(growth.tensor, work.opened.source.tensors[growth.tensor]),
        since=growth.since,
        factor=growth.factor,
        first=growth.first,
        last_step=growth.last_step,
        last=growth.last,
        limit=growth.limit if math.isfinite(growth.limit) else None,
    )
