# SPDX-License-Identifier: Apache-2.0
"""The tables of runs and of their parameters, from the lineage table."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from mindscope.lineage.cell import Cell
from mindscope.lineage.column import ColumnKey, Group
from mindscope.reading.lineage_table import LineageTable
from mindscope.reading.sql.limits import SqlContext
from mindscope.reading.sql.partitions import SqlPart, part_of_rows
from mindscope.store import RunStore
from mindscope.store.file_facts import readable
from mindscope.table.cells import as_number, cell_text

_FRAMEWORKS = ("torch", "mindspore", "tensorflow", "jax")
_EPOCH = datetime(1970, 1, 1)  # TIMESTAMP has no zone; documented as UTC
_MOST_SECONDS = 200_000_000_000.0

Row = dict[str, Any]


def run_parts(context: SqlContext) -> list[SqlPart]:
    """Return the part with a row for each run."""

    def rows() -> list[Row]:
        runs = context.source.catalog.runs
        return [_run_row(id, cells, runs.get(id)) for id, cells in _cells(context.source.lineage())]

    return [part_of_rows(rows)]


def parameter_parts(context: SqlContext) -> list[SqlPart]:
    """Return the part with a row for each parameter; ``number`` is null for texts, lists and truth values."""

    def rows() -> list[Row]:
        return [
            {"run": readable(id), "name": readable(name), "text": _text(cell), "number": _number(cell)}
            for id, cells in _cells(context.source.lineage())
            for name, cell in _parameters(cells)
        ]

    return [part_of_rows(rows)]


def _cells(lineage: LineageTable) -> Iterator[tuple[str, Mapping[ColumnKey, Cell]]]:
    return ((id, lineage.table.row(row)) for row, id in enumerate(lineage.runs))


def _parameters(cells: Mapping[ColumnKey, Cell]) -> Iterator[tuple[str, Cell]]:
    return ((key.name, cell) for key, cell in cells.items() if key.group is Group.PARAMETER)


def _run_row(id: str, cells: Mapping[ColumnKey, Cell], store: RunStore | None) -> Row:
    facts = {key.name: cell for key, cell in cells.items() if key.group is Group.FACT}
    start, duration = as_number(facts.get("start")), as_number(facts.get("duration"))
    written = None if store is None else store.written_at
    return {
        "run": readable(id),
        "name": _text(facts.get("name")) or readable(id if store is None else store.name),
        "group": _text(facts.get("session_group")),
        "tags": [tag for tag in (_text(facts.get("tags")) or "").split(", ") if tag],
        "state": facts.get("state"),
        "started": _time(start),
        "ended": _time(start + duration) if math.isfinite(start + duration) else _time(written),
        "duration_s": duration if math.isfinite(duration) else None,
        "host": _text(facts.get("host")),
        "framework": next((name for name in _FRAMEWORKS if name in facts), None),
        "params": [(readable(name), _text(cell)) for name, cell in _parameters(cells)],
    }


def _text(cell: Cell | None) -> str | None:
    return None if cell is None else readable(cell_text(cell))


def _number(cell: Cell) -> float | None:
    return as_number(cell) if type(cell) in (int, float) else None


def _time(seconds: float | None) -> datetime | None:
    """Return a wall time; null for one that no calendar has."""
    if seconds is None or not 0 <= seconds < _MOST_SECONDS:
        return None
    return _EPOCH + timedelta(seconds=seconds)
