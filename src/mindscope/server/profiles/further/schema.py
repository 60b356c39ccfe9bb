# SPDX-License-Identifier: Apache-2.0
"""Messages about tables that only one format has."""

from __future__ import annotations

from mindscope.server.http.schema import Answer

MOST_ROWS = 10_000


class FurtherTableEntry(Answer):
    """A table by the name of its file, with the number of its rows."""

    name: str
    rows: int


class FurtherColumn(Answer):
    """A column with the name and the unit of the file: either texts, or numbers, null for those that lack."""

    name: str
    texts: list[str] | None
    numbers: list[float | None] | None


class FurtherAnswer(Answer):
    """All tables of a profile, and the first 10,000 rows of the requested one; no columns if there is none."""

    version: str
    tables: list[FurtherTableEntry]
    table: str
    columns: list[FurtherColumn]
    left_out: int
