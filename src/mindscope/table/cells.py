# SPDX-License-Identifier: Apache-2.0
"""Cells of columns that hold Python objects of several types; None for a missing one."""

from __future__ import annotations

import json
import math
from typing import Any


def as_number(cell: object) -> float:
    """Return a number as float64, infinite if it is too large; NaN for other cells."""
    if type(cell) is float:
        return cell
    if type(cell) is not int:
        return math.nan
    try:
        return float(cell)
    except OverflowError:
        return math.inf if cell > 0 else -math.inf


def json_value(cell: Any) -> Any:
    """Return a cell as a value of strict JSON: null for NaN, infinities and keys of mappings as texts."""
    if isinstance(cell, float) and not math.isfinite(cell):
        return None if cell != cell else str(cell)
    return {str(key): value for key, value in cell.items()} if isinstance(cell, dict) else cell  # pyright: ignore


def cell_text(cell: Any) -> str:
    """Return a cell as text: texts unchanged, other types as JSON, with NaN, Infinity and -Infinity."""
    return cell if isinstance(cell, str) else json.dumps(cell, default=str, ensure_ascii=False)
