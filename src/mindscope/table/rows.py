# SPDX-License-Identifier: Apache-2.0
"""Rows of a table as a person looks at them: narrowed, merged, searched and ordered."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from mindscope import search_regex
from mindscope.reasons import Reason
from mindscope.table.columns import Column, Rows, TextColumn, rows_of
from mindscope.table.grouping import group_of_rows
from mindscope.table.order import sorted_rows
from mindscope.table.table import Table

_T = TypeVar("_T", bound=Table)

EACH = "each"
"""The grouping that merges nothing that the table distinguishes."""
WITHIN = "within"
"""Comparison of a condition: the module or scope of this path, and all in it."""


class Condition(NamedTuple):
    """Rows whose text in ``column`` is ``text``; of ``WITHIN``, those of a module and all in it."""

    column: str
    text: str


def groups_in(table: Table) -> list[str]:
    """Return the groupings whose columns have texts, ``EACH`` last."""
    texts = {name for name, column in table.columns().items() if isinstance(column, TextColumn) and any(column.values)}
    return [*(by for by, names in table.GROUPINGS.items() if texts.issuperset(names)), EACH]


@dataclass(frozen=True)
class MergedRows(Generic[_T]):
    """Rows of a table that agree in what they are grouped by, the greatest weight first."""

    table: _T
    names: Sequence[str]
    """Columns of texts that tell the rows apart; all of them for ``EACH``."""
    distinct: Mapping[str, NDArray[np.int64]]
    """Number of different texts of each column that a row stands for. The table has that of the heaviest."""
    whole: int
    """Weight of all rows of the table, to which shares refer."""

    @cached_property
    def weight(self) -> NDArray[Any]:
        """The weight of each row; all sum to the whole."""
        return self.table.weight

    @cached_property
    def columns(self) -> dict[str, Column]:
        """Recorded and derived columns; shares are those of the whole table."""
        shares: Column = self.weight / self.whole if self.whole else np.zeros(len(self.table))
        return self.table.columns() | self.table.derived() | {"share": shares}

    def __len__(self) -> int:
        return len(self.table)

    def matching(self, words: Sequence[str], regex: str = "") -> Rows:
        """Return rows with all ``words`` and a match of ``regex`` in one of their texts each, without regard to case.

        Raises:
            ValueError: RE2 can't read the expression.
        """
        matches = np.ones(len(self), np.bool_)
        for word in words:
            matches &= self._contains(partial(_word_matches, word.lower()))
        if regex:
            matches &= self._contains(partial(_regex_matches, regex))
        return np.flatnonzero(matches)

    def _contains(self, test: Callable[[Sequence[str]], Sequence[bool]]) -> NDArray[np.bool_]:
        matches = np.zeros(len(self), np.bool_)
        for name in self.table.SEARCHED:
            column = self.columns.get(name)
            if isinstance(column, TextColumn) and len(column.values):
                matches |= np.array(test(column.values), np.bool_)[column.codes]
        return matches

    def ordered(self, rows: Rows, column: str, *, is_descending: bool) -> Rows:
        """Return ``rows`` in the order of a column; equal ones stay as they are, missing figures come last.

        Raises:
            ValueError: the table does not have the column.
        """
        values = self.columns.get(column)
        if values is None:
            raise ValueError(Reason("profile_column_unknown", column=column, columns=", ".join(self.columns)))
        return rows[sorted_rows([(rows_of(values, rows), is_descending)])]


def merged_rows(table: _T, by: str, where: Iterable[Condition] = ()) -> MergedRows[_T]:
    """Return the rows that fulfil all conditions, merged by one of ``groups_in(table)``.

    Raises:
        ValueError: the table does not have a grouping or the column of a condition.
    """
    groups = groups_in(table)
    if by not in groups:
        raise ValueError(Reason("profile_grouping_unknown", by=by, groups=", ".join(groups)))
    chosen = table.select(_fulfilling(table, where))
    texts = tuple(name for name, column in chosen.columns().items() if isinstance(column, TextColumn))
    names = texts if by == EACH else table.GROUPINGS[by]
    return MergedRows(chosen.group_by(*names), names, _distinct(chosen, names), int(table.weight.sum()))


def _fulfilling(table: Table, where: Iterable[Condition]) -> NDArray[np.bool_]:
    fulfils = np.ones(len(table), np.bool_)
    for column, text in where:
        texts = table.columns().get("module" if column == WITHIN else column)
        if not isinstance(texts, TextColumn):
            raise ValueError(Reason("profile_texts_unknown", column=column))
        fulfils &= texts.is_any_of(partial(_fulfils, column, text))
    return fulfils


def _fulfils(column: str, wanted: str, text: str) -> bool:
    return text == wanted or (column == WITHIN and text.startswith(f"{wanted}/"))


def _distinct(table: Table, names: Sequence[str]) -> dict[str, NDArray[np.int64]]:
    """Count the different texts that each merged row stands for, of the columns that do not tell rows apart."""
    group = group_of_rows(table.columns(), names, table.weight)
    counts: dict[str, NDArray[np.int64]] = {}
    for name, column in table.columns().items():
        if isinstance(column, TextColumn) and name not in names:
            texts = int(column.codes.max(initial=0)) + 1
            pairs = np.unique(group * texts + column.codes)
            counts[name] = np.bincount(pairs // texts)
    return counts


def _word_matches(word: str, texts: Sequence[str]) -> Sequence[bool]:
    return [word in text.lower() for text in texts]


def _regex_matches(regex: str, texts: Sequence[str]) -> Sequence[bool]:
    try:
        return search_regex.matches(regex, texts, ignores_case=True).tolist()
    except search_regex.RegexError as error:
        raise ValueError(Reason("profile_pattern", detail=str(error))) from error
