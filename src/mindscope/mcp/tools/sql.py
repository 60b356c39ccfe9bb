# SPDX-License-Identifier: Apache-2.0
"""The tool that runs queries in SQL."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field
from typing_extensions import NotRequired, TypedDict

from mindscope.mcp.results import Cell, cut, first
from mindscope.mcp.session import AgentSession
from mindscope.reading.sql.result import json_cell

_MOST_ROWS = 1000
_SECONDS = 30.0
_MEMORY_BYTES = 1 << 30
_MOST_NAMES = 10


class QueryRows(TypedDict):
    """Rows as lists, in the order of the columns."""

    summary: str
    columns: Annotated[dict[str, str], Field(description="Names with their types of Arrow.")]
    rows: list[list[Cell]]
    problems: NotRequired[list[str]]


class SqlTools:
    """Runs queries."""

    def __init__(self, session: AgentSession) -> None:
        self._session = session

    def query_sql(
        self,
        statement: Annotated[str, Field(min_length=1, max_length=20_000, description="One SELECT or DESCRIBE.")],
        limit: Annotated[int, Field(ge=1, le=_MOST_ROWS, description="Further rows are left out.")] = 50,
    ) -> QueryRows:
        """Run one statement of SQL in the dialect of DuckDB over all runs, when no other tool answers the question.

        Tables: runs, params, scalars(run, tag, step, wall_time, value, is_overwritten), metrics(run, tag, last, best,
        ...), alerts, operators, kernels, tensor_statistics, logs. "DESCRIBE scalars" lists columns. Aggregate in SQL:
        a query has 30 seconds, and an answer at most 1,000 rows.
        """
        runs = self._session.runs()
        result = runs.sql(statement, rows=limit, seconds=_SECONDS, memory_bytes=_MEMORY_BYTES)
        answer = QueryRows(
            summary=f"{result.summary}.",
            columns=result.columns,
            rows=[[_cell(cell) for cell in row] for row in result.rows()],
        )
        return {**answer, "problems": first(map(cut, result.problems), _MOST_NAMES)} if result.problems else answer


def _cell(cell: Any) -> Any:
    return cut(cell) if isinstance(cell, str) else json_cell(cell)
