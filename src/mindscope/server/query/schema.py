# SPDX-License-Identifier: Apache-2.0
"""Messages of queries in SQL."""

from __future__ import annotations

from enum import Enum

from pydantic import Field

from mindscope.reading.sql.statement import MOST_CHARACTERS
from mindscope.server.http.schema import Answer, Query, ReasonEntry
from mindscope.server.jobs.schema import TaskAnswer

MOST_ROWS = 10_000
MOST_COLUMNS = 256


class SqlQuery(Query):
    """A statement. ``request`` is a text that the client makes up for each time it runs a statement.

    Requests with the same statement and ``request`` have the same result; without it, the statement runs again after
    its result was sent.
    """

    statement: str = Field(max_length=MOST_CHARACTERS)
    request: str = Field(default="", max_length=100)


class SqlFileFormat(str, Enum):
    """The format of a file."""

    CSV = "csv"
    JSON = "json"
    PARQUET = "parquet"


class SqlFileQuery(SqlQuery):
    """A statement whose result is sent as a file."""

    format: SqlFileFormat


class SqlColumn(Answer):
    """A column of a result. ``type`` is that of Arrow, such as int64, double, string.

    NaN and infinities are the texts NaN, Infinity and -Infinity, null is null, and lists, maps and times are texts.
    """

    name: str
    type: str
    is_number: bool
    values: list[str | float | int | bool | None]


class SqlResult(Answer):
    """The first rows of a result, column by column.

    ``rows`` counts those of the result, of which the columns hold the first ones. ``is_complete`` is false if the
    limit of rows left some out. ``seconds`` is how long the query ran.
    """

    rows: int
    total_columns: int
    is_complete: bool
    seconds: float
    problems: list[str]
    columns: list[SqlColumn]


class SqlAnswer(TaskAnswer):
    """The result, or the progress of the query: send the same message again until there is a result or a problem."""

    result: SqlResult | None


class SqlColumnEntry(Answer):
    """A column of a table that statements can read, with its type in SQL."""

    name: str
    type: str


class SqlTableEntry(Answer):
    """A table that statements can read."""

    name: str
    columns: list[SqlColumnEntry]


class SqlTablesAnswer(Answer):
    """All tables. ``problem`` says which package is missing."""

    tables: list[SqlTableEntry]
    problem: ReasonEntry | None
