# SPDX-License-Identifier: Apache-2.0
"""Columns of tables: NumPy arrays, and texts whose values are stored once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, cast

import numpy as np
from numpy.typing import NDArray

from mindscope.table.schema import EQUAL, HEAVIEST, MAX, MIN, SUM, Unit

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
Numbers = Annotated[NDArray[np.float64], Unit.NUMBER, EQUAL]
"""Numbers that can't be merged."""
Figures = NDArray[np.float64]
"""Other numbers, whose unit each column declares."""

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
        new_code = np.cumsum(occurs, dtype=np.uint32) - np.uint32(1)
        return TextColumn(new_code[self.codes], [self.values[code] for code in integers_of(np.flatnonzero(occurs))])

    def to_array(self) -> NDArray[np.object_]:
        """Return the texts as Python objects."""
        if not self.values:
            return np.empty(0, np.object_)
        return np.array(self.values, np.object_)[self.codes]


Column = NDArray[Any] | TextColumn
Texts = Annotated[TextColumn, Unit.TEXT, HEAVIEST]
StepTexts = Annotated[TextColumn, Unit.STEP, HEAVIEST]


def column_of(values: Sequence[Any], unit: Unit) -> Column:
    """Return a column of Python objects: texts, whole numbers, numbers, or truth values."""
    return TextColumn.of(values) if unit is Unit.TEXT else np.array(values)


def codes_among(column: TextColumn, names: dict[str, int]) -> NDArray[np.uint32]:
    """Return the texts of a column as numbers of ``names``, which grows."""
    known = np.zeros(len(column.values), np.uint32)
    for code in integers_of(np.unique(column.codes).astype(np.int64)):
        known[code] = names.setdefault(column.values[code], len(names))
    return known[column.codes] if len(column.codes) else np.empty(0, np.uint32)


def joined_texts(columns: Sequence[TextColumn]) -> TextColumn:
    """Return the texts of all columns, one after the other."""
    names: dict[str, int] = {}
    codes = [codes_among(column, names) for column in columns]
    return TextColumn(np.concatenate([np.empty(0, np.uint32), *codes]), list(names))


def joined_columns(columns: Sequence[Column]) -> Column:
    """Return the values of all columns, one after the other."""
    texts = [column for column in columns if isinstance(column, TextColumn)]
    return joined_texts(texts) if texts else np.concatenate(cast("Any", columns))


def blank_column(like: Column, count: int) -> Column:
    """Return a column of zeros or of empty texts."""
    return TextColumn.constant("", count) if isinstance(like, TextColumn) else np.zeros(count, like.dtype)


def array_of(column: Column, unit: Unit) -> NDArray[Any]:
    """Return a column as an array: texts as Python objects, numbers of steps as integers."""
    if not isinstance(column, TextColumn):
        return column
    if unit is not Unit.STEP:
        return column.to_array()
    numbers = np.array([step_number(text) for text in column.values], np.int64)
    return numbers[column.codes] if len(numbers) else np.empty(0, np.int64)


def rows_of(column: Column, rows: NDArray[Any]) -> Column:
    """Return these rows of a column, or the rows where a mask is True."""
    return column.select(rows) if isinstance(column, TextColumn) else cast("Column", column[rows])


def value_of(column: Column, unit: Unit, row: int) -> Any:
    """Return a cell as a Python object; the number of a step as an integer."""
    if not isinstance(column, TextColumn):
        return column.item(row)
    return step_number(column[row]) if unit is Unit.STEP else column[row]


def step_number(text: str) -> int:
    """Return the number of a step in a column of texts; ``NO_STEP`` for an empty one."""
    return int(text) if text else NO_STEP


def integers_of(values: NDArray[Any]) -> list[int]:
    """Return a column of integers as Python's own."""
    return values.tolist()
