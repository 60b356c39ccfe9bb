# SPDX-License-Identifier: Apache-2.0
"""Messages about debugging data. A figure that was not recorded is null in JSON, and NaN in a column."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field, WithJsonSchema

from mindscope.debug.model.tensors import Phase, Role
from mindscope.debug.views.figures import FIGURES
from mindscope.server.http.columns import Float64, Int32, Uint8
from mindscope.server.http.schema import MAX_PIXELS, MAX_RUNS, Answer, IsNumber, Query, ReasonEntry, Whole

MOST_PAGE = 500
MOST_WORDS = 20
MOST_NUMBER = 2**31 - 1
MOST_STEP = 2**53
MOST_HISTORIES = 8
Number = Annotated[int, Field(ge=0, le=MOST_NUMBER), IsNumber]
Step = Annotated[int, Field(ge=-MOST_STEP, le=MOST_STEP), IsNumber]


def _known_figure(name: str) -> str:
    if name not in FIGURES:
        raise ValueError(f"{name!r} is no figure, want one of {', '.join(FIGURES)}")
    return name


FigureName = Annotated[str, AfterValidator(_known_figure), WithJsonSchema({"type": "string", "enum": [*FIGURES]})]


class DebugSourcesQuery(Query):
    """The runs whose debugging data are listed."""

    runs: list[str] = Field(max_length=MAX_RUNS)


class DebugRank(Answer):
    """A rank with its recorded steps."""

    rank: int
    steps: int
    first_step: int | None
    last_step: int | None


class DebugSourceEntry(Answer):
    """Debugging data of a training.

    ``source`` is "." for what the event files of ``run`` and of its other ranks hold, else a path below the directory
    of the run. ``figures`` are those that follow from the recorded statistics. ``facts`` are what the recording says of
    itself. Of ``problem_count`` problems some are in ``problems``.
    """

    run: str
    source: str
    format: str
    framework: str
    facts: dict[str, str]
    ranks: list[DebugRank]
    tensors: int
    figures: list[str]
    problems: list[ReasonEntry]
    problem_count: int
    version: str


class UnlistedDebugRun(Answer):
    """A run whose debugging data can't be listed, or one of its sources that can't be read."""

    run: str
    source: str
    problem: ReasonEntry


class DebugSourcesAnswer(Answer):
    """The debugging data of runs, in the order of the runs."""

    sources: list[DebugSourceEntry]
    unlisted: list[UnlistedDebugRun]


class OfAllRanks(Query):
    """A source of debugging data, with all of its ranks."""

    run: str
    source: str = Field(".", max_length=4096)


class OfSource(OfAllRanks):
    """One rank of a source."""

    rank: Number = 0


class DebugStepsAnswer(Answer):
    """The recorded steps of a rank, ascending."""

    version: str
    steps: list[int]


class OfTensors(OfSource):
    """Tensors with all ``words`` and a match of ``regex`` in operator, module, type, slot or dtype.

    Of ``module`` and of the modules in it; of these ``phases`` and ``roles``, where a list without any means all.
    """

    words: list[str] = Field(default_factory=list[str], max_length=MOST_WORDS)
    regex: str = Field("", max_length=1000)
    module: str = Field("", max_length=4096)
    phases: list[Phase] = Field(default_factory=list[Phase], max_length=len(Phase))
    roles: list[Role] = Field(default_factory=list[Role], max_length=len(Role))


class DebugRowsQuery(OfTensors):
    """A page of the rows of a step; without ``step``, of the last one. ``sort`` is a text, a figure, or ``order``."""

    step: Step | None = None
    only_non_finite: bool = False
    sort: str = Field("order", max_length=100)
    is_descending: bool = False
    first: Number = 0
    count: Whole = Field(100, ge=0, le=MOST_PAGE)


class DebugTensorEntry(Answer):
    """The description of a tensor.

    ``tensor`` is its number in the source; ``source_line`` is the innermost line of its stack.
    """

    tensor: int
    operator: str
    module: str
    type: str
    phase: Phase
    role: Role
    slot: str
    call: int
    dtype: str
    shape: list[int] | None
    source_line: str


class DebugRowsHeader(Answer):
    """The JSON header of rows as ``application/vnd.mindscope.columns``.

    Of the step's ``total`` rows, ``non_finite`` have a NaN or an infinity, and ``matching`` pass the filter.
    ``tensors`` has one entry for each row of the page. Columns: ``row`` is the number in the order of execution,
    ``order`` that of the operator; ``figures`` are float64.
    """

    version: str
    step: int
    total: int
    matching: int
    non_finite: int
    tensors: list[DebugTensorEntry]
    row: Int32
    order: Int32
    figures: dict[str, Float64]


class DebugRowQuery(OfSource):
    """One row of a step: that with the number ``row``, or else the last one of a ``tensor``."""

    step: Step
    row: Number | None = None
    tensor: Number | None = None


class DebugRowEntry(Answer):
    """A row with all its figures. ``digest`` is hexadecimal, empty where none was recorded."""

    row: int
    tensor: DebugTensorEntry
    figures: dict[str, float | None]
    digest: str


class DebugRowAnswer(Answer):
    """A row, its ``stack`` with the innermost line first, and all rows of the same operator in ``operator_rows``.

    ``has_elements`` says whether the whole tensor was recorded, not statistics only. ``previous_step`` and
    ``next_step`` are the recorded neighbors of the step.
    """

    version: str
    step: int
    order: int
    previous_step: int | None
    next_step: int | None
    row: DebugRowEntry
    has_elements: bool
    stack: list[str]
    operator_rows: list[DebugRowEntry]


class DebugStepsRead(Answer):
    """The answer of a job that has read ``read_steps`` of ``steps``: request again until ``is_complete``."""

    version: str
    steps: int
    read_steps: int
    is_complete: bool


class DebugHistoryQuery(OfSource):
    """One figure of some tensors over all steps."""

    tensors: list[Number] = Field(min_length=1, max_length=MOST_HISTORIES)
    figure: FigureName


class DebugHistoryHeader(DebugStepsRead):
    """The JSON header of histories as ``application/vnd.mindscope.columns``.

    ``read_steps`` of ``steps`` are in the columns. ``values`` and ``non_finite`` (how many elements are NaN or
    infinite) have one column for each tensor of the query.
    """

    tensors: list[DebugTensorEntry]
    step: Float64
    values: list[Float64]
    non_finite: list[Float64]


class DebugHeatQuery(OfTensors):
    """One figure of many tensors over all steps, in at most ``rows`` by ``columns`` cells."""

    figure: FigureName
    rows: Whole = Field(400, ge=1, le=1024)
    columns: Whole = Field(800, ge=1, le=MAX_PIXELS)


class DebugHeatHeader(DebugStepsRead):
    """The JSON header of a heat map as ``application/vnd.mindscope.columns``.

    ``read_steps`` of ``steps`` are in the cells. A cell covers neighboring tensors and
    ``steps_per_column`` steps: ``value`` (float64, column by column) is the figure of the largest magnitude, ``bits``
    (uint8) sum 1 if something was recorded, 2 if one tensor has a NaN, 4 if one has an infinity. Row i has the tensors
    ``start[i]`` to ``start[i + 1]`` of those that match; ``first_tensors`` has the first of each row.
    """

    matching: int
    steps_per_column: int
    minimum: float | None
    maximum: float | None
    first_tensors: list[DebugTensorEntry]
    start: Float64
    step: Float64
    value: Float64
    bits: Uint8
