# SPDX-License-Identifier: Apache-2.0
"""Cases with answers for the tests of the page, which evaluates brushes and writes names of columns itself.

``python -m tests.lineage.page_cases > ui/src/core/lineage/pageCases.json`` writes them.
"""

from __future__ import annotations

import json
import math
import re
import sys
from typing import Any

import numpy as np

from mindscope.expressions.tokens import WORDS
from mindscope.lineage.cell import Cell
from mindscope.lineage.cell_json import cell_to_json
from mindscope.lineage.column import ColumnKey, Group
from mindscope.lineage.filter import RUNS, Filter
from mindscope.lineage.table import Table

CELLS: list[Cell | None] = [
    None, 0, 1, -1, 2.5, 0.1, 1e-300, 1e300, -0.0, 1.0, 2**53 - 1, 2**53, 2.0**53, -(2**64), 10**400, -(10**400),
    math.nan, math.inf, -math.inf, True, False, "", "a", "Adam", "é\n\"'\\🚀", (), (1, 2.5), (1.0, ("x", True)),
]  # fmt: skip
"""No text equals the text of another type: a brush selects values by their text."""
LARGEST = repr(sys.float_info.max)
GAPS = {
    "missing": "{0} is missing",
    "nan": "{0} is nan",
    "positive_infinity": f"{{0}} > {LARGEST}",
    "negative_infinity": f"{{0}} < -{LARGEST}",
    "not_positive": f"-{LARGEST} <= {{0}} <= 0",
    "not_a_number": "{0} is not missing and {0} is not nan and not {0} <= inf",
}
RANGES = [(0, 1), (-1, 2.5), (0.1, 0.1), (1, 0), (-1e308, 1e308), (1e-300, 1e300), (-(2.0**64), -1)]
KEYWORDS = {*WORDS, *RUNS.vocabulary.constants, *RUNS.vocabulary.reserved}
NAMES = [
    "lr", "model.depth", "学习率", "a_1", *sorted(KEYWORDS), "run", "a b", "a.", ".a", "a..b", "1a", "a-b", "", " ",
    "`", "a`b", '"', "a\"b'c\\d", "line\nbreak\ttab\r", "🚀", "metric/loss", "constructor", "__proto__", "x" * 300,
]  # fmt: skip
_ESCAPES = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_PLAIN = re.compile(r"[^\W\d]\w*(?:\.\w+)*")


def page_cases() -> dict[str, Any]:
    """What the page's functions must answer."""
    key = ColumnKey(Group.PARAMETER, "c")
    rows = {str(row): {} if cell is None else {key: cell} for row, cell in enumerate(CELLS)}
    table = Table.from_rows(rows)
    return {
        "cells": [cell_to_json(cell) for cell in CELLS],
        "gaps": {gap: matching(table, text.format("c")) for gap, text in GAPS.items()},
        "ranges": [
            {"low": low, "high": high, "rows": matching(table, f"{literal(low)} <= c <= {literal(high)}")}
            for low, high in RANGES
        ],
        "equal": [[] if cell is None else matching(table, f"c == {literal(cell)}") for cell in CELLS],
        "references": [
            {"group": key.group.value, "name": key.name, "id": key.id, "reference": reference(key)}
            for key in columns()
        ],
    }  # fmt: skip


def columns() -> list[ColumnKey]:
    return [ColumnKey(group, name) for group in (Group.PARAMETER, Group.CUSTOM) for name in NAMES]


def reference(key: ColumnKey) -> str:
    """How an expression names a column."""
    if _PLAIN.fullmatch(key.id) and key.id not in KEYWORDS:
        return key.id
    is_quotable = key.id and not set("`\n\r\t") & set(key.id)
    return f"`{key.id}`" if is_quotable else f"{key.group.value}[{literal(key.name)}]"


def literal(cell: Any) -> str:
    """A cell as an expression; a list may hold only plain values."""
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, str):
        return '"' + re.sub(r'["\\\n\r\t]', lambda sign: _ESCAPES.get(sign[0], f"\\{sign[0]}"), cell) + '"'
    return f"[{', '.join(map(literal, cell))}]" if isinstance(cell, tuple) else repr(cell)


def matching(table: Table, text: str) -> list[int]:
    return np.flatnonzero(Filter(text).matches(table)).tolist()


if __name__ == "__main__":
    print(json.dumps(page_cases(), ensure_ascii=False, indent=2, allow_nan=False))
