# SPDX-License-Identifier: Apache-2.0
"""Tables of operators and kernels as a person looks at them: narrowed, merged, filtered, ordered, page by page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mindscope import search_regex
from mindscope.profile.tables.columns import Column, Rows, TextColumn
from mindscope.profile.tables.grouping import merged_groups
from mindscope.profile.tables.kernels import Kernels
from mindscope.profile.tables.operators import Operators
from mindscope.reasons import Reason
from mindscope.store.file_facts import natural_key

EACH = "each"
"""The grouping that merges nothing that the profile distinguishes."""
WITHIN = "within"
"""Comparison of a condition: the module or scope of this path, and all in it."""
OPERATOR_GROUPS: Mapping[str, tuple[str, ...]] = {
    "type": ("type",),
    "name": ("name",),
    "module": ("module",),
    "phase": ("phase",),
    "shapes": ("name", "shapes"),
    "dtypes": ("dtypes",),
    "stack": ("stack",),
    "step": ("step",),
    "core": ("core",),
}
KERNEL_GROUPS: Mapping[str, tuple[str, ...]] = {
    "kind": ("kind",),
    "name": ("name",),
    "operator": ("operator",),
    "stream": ("stream",),
    "core": ("core",),
    "step": ("step",),
}
_SEARCHED = ("name", "type", "kind", "module", "shapes", "dtypes", "operator")


class Condition(NamedTuple):
    """Rows whose text in ``column`` is ``text``; of ``WITHIN``, those of a module and all in it."""

    column: str
    text: str


def groups_in(table: Operators | Kernels) -> list[str]:
    """Return the groupings for which the profile recorded the columns, ``EACH`` last."""
    offered = OPERATOR_GROUPS if isinstance(table, Operators) else KERNEL_GROUPS
    texts = {name: column for name, column in table.columns().items() if isinstance(column, TextColumn)}
    found = [by for by, names in offered.items() if all(_says_something(texts.get(name)) for name in names)]
    return [*found, EACH]


def _says_something(column: TextColumn | None) -> bool:
    return column is not None and any(column.values)


@dataclass(frozen=True)
class MergedRows:
    """Rows of a table that agree in what they are grouped by, the greatest time first."""

    table: Operators | Kernels
    names: Sequence[str]
    """Columns of texts that tell the rows apart; all of them for ``EACH``."""
    distinct: Mapping[str, NDArray[np.int64]]
    """Number of different texts of each column that a row stands for. The table has that of the heaviest."""
    whole: int
    """Nanoseconds of all rows of the profile, to which shares refer."""

    @cached_property
    def times(self) -> NDArray[np.int64]:
        """Nanoseconds that sum to the whole: self times of operators, times of kernels."""
        return times_of(self.table)

    @cached_property
    def columns(self) -> dict[str, Column]:
        """Recorded and derived columns; shares are those of the whole profile."""
        shares: Column = self.times / self.whole if self.whole else np.zeros(len(self.table))
        return self.table.columns() | self.table.derived() | {"share": shares}

    def __len__(self) -> int:
        return len(self.table)

    def matching(self, words: Sequence[str], regex: str = "") -> Rows:
        """Return rows with all ``words`` and a match of ``regex`` in one of their texts each, without regard to case.

        Raises:
            ValueError: RE2 can't read the expression.
        """
        found = np.ones(len(self), np.bool_)
        for word in words:
            found &= self._contains(partial(_word_matches, word.lower()))
        if regex:
            found &= self._contains(partial(_regex_matches, regex))
        return np.flatnonzero(found)

    def _contains(self, test: Callable[[Sequence[str]], Sequence[bool]]) -> NDArray[np.bool_]:
        found = np.zeros(len(self), np.bool_)
        for name in _SEARCHED:
            column = self.columns.get(name)
            if isinstance(column, TextColumn) and len(column.values):
                found |= np.array(test(column.values), np.bool_)[column.codes]
        return found

    def ordered(self, rows: Rows, column: str, *, is_descending: bool) -> Rows:
        """Return ``rows`` in the order of a column; equal ones stay as they are.

        Raises:
            ValueError: the table does not have the column.
        """
        values = self.columns.get(column)
        if values is None:
            raise ValueError(Reason("profile_column_unknown", column=column, columns=", ".join(self.columns)))
        keys = _text_ranks(values) if isinstance(values, TextColumn) else np.nan_to_num(values, nan=-np.inf)
        chosen: NDArray[Any] = keys[rows]
        return rows[np.argsort(-chosen if is_descending else chosen, kind="stable")]


def times_of(table: Operators | Kernels) -> NDArray[np.int64]:
    """Return the nanoseconds of rows that sum to the whole."""
    return table.self_time if isinstance(table, Operators) else table.total


def merged_rows(table: Operators | Kernels, by: str, where: Iterable[Condition] = ()) -> MergedRows:
    """Return the rows that fulfil all conditions, merged by one of ``groups_in(table)``.

    Raises:
        ValueError: the profile does not have a grouping or the column of a condition.
    """
    offered = groups_in(table)
    if by not in offered:
        raise ValueError(Reason("profile_grouping_unknown", by=by, groups=", ".join(offered)))
    whole = int(times_of(table).sum())
    chosen = table.select(_fulfilling(table, where))
    texts = {name: column for name, column in chosen.columns().items() if isinstance(column, TextColumn)}
    groups = OPERATOR_GROUPS if isinstance(table, Operators) else KERNEL_GROUPS
    names = tuple(texts) if by == EACH else groups[by]
    return MergedRows(chosen.group_by(*names), names, _distinct(chosen, names), whole)


def _fulfilling(table: Operators | Kernels, where: Iterable[Condition]) -> NDArray[np.bool_]:
    found = np.ones(len(table), np.bool_)
    for column, text in where:
        texts = table.columns().get("module" if column == WITHIN else column)
        if not isinstance(texts, TextColumn):
            raise ValueError(Reason("profile_texts_unknown", column=column))
        found &= texts.is_any_of(partial(_fulfils, column, text))
    return found


def _fulfils(column: str, wanted: str, text: str) -> bool:
    return text == wanted or (column == WITHIN and text.startswith(f"{wanted}/"))


def _distinct(table: Operators | Kernels, names: Sequence[str]) -> dict[str, NDArray[np.int64]]:
    """Count the different texts that each merged row stands for, of the columns that do not tell rows apart."""
    row = merged_groups(table, names, times_of(table))
    found: dict[str, NDArray[np.int64]] = {}
    for name, column in table.columns().items():
        if isinstance(column, TextColumn) and name not in names:
            texts = int(column.codes.max(initial=0)) + 1
            pairs = np.unique(row * texts + column.codes)
            found[name] = np.bincount(pairs // texts)
    return found


def _word_matches(word: str, texts: Sequence[str]) -> Sequence[bool]:
    return [word in text.lower() for text in texts]


def _regex_matches(regex: str, texts: Sequence[str]) -> Sequence[bool]:
    try:
        return search_regex.matches(regex, texts, ignores_case=True).tolist()
    except search_regex.RegexError as error:
        raise ValueError(Reason("profile_pattern", detail=str(error))) from error


def _text_ranks(column: TextColumn) -> NDArray[np.int64]:
    """Return the place of each row's text among all in natural order, without regard to case."""
    order = sorted(range(len(column.values)), key=lambda place: natural_key(column.values[place].lower()))
    ranks = np.empty(len(order), np.int64)
    ranks[order] = np.arange(len(order))
    return ranks[column.codes] if len(order) else np.zeros(len(column), np.int64)
