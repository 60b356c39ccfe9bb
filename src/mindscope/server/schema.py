# SPDX-License-Identifier: Apache-2.0
"""What goes over the wire, a model a message: the OpenAPI is made of them, and the client's types of the OpenAPI."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, FiniteFloat, Strict, StrictBool

from mindscope.types import DamageKind, DialectName, Kind


def _number(given: object) -> object:
    if isinstance(given, str | bool):
        raise ValueError(f"{given!r} is no number")
    return given


Coordinate = Annotated[FiniteFloat, Strict()]
Whole = Annotated[int, BeforeValidator(_number)]
"""A whole number; 400.0 is one in JSON, "400" is not."""

MAX_RUNS = 100_000
MAX_SERIES = 10_000
MAX_PIXELS = 8192


class RunState(str, Enum):
    """``live`` grew within the last minute, ``finished`` was closed, ``idle`` is neither, ``empty`` has no record."""

    LIVE = "live"
    FINISHED = "finished"
    IDLE = "idle"
    EMPTY = "empty"


class Axis(str, Enum):
    """What stands on the x axis. ``relative`` and ``wall`` are in seconds."""

    STEP = "step"
    RELATIVE = "relative"
    WALL = "wall"


class Answer(BaseModel):
    """A message from the server; all its fields are always there."""

    model_config = ConfigDict(json_schema_serialization_defaults_required=True)


class Query(BaseModel):
    """A message to the server; a field that we don't know is a mistake, never ignored."""

    model_config = ConfigDict(extra="forbid")


class Failure(Answer):
    """Why a request was not answered, and what to do."""

    code: str
    message: str
    remedy: str


class FailureAnswer(Answer):
    """The body of every answer with a status of 400 and above."""

    error: Failure


class ServerAnswer(Answer):
    """The viewer itself. ``reload_interval`` is in seconds, 0: logs are loaded once; ``started_at`` is a wall time.

    ``allow_delete``: the page may delete event files of runs.
    """

    version: str
    base_dir: str
    reload_interval: float
    started_at: float
    pid: int
    allow_delete: bool


class RunSummary(Answer):
    """A line of the run list. ``tags`` counts tags by kind; ``dropped`` counts values that the recorder had to drop.

    ``rank`` is the run's number among the ranks of the group ``rank_of``; both are null for a run that has no siblings.
    """

    id: str
    name: str
    path: str
    state: RunState
    files: int
    size_bytes: int
    first_wall_time: float | None
    last_wall_time: float | None
    last_step: int | None
    tags: dict[Kind, int]
    damages: int
    dropped: int
    dialects: list[DialectName]
    rank_of: str | None
    rank: int | None


class RunsAnswer(Answer):
    """All runs below the base directory, ordered by id. ``version`` is the one that live changes count on from."""

    version: int
    runs: list[RunSummary]


class TagsQuery(Query):
    """Which tags of one kind do these runs hold? An unknown run holds none."""

    runs: list[str] = Field(max_length=MAX_RUNS)
    kind: Kind = Kind.SCALAR


class LastPoint(Answer):
    """The newest value. Where JSON has no number for it, it is null and ``value_text`` NaN, Infinity or -Infinity."""

    step: int
    value: float | None
    value_text: str | None


class TagSummary(Answer):
    """A tag: the runs that hold it, as indices into the query's ``runs``, and its points in all of them together.

    ``last`` is the newest point of any of these runs, null for kinds other than scalar.
    """

    tag: str
    runs: list[int]
    points: int
    last: LastPoint | None


class TagsAnswer(Answer):
    """Ordered by tag."""

    tags: list[TagSummary]


class SeriesName(Query):
    """One scalar series: a tag of a run.

    ``since`` is the cursor of an answer whose rows the sender still has: when the new answer begins with them, only the
    rest is sent. Null, or a cursor that doesn't fit any more: all rows are sent.
    """

    run: str
    tag: str
    since: str | None = None


class CurvesQuery(Query):
    """Curves reduced for a view that is ``pixels`` wide. ``range`` is in units of the axis; null is everything.

    ``smoothing`` is the weight of the debiased exponential average; ``overwritten`` adds points that a restart hid.
    """

    series: list[SeriesName] = Field(max_length=MAX_SERIES)
    axis: Axis = Axis.STEP
    range: tuple[Coordinate, Coordinate] | None = None
    pixels: Whole = Field(default=1000, ge=1, le=MAX_PIXELS)
    smoothing: float = Field(default=0.0, ge=0.0, le=0.999, strict=True)
    overwritten: StrictBool = False


class Column(Answer):
    """Where a column stands: ``offset`` in bytes from the start of the data, ``length`` in numbers, little endian."""

    dtype: str
    offset: int
    length: int


class CurveColumns(Answer):
    """``step`` and ``wall_time`` are float64, ``value`` and ``smoothed`` float32; the last null without smoothing."""

    step: Column
    wall_time: Column
    value: Column
    smoothed: Column | None


class Curve(Answer):
    """One series of the answer. ``points`` counts points in range, ``returned`` the rows to draw.

    A neighbour on each side of the range is returned too. The counts of values that are no numbers are over the range.

    ``cursor`` stands for the rows to draw; send it as ``since`` to get the next answer without the rows that are known.
    ``kept`` counts the first rows, known to the sender by its ``since``, that the columns leave out; of those that it
    has, rows behind them are no longer drawn. ``kept`` equal to ``returned`` says that nothing changed.

    With ``error`` set, everything is 0 or null but ``run`` and ``tag``.
    """

    run: str
    tag: str
    error: str | None
    points: int
    returned: int
    reduced: bool
    nan: int
    positive_infinity: int
    negative_infinity: int
    first_step: int | None
    last_step: int | None
    start_wall_time: float | None
    version: int
    cursor: str | None
    kept: int
    columns: CurveColumns | None


class CurvesHeader(Answer):
    """The JSON header of ``application/vnd.mindscope.columns``."""

    series: list[Curve]


class DamageEntry(Answer):
    """A place of a file that can't be read; ``resumed_at`` is the byte of the next intact record, null if none yet."""

    file: str
    offset: int
    kind: DamageKind
    detail: str
    resumed_at: int | None
    text: str


class DamagesAnswer(Answer):
    """What of a run can't be read, and how many values its recorder had to drop."""

    damages: list[DamageEntry]
    dropped: int


class LiveHello(Answer):
    """First event of a live connection, ``event: hello``."""

    version: int


class LiveChange(Answer):
    """``event: change``: these runs grew, or runs came or went. What comes faster than a client reads is joined."""

    version: int
    runs: list[str]
    run_list_changed: bool


class ImagesAnswer(Answer):
    """The values of an image tag by ascending step, as columns: ``id`` names the bytes of a value for good.

    ``pictures`` is how many pictures the newest value holds, ``width`` and ``height`` what its writer declared; null
    when there is none or it can't be read. ``values`` counts all values. The columns leave out the first ``kept`` of
    them, which the sender of ``since``, the ``cursor`` of an earlier answer, has.
    """

    run: str
    tag: str
    version: int
    pictures: int | None
    width: int | None
    height: int | None
    values: int
    cursor: str
    kept: int
    step: list[int]
    wall_time: list[float | None]
    id: list[str]
