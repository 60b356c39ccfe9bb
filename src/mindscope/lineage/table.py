# SPDX-License-Identifier: Apache-2.0
"""All runs as one table of columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches

import numpy as np
from numpy.typing import NDArray

from mindscope.errors import ColumnNotFoundError
from mindscope.lineage.cell import Cell
from mindscope.lineage.column import RUN, Column, ColumnKey, Group
from mindscope.reasons import Reason


class Table:
    """Rows by run id, and columns by key. Immutable; selecting rows or columns returns a new table."""

    def __init__(self, runs: Sequence[str], columns: Mapping[ColumnKey, Column]) -> None:
        self.runs = tuple(runs)
        self.columns = columns

    @classmethod
    def from_rows(cls, rows: Mapping[str, Mapping[ColumnKey, Cell]]) -> Table:
        """Return a table of rows by run id; columns are ordered by group, then by first occurrence."""
        met = dict.fromkeys(key for row in rows.values() for key in row)
        keys = in_group_order(met)
        return cls(tuple(rows), {key: Column.of_rows(key, rows) for key in keys})

    def __len__(self) -> int:
        return len(self.runs)

    def take(self, rows: NDArray[np.intp]) -> Table:
        """Return the given rows, in this order; columns without any value stay."""
        taken: list[int] = rows.tolist()
        runs = [self.runs[row] for row in taken]
        return Table(runs, {key: column.take(rows) for key, column in self.columns.items()})

    def choose(self, keys: Iterable[ColumnKey]) -> Table:
        """Return the given columns, in this order."""
        return Table(self.runs, {key: self.columns[key] for key in keys})

    def row(self, index: int) -> dict[ColumnKey, Cell]:
        """Return the cells of a row, without missing ones."""
        cells = ((key, column.cells[index]) for key, column in self.columns.items())
        return {key: cell for key, cell in cells if cell is not None}

    def find(self, name: str) -> ColumnKey:
        """Return the column for an id such as ``metric/Accuracy``, or for a name that only one column has.

        If several columns have the name, a parameter wins. Raises ColumnNotFoundError, which suggests similar ids.
        """
        by_id = {key.id: key for key in self.columns}
        if name in by_id:
            return by_id[name]
        named = [key for key in self.columns if key.name == name]
        if len(named) == 1 or (named and named[0].group is Group.PARAMETER):
            return named[0]
        if named:
            raise ColumnNotFoundError(Reason("column_ambiguous", name=name, ids=", ".join(each.id for each in named)))
        raise ColumnNotFoundError(not_found(name, by_id))

    def find_in(self, group: Group, name: str) -> ColumnKey:
        """Return the column of a group and name. Raises ColumnNotFoundError."""
        key = ColumnKey(group, name)
        if key not in self.columns:
            raise ColumnNotFoundError(not_found(key.id, self._ids()))
        return key

    def _ids(self) -> list[str]:
        return [key.id for key in self.columns]


def in_group_order(keys: Iterable[ColumnKey]) -> list[ColumnKey]:
    """Return the run column first, then by group in the order of ``Group``; keeps the order within a group."""
    order = {group: position for position, group in enumerate(Group)}
    return sorted(keys, key=lambda key: (key != RUN, order[key.group]))


def not_found(name: str, ids: Iterable[str]) -> Reason:
    """Return the reason for an unknown column: suggests similar ids."""
    known = list(ids)
    by_tail = {id.rpartition("/")[2].lower(): id for id in known}
    near = get_close_matches(name, known, n=3, cutoff=0.6)
    near += [by_tail[close_match] for close_match in get_close_matches(name.lower(), by_tail, n=3, cutoff=0.6)]
    names = list(dict.fromkeys(near)) or known[:3]
    if not names:
        return Reason("column_not_found", name=name)
    return Reason("column_near", name=name, near=", ".join(map(repr, names[:3])))
