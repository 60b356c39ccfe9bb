# SPDX-License-Identifier: Apache-2.0
"""Tables of a profile: NumPy columns of one length, and texts whose values are stored once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, ClassVar, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.tables.schema import EQUAL, HEAVIEST, MAX, MIN, SUM, TEXT, UNKNOWN, ColumnField, Unit, fields_of
from mindscope.tables import Tabular

Times = Annotated[NDArray[np.int64], Unit.NS, MIN]
"""Integer nanoseconds since the origin of the profile; merged rows have the earliest."""
Durations = Annotated[NDArray[np.int64], Unit.NS, SUM]
"""Durations in nanoseconds, integers."""
Counts = Annotated[NDArray[np.int64], Unit.COUNT, SUM]
Sizes = Annotated[NDArray[np.int64], Unit.BYTES, SUM]
"""Sizes in bytes."""
Ids = Annotated[NDArray[np.int64], Unit.ID, EQUAL]
"""Numbers of ranks, steps and their like; -1 for none."""
Rows = Annotated[NDArray[np.int64], Unit.ID, EQUAL]
"""Rows of another table; -1 for none."""
Flags = Annotated[NDArray[np.bool_], Unit.FLAG, MAX]
"""Merged rows have True if any of them has."""
Figures = NDArray[np.float64]
"""Other numbers, whose unit each column declares."""

_T = TypeVar("_T", bound="Table")


NO_STEP = -1
"""Outside of any step."""


@dataclass(frozen=True, slots=True)
class TextColumn:
    """Dictionary-encoded texts: row i is ``values[codes[i]]``."""

    codes: NDArray[np.uint32]
    values: Sequence[str]

    @staticmethod
    def of(texts: Iterable[str]) -> TextColumn:
        """Encodes texts; the values are in the order of their first occurrence."""
        known: dict[str, int] = {}
        codes = [known.setdefault(text, len(known)) for text in texts]
        return TextColumn(np.array(codes, np.uint32), list(known))

    @staticmethod
    def constant(text: str, count: int) -> TextColumn:
        """Make a column with the same text in ``count`` rows."""
        return TextColumn(np.zeros(count, np.uint32), [text])

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, row: int) -> str:
        return self.values[int(self.codes[row])]

    def __iter__(self) -> Iterator[str]:
        column = self.compact() if len(self.values) > len(self.codes) else self
        codes: list[int] = column.codes.tolist()
        values = list(column.values)  # stored texts are decoded on each access
        return (values[code] for code in codes)

    def select(self, rows: NDArray[Any]) -> TextColumn:
        """Return the texts of these rows, or of the rows where a mask is True."""
        return TextColumn(self.codes[rows], self.values)

    def is_any_of(self, test: Callable[[str], bool]) -> NDArray[np.bool_]:
        """Return for each row whether its text passes; the test runs once for each value."""
        passes = np.array([test(value) for value in self.values], np.bool_)
        return passes[self.codes] if len(passes) else np.zeros(len(self.codes), np.bool_)

    def compact(self) -> TextColumn:
        """Return the same texts, with only the values that occur."""
        occurs = np.zeros(len(self.values), np.bool_)
        occurs[self.codes] = True
        if occurs.all():
            return self
        place = np.cumsum(occurs, dtype=np.uint32) - np.uint32(1)
        return TextColumn(place[self.codes], [self.values[code] for code in integers_of(np.flatnonzero(occurs))])

    def to_array(self) -> NDArray[np.object_]:
        """Return the texts as Python objects."""
        if not self.values:
            return np.empty(0, np.object_)
        return np.array(self.values, np.object_)[self.codes]


Column = NDArray[Any] | TextColumn
Texts = Annotated[TextColumn, Unit.TEXT, HEAVIEST]
StepTexts = Annotated[TextColumn, Unit.STEP, HEAVIEST]


@dataclass(frozen=True, kw_only=True)
class Table(Tabular):
    """Columns of equal length, one in each field; None where the format does not record that column.

    The type of a field says its unit and its merge rule, as does that of each property of ``DERIVED``. ``extra`` are
    further columns that only one format has, by their names there, such as the counters of Ascend; ``extra_fields``
    declares them.
    """

    DERIVED: ClassVar[tuple[str, ...]] = ()
    """Properties that are columns, which follow from the recorded ones."""

    extra: Mapping[str, Column] = field(default_factory=dict[str, Column])
    extra_fields: Mapping[str, ColumnField] = field(default_factory=dict[str, ColumnField])

    def __post_init__(self) -> None:
        lengths = {name: len(column) for name, column in self.columns().items()}
        if len(set(lengths.values())) > 1:
            raise ValueError(f"columns differ in length: {lengths}")

    def columns(self) -> dict[str, Column]:
        """Return the recorded columns by their names."""
        names = (name for name in fields_of(type(self)) if name not in self.DERIVED)
        return self._recorded(names) | dict(self.extra)

    def derived(self) -> dict[str, Column]:
        """Return columns that follow from the recorded ones."""
        return self._recorded(self.DERIVED)

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
        chosen = {name: _rows_of(column, rows) for name, column in self.columns().items() if name not in self.extra}
        return replace(self, **chosen, extra={name: _rows_of(column, rows) for name, column in self.extra.items()})

    def head(self: _T, count: int) -> _T:
        """Return the first rows."""
        return self.select(np.arange(min(count, len(self))))

    def row(self, row: int) -> dict[str, Any]:
        """Return the values of one row as Python objects, also derived ones."""
        return _row_of(self.columns() | self.derived(), self.schema(), row)

    def rows(self, most: int | None = None) -> Iterator[dict[str, Any]]:
        """Return all rows, or the first ``most``, as Python objects; derived values are those of the whole table."""
        columns, schema = self.columns() | self.derived(), self.schema()
        return (_row_of(columns, schema, row) for row in range(len(self))[:most])

    def _columns(self) -> dict[str, NDArray[Any]]:
        columns, schema = self.columns() | self.derived(), self.schema()
        return {name: _array_of(column, schema[name].unit) for name, column in columns.items()}


def value_of(column: Column, unit: Unit, row: int) -> Any:
    """Return a cell as a Python object; the number of a step as an integer."""
    if not isinstance(column, TextColumn):
        return column[row].tolist()
    return step_number(column[row]) if unit is Unit.STEP else column[row]


def step_number(text: str) -> int:
    """Return the number of a step in a column of texts; ``NO_STEP`` for an empty one."""
    return int(text) if text else NO_STEP


def _array_of(column: Column, unit: Unit) -> NDArray[Any]:
    if not isinstance(column, TextColumn):
        return column
    if unit is not Unit.STEP:
        return column.to_array()
    numbers = np.array([step_number(text) for text in column.values], np.int64)
    return numbers[column.codes] if len(numbers) else np.empty(0, np.int64)


def integers_of(values: NDArray[Any]) -> list[int]:
    """Return a column of integers as Python's own."""
    return values.tolist()


def _row_of(columns: Mapping[str, Column], schema: Mapping[str, ColumnField], row: int) -> dict[str, Any]:
    return {name: value_of(column, schema[name].unit, row) for name, column in columns.items()}


def _rows_of(column: Column, rows: NDArray[Any]) -> Column:
    return column.select(rows) if isinstance(column, TextColumn) else cast("Column", column[rows])
