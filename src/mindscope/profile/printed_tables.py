# SPDX-License-Identifier: Apache-2.0
"""The tables that ``Profiler.analyse`` prints: types of operators, then single operators."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from mindscope.errors import MindscopeError
from mindscope.profile.open import read_profile
from mindscope.profile.tables.operators import Operators

_log = logging.getLogger(__name__)
SUBGRAPHS = ("all", "Default", "Gradients")
MOST_ROWS = 100
"""Largest number of rows of a printed table; the viewer lists all."""
_LONGEST = 60
"""Letters of a name or shape."""


@dataclass(frozen=True, slots=True)
class TableOptions:
    """Options of the tables of operators. The names are those of the arguments of ``Profiler``."""

    subgraph: str = "all"
    """``Default`` for forward and optimizer, ``Gradients`` for backward."""
    is_detailed: bool = True
    has_paths: bool = False
    wanted_types: frozenset[str] = frozenset()
    unwanted_types: frozenset[str] = frozenset()


def check_table_options(
    subgraph: Any, is_detail: Any, is_show_op_path: Any, optypes_to_deal: Any, optypes_not_deal: Any
) -> TableOptions:
    """Return the options, from arguments of ``Profiler``. Raises TypeError, ValueError."""
    for name, flag in (("is_detail", is_detail), ("is_show_op_path", is_show_op_path)):
        if not isinstance(flag, bool):
            raise TypeError(f"{name} is {type(flag).__name__} {flag!r}, want True or False")
    if not isinstance(subgraph, str):
        raise TypeError(f"subgraph is {type(subgraph).__name__} {subgraph!r}, want one of {', '.join(SUBGRAPHS)}")
    if subgraph not in SUBGRAPHS:
        raise ValueError(f"subgraph is {subgraph!r}, want one of {', '.join(SUBGRAPHS)}")
    wanted, unwanted = _types("optypes_to_deal", optypes_to_deal), _types("optypes_not_deal", optypes_not_deal)
    return TableOptions(subgraph, is_detail, is_show_op_path, wanted, unwanted)


def _types(name: str, value: Any) -> frozenset[str]:
    if not isinstance(value, str):
        raise TypeError(f"{name} is {type(value).__name__} {value!r}, want types of operators, separated by commas")
    return frozenset(part.strip() for part in value.split(",") if part.strip())


class OperatorRow(NamedTuple):
    """An operator over all files; times in nanoseconds, without operators that it calls."""

    type: str
    name: str
    shapes: str
    module: str
    phase: str
    device: str
    calls: int
    time: int
    longest: int


def read_operators(paths: Iterable[Path]) -> list[OperatorRow]:
    """Return the operators of profiles, merged by name, shapes, module and device; the greatest time first.

    A profile that can't be read, or has no operators, is logged and left out.
    """
    merged: dict[tuple[str, ...], OperatorRow] = {}
    for path in paths:
        try:
            operators = read_profile(path).operators
        except (MindscopeError, OSError) as error:
            _log.warning("%s is left out of the analysis: %s", path, error)
            continue
        for row in _rows(operators):
            known = merged.get(row[:6])
            merged[row[:6]] = row if known is None else _sum(known, row)
    return sorted(merged.values(), key=lambda row: -row.time)


def printed_tables(rows: Sequence[OperatorRow], options: TableOptions) -> Iterator[str]:
    """Yield the lines of both tables. Filters of types apply to the second one only, as in MindSpore."""
    chosen = [row for row in rows if _is_of(row, options.subgraph)]
    yield from type_table(chosen)
    if options.is_detailed:
        yield ""
        yield from operator_table(chosen, options)


def type_table(rows: Sequence[OperatorRow]) -> Iterator[str]:
    """Yield a line for each type: the greatest time first."""
    whole = sum(row.time for row in rows) or 1
    sums = _by_type(rows)
    cells = [
        [type, f"{time / 1e6:.3f}", str(count), f"{100 * time / whole:.2f}"] for type, (time, count) in sums.items()
    ]
    yield from _table(["optype_name", "compute_time(ms)", "called_times", "percent"], cells)


def operator_table(rows: Sequence[OperatorRow], options: TableOptions) -> Iterator[str]:
    """Yield a line for each operator, in the order of their types, then the greatest time first."""
    place = {type: number for number, type in enumerate(_by_type(rows))}
    wanted, unwanted = options.wanted_types, options.unwanted_types
    shown = [row for row in rows if (not wanted or row.type in wanted) and row.type not in unwanted]
    shown.sort(key=lambda row: (place[row.type], -row.time))
    columns: dict[str, Callable[[OperatorRow], str]] = {
        "op_name": lambda row: _short(row.name),
        "op_type": lambda row: row.type,
        "avg_execution_time(ms)": lambda row: f"{row.time / max(row.calls, 1) / 1e6:.4f}",
        "called_times": lambda row: str(row.calls),
        "subgraph": lambda row: "Gradients" if row.phase == "backward" else "Default",
        "shapes": lambda row: _short(row.shapes),
    }
    if options.has_paths:
        columns["op_path"] = lambda row: row.module
    yield from _table(list(columns), [[cell(row) for cell in columns.values()] for row in shown])


def operators_as_json(rows: Sequence[OperatorRow], names: Sequence[str]) -> str:
    """Return JSON of the operators of each name or type: ``{"mm": [{"name": ..., "total_ms": ...}]}``."""
    found = {
        name: [
            {
                "name": row.name, "type": row.type, "shapes": row.shapes, "module": row.module, "phase": row.phase,
                "device": row.device, "count": row.calls, "total_ms": row.time / 1e6,
                "mean_ms": row.time / max(row.calls, 1) / 1e6, "max_ms": row.longest / 1e6,
            }
            for row in rows
            if name in (row.name, row.type)
        ]
        for name in names
    }  # fmt: skip
    return json.dumps(found)


def _rows(operators: Operators) -> Iterator[OperatorRow]:
    count = len(operators)
    texts = [
        [""] * count if column is None else list(column)
        for column in (operators.shapes, operators.module, operators.phase, operators.device)
    ]
    longest = operators.self_time if operators.max is None else operators.max
    numbers = (operators.count.tolist(), operators.self_time.tolist(), longest.tolist())
    for row in zip(operators.type, operators.name, *texts, *numbers, strict=True):
        yield OperatorRow(*row)


def _sum(first: OperatorRow, second: OperatorRow) -> OperatorRow:
    return first._replace(
        calls=first.calls + second.calls, time=first.time + second.time, longest=max(first.longest, second.longest)
    )


def _is_of(row: OperatorRow, subgraph: str) -> bool:
    return subgraph == "all" or (subgraph == "Gradients") == (row.phase == "backward")


def _by_type(rows: Sequence[OperatorRow]) -> dict[str, tuple[int, int]]:
    """Return type -> time and count, the greatest time first."""
    sums: dict[str, tuple[int, int]] = {}
    for row in rows:
        time, count = sums.get(row.type, (0, 0))
        sums[row.type] = time + row.time, count + row.calls
    return dict(sorted(sums.items(), key=lambda each: -each[1][0]))


def _table(header: list[str], rows: list[list[str]]) -> Iterator[str]:
    """Yield aligned columns; numbers to the right."""
    shown = rows[:MOST_ROWS]
    widths = [max(len(cell) for cell in column) for column in zip(header, *shown, strict=True)]
    is_number = [bool(shown) and all(_is_number(row[place]) for row in shown) for place in range(len(header))]
    for cells in [header, ["-" * width for width in widths], *shown]:
        padded = [
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(cells, widths, is_number, strict=True)
        ]
        yield "  ".join(padded).rstrip()
    if len(rows) > MOST_ROWS:
        yield f"... and {len(rows) - MOST_ROWS} more; mindscope start shows all"


def _is_number(text: str) -> bool:
    return text.replace(".", "", 1).isdecimal()


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"...{text[3 - _LONGEST :]}"
