# SPDX-License-Identifier: Apache-2.0
"""The tables that ``Profiler.analyse`` prints: types of operators, then single operators."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mindscope.errors import MindscopeError
from mindscope.profile.open import read_profile
from mindscope.profile.tables.operators import Operators
from mindscope.table.columns import TextColumn
from mindscope.table.table import joined

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


def read_operators(paths: Iterable[Path]) -> Operators:
    """Return the operators of profiles, merged by all that says which they are; the greatest time first.

    Their only times are self times, and the longest run. A profile that can't be read, or has no operators, is logged
    and left out.
    """
    none = TextColumn.of(())
    found = [_with_self_times(Operators(name=none, type=none, device=none, count=np.empty(0, np.int64)))]
    for path in paths:
        try:
            found.append(_with_self_times(read_profile(path).operators))
        except (MindscopeError, OSError) as error:
            _log.warning("%s is left out of the analysis: %s", path, error)
    return joined(found).group_by("type", "name", "shapes", "module", "phase", "device")


def _with_self_times(operators: Operators) -> Operators:
    blank = TextColumn.constant("", len(operators))
    times = operators.self_time
    return Operators(
        name=operators.name, type=operators.type, device=operators.device, shapes=operators.shapes or blank,
        module=operators.module or blank, phase=operators.phase or blank, count=operators.count, host_self=times,
        max=times if operators.max is None else operators.max,
    )  # fmt: skip


def printed_tables(operators: Operators, options: TableOptions) -> Iterator[str]:
    """Yield the lines of both tables. Filters of types apply to the second one only, as in MindSpore."""
    if options.subgraph != "all" and operators.phase is not None:
        is_backward = operators.phase.is_any_of(lambda phase: phase == "backward")
        operators = operators.select(is_backward == (options.subgraph == "Gradients"))
    types = operators.group_by("type")
    yield from _type_table(types)
    if options.is_detailed:
        yield ""
        yield from _operator_table(operators, {type: number for number, type in enumerate(types.type)}, options)


def _type_table(types: Operators) -> Iterator[str]:
    """Yield a line for each type: the greatest time first."""
    cells = [
        [row["type"], f"{row['host_self'] / 1e6:.3f}", str(row["count"]), f"{100 * row['share']:.2f}"]
        for row in types.rows()
    ]
    yield from _table(["optype_name", "compute_time(ms)", "called_times", "percent"], cells)


def _operator_table(operators: Operators, types: Mapping[str, int], options: TableOptions) -> Iterator[str]:
    """Yield a line for each operator, in the order of their types, then the greatest time first."""
    header = ["op_name", "op_type", "avg_execution_time(ms)", "called_times", "subgraph", "shapes"]
    cells = [
        [
            _short(row["name"]), row["type"], f"{row['host_self'] / max(row['count'], 1) / 1e6:.4f}", str(row["count"]),
            "Gradients" if row["phase"] == "backward" else "Default", _short(row["shapes"]), row["module"],
        ]
        for row in sorted(operators.rows(), key=lambda row: types[row["type"]])
        if row["type"] in (options.wanted_types or types) and row["type"] not in options.unwanted_types
    ]  # fmt: skip
    if options.has_paths:
        yield from _table([*header, "op_path"], cells)
    else:
        yield from _table(header, [line[:-1] for line in cells])


def operators_as_json(operators: Operators, names: Sequence[str]) -> str:
    """Return JSON of the operators of each name or type: ``{"mm": [{"name": ..., "total_ms": ...}]}``."""
    texts = ("name", "type", "shapes", "module", "phase", "device", "count")
    found = {
        name: [
            {
                **{text: row[text] for text in texts}, "total_ms": row["host_self"] / 1e6,
                "mean_ms": row["host_self"] / max(row["count"], 1) / 1e6, "max_ms": row["max"] / 1e6,
            }
            for row in operators.rows()
            if name in (row["name"], row["type"])
        ]
        for name in names
    }  # fmt: skip
    return json.dumps(found)


def _table(header: list[str], rows: list[list[str]]) -> Iterator[str]:
    """Yield aligned columns; numbers to the right."""
    printed = rows[:MOST_ROWS]
    widths = [max(len(cell) for cell in column) for column in zip(header, *printed, strict=True)]
    is_number = [bool(printed) and all(_is_number(row[column]) for row in printed) for column in range(len(header))]
    for cells in [header, ["-" * width for width in widths], *printed]:
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
