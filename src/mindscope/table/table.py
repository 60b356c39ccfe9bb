# SPDX-License-Identifier: Apache-2.0
"""A table: columns of one length with a schema, which says how they merge, and what files and data frames hold."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from mindscope.table.cells import json_value
from mindscope.table.columns import (
    Column,
    TextColumn,
    array_of,
    blank_column,
    column_of,
    joined_columns,
    rows_of,
    value_of,
)
from mindscope.table.file import csv_text, lines_of
from mindscope.table.frames import arrow_table, pandas_table
from mindscope.table.grouping import group_of_rows, heaviest_rows, merge_column
from mindscope.table.schema import TEXT, UNKNOWN, ColumnField, fields_of

if TYPE_CHECKING:
    import pandas

_T = TypeVar("_T", bound="Table")


class Tabular(ABC):
    """What has a table, and with it data frames, Arrow tables and CSV files."""

    __slots__ = ()

    @abstractmethod
    def to_table(self) -> Table:
        """Return the columns with their schema."""

    def to_pandas(self) -> pandas.DataFrame:
        """Return the columns as a data frame. Raises MissingPackageError if pandas is not installed."""
        return pandas_table(self.to_table().arrays())

    def to_arrow(self) -> Any:
        """Return the columns as a ``pyarrow.Table``. Raises MissingPackageError if pyarrow is not installed."""
        return arrow_table(self.to_table().arrays())

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """Write the columns as a CSV file, times in milliseconds. Raises OSError."""
        with Path(path).open("w", encoding="utf-8", errors="backslashreplace", newline="") as file:
            file.writelines(self.csv_lines())

    def csv_lines(self) -> Iterator[str]:
        """Yield the columns as CSV in pieces, times in milliseconds."""
        table = self.to_table()
        return csv_text(lines_of(table.columns() | table.derived(), table.schema()))


@dataclass(frozen=True, kw_only=True)
class Table(Tabular):
    """Columns of equal length, one in each field; None where the format does not record that column.

    The type of a field says its unit and its merge rule, as does that of each property of ``DERIVED``. ``extra`` are
    further columns that only one format has, by their names there, such as the counters of Ascend; ``extra_fields``
    declares them.
    """

    DERIVED: ClassVar[tuple[str, ...]] = ()
    """Properties that are columns, which follow from the recorded ones."""
    FACTS: ClassVar[tuple[str, ...]] = ("extra", "extra_fields")
    """Fields that are no columns."""
    GROUPINGS: ClassVar[Mapping[str, tuple[str, ...]]] = {}
    """Columns of texts by which a person groups rows, by the name of the grouping."""
    SEARCHED: ClassVar[tuple[str, ...]] = ()
    """Columns of texts in which a person searches."""

    extra: Mapping[str, Column] = field(default_factory=dict[str, Column])
    extra_fields: Mapping[str, ColumnField] = field(default_factory=dict[str, ColumnField])

    def __post_init__(self) -> None:
        lengths = {name: len(column) for name, column in self.columns().items()}
        if len(set(lengths.values())) > 1:
            raise ValueError(f"columns differ in length: {lengths}")

    @classmethod
    def of_rows(cls: type[_T], rows: Sequence[Mapping[str, Any]]) -> _T:
        """Return a table of rows that have a Python object for each declared column."""
        columns = {name: column_of([row[name] for row in rows], each.unit) for name, each in fields_of(cls).items()}
        return cls(**cast("Any", columns))

    def to_table(self: _T) -> _T:
        """Return the table itself."""
        return self

    def columns(self) -> dict[str, Column]:
        """Return the recorded columns by their names."""
        names = (name for name in fields_of(type(self)) if name not in self.DERIVED)
        return self._recorded(names) | dict(self.extra)

    def derived(self) -> dict[str, Column]:
        """Return columns that follow from the recorded ones."""
        return self._recorded(self.DERIVED)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return recorded and derived columns as arrays; texts are Python objects."""
        schema = self.schema()
        return {name: array_of(column, schema[name].unit) for name, column in (self.columns() | self.derived()).items()}

    def schema(self) -> Mapping[str, ColumnField]:
        """Return the unit and the merge rule of each column that the class or the format has."""
        extra = {
            name: self.extra_fields.get(name, TEXT if isinstance(column, TextColumn) else UNKNOWN)
            for name, column in self.extra.items()
        }
        return {**fields_of(type(self)), **extra}

    def with_extra(self: _T, columns: Mapping[str, Column], declared: Mapping[str, ColumnField]) -> _T:
        """Return the table with further columns that only one format has, and their declarations."""
        return replace(self, extra={**self.extra, **columns}, extra_fields={**self.extra_fields, **declared})

    def _recorded(self, names: Iterable[str]) -> dict[str, Column]:
        return {name: column for name in names if (column := getattr(self, name)) is not None}

    def __len__(self) -> int:
        return next((len(column) for column in self.columns().values()), 0)

    def select(self: _T, rows: NDArray[Any]) -> _T:
        """Return these rows, in this order, or the rows where a mask is True."""
        return self._with({name: rows_of(column, rows) for name, column in self.columns().items()})

    def head(self: _T, count: int) -> _T:
        """Return the first rows."""
        return self.select(np.arange(min(count, len(self))))

    @property
    def weight(self) -> NDArray[Any]:
        """The weight of each row: merged rows have the text of the heaviest, and the greatest sum comes first."""
        return np.ones(len(self), np.int64)

    def group_by(self: _T, *names: str) -> _T:
        """Merges rows that agree in these columns of texts; the greatest sum of weights first.

        Each column is merged as its field says. Numbers that can't be merged are NaN where the rows of a group differ;
        a text is that of the heaviest row.

        Raises:
            ValueError: the table does not have such a column of texts.
        """
        columns, schema = self.columns(), self.schema()
        group = group_of_rows(columns, names, self.weight)
        heaviest = heaviest_rows(group, self.weight)

        def merged(name: str) -> Column:
            rule, weight = schema[name].merge
            return merge_column(columns[name], rule, getattr(self, weight) if weight else None, group, heaviest)

        return self._with({name: merged(name) for name in columns})

    def _with(self: _T, columns: Mapping[str, Column]) -> _T:
        recorded = {name: column for name, column in columns.items() if name not in self.extra}
        return replace(self, **recorded, extra={name: columns[name] for name in self.extra})

    def row(self, row: int) -> dict[str, Any]:
        """Return the values of one row as Python objects, also derived ones."""
        return _row_of(self.columns() | self.derived(), self.schema(), row)

    def rows(self, most: int | None = None) -> Iterator[dict[str, Any]]:
        """Return all rows, or the first ``most``, as Python objects; derived values are those of the whole table."""
        columns, schema = self.columns() | self.derived(), self.schema()
        return (_row_of(columns, schema, row) for row in range(len(self))[:most])

    def json_rows(self) -> list[dict[str, Any]]:
        """Return all rows as values of strict JSON: NaN is null."""
        return [{name: json_value(cell) for name, cell in row.items()} for row in self.rows()]


