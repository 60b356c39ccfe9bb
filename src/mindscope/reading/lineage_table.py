# SPDX-License-Identifier: Apache-2.0
"""The lineage of all runs as a table, for Python programs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from mindscope.errors import RunNotFoundError
from mindscope.lineage.cell import Cell
from mindscope.lineage.column import Column, ColumnKey, Group
from mindscope.lineage.difference import FieldPair, compare_rows
from mindscope.lineage.filter import Filter
from mindscope.lineage.goal import Goal, best_row, guess_goal
from mindscope.lineage.importance import Importance, importance_of
from mindscope.lineage.pipeline import Pipeline
from mindscope.lineage.pipeline_alignment import PipelineTable, align_runs
from mindscope.lineage.sort import SortKey, sorted_rows
from mindscope.lineage.table import Table
from mindscope.reasons import Reason
from mindscope.table import table
from mindscope.table.table import Tabular

_EPOCH_SIZE = ColumnKey(Group.DATASET, "train_size")


def _no_pipeline(run: str) -> Pipeline:
    return ()


class LineageTable(Sequence[Mapping[str, Cell]], Tabular):
    """One row per run: its parameters, data, results, and when and where it ran.

    A row is a dictionary by column id, without the columns that the run lacks. ``problems`` lists configuration files
    beside event files that can't be used, with the reason. The table is a snapshot.
    """

    def __init__(
        self, table: Table, problems: tuple[Reason, ...] = (), pipeline: Callable[[str], Pipeline] = _no_pipeline
    ) -> None:
        """``pipeline`` returns the data pipeline of a run, empty if it has none."""
        self.table = table
        self.problems = problems
        self._pipeline = pipeline

    @property
    def runs(self) -> tuple[str, ...]:
        """The ids of the runs, one per row."""
        return self.table.runs

    @property
    def columns(self) -> dict[str, Column]:
        """Columns by id: kind, cells, how many runs have a value (``count``), and the ``range`` of numbers."""
        return {column.id: column for column in self.table.columns.values()}

    def __len__(self) -> int:
        return len(self.table)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return self._with(self.table.take(np.arange(len(self))[index]))
        return {key.id: cell for key, cell in self.table.row(index).items()}

    def __iter__(self) -> Iterator[Mapping[str, Cell]]:
        return (self[row] for row in range(len(self)))

    def choose(self, *names: str) -> LineageTable:
        """Return the named columns, in this order: ids, or names that only one column has.

        Raises ColumnNotFoundError.
        """
        return self._with(self.table.choose(self.table.find(name) for name in names))

    def with_columns(self, columns: Iterable[Column]) -> LineageTable:
        """Return the table with further columns, each with a cell for each row.

        A column of a known key replaces that column.
        """
        return self._with(Table(self.runs, {**self.table.columns, **{column.key: column for column in columns}}))

    def filter(self, text: str) -> LineageTable:
        """Return the runs that match a condition, such as ``lr < 0.01 and metric["Accuracy"] > 0.9``.

        Raises ExpressionError; its ``position`` is the character of the error.
        """
        return self._with(Filter(text).apply(self.table))

    def sort(self, *names: str) -> LineageTable:
        """Return the table sorted by columns, most significant first; ``-NAME`` sorts in descending order.

        Texts sort in natural order; NaN, then missing values come last in both directions. Raises ColumnNotFoundError.
        """
        return self._with(self.table.take(sorted_rows(self.table, [self._sort_key(name) for name in names])))

    def best(self, name: str, goal: Goal | None = None) -> Mapping[str, Cell] | None:
        """Return the row with the best finite number of a column; None if no run has one.

        ``goal`` is ``max`` or ``min``; default: ``min`` for names with a word such as loss or error, else ``max``.
        Raises ColumnNotFoundError.
        """
        key = self.table.find(name)
        row = best_row(self.table.columns[key], goal or guess_goal(key.name))
        return None if row is None else self[row]

    def importance(
        self,
        name: str,
        columns: Iterable[str] | None = None,
        check: Callable[[], None] = lambda: None,
        *,
        also: Iterable[str] = (),
    ) -> Importance:
        """Measure how much parameters, data, algorithm and model explain a numeric column, most important first.

        Linear and rank correlation, mutual information, and, if scikit-learn is installed, permutation importance of a
        random forest, each with its interval. ``also`` names further columns to analyze, such as custom fields, which
        may be results; ``columns`` names all of them.
        Calls ``check`` now and then; an exception in it ends the computation. Raises ColumnNotFoundError.
        """
        keys = None if columns is None else [self.table.find(column) for column in columns]
        return importance_of(self.table, self.table.find(name), keys, check, [self.table.find(each) for each in also])

    def pipelines(self, check: Callable[[], None] = lambda: None) -> PipelineTable:
        """Return the data pipelines of the runs, aligned operation by operation, without runs that have none.

        Equal pipelines share a row; the most common one is row 0. ``check`` is as with ``importance``.
        """
        found = ((run, self._pipeline(run)) for run in self.runs)
        column = self.table.columns.get(_EPOCH_SIZE)
        sizes = {} if column is None else dict(zip(self.runs, column.cells, strict=True))
        whole = {run: size for run, size in sizes.items() if type(size) is int}
        return align_runs({run: pipeline for run, pipeline in found if pipeline}, whole, check)

    def take(self, rows: Sequence[int]) -> LineageTable:
        """Return the rows with these numbers, in this order."""
        return self._with(self.table.take(np.array(rows, np.intp)))

    def diff(self, one: str, other: str) -> tuple[FieldPair, ...]:
        """Compares two runs field by field; differing fields come first. Raises RunNotFoundError."""
        return compare_rows(self._row_of(one), self._row_of(other))

    def to_table(self) -> table.Table:
        """Return the columns by id, as Python objects; None for a missing one."""
        return table.Table(extra={id: column.cells for id, column in self.columns.items()})

    def _sort_key(self, name: str) -> SortKey:
        """Return the key of a name. A name that begins with ``-`` may also be the name of a column."""
        ids = {column.id for column in self.table.columns.values()}
        is_descending = name.startswith("-") and name not in ids
        return SortKey(self.table.find(name[1:] if is_descending else name), is_descending)

    def _row_of(self, run: str) -> dict[ColumnKey, Cell]:
        if run not in self.table.runs:
            raise RunNotFoundError(f"run {run!r} is not in the table of {len(self)} runs")
        return self.table.row(self.table.runs.index(run))

    def _with(self, table: Table) -> LineageTable:
        return LineageTable(table, self.problems, self._pipeline)

    def __repr__(self) -> str:
        return f"LineageTable({len(self)} runs, {len(self.table.columns)} columns)"
