# SPDX-License-Identifier: Apache-2.0
"""Tools that list runs and describe one."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field
from typing_extensions import NotRequired, TypedDict

from mindscope import reading
from mindscope.errors import DebugDataError
from mindscope.lineage.column import Group
from mindscope.mcp.results import Cell, Condition, Name, count_text, cut, first, number, rounded, time_text
from mindscope.mcp.session import AgentSession, matching
from mindscope.reading.run import Run
from mindscope.types import Kind

if TYPE_CHECKING:  # a server answers before it imports what makes tables
    from mindscope.reading.inspect import RunReport, TagReport
    from mindscope.reading.lineage_table import LineageTable

_MOST_LISTED = 200
_MOST_CELLS = 40
_MOST_TAGS = 40
_MOST_NAMES = 10
_RESULTS = (Group.METRIC, Group.SCALAR)


class RunRow(TypedDict):
    """A run; ``state`` is live, idle or finished."""

    run: str
    state: str
    last_step: int | None
    started: str | None
    duration_s: float | None
    values: NotRequired[dict[str, Cell]]


class RunList(TypedDict):
    """Runs, and how many there are."""

    summary: str
    runs: list[RunRow]
    problems: NotRequired[list[str]]


class ScalarRow(TypedDict):
    """A curve, without its points."""

    tag: str
    points: int
    last_step: int | None
    last: Cell


class RunSummary(TypedDict):
    """What a run contains."""

    run: str
    summary: Annotated[str, Field(description="What was left out, and the tools for it.")]
    state: str
    outcome: str | None
    started: str | None
    duration_s: float | None
    last_step: int | None
    parameters: dict[str, Cell]
    results: dict[str, Cell]
    scalars: list[ScalarRow]
    other_tags: dict[str, list[str]]
    graphs: list[str]
    profiles: list[str]
    debugging_data: list[str]
    logs: list[str]
    problems: NotRequired[list[str]]


class RunTools:
    """Lists and describes runs."""

    def __init__(self, session: AgentSession) -> None:
        self._session = session

    def list_runs(
        self,
        pattern: Annotated[
            str, Field(max_length=1000, description="A part of the id, or a pattern with * and ?.")
        ] = "",
        where: Annotated[Condition, Field(description='A condition, such as lr < 0.01 and state == "finished".')] = "",
        sort: Annotated[
            str, Field(max_length=1000, description="A parameter, metric or tag; -NAME sorts in descending order.")
        ] = "",
        columns: Annotated[
            list[Name],
            Field(max_length=20, description="Parameters, metrics or scalar tags to add: of a tag its last value."),
        ] = [],  # noqa: B006
        limit: Annotated[int, Field(ge=1, le=_MOST_LISTED)] = 20,
    ) -> RunList:
        """List or search the runs, with their states, steps and times, and columns of your choice.

        Begin here: other tools need the ids of runs. Use best_run to rank runs by a metric.
        """
        runs = self._session.runs()
        sorted_by = sort.strip().removeprefix("-")
        tags = [column.replace("[", "[[]") for column in (*columns, sorted_by) if column]
        table = runs.lineage(dict.fromkeys(tags))
        ids = set(matching(pattern, table.runs))
        table = table.take([row for row, run in enumerate(table.runs) if run in ids])
        table = table.filter(where) if where.strip() else table
        if sorted_by:
            sign = "-" if sort.strip().startswith("-") else ""
            table = table.sort(f"{sign}{_column_of(table, sorted_by)}")
        names = {column: _column_of(table, column) for column in columns}
        rows = [_run_row(row, names) for row in table[:limit]]
        remedy = "narrow with pattern or where, or raise limit"
        answer = RunList(summary=count_text(len(rows), len(table), "run", remedy), runs=rows)
        problems = [*runs.problems, *map(str, table.problems)]
        return {**answer, "problems": first(map(cut, problems), _MOST_NAMES)} if problems else answer

    def describe_run(
        self,
        run: Annotated[Name, Field(description="The id of a run, as list_runs gives it.")],
        tags: Annotated[str, Field(max_length=1000, description="Only tags with this part, or a pattern.")] = "",
    ) -> RunSummary:
        """Describe one run: parameters, results, the tags of its curves with last values, and its other data.

        Use it before read_curves, first_bad_number, profile_advice, read_logs and search_graph, which need its names.
        """
        opened = self._session.run(run)
        report = reading.inspect_run(opened)
        row = self._session.runs().lineage()
        cells = row[row.runs.index(run)]
        scalars, others = _tags(report, tags)
        answer = RunSummary(
            run=run,
            summary=_left_out(report, scalars, tags),
            state=report.state,
            outcome=report.outcome,
            started=time_text(report.first_wall_time),
            duration_s=rounded(cells.get("fact/duration")),
            last_step=report.last_step,
            parameters=_cells(row, cells, set(Group) - {*_RESULTS, Group.FACT}),
            results=_cells(row, cells, set(_RESULTS)),
            scalars=scalars[:_MOST_TAGS],
            other_tags=others,
            graphs=[cut(graph.name) for graph in report.graphs[:_MOST_NAMES]],
            **self._data_of(opened),
        )
        problems = [*(damage.text for damage in report.damages), *report.dropped_reasons]
        return {**answer, "problems": first(map(cut, problems), _MOST_NAMES)} if problems else answer

    def _data_of(self, run: Run) -> Any:
        sources: tuple[str, ...] = ()
        with suppress(DebugDataError):
            sources = run.debug.sources
        profiles = [str(path.relative_to(run.path)) for path in run.profiles().paths if path.is_relative_to(run.path)]
        logs = reading.TrainingLogs(self._session.catalog.runs).of(run.store)
        return {
            "profiles": first(map(cut, profiles), _MOST_NAMES),
            "debugging_data": first(map(cut, sources), _MOST_NAMES),
            "logs": first(map(cut, logs), _MOST_NAMES),
        }


def _column_of(table: LineageTable, name: str) -> str:
    """Return the id of a column: the last value of a scalar, or what the name stands for. Raises ColumnNotFoundError"""
    scalar = f"scalar/{name}:last"
    return scalar if scalar in table.columns else table.table.find(name).id


def _run_row(row: Any, names: dict[str, str]) -> RunRow:
    answer = RunRow(
        run=row["run"],
        state=str(row.get("fact/state", "")),
        last_step=row.get("fact/last_step"),
        started=time_text(row.get("fact/start")),
        duration_s=rounded(row.get("fact/duration")),
    )
    return (
        {**answer, "values": {name: reading.json_cell(row.get(id)) for name, id in names.items()}} if names else answer
    )


def _cells(table: LineageTable, row: Any, groups: set[Group]) -> dict[str, Cell]:
    columns = table.columns
    chosen = {id: cell for id, cell in row.items() if id != "run" and columns[id].key.group in groups}
    return {cut(id): _cell(cell) for id, cell in list(chosen.items())[:_MOST_CELLS]}


def _cell(cell: Any) -> Any:
    return cut(cell) if isinstance(cell, str) else reading.json_cell(cell)


def _tags(report: RunReport, pattern: str) -> tuple[list[ScalarRow], dict[str, list[str]]]:
    chosen = set(matching(pattern, dict.fromkeys(tag.tag for tag in report.tags)))
    scalars = [_scalar(tag) for tag in report.tags if tag.kind == Kind.SCALAR.value and tag.tag in chosen]
    others: dict[str, list[str]] = {}
    for tag in report.tags:
        if tag.kind != Kind.SCALAR.value and tag.tag in chosen:
            others.setdefault(tag.kind, []).append(cut(tag.tag))
    return scalars, {kind: tags[:_MOST_NAMES] for kind, tags in others.items()}


def _scalar(tag: TagReport) -> ScalarRow:
    return ScalarRow(tag=tag.tag, points=tag.points, last_step=tag.last_step, last=number(tag.last_value))


def _left_out(report: RunReport, scalars: list[ScalarRow], pattern: str) -> str:
    listed = min(len(scalars), _MOST_TAGS)
    total = sum(tag.kind == Kind.SCALAR.value for tag in report.tags)
    return count_text(listed, total, "scalar tag", "narrow with tags" if not pattern else "tags selects others")
