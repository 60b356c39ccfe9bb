# SPDX-License-Identifier: Apache-2.0
"""Operators of the oldest Ascend profiles: ``output_op_compute_time`` and its ``_detail``, tables for people to read.

Names of columns contain blanks, and rows of dashes come and go, so that rows are split at white space and tables are
found by their names. A second analysis appends to the file: the last table counts.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from mindscope.errors import FormatError
from mindscope.profile.formats.csv_table import CsvTable, fixed_point, read_lines
from mindscope.profile.formats.scope_names import mapped, module_of, phase_of, type_of
from mindscope.profile.tables.operators import Operators
from mindscope.reasons import Reason
from mindscope.table.columns import TextColumn

_MS = 1_000_000
_SUM = "total"
_PHASES = {"Default": "forward", "Gradients": "backward"}
"""Phase of a subgraph, where the file has no full names."""


def compute_time_operators(path: Path, rank: int) -> Operators | None:
    """Read ``output_op_compute_time``: the mean time of one run of each operator. Raises FormatError, OSError."""
    rows = _last_table(path, "op_name")
    found = [(words[0], words[1]) for words in rows if len(words) >= 2 and words[0] != _SUM and _is_number(words[1])]
    return _operators([name for name, _ in found], [time for _, time in found], None, rank) if found else None


def compute_detail_operators(path: Path, rank: int) -> Operators | None:
    """Read ``output_op_compute_time_detail``: single operators, or types where it has only those.

    Raises:
        FormatError: it has neither table.
        OSError: it can't be read.
    """
    rows = _last_table(path, "op_name")
    found = [words for words in rows if len(words) >= 3 and _is_number(words[2])]
    if found:
        # the full name is the last word in later versions
        names = [words[-1] if "/" in words[-1] else words[0] for words in found]
        operators = _operators(names, [words[2] for words in found], [words[1] for words in found], rank)
        phases = [
            phase_of(name) or _PHASES.get(word, "") for name, word in zip(names, map(_fourth, found), strict=True)
        ]
        return replace(operators, phase=TextColumn.of(phases))
    types = [words for words in _last_table(path, "optype_name") if len(words) >= 3 and _is_number(words[1])]
    if not types:
        return None
    total = np.array([fixed_point(words[1], _MS) for words in types], np.int64)
    names = TextColumn.of(words[0] for words in types)
    return Operators(
        name=names, type=names, device=TextColumn.constant(f"NPU {rank}", len(types)),
        count=np.array([fixed_point(words[2], 1) for words in types], np.int64), device_total=total, device_self=total,
    )  # fmt: skip


def data_preprocess_table(path: Path) -> CsvTable:
    """Return ``output_data_preprocess_aicpu`` as the table of ``aicpu_intermediate``; its last line is a sum.

    Raises OSError.
    """
    header, *rows = [line.split() for line in read_lines(path) if line.strip()] or [[]]
    return CsvTable(header, [row for row in rows if row[:2] != ["AI", "CPU"] and not set("".join(row)) <= {"-"}])


def _operators(names: list[str], times: list[str], types: list[str] | None, rank: int) -> Operators:
    """Return operators with one run each, since the file has only means."""
    total = np.array([fixed_point(time, _MS) for time in times], np.int64)
    column = TextColumn.of(names)
    return Operators(
        name=column,
        type=mapped(column, type_of) if types is None else TextColumn.of(types),
        device=TextColumn.constant(f"NPU {rank}", len(names)),
        module=mapped(column, module_of),
        phase=mapped(column, phase_of),
        count=np.ones(len(names), np.int64),
        device_total=total,
        device_self=total,
    )


def _last_table(path: Path, first: str) -> list[list[str]]:
    """Return the rows after the last line that begins with a name of a column, up to the next table or empty line."""
    lines = [line.split() for line in read_lines(path)]
    starts = [number for number, words in enumerate(lines) if words[:1] == [first]]
    if not starts:
        if not any(words[:1] in (["op_name"], ["optype_name"]) for words in lines):
            raise FormatError(
                Reason("profile_tables_missing", file=path.name, source="MindSpore", tables="op_name, optype_name")
            )
        return []
    found: list[list[str]] = []
    for words in lines[starts[-1] + 1 :]:
        if not words or words[0].startswith("="):
            break
        if set("".join(words)) != {"-"}:
            found.append(words)
    return found


def _fourth(words: list[str]) -> str:
    return words[3] if len(words) > 3 else ""


def _is_number(text: str) -> bool:
    try:
        return np.isfinite(float(text)).item()
    except ValueError:
        return False
