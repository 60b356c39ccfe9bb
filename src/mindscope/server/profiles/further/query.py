# SPDX-License-Identifier: Apache-2.0
"""Tables that only one format has as messages."""

from __future__ import annotations

from mindscope.profile.profile import Profile
from mindscope.profile.tables.further_tables import FurtherTables
from mindscope.server.http.json_numbers import finite
from mindscope.server.profiles.further.schema import MOST_ROWS, FurtherAnswer, FurtherColumn, FurtherTableEntry
from mindscope.table.columns import Column, TextColumn


def further_answer(profile: Profile, version: str, table: str) -> FurtherAnswer:
    """Return the tables of a profile with the columns of one, the first if it has none of that name."""
    tables: FurtherTables = profile.further_tables
    name = table if table in tables else next(iter(tables), "")
    columns = tables[name].columns() if name else {}
    return FurtherAnswer(
        version=version,
        tables=[FurtherTableEntry(name=each, rows=len(own)) for each, own in tables.items()],
        table=name,
        columns=[_column(each, column) for each, column in columns.items()],
        left_out=max(0, len(tables[name]) - MOST_ROWS) if name else 0,
    )


def _column(name: str, column: Column) -> FurtherColumn:
    if isinstance(column, TextColumn):
        return FurtherColumn(name=name, texts=[column[row] for row in range(min(len(column), MOST_ROWS))], numbers=None)
    return FurtherColumn(name=name, texts=None, numbers=[finite(float(each)) for each in column[:MOST_ROWS]])
