# SPDX-License-Identifier: Apache-2.0
"""Messages about the lineage table."""

from __future__ import annotations

from enum import Enum
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, RootModel

from mindscope.server.http.schema import MAX_RUNS, Answer, Query, ReasonEntry, Whole

MEAN_OF = 10
MOST_PATTERNS = 50
MOST_COLUMNS = 10_000

Pattern = Annotated[str, Field(min_length=1, max_length=300)]
ColumnName = Annotated[str, Field(min_length=1, max_length=2000)]
Condition = Annotated[str, Field(max_length=4000)]
Group = Literal["parameter", "dataset", "algorithm", "model", "metric", "scalar", "custom", "fact"]
CellKind = Literal["int", "float", "bool", "text", "list", "mixed", "empty"]


class LineageQuery(Query):
    """The scalars that are columns of the table: ``scalars`` are patterns of tags (``*`` and ``?``).

    ``mean_of`` is the number of last points in the column of the mean.
    """

    scalars: list[Pattern] = Field(default=[], max_length=MOST_PATTERNS)
    mean_of: Whole = Field(default=MEAN_OF, ge=1, le=1_000_000)


class LineageTableQuery(LineageQuery):
    """``since`` is the cursor of an earlier response for the same scalars."""

    since: Annotated[str, Field(max_length=100)] | None = None


class FilterQuery(LineageQuery):
    """A filter, such as ``lr < 0.01 and metric["Accuracy"] > 0.9``."""

    where: Condition


class SelectionQuery(LineageQuery):
    """The runs of ``runs`` (null: all) for which ``where`` is true. An unknown run is skipped."""

    runs: list[str] | None = Field(default=None, max_length=MAX_RUNS)
    where: Condition | None = None


class ImportanceQuery(SelectionQuery):
    """Ids of columns. Null ``columns`` are parameters, data, algorithm and model; ``also`` adds others to them."""

    target: ColumnName
    columns: list[ColumnName] | None = Field(default=None, max_length=MOST_COLUMNS)
    also: list[ColumnName] = Field(default=[], max_length=MOST_COLUMNS)


class PipelinesQuery(SelectionQuery):
    """The runs whose data pipelines are aligned."""


class FileFormat(str, Enum):
    """CSV, JSON or Parquet."""

    CSV = "csv"
    JSON = "json"
    PARQUET = "parquet"


class NumberText(Answer):
    """A number that float64 or JSON can't hold: ``NaN``, ``Infinity``, ``-Infinity``, an integer from 2^53 on."""

    number: str


Item = bool | int | float | str | NumberText | list[Any] | None
"""An element of a list. A type that refers to itself would be an error in TypeScript."""


class GivenNumber(Query):
    """A number that JSON can't hold."""

    number: Annotated[str, Field(pattern=r"^(NaN|-?Infinity|-?[0-9]{1,400})$")]


GivenCell = bool | int | float | str | GivenNumber | None


class FurtherColumn(Query):
    """A column that only the client has, such as notes or ranks, with the id of its group and name.

    ``cells`` is in the order of the ``runs`` of the query: runs beyond its end have no cell, and cells beyond the last
    run are ignored. With ``choices``, cells are positions in it, which makes repeated long texts small; any other cell
    is missing.
    """

    group: Group
    name: ColumnName
    cells: list[GivenCell] = Field(max_length=MAX_RUNS)
    choices: list[GivenCell] | None = Field(default=None, max_length=MAX_RUNS)


class FileQuery(SelectionQuery):
    """A file with the rows of ``runs`` and the columns ``columns``, in their order; null means all.

    ``columns`` may name columns of ``further``, which need ``runs``.
    """

    format: FileFormat
    columns: list[ColumnName] | None = Field(default=None, max_length=MOST_COLUMNS)
    further: list[FurtherColumn] = Field(default=[], max_length=MOST_COLUMNS)


class LineageCell(RootModel[bool | int | float | str | NumberText | list[Item] | None]):
    """A cell: null if it is missing. A list contains cells, and lists of them."""

    model_config = ConfigDict(defer_build=True)


class LineageColumn(Answer):
    """A column: ``cells`` has one cell for each of the ``runs`` of the response.

    The other fields describe the column over all runs: ``count`` runs have a cell, ``low`` and ``high`` are the range
    of finite numbers, ``differs`` if two runs differ. ``goal`` is a guess from the name: which numbers are better.
    """

    id: str
    group: Group
    name: str
    kind: CellKind
    count: int
    low: float | None
    high: float | None
    differs: bool
    goal: Literal["max", "min"]
    cells: list[LineageCell]


class LineageHead(Answer):
    """``cursor`` is the ``since`` of the next request.

    ``is_whole``: the response has all runs. Otherwise ``runs`` are new or changed, and ``gone`` are removed. ``order``
    has all runs in the order of the table; null if neither runs nor order have changed. ``problems`` are settings files
    and runs that can't be read.
    """

    cursor: str
    is_whole: bool
    gone: list[str]
    problems: list[ReasonEntry]
    runs: list[str]
    order: list[str] | None


class LineageAnswer(LineageHead):
    """Rows of the table, column by column."""

    columns: list[LineageColumn]


class FilterAnswer(Answer):
    """The matching runs in the order of the table, as of the table of ``cursor``."""

    cursor: str
    runs: list[str]


class EstimateEntry(Answer):
    """A value with its 95 % interval over ``size`` runs; null for a number that is not finite."""

    value: float | None
    low: float | None
    high: float | None
    size: int


class ImportanceFeature(Answer):
    """A column with its measures: linear, rank, information, and forest if there is one."""

    id: str
    kind: Literal["number", "category"]
    measures: dict[str, EstimateEntry]


class ImportancePair(Answer):
    """Two columns, and the share of the target's variance that only their pair explains."""

    one: str
    other: str
    share: EstimateEntry


class SetApartColumn(Answer):
    """A column that can't explain the target."""

    id: str
    reason: ReasonEntry


class ImportanceAnswer(Answer):
    """Columns, most important first, for the ``sample_size`` runs with a finite target.

    ``forest_score`` is null if there is no forest; ``forest_problem`` then has the reason.
    """

    target: str
    sample_size: int
    features: list[ImportanceFeature]
    pairs: list[ImportancePair]
    set_apart: list[SetApartColumn]
    forest_score: EstimateEntry | None
    forest_problem: ReasonEntry | None


class PipelineCell(Answer):
    """An operation of a pipeline; ``name`` is null for branches, which the next operation joins.

    ``rows`` is the number of samples or batches that leave it in an epoch, null if it is unknown or differs between
    the runs of the pipeline.
    """

    name: str | None
    parameters: dict[str, LineageCell]
    rows: int | None


class PipelineColumn(Answer):
    """One aligned position: a cell for each pipeline, null if it lacks the operation.

    ``differing`` names parameters that differ. ``differs`` is also true if operations differ or one is missing.
    ``branches`` are the aligned inputs of the next operation, each a list of columns.
    """

    cells: list[PipelineCell | None]
    differing: list[str]
    differs: bool
    branches: list[list[PipelineColumn]]


class PipelineRow(Answer):
    """A pipeline, and the runs that share it."""

    runs: list[str]
    count: int


class PipelinesAnswer(Answer):
    """Distinct pipelines, the most common first. ``marks`` maps each run to the number of its pipeline."""

    marks: dict[str, int]
    rows: list[PipelineRow]
    columns: list[PipelineColumn]
