# SPDX-License-Identifier: Apache-2.0
"""Rows of tables of a profile as messages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.lru import LRU
from mindscope.profile.model.profile_data import Part
from mindscope.profile.tables.kernels import Kernels
from mindscope.profile.tables.modules import Modules
from mindscope.profile.tables.operators import Operators
from mindscope.profile.texts import Missing
from mindscope.reasons import Reason, reason_of
from mindscope.server.http.json_numbers import finite
from mindscope.server.profiles.reader import OpenParts
from mindscope.server.profiles.rows.schema import (
    ChosenRows,
    FigureColumn,
    FigureKind,
    ModulesAnswer,
    OrderedRows,
    RelatedEntry,
    RowAnswer,
    RowEntry,
    RowQuery,
    RowsAnswer,
    RowsQuery,
)
from mindscope.table.columns import Column, Rows, TextColumn, integers_of
from mindscope.table.file import Line, lines_of
from mindscope.table.rows import Condition, MergedRows, groups_in, merged_rows
from mindscope.table.schema import Unit

TOP = 20
MOST_RELATED = 50
MOST_CHARACTERS = 300
_KINDS: Mapping[Unit, FigureKind] = {
    Unit.NS: "ns", Unit.BYTES: "bytes", Unit.SHARE: "share", Unit.COUNT: "count"
}  # fmt: skip


class RowsError(ValueError):
    """The error of a query for rows that the table lacks; its reason lists the available ones."""


class MergedTables:
    """The tables that were merged last, for pages of the same rows. For any thread."""

    def __init__(self, most: int = 16) -> None:
        self._merged: LRU[tuple[Any, ...], MergedRows[Any]] = LRU(most)

    def get(self, parts: OpenParts, query: ChosenRows, table: Operators | Kernels) -> MergedRows[Any]:
        """Return the merged rows of a query. Raises RowsError for what the table does not have."""
        by = query.by or groups_in(table)[0]
        key = (parts.path, parts.version, query.part, by, *query.where)
        try:
            return self._merged.get(key) or self._merged.add(key, merged_rows(table, by, conditions_of(query.where)))
        except ValueError as error:
            raise RowsError(reason_of(error)) from error

    def close(self) -> None:
        """Release all tables."""
        self._merged.clear()


def conditions_of(texts: Sequence[str]) -> list[Condition]:
    """Return conditions from ``column=text``."""
    return [Condition(column, text) for column, _, text in (each.partition("=") for each in texts)]


def table_of(parts: OpenParts, part: str) -> Operators | Kernels:
    """Return the operators or kernels of a profile. Raises RowsError with what is missing."""
    return _part(parts, Part(part))


def rows_answer(parts: OpenParts, query: RowsQuery, kept: MergedTables) -> RowsAnswer:
    """Return a page of rows. Raises RowsError."""
    table = table_of(parts, query.part)
    merged = kept.get(parts, query, table)
    found = ordered_rows(merged, query)
    columns, schema = merged.columns, merged.table.schema()
    return RowsAnswer(
        version=parts.version,
        groups=groups_in(table),
        by=query.by or groups_in(table)[0],
        texts=[name for name, column in columns.items() if isinstance(column, TextColumn) and any(column.values)],
        figures=[FigureColumn(name=name, kind=_KINDS.get(schema[name].unit, "number")) for name in figures_of(merged)],
        total=len(merged),
        matching=len(found),
        time_ns=int(merged.weight.sum()),
        whole_ns=merged.whole,
        top=[_entry(merged, row, MOST_CHARACTERS) for row in range(min(TOP, len(merged)))],
        rows=[_entry(merged, row, MOST_CHARACTERS) for row in integers_of(found[query.first :][: query.count])],
    )


def row_answer(parts: OpenParts, query: RowQuery, kept: MergedTables) -> RowAnswer | None:
    """Return one row with what it launched or what launched it; None without such a row. Raises RowsError."""
    table = table_of(parts, query.part)
    merged = kept.get(parts, query, table)
    if query.row >= len(merged):
        return None
    keys = [Condition(name, _text(merged.columns[name], query.row)) for name in merged.names]
    chosen = merged_rows(table, "name", [*conditions_of(query.where), *keys]).table
    related = _kernels_of(parts, set(chosen.name)) if isinstance(chosen, Operators) else _operators_of(table, chosen)
    return RowAnswer(row=_entry(merged, query.row, None), related=related[:MOST_RELATED], related_count=len(related))


def ordered_rows(merged: MergedRows[Any], query: OrderedRows) -> Rows:
    """Return the rows that pass the filter, in their order. Raises RowsError."""
    try:
        found = merged.matching(query.words, query.regex)
        return merged.ordered(found, query.sort, is_descending=query.is_descending) if query.sort else found
    except ValueError as error:
        raise RowsError(reason_of(error)) from error


def figures_of(merged: MergedRows[Any]) -> dict[str, NDArray[Any]]:
    """Return the columns of figures that say something."""
    return {
        name: column
        for name, column in merged.columns.items()
        if not isinstance(column, TextColumn) and (name == "count" or np.nan_to_num(column).any())
    }


def lines_of_rows(merged: MergedRows[Any], rows: Rows) -> Iterator[Line]:
    """Return the lines of a file: columns by which rows are merged, then figures, then the other texts."""
    columns = merged.columns
    texts = [name for name, column in columns.items() if isinstance(column, TextColumn) and any(column.values)]
    first = [name for name in texts if name in merged.names and name != "stack"]
    names = dict.fromkeys((*first, *figures_of(merged), *texts))
    return lines_of({name: columns[name] for name in names}, merged.table.schema(), rows, merged.distinct)


def modules_of(parts: OpenParts) -> Modules:
    """Return the modules of a profile. Raises RowsError with what is missing."""
    return _part(parts, Part.MODULES)


def modules_answer(parts: OpenParts) -> ModulesAnswer:
    """Return the tree of modules. Raises RowsError."""
    modules = modules_of(parts)

    def figures(column: Any) -> list[int] | None:
        return None if column is None or not column.any() else integers_of(column)

    return ModulesAnswer(
        version=parts.version,
        name=list(modules.name),
        path=list(modules.path),
        parent=integers_of(modules.parent),
        count=integers_of(modules.count),
        host_total_ns=figures(modules.host_total),
        host_self_ns=figures(modules.host_self),
        device_total_ns=figures(modules.device_total),
        device_self_ns=figures(modules.device_self),
        backward_ns=figures(modules.backward),
        flops=figures(modules.flops),
        memory_bytes=figures(modules.memory),
    )


def _part(parts: OpenParts, part: Part) -> Any:
    found = parts.profile.part(part)
    if isinstance(found, Missing):
        raise RowsError(
            Reason("profile_part_missing", profile=parts.profile.name, part=part.value, detail=found.reason)
        )
    return found


def _entry(merged: MergedRows[Any], row: int, most: int | None) -> RowEntry:
    columns = merged.columns
    keys = merged.names if len(merged.names) < 3 else ()
    texts = {
        name: column[row] if name in keys else column[row][:most]
        for name, column in columns.items()
        if isinstance(column, TextColumn)
    }
    return RowEntry(
        row=row,
        name=texts[keys[0] if keys else "name"],
        time_ns=int(merged.weight[row]),
        texts={name: text for name, text in texts.items() if text},
        distinct={name: int(counts[row]) for name, counts in merged.distinct.items() if counts[row] > 1},
        figures={name: _figure(column, row) for name, column in figures_of(merged).items()},
    )


def _text(column: Column, row: int) -> str:
    return column[row] if isinstance(column, TextColumn) else str(column[row])


def _figure(column: NDArray[Any], row: int) -> float | int | None:
    value: Any = column[row]
    return finite(float(value)) if column.dtype.kind == "f" else int(value)


def _kernels_of(parts: OpenParts, operators: set[str]) -> list[RelatedEntry]:
    kernels = parts.profile.part(Part.KERNELS)
    if not isinstance(kernels, Kernels) or kernels.operator is None:
        return []
    return _related(kernels.select(kernels.operator.is_any_of(operators.__contains__)), "name")


def _operators_of(table: Operators | Kernels, chosen: Kernels) -> list[RelatedEntry]:
    if not isinstance(table, Kernels) or table.operator is None:
        return []
    names = set(chosen.name)
    return _related(table.select(table.name.is_any_of(names.__contains__)), "operator")


def _related(kernels: Kernels, by: str) -> list[RelatedEntry]:
    merged = kernels.group_by(by)
    times = merged.weight
    whole = int(times.sum()) or 1
    names = merged.columns()[by]
    return [
        RelatedEntry(
            name=_text(names, row),
            count=int(merged.count[row]),
            time_ns=int(times[row]),
            share=int(times[row]) / whole,
        )
        for row in range(len(merged))
    ]
