# SPDX-License-Identifier: Apache-2.0
"""Messages about rows of tables. Times are nanoseconds; a figure that was not recorded is null."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from mindscope.server.http.schema import Answer, Query, Whole

MOST_PAGE = 500
MOST_CONDITIONS = 16
MOST_WORDS = 20
MOST_TEXT = 100_000
MOST_ROW = 2**31 - 1

ConditionText = Annotated[str, StringConstraints(pattern=r"^[a-z_]+=", max_length=MOST_TEXT)]
FigureKind = Literal["ns", "bytes", "share", "count", "number"]


class ChosenRows(Query):
    """Rows of a part of a profile, merged by ``by``; empty for the first grouping that the profile has.

    Each of ``where`` is ``column=text``: only rows with that text in that column; ``within=path`` are those of a module
    and of all in it.
    """

    run: str
    profile: str
    part: Literal["operators", "kernels"]
    by: str = Field("", max_length=40)
    where: list[ConditionText] = Field(default_factory=list[ConditionText], max_length=MOST_CONDITIONS)


class OrderedRows(ChosenRows):
    """The chosen rows with all ``words`` and a match of ``regex`` in their texts, in the order of a column.

    An empty ``sort`` is the order by time, the greatest first.
    """

    words: list[str] = Field(default_factory=list[str], max_length=MOST_WORDS)
    regex: str = Field("", max_length=1000)
    sort: str = Field("", max_length=100)
    is_descending: bool = True


class RowsQuery(OrderedRows):
    """``count`` rows from the row number ``first`` on."""

    first: Whole = Field(0, ge=0, le=MOST_ROW)
    count: Whole = Field(100, ge=0, le=MOST_PAGE)


class RowQuery(ChosenRows):
    """One of the chosen rows; ``row`` is its number in the order by time."""

    row: Whole = Field(ge=0, le=MOST_ROW)


class RowsFileQuery(OrderedRows):
    """All of these rows as a file."""

    format: Literal["csv", "xlsx"]


class ModulesFileQuery(Query):
    """All modules as a file, parents before their children."""

    run: str
    profile: str
    format: Literal["csv", "xlsx"]


class FigureColumn(Answer):
    """A column of figures, and in what they are."""

    name: str
    kind: FigureKind


class RowEntry(Answer):
    """A row; ``row`` is its number in the order by time. ``time_ns`` of all rows sum to the whole.

    ``texts`` are by column, cut to 300 characters, except those that the rows are merged by. A row that merges several
    texts of a column has that of the greatest time, and ``distinct`` says how many there are. ``share`` among the
    ``figures`` is that of the profile.
    """

    row: int
    name: str
    time_ns: int
    texts: dict[str, str]
    distinct: dict[str, int]
    figures: dict[str, float | int | None]


class RowsAnswer(Answer):
    """A page of rows. ``total`` rows are chosen, ``matching`` of them pass the filter.

    ``top`` are the twenty greatest of the chosen rows. ``groups`` are the groupings that the profile has, ``by`` is the
    one that was used. ``time_ns`` is the time of the chosen rows, ``whole_ns`` that of the profile.
    """

    version: str
    groups: list[str]
    by: str
    texts: list[str]
    figures: list[FigureColumn]
    total: int
    matching: int
    time_ns: int
    whole_ns: int
    top: list[RowEntry]
    rows: list[RowEntry]


class RelatedEntry(Answer):
    """A kernel that operators launched, or an operator that launched kernels; ``share`` is that of all of them."""

    name: str
    count: int
    time_ns: int
    share: float


class RowAnswer(Answer):
    """A row with whole texts. Of operators ``related`` are the kernels that they launched, of kernels the operators.

    There are ``related_count``; those of the greatest time are listed.
    """

    row: RowEntry
    related: list[RelatedEntry]
    related_count: int


class ModulesAnswer(Answer):
    """The tree of modules as columns: ``parent`` is the row of the parent, -1 for a root; parents come first.

    A column that was not recorded is null.
    """

    version: str
    name: list[str]
    path: list[str]
    parent: list[int]
    count: list[int]
    host_total_ns: list[int] | None
    host_self_ns: list[int] | None
    device_total_ns: list[int] | None
    device_self_ns: list[int] | None
    backward_ns: list[int] | None
    flops: list[int] | None
    memory_bytes: list[int] | None
