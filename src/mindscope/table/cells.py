# SPDX-License-Identifier: Apache-2.0
"""Cells of columns that hold Python objects of several types; None for a missing one."""

from __future__ import annotations

import json
from typing import Any

import numpy as np


def as_number(cell: object) -> float:
    """Return a number as float64, infinite if it is too large; NaN for other cells."""
    if type(cell) is float:
        return cell
    if type(cell) is not int:
        return np.nan
    try:
        return float(cell)
    except OverflowError:
        return np.inf if cell > 0 else -np.inf


def cell_text(cell: Any) -> str:
    """Return a cell as text: texts unchanged, other types as JSON, with NaN, Infinity and -Infinity."""
    return cell if isinstance(cell, str) else json.dumps(cell, default=str, ensure_ascii=False)
