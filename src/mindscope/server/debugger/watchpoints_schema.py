# SPDX-License-Identifier: Apache-2.0
"""Messages about watchpoints."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from pydantic import Field

from mindscope.debug.model.tensor_kinds import TensorKind
from mindscope.debug.watchpoints.conditions import Comparison
from mindscope.server.debugger.schema import MOST_PAGE, DebugStepsRead, DebugTensorEntry, Number, OfAllRanks, Step
from mindscope.server.http.schema import Answer, ReasonEntry, Whole

MOST_WATCHPOINTS = 50
MOST_MARKS = 400


class DebugParameterEntry(Answer):
    """A parameter of a condition, from ``low`` to ``high`` where these are not null.

    Without ``statistic`` it only configures another; without ``default`` it is off until it is set.
    """

    name: str
    statistic: str | None
    comparison: Comparison
    default: float | None
    low: float | None
    high: float | None
    is_low_excluded: bool


class DebugConditionEntry(Answer):
    """A condition over tensors of a kind. Any set parameter with a statistic that holds is a hit.

    One whose parameters have no statistic holds by itself. One of the first step is evaluated there only.
    """

    id: str
    abbreviation: str
    kind: TensorKind
    is_of_first_step: bool
    parameters: list[DebugParameterEntry]


class DebugRecommendationEntry(Answer):
    """A recommended watchpoint: a condition with ``settings``, after ``for_steps`` steps, over operators of ``types``.

    It leaves out what healthy trainings have too. An empty list of types means all.
    """

    name: str
    condition: str
    settings: dict[str, float]
    for_steps: int
    types: list[str]


class DebugConditionsAnswer(Answer):
    """The conditions of watchpoints."""

    conditions: list[DebugConditionEntry]
    recommended: list[DebugRecommendationEntry]


class HitOrder(str, Enum):
    """The meaning of an entry of the list of hits."""

    TENSOR = "tensor"
    STEP = "step"


class DebugWatchQuery(OfAllRanks):
    """Watchpoints over all steps and ranks of a source, each in the syntax of ``mindscope debug watch``.

    The page of hits has those of one ``watchpoint``, by its place in ``watchpoints``, or of all. ``by`` tensor, an
    entry has all hits of a tensor; by step, it is a single hit. By step, ``at_step`` chooses the page with the hits of
    that step in place of ``first``. With ``of_consequences`` it has the hits that follow from the first bad number.
    """

    watchpoints: list[Annotated[str, Field(max_length=1000)]] = Field(max_length=MOST_WATCHPOINTS)
    by: HitOrder = HitOrder.TENSOR
    watchpoint: Number | None = None
    first: Number = 0
    at_step: Step | None = None
    count: Whole = Field(100, ge=0, le=MOST_PAGE)
    of_consequences: bool = False


class DebugUnevaluatedEntry(Answer):
    """``count`` tensors, the first in ``first_step``, for which a parameter could not be evaluated.

    ``missing`` are the statistics that the recording lacks; ``tensor`` is the whole tensor.
    """

    parameter: str
    problems: list[str]
    missing: list[str]
    count: int
    first_step: int


class DebugWatchpointEntry(Answer):
    """A watchpoint: its ``text``, how many ``tensors`` it watches, and how many ``hits`` it has so far.

    ``consequences`` are further hits that began after the first bad number; ``hits`` does not count them. One with a
    ``problem`` is not evaluated.
    """

    text: str
    condition: str
    recommendation: str | None
    settings: dict[str, float]
    patterns: list[str]
    for_steps: int
    problem: ReasonEntry | None
    tensors: int
    hits: int
    consequences: int
    first_step: int | None
    unevaluated: list[DebugUnevaluatedEntry]


class DebugHitEntry(Answer):
    """Hits of a ``watchpoint`` by its place in the query: ``count`` of them, the last one in ``last_step``.

    ``step``, ``row`` and ``actual`` are of the first one; it holds without a break since the recorded step ``since``,
    which is an earlier one if it must hold ``for_steps``. ``set_value`` is null for a condition without a limit,
    ``actual`` where it is not finite.
    """

    watchpoint: int
    parameter: str
    set_value: float | None
    rank: int
    step: int
    since: int
    row: int
    tensor: DebugTensorEntry
    actual: float | None
    count: int
    last_step: int
    last_row: int
    last_actual: float | None


class DebugHitSteps(Answer):
    """``count`` hits in some neighboring steps with hits."""

    first_step: int
    last_step: int
    count: int


class DebugWatchAnswer(DebugStepsRead):
    """The hits in the first ``read_steps`` of ``steps``, those of each rank; request again until ``is_complete``.

    ``unreadable_steps`` can't be read. ``hits`` is a page of ``matching`` entries, from ``first`` on; by step, of the
    first 10,000 hits. ``marks`` has all steps with hits of any watchpoint, the oldest first; of many, neighbors are
    together.
    """

    unreadable_steps: int
    watchpoints: list[DebugWatchpointEntry]
    matching: int
    first: int
    hits: list[DebugHitEntry]
    marks: list[DebugHitSteps]
