# SPDX-License-Identifier: Apache-2.0
"""Writes the lineage table as CSV, JSON and Parquet."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path
from typing import Any, TextIO, cast

from mindscope.errors import ExportError
from mindscope.formats.csv_cells import text_cell
from mindscope.lineage.cell import Cell, cell_text
from mindscope.reading.lineage_table import LineageTable
from mindscope.tables import pyarrow_module


def write_lineage_csv(table: LineageTable, file: TextIO) -> None:
    """Write a header of column ids, then a line per run.

    Missing values are empty, lists are JSON, NaN and Infinity stay.
    """
    writer = csv.writer(file, lineterminator="\n")
    columns = table.columns.values()
    writer.writerow([text_cell(column.id) for column in columns])
    for cells in zip(*(column.cells for column in columns), strict=True):
        writer.writerow(map(_csv_cell, cells))


def lineage_json(table: LineageTable) -> list[dict[str, Any]]:
    """Return an object per run, without missing values; NaN and infinities become "NaN", "Infinity", "-Infinity"."""
    return [{id: json_cell(cell) for id, cell in row.items()} for row in table]


def write_lineage_json(table: LineageTable, file: TextIO) -> None:
    """Write ``lineage_json`` as text."""
    json.dump(lineage_json(table), file, indent=2, ensure_ascii=False)
    file.write("\n")


def write_lineage_parquet(table: LineageTable, path: Path) -> None:
    """Write the table of ``to_arrow``. Raises MissingPackageError; ExportError if it can't be written."""
    parquet = pyarrow_module("pyarrow.parquet")
    try:
        parquet.write_table(table.to_arrow(), path)
    except OSError as error:
        raise ExportError(f"{path}: {error.strerror or error}") from error


def json_cell(cell: Any) -> Any:
    """Return a cell as a value that strict JSON allows."""
    if isinstance(cell, tuple):
        return [json_cell(each) for each in cast("tuple[Any, ...]", cell)]
    return cell_text(cell) if isinstance(cell, float) and not math.isfinite(cell) else cell


def _csv_cell(cell: Cell | None) -> str:
    if cell is None:
        return ""
    return text_cell(cell) if isinstance(cell, str) else cell_text(cell)