def joined(tables: Sequence[_T], *, fills_gaps: bool = False) -> _T:
    """Return the rows of all tables in the columns that all have; or in those of the first, with 0 and empty texts."""
    first, columns = tables[0], [each.columns() for each in tables]
    names = [name for name in columns[0] if fills_gaps or all(name in column for column in columns)]

    def rows_of_all(name: str) -> Column:
        blanks = (blank_column(columns[0][name], len(table)) for table in tables)
        return joined_columns([each.get(name, blank) for each, blank in zip(columns, blanks, strict=True)])

    rows = {name: rows_of_all(name) for name in names}
    recorded = {name: rows.get(name) for name in columns[0] if name not in first.extra}
    return replace(first, **recorded, extra={name: rows[name] for name in first.extra if name in rows})


def table_of(declaration: type, objects: Sequence[Any]) -> Table:
    """Return a table of objects of a class that declares its fields, and properties, as a table does its columns."""
    declared = fields_of(declaration)
    columns = {name: [getattr(each, name) for each in objects] for name in declared}
    return Table(
        extra={name: column_of(cells, declared[name].unit) for name, cells in columns.items()}, extra_fields=declared
    )


def _row_of(columns: Mapping[str, Column], schema: Mapping[str, ColumnField], row: int) -> dict[str, Any]:
    return {name: value_of(column, schema[name].unit, row) for name, column in columns.items()}
