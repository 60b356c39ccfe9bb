# SPDX-License-Identifier: Apache-2.0
"""Messages about where two trainings part. An error that is null is infinite: counts of elements or NaN differ."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from mindscope.debug.compare.result import DivergenceCause
from mindscope.debug.difference_level import Level
from mindscope.debug.model.tensors import Phase, Role
from mindscope.server.debugger.schema import MOST_PAGE, MOST_STEP, MOST_WORDS, DebugStepsRead, Number, OfAllRanks, Step
from mindscope.server.http.columns import Float64
from mindscope.server.http.schema import Answer, IsNumber, Query, Whole

OperatorName = Annotated[str, Field(min_length=1, max_length=4096)]
Offset = Annotated[int, Field(ge=-MOST_STEP, le=MOST_STEP), IsNumber]
Words = Annotated[list[str], Field(max_length=MOST_WORDS)]


class OfComparison(OfAllRanks):
    """A source, the left one, and the other one that it is compared with.

    ``step_offset`` is added to a step of the left one to get that of the other one; null finds it: the one with which
    the tensors of the first steps agree.
    """

    other_run: str
    other_source: str = Field(".", max_length=4096)
    step_offset: Offset | None = None


class DebugDifference(Answer):
    """An operator, a parameter or a gradient of both trainings in a step, by its most different tensor.

    ``left`` and ``right`` name it; several operators that match together have one name. ``other_step`` is the step of
    the right training. ``inherited`` is the largest relative error of what enters it, ``error`` of what
    leaves it, ``added`` the rest. ``row`` and ``other_row`` are rows of the steps of both, ``order`` is of the left
    one. ``source_line`` is the innermost line of its stack.
    """

    step: int
    rank: int
    other_rank: int
    other_step: int
    left: str
    right: str
    phase: Phase
    role: Role
    slot: str
    order: int
    inherited: float | None
    error: float | None
    added: float | None
    tolerance: float
    differs: bool
    source_line: str
    row: int
    other_row: int


class OperatorPair(Query):
    """An operator of the left training, and the one of the right training that it was paired with by hand."""

    left: OperatorName
    right: OperatorName


class DebugComparisonHeader(DebugStepsRead):
    """The JSON header of a comparison as ``application/vnd.mindscope.columns``.

    Of the ``steps`` that both have, ``read_steps`` were compared. ``cause`` and ``first`` say what differs first; if
    not ``is_comparable``, too few operators match for a result, also if nothing differs. ``step_offset`` is added to a
    step of the left one to get that of the other; ``is_offset_found`` if it was found and not requested. ``bitwise`` is
    the first tensor whose bytes differ. Of ``operators`` of the training that has more, ``matched`` have a counterpart.
    ``by_hand`` are the pairs made by hand that apply.

    Columns, float64, one number for each compared step: ``error`` is the largest relative error (NaN where
    nothing compares), ``unbounded`` how many tensors have an infinite one, ``differing`` how many are beyond their
    tolerance.
    """

    unreadable_steps: int
    cause: DivergenceCause
    is_comparable: bool
    step_offset: int
    is_offset_found: bool
    first: DebugDifference | None
    bitwise: DebugDifference | None
    operators: int
    matched: int
    unmatched_left: int
    unmatched_right: int
    by_hand: list[OperatorPair]
    step: Float64
    error: Float64
    unbounded: Float64
    differing: Float64


class ComparedOperatorsQuery(OfComparison):
    """A page of the matched operators of a step, by default of the first differing one, else of the last one.

    With all ``words`` in a name.
    """

    step: Step | None = None
    rank: Number = 0
    words: Words = Field(default_factory=list[str])
    only_differing: bool = False
    sort: Literal["order", "left", "right", "phase", "inherited", "error", "added", "level"] = "order"
    is_descending: bool = False
    first: Number = 0
    count: Whole = Field(100, ge=0, le=MOST_PAGE)


class ComparedOperatorEntry(Answer):
    """An operator with its difference. ``level`` is by the thresholds of msprobe, ``problems`` are those it exceeds."""

    difference: DebugDifference
    level: Level
    problems: list[str]
    is_by_hand: bool


class ComparedOperatorsAnswer(Answer):
    """The operators of a step in both trainings.

    Of ``total``, ``differing`` have inputs or outputs beyond the tolerance, and ``matching`` pass the filter.
    """

    version: str
    step: int
    rank: int
    other_rank: int
    other_step: int
    total: int
    differing: int
    matching: int
    operators: list[ComparedOperatorEntry]


class UnmatchedQuery(OfComparison):
    """A page of the operators of one side without a counterpart, with all ``words`` in the name."""

    side: Literal["left", "right"]
    words: Words = Field(default_factory=list[str])
    first: Number = 0
    count: Whole = Field(100, ge=0, le=MOST_PAGE)


class UnmatchedOperator(Answer):
    """An operator, a parameter or a gradient; ``shape`` is of its first output."""

    name: str
    phase: Phase
    type: str
    shape: list[int] | None


class UnmatchedAnswer(Answer):
    """Operators in the order of execution. ``matching`` of ``total`` pass the filter."""

    total: int
    matching: int
    operators: list[UnmatchedOperator]


class PairChange(OfComparison):
    """Pair two operators by hand, or undo it. Each of them leaves its other pairs made by hand."""

    left: OperatorName
    right: OperatorName
    is_paired: bool


class PairsAnswer(Answer):
    """The pairs made by hand that the next comparison uses."""

    by_hand: list[OperatorPair]
