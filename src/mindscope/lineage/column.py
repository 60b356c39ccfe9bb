# SPDX-License-Identifier: Apache-2.0
"""A column of a lineage table holds a cell for each run."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import Enum
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mindscope.lineage.cell import EXACT, Cell, CellKind, kind_of
from mindscope.lineage.cell_json import cells_to_json, to_json
from mindscope.table.cells import as_number


class Group(str, Enum):
    """The topic of a column."""

    PARAMETER = "parameter"
    DATASET = "dataset"
    ALGORITHM = "algorithm"
    MODEL = "model"
    METRIC = "metric"
    SCALAR = "scalar"
    CUSTOM = "custom"
    FACT = "fact"

    def __str__(self) -> str:
        return self.value


_RESERVED = frozenset({"run", *(group.value for group in Group)})


class ColumnKey(NamedTuple):
    """Names a column: ``name`` is unique within its group."""

    group: Group
    name: str

    @property
    def id(self) -> str:
        """Unique text: ``metric/Accuracy``; for a parameter its name, unless that looks like another id."""
        if self == RUN:
            return self.name
        is_plain = self.group is Group.PARAMETER and self.name.partition("/")[0] not in _RESERVED
        return self.name if is_plain else f"{self.group}/{self.name}"


RUN = ColumnKey(Group.FACT, "run")
"""The column that names the run of a row; its id is ``run``."""


class Column:
    """The cells of one column, one for each row; None for a missing cell. Immutable."""

    def __init__(self, key: ColumnKey, cells: Iterable[Cell | None], length: int) -> None:
        self.key = key
        self.cells: NDArray[np.object_] = np.fromiter(cells, object, length)
        """Cells, shape (rows,); None where a row has no value."""

    @classmethod
    def of_rows(cls, key: ColumnKey, rows: Mapping[str, Mapping[ColumnKey, Cell]]) -> Column:
        """Return the column of rows by run id."""
        return cls(key, (row.get(key) for row in rows.values()), len(rows))

    def replace(self, cells: Mapping[int, Cell | None]) -> Column:
        """Return the column with other cells in some rows, given by their numbers."""
        replaced: NDArray[np.object_] = np.array(self.cells)
        numbers, is_missing = np.array(self.numbers), np.array(self.is_missing)
        for row, cell in cells.items():
            replaced[row], numbers[row], is_missing[row] = cell, as_number(cell), cell is None
        numbers.flags.writeable = False
        column = Column(self.key, (), 0)
        column.cells = replaced
        column.__dict__ |= {"numbers": numbers, "is_missing": is_missing}  # saves time: they are cached properties
        return column

    def __len__(self) -> int:
        return self.cells.size

    @property
    def id(self) -> str:
        return self.key.id

    def take(self, rows: NDArray[np.intp]) -> Column:
        """Return the cells of some rows, in their order."""
        return Column(self.key, self.cells[rows], rows.size)

    @cached_property
    def is_missing(self) -> NDArray[np.bool_]:
        """Whether each cell is missing, shape (rows,)."""
        return np.fromiter((cell is None for cell in self.cells), bool, len(self))

    @cached_property
    def count(self) -> int:
        """Number of rows that have a cell in this column."""
        return len(self) - int(self.is_missing.sum())

    @cached_property
    def _types(self) -> frozenset[type[Any]]:
        return frozenset(map(type, self.cells)) - {type(None)}

    @cached_property
    def kind(self) -> CellKind:
        return kind_of(self._types)

    @property
    def is_numeric(self) -> bool:
        """Whether each cell is a number."""
        return self.kind in (CellKind.INT, CellKind.FLOAT)

    @cached_property
    def numbers(self) -> NDArray[np.float64]:
        """The numbers as float64 of shape (rows,); NaN for missing cells and other types."""
        numbers = np.fromiter(map(as_number, self.cells), np.float64, len(self))
        numbers.flags.writeable = False
        return numbers

    @cached_property
    def is_exact(self) -> bool:
        """Whether ``numbers`` holds each integer of the column without rounding."""
        return int not in self._types or not bool(np.any(np.abs(self.numbers) >= EXACT))

    @cached_property
    def range(self) -> tuple[float, float] | None:
        """The smallest and the largest finite number; None if there is none."""
        finite = self.numbers[np.isfinite(self.numbers)]
        return (float(finite.min()), float(finite.max())) if finite.size else None

    @cached_property
    def distinct(self) -> tuple[Cell, ...]:
        """Distinct values in row order; ``1``, ``1.0`` and ``True`` are three values, NaN is one."""
        present = (cell for cell in self.cells if cell is not None)
        seen: dict[tuple[str, str], Cell] = {(type(cell).__name__, repr(cell)): cell for cell in present}
        return tuple(seen.values())

    @cached_property
    def differs(self) -> bool:
        """Whether two rows have different values; a missing one differs from every other."""
        if self.count < len(self):
            return self.count > 0
        if len(self._types) > 1:
            return True
        if self._types == frozenset({float}):
            numbers, first = self.numbers, self.numbers[:1]
            is_equal = (numbers == first) & (np.signbit(numbers) == np.signbit(first))
            return not (is_equal | (np.isnan(numbers) & np.isnan(first))).all()
        return len(self.distinct if tuple in self._types else set(self.cells)) > 1

    @cached_property
    def json(self) -> str:
        """The cells as a JSON array, see ``cells_to_json``."""
        is_plain = tuple not in self._types and self.is_exact and not self._has_infinite
        return to_json(self.cells.tolist()) if is_plain else cells_to_json(self.cells)

    @property
    def _has_infinite(self) -> bool:
        """Whether a number is NaN or infinite."""
        suspects = self.cells[~np.isfinite(self.numbers)]
        return float in map(type, suspects) or int in map(type, suspects)

    def __repr__(self) -> str:
        return f"Column({self.id!r}: {self.kind}, {self.count} of {len(self)} rows)"
