# SPDX-License-Identifier: Apache-2.0
"""The rows of a query: as an Arrow table, a data frame, Python objects, and as files."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, TextIO, cast

import numpy as np
from numpy.typing import NDArray

from mindscope.errors import ExportError, MissingPackageError
from mindscope.table.cells import cell_text
from mindscope.table.frames import pyarrow_module
from mindscope.table.schema import EQUAL, ColumnField, Unit
from mindscope.table.table import Table, Tabular

if TYPE_CHECKING:
    import pandas

_SHOWN_ROWS = 20
_WIDEST_CELL = 40
_MANY_DIGITS, _MOST_DIGITS = 1e6, 1e15
_VALUE = ColumnField(Unit.VALUE, EQUAL)


class QueryResult(Sequence[dict[str, Any]], Tabular):
    """The rows of a query, each a dictionary by the names of columns.

    ``is_complete`` is False if the limit of rows left some out. ``seconds`` is how long the query ran. ``problems``
    lists what could not be read, with the reason.
    """

    def __init__(self, arrow: Any, is_complete: bool, seconds: float, problems: tuple[str, ...] = ()) -> None:
        self._arrow = arrow.rename_columns(distinct_names(arrow.schema.names))
        self.is_complete = is_complete
        self.seconds = seconds
        self.problems = problems

    @property
    def columns(self) -> dict[str, str]:
        """The names of the columns with their types of Arrow."""
        return {field.name: str(field.type) for field in self._arrow.schema}

    @property
    def numeric(self) -> dict[str, bool]:
        """Whether each column holds numbers, by the names of the columns."""
        return {field.name: _is_number(field.type) for field in self._arrow.schema}

    def __len__(self) -> int:
        return self._arrow.num_rows

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            start, stop, step = index.indices(len(self))
            taken = self._arrow.slice(start, max(0, stop - start)) if step == 1 else None
            taken = self._arrow.take(list(range(start, stop, step))) if taken is None else taken
            return QueryResult(taken, self.is_complete, self.seconds, self.problems)
        row = range(len(self))[int(index)]
        return self._arrow.slice(row, 1).to_pylist(maps_as_pydicts="lossy")[0]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        for batch in self._arrow.to_batches(1024):
            yield from cast("list[dict[str, Any]]", batch.to_pylist(maps_as_pydicts="lossy"))

    def rows(self) -> list[tuple[Any, ...]]:
        """Return the rows as tuples of Python objects, in the order of the columns."""
        return list(zip(*(_cells(column) for column in self._arrow.columns), strict=True))

    def to_arrow(self) -> Any:
        """Return the rows as a ``pyarrow.Table``."""
        return self._arrow

    def to_pandas(self) -> pandas.DataFrame:
        """Return the rows as a data frame. Raises MissingPackageError if pandas is not installed."""
        try:
            return self._arrow.to_pandas()
        except ImportError as error:
            raise MissingPackageError("pandas is not installed, to_pandas() needs it: pip install pandas") from error

    def to_table(self) -> Table:
        """Return the columns: numbers as arrays, other values as Python objects; None for null."""
        columns = {name: _objects(column) for name, column in zip(self.columns, self._arrow.columns, strict=True)}
        return Table(extra=columns, extra_fields=dict.fromkeys(columns, _VALUE))

    def write_json(self, file: TextIO) -> None:
        """Write a list of objects; NaN and infinities become "NaN", "Infinity", "-Infinity"."""
        json.dump([{name: json_cell(cell) for name, cell in row.items()} for row in self], file, ensure_ascii=False)
        file.write("\n")

    def write_parquet(self, file: Path | BinaryIO) -> None:
        """Write a Parquet file. Raises ExportError."""
        try:
            pyarrow_module("pyarrow.parquet").write_table(self._arrow, file)
        except OSError as error:
            raise ExportError(f"{file}: {error.strerror or error}") from error

    def text_rows(self, most: int = _SHOWN_ROWS) -> list[list[str]]:
        """Return the first rows as texts."""
        return [[text_of(cell) for cell in row.values()] for row in self[:most]]

    @property
    def summary(self) -> str:
        """How many rows and columns there are, and whether all are here."""
        count = f"{len(self):,} {'row' if len(self) == 1 else 'rows'}"
        whole = "" if self.is_complete else " (the limit; there are more)"
        return f"{count}{whole}, {len(self.columns)} {'column' if len(self.columns) == 1 else 'columns'}"

    def __repr__(self) -> str:
        lines = [list(self.columns), *([_cut(cell) for cell in row] for row in self.text_rows())]
        widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
        numeric = self.numeric.values()

        def line(cells: Sequence[str]) -> str:
            aligned = zip(cells, widths, numeric, strict=True)
            return "  ".join(cell.rjust(n) if right else cell.ljust(n) for cell, n, right in aligned).rstrip()

        more = ["..."] if len(self) > _SHOWN_ROWS else []
        return "\n".join([f"QueryResult: {self.summary}", *map(line, lines), *more])

    def _repr_html_(self) -> str:
        from html import escape

        head = "".join(f"<th>{escape(name)}</th>" for name in self.columns)
        body = "".join(
            f"<tr>{''.join(f'<td>{escape(_cut(cell))}</td>' for cell in row)}</tr>" for row in self.text_rows()
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table><p>{escape(self.summary)}</p>"


def distinct_names(names: Sequence[str]) -> list[str]:
    """Return names of which no two are the same: later ones get ``_1``, ``_2`` and so on."""
    taken: set[str] = set()
    distinct: list[str] = []
    for name in names:
        other, number = name, 0
        while other in taken or (other != name and other in names):
            number += 1
            other = f"{name}_{number}"
        taken.add(other)
        distinct.append(other)
    return distinct


def json_cell(cell: Any) -> Any:
    """Return a cell as a value of strict JSON."""
    if isinstance(cell, dict):
        return {str(name): json_cell(value) for name, value in cast("dict[Any, Any]", cell).items()}
    if isinstance(cell, list | tuple):
        return [json_cell(item) for item in cast("list[Any]", cell)]
    if isinstance(cell, float):
        return cell if np.isfinite(cell) else cell_text(cell)
    return cell if cell is None or isinstance(cell, str | int | bool) else text_of(cell)


def text_of(cell: Any) -> str:
    """Return a cell as text: numbers with six digits, or all before the point, times in ISO 8601, nothing for null."""
    if cell is None:
        return ""
    if isinstance(cell, float):
        return f"{cell:.3f}" if _MANY_DIGITS <= abs(cell) < _MOST_DIGITS else f"{cell:.6g}"
    if isinstance(cell, bytes):
        return cell.hex()
    if isinstance(cell, datetime):
        return cell.isoformat(sep=" ")
    if isinstance(cell, date | time | timedelta | Decimal):
        return str(cell)
    return cell_text(json_cell(cell) if isinstance(cell, list | dict | tuple) else cell)


def _cells(column: Any) -> list[Any]:
    return column.to_pylist(maps_as_pydicts="lossy")


def _objects(column: Any) -> NDArray[Any]:
    """Return a column as an array of its numbers, or of Python objects if it has others or nulls."""
    pyarrow = pyarrow_module()
    kind = column.type
    is_plain = pyarrow.types.is_integer(kind) or pyarrow.types.is_floating(kind)
    if is_plain and column.null_count == 0:
        return column.to_numpy()
    return np.fromiter(map(_table_cell, _cells(column)), object, len(column))


def _table_cell(cell: Any) -> Any:
    if isinstance(cell, list | dict | tuple):
        return cell_text(json_cell(cell))
    return cell if cell is None or isinstance(cell, str | int | float | bool) else text_of(cell)


def _is_number(kind: Any) -> bool:
    types = pyarrow_module().types
    return types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind)


def _cut(text: str) -> str:
    line = text.replace("\n", " ")
    return line if len(line) <= _WIDEST_CELL else f"{line[: _WIDEST_CELL - 1]}…"
