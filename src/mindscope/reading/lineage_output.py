# SPDX-License-Identifier: Apache-2.0
"""Writes the lineage table as JSON and Parquet."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any, BinaryIO, TextIO, cast

from mindscope.errors import ExportError
from mindscope.reading.lineage_table import LineageTable
from mindscope.table.cells import cell_text
from mindscope.table.frames import pyarrow_module


def lineage_json(table: LineageTable) -> list[dict[str, Any]]:
    """Return an object per run, without missing values; NaN and infinities become "NaN", "Infinity", "-Infinity"."""
    return [{id: json_cell(cell) for id, cell in row.items()} for row in table]


def write_lineage_json(table: LineageTable, file: TextIO) -> None:
    """Write ``lineage_json`` as text."""
    json.dump(lineage_json(table), file, indent=2, ensure_ascii=False)
    file.write("\n")


def write_lineage_parquet(table: LineageTable, file: Path | BinaryIO) -> None:
    """Write the table of ``to_arrow``. Raises MissingPackageError; ExportError if it can't be written."""
    parquet = pyarrow_module("pyarrow.parquet")
    try:
        parquet.write_table(table.to_arrow(), file)
    except OSError as error:
        raise ExportError(f"{file}: {error.strerror or error}") from error


def json_cell(cell: Any) -> Any:
    """Return a cell as a value that strict JSON allows."""
    if isinstance(cell, tuple):
        return [json_cell(each) for each in cast("tuple[Any, ...]", cell)]
    return cell_text(cell) if isinstance(cell, float) and not math.isfinite(cell) else cell
