# SPDX-License-Identifier: Apache-2.0
"""Reads and filters the lineage table that the clients of a viewer share, and makes messages of it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mindscope.lineage.cell_json import cells_to_json, to_json
from mindscope.lineage.column import Column
from mindscope.lineage.filter import Filter
from mindscope.lineage.goal import guess_goal
from mindscope.reading.lineage_rows import ScalarChoice
from mindscope.reading.lineage_table import LineageTable
from mindscope.reading.lineage_tables import Changes, LineageTables, LineageView
from mindscope.server.http.context import Viewer
from mindscope.server.http.disconnect import check_connected
from mindscope.server.http.response_limit import check_size
from mindscope.server.http.schema import ReasonEntry
from mindscope.server.lineage.schema import (
    FilterAnswer,
    FilterQuery,
    LineageHead,
    LineageQuery,
    LineageTableQuery,
    SelectionQuery,
)
from mindscope.store.garbage import gc_disabled

SMALLEST_CELL_BYTES = 2


def view_table(viewer: Viewer, query: LineageQuery, since: str | None = None) -> LineageView:
    """Return the current table for the scalars of a query."""
    catalog = viewer.catalog
    tables = viewer.shared(
        LineageTables,
        lambda: LineageTables(lambda: catalog.runs, check_connected, catalog.cache_table),
    )
    return tables.view(ScalarChoice(tuple(dict.fromkeys(query.scalars)), query.mean_of), since)


def select_runs(viewer: Viewer, query: SelectionQuery) -> LineageTable:
    """Return the rows of a query, in the order of its runs, of the current table. Raises ExpressionError."""
    return selected(view_table(viewer, query).table, query)


def selected(table: LineageTable, query: SelectionQuery) -> LineageTable:
    """Return the rows of a query, in the order of its runs. Raises ExpressionError."""
    if query.where:
        table = table.filter(query.where)
    if query.runs is not None:
        rows = {run: row for row, run in enumerate(table.runs)}
        table = table.take([rows[run] for run in dict.fromkeys(query.runs) if run in rows])
    return table


def answer_table(viewer: Viewer, query: LineageTableQuery) -> str:
    """Return a LineageAnswer as JSON: the changes since the cursor, or all rows without a cursor of this table."""
    with gc_disabled():
        return _table_json(view_table(viewer, query, query.since))


def _table_json(view: LineageView) -> str:
    table = view.table.table
    rows = _changed_rows(table.runs, view.changes)
    check_size(SMALLEST_CELL_BYTES * rows.size * len(table.columns))
    head = LineageHead(
        cursor=view.cursor,
        is_whole=view.changes is None,
        gone=[] if view.changes is None else sorted(view.changes.gone),
        problems=[ReasonEntry.of(problem) for problem in view.table.problems],
        runs=[table.runs[row] for row in rows.tolist()],
        order=list(table.runs) if view.changes is None or view.changes.has_other_runs else None,
    )
    columns = [_column_json(column, rows) for column in table.columns.values()]
    check_size(sum(map(len, columns)))
    return f'{head.model_dump_json()[:-1]},"columns":[{",".join(columns)}]}}'


def filter_runs(viewer: Viewer, query: FilterQuery) -> FilterAnswer:
    """Return the runs that match. Raises ExpressionError."""
    view = view_table(viewer, query)
    rows = np.flatnonzero(Filter(query.where).matches(view.table.table))
    return FilterAnswer(cursor=view.cursor, runs=[view.table.runs[row] for row in rows.tolist()])


def _changed_rows(runs: tuple[str, ...], changes: Changes | None) -> NDArray[np.intp]:
    if changes is None:
        return np.arange(len(runs))
    rows = (row for row, run in enumerate(runs) if run in changes.runs) if changes.runs else ()
    return np.fromiter(rows, np.intp)


def _column_json(column: Column, rows: NDArray[np.intp]) -> str:
    check_connected()
    low, high = column.range or (None, None)
    head = {
        "id": column.id,
        "group": column.key.group.value,
        "name": column.key.name,
        "kind": column.kind.value,
        "count": column.count,
        "low": low,
        "high": high,
        "differs": column.differs,
        "goal": guess_goal(column.key.name),
    }
    cells = column.json if rows.size == len(column) else cells_to_json(column.cells[rows])
    return f'{to_json(head)[:-1]},"cells":{cells}}}'
