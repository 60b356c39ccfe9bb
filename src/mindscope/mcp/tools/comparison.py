# SPDX-License-Identifier: Apache-2.0
"""Tools that compare runs: fields that differ, the best run, parameters that matter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from pydantic import Field
from typing_extensions import NotRequired, TypedDict

from mindscope import reading
from mindscope.errors import UsageError
from mindscope.lineage.column import Column, Group
from mindscope.lineage.goal import Goal, guess_goal
from mindscope.mcp.results import Cell, Condition, Name, count_text, counted, cut, number, rounded
from mindscope.mcp.session import AgentSession
from mindscope.types import Kind

if TYPE_CHECKING:  # a server answers before it imports what makes tables
    from mindscope.lineage.association import Estimate
    from mindscope.reading.lineage_table import LineageTable

_MOST_COMPARED = 10
_MOST_SCALARS = 20
_MOST_FIELDS = 60
_MOST_PARAMETERS = 15
_MOST_PAIRS = 5
_Where = Annotated[Condition, Field(description="Only runs that fulfil this condition, such as lr < 0.01.")]


class FieldRow(TypedDict):
    """A field, and its values in the order of the runs; null where a run lacks it."""

    field: str
    values: list[Cell]


class RunComparison(TypedDict):
    """The fields that differ."""

    summary: str
    runs: list[str]
    differences: list[FieldRow]
    equal: Annotated[list[str], Field(description="Fields that are equal in all runs.")]


class RankedRun(TypedDict):
    """A run, its value of the metric, and the parameters that differ among the runs."""

    run: str
    value: Cell
    parameters: dict[str, Cell]


class Ranking(TypedDict):
    """The best runs, the best one first."""

    summary: str
    column: str
    goal: Goal
    runs: list[RankedRun]


class ParameterRow(TypedDict):
    """A parameter and its measures, each with the ends of its 95 % interval."""

    parameter: str
    kind: str
    measures: dict[str, list[Cell]]


class ParameterImportance(TypedDict):
    """Parameters, the most important one first."""

    summary: str
    parameters: list[ParameterRow]
    pairs: NotRequired[list[str]]
    note: str


class ComparisonTools:
    """Compares runs."""

    def __init__(self, session: AgentSession) -> None:
        self._session = session

    def compare_runs(
        self,
        runs: Annotated[list[Name], Field(min_length=1, max_length=_MOST_COMPARED, description="Ids or patterns.")],
        tags: Annotated[
            list[Name], Field(max_length=_MOST_SCALARS, description="Scalar tags or patterns; by default all.")
        ] = [],  # noqa: B006
    ) -> RunComparison:
        """Compare runs: parameters, data and code that differ, and last, lowest and highest values of their curves.

        Use it to find why two runs end differently; then read_curves shows where they part.
        """
        ids = self._session.chosen(runs)
        if not 2 <= len(ids) <= _MOST_COMPARED:
            raise UsageError(f"{len(ids)} runs are named, want 2 to {_MOST_COMPARED}: list_runs lists them.")
        table = self._table(ids, [tag.replace("[", "[[]") for tag in tags] or self._common_tags(ids))
        columns = [column for id, column in table.columns.items() if id != "run" and column.count]
        differing = [column for column in columns if column.differs]
        equal = [cut(column.id, 100) for column in columns if not column.differs]
        rows = [_field_row(column) for column in differing[:_MOST_FIELDS]]
        summary = count_text(len(rows), len(differing), "differing field", "name tags to get fewer of scalars")
        return RunComparison(summary=summary, runs=ids, differences=rows, equal=equal[:_MOST_FIELDS])

    def best_run(
        self,
        metric: Annotated[Name, Field(description="A scalar tag, a metric, or another column.")],
        goal: Annotated[Goal | None, Field(description="By default min for names such as loss, else max.")] = None,
        statistic: Annotated[
            Literal["last", "best", "mean"],
            Field(description="Of a scalar tag: its last value, its best one, or the mean of its last ten."),
        ] = "last",
        where: _Where = "",
        top: Annotated[int, Field(ge=1, le=50)] = 5,
    ) -> Ranking:
        """Rank runs by a metric and return the best ones, with the parameters in which they differ."""
        table = self._session.runs().lineage([metric.replace("[", "[[]")])
        table = table.filter(where) if where.strip() else table
        chosen: Goal = goal or guess_goal(metric)
        column = _metric_column(table, metric, {"best": chosen}.get(statistic, statistic))
        finite = np.flatnonzero(np.isfinite(table.columns[column].numbers))
        ranked = table.take(finite.tolist()).sort(f"-{column}" if chosen == "max" else column)
        names = _differing_parameters(ranked)
        rows = [_ranked(row, column, names) for row in ranked[:top]]
        guessed = "" if goal else f" {'Lower' if chosen == 'min' else 'Higher'} is better, by its name: goal sets it."
        without = (
            f" {counted(len(table) - len(ranked), 'run')} without a finite value." if len(table) > len(ranked) else ""
        )
        summary = count_text(len(rows), len(ranked), "run", "raise top")
        return Ranking(summary=summary + guessed + without, column=column, goal=chosen, runs=rows)

    def parameter_importance(
        self,
        metric: Annotated[Name, Field(description="A scalar tag, a metric, or another column with numbers.")],
        where: _Where = "",
        top: Annotated[int, Field(ge=1, le=50)] = 10,
    ) -> ParameterImportance:
        """Measure which parameters of a sweep explain a metric, by correlations, information and a random forest.

        It needs at least eight runs that differ. Use it to decide what to tune next.
        """
        table = self._session.runs().lineage([metric.replace("[", "[[]")])
        table = table.filter(where) if where.strip() else table
        result = table.importance(_metric_column(table, metric, "last"))
        rows = [
            ParameterRow(
                parameter=feature.key.id,
                kind=feature.kind,
                measures={str(measure): _estimate(estimate) for measure, estimate in feature.measures.items()},
            )
            for feature in result.features[:top]
        ]
        apart = [f"{cut(column.key.id, 100)}: {column.reason}" for column in result.set_apart[:_MOST_PAIRS]]
        summary = count_text(len(rows), len(result.features), "parameter", "raise top")
        summary = " ".join([f"{counted(result.sample_size, 'run')}.", summary, *apart])
        pairs = [
            f"{pair.one.id} and {pair.other.id} together explain {pair.share.value:.3g} of the variance."
            for pair in result.pairs[:_MOST_PAIRS]
        ]
        note = "No measure tells a cause from a coincidence."
        if result.forest_problem is not None:
            note = f"{note} {result.forest_problem}"
        answer = ParameterImportance(summary=summary, parameters=rows, note=note)
        return {**answer, "pairs": pairs} if pairs else answer

    def _table(self, ids: list[str], tags: list[str]) -> LineageTable:
        table = self._session.runs().lineage(tags)
        numbers = {run: row for row, run in enumerate(table.runs)}
        return table.take([numbers[id] for id in ids])

    def _common_tags(self, ids: list[str]) -> list[str]:
        """Return the first scalar tags that two of the runs have."""
        runs, counts = self._session.runs(), dict[str, int]()
        for id in ids:
            for tag in runs[id].tags(Kind.SCALAR):
                counts[tag] = counts.get(tag, 0) + 1
        return [tag.replace("[", "[[]") for tag, count in counts.items() if count > 1][:_MOST_SCALARS]


def _field_row(column: Column) -> FieldRow:
    return FieldRow(field=column.id, values=[_cell(cell) for cell in column.cells])


def _cell(cell: Any) -> Any:
    return cut(cell) if isinstance(cell, str) else reading.json_cell(cell)


def _metric_column(table: LineageTable, metric: str, statistic: str) -> str:
    """Return the id of a statistic of a scalar, or of the column of this name. Raises ColumnNotFoundError."""
    scalar = f"scalar/{metric}:{statistic}"
    return scalar if scalar in table.columns else table.table.find(metric).id


def _differing_parameters(table: LineageTable) -> list[str]:
    columns = (column for column in table.columns.values() if column.key.group is Group.PARAMETER and column.differs)
    return [column.id for column in columns][:_MOST_PARAMETERS]


def _ranked(row: Any, column: str, names: list[str]) -> RankedRun:
    parameters = {name: _cell(row[name]) for name in names if name in row}
    return RankedRun(run=row["run"], value=reading.json_cell(row[column]), parameters=parameters)


def _estimate(estimate: Estimate) -> list[Cell]:
    return [number(rounded(value, 3)) for value in (estimate.value, estimate.low, estimate.high)]
