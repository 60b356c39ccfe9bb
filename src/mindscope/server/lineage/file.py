# SPDX-License-Identifier: Apache-2.0
"""The lineage table as a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from io import BytesIO, StringIO

from mindscope.lineage.cell import Cell
from mindscope.lineage.column import Column, ColumnKey, Group
from mindscope.reading.lineage_output import write_lineage_json, write_lineage_parquet
from mindscope.server.http.context import Viewer
from mindscope.server.http.response_limit import check_size
from mindscope.server.lineage.query import select_runs
from mindscope.server.lineage.schema import FileFormat, FileQuery, GivenCell, GivenNumber

MEDIA_TYPES = {
    FileFormat.CSV: "text/csv; charset=utf-8",
    FileFormat.JSON: "application/json",
    FileFormat.PARQUET: "application/vnd.apache.parquet",
}
LEAST_CELL_BYTES = 1


def lineage_file(viewer: Viewer, query: FileQuery) -> bytes:
    """Return the bytes of the file. Raises ExpressionError, ColumnNotFoundError."""
    table = select_runs(viewer, query)
    if query.further:
        table = table.with_columns(_further(query, table.runs))
    if query.columns is not None:
        table = table.choose(*query.columns)
    check_size(len(table) * len(table.columns) * LEAST_CELL_BYTES)
    if query.format is FileFormat.CSV:
        return "".join(table.csv_lines()).encode()
    if query.format is FileFormat.JSON:
        write_lineage_json(table, text := StringIO())
        return text.getvalue().encode()
    write_lineage_parquet(table, file := BytesIO())
    return file.getvalue()


def _further(query: FileQuery, runs: Sequence[str]) -> Iterator[Column]:
    """Yield the columns of the client for the runs of the file."""
    for each in query.further:
        key = ColumnKey(Group(each.group), each.name)
        choices = None if each.choices is None else [_cell(cell) for cell in each.choices]
        cells = dict(zip(query.runs or (), each.cells, strict=False))
        yield Column(key, (_chosen(cells.get(run), choices) for run in runs), len(runs))


def _chosen(cell: GivenCell, choices: Sequence[Cell | None] | None) -> Cell | None:
    if choices is None:
        return _cell(cell)
    return choices[cell] if type(cell) is int and 0 <= cell < len(choices) else None


def _cell(cell: GivenCell) -> Cell | None:
    if not isinstance(cell, GivenNumber):
        return cell
    return int(cell.number) if cell.number[-1].isdigit() else float(cell.number)
