# SPDX-License-Identifier: Apache-2.0
"""Cells as JSON that JavaScript reads without loss.

Missing cells are null. A number that JSON or float64 can't hold (NaN, infinities, integers from 2^53 on) is an object
``{"number": "NaN"}``, so that it is never confused with a text.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from typing import Any, cast

from mindscope.lineage.cell import EXACT
from mindscope.table.cells import cell_text


def cells_to_json(cells: Iterable[Any]) -> str:
    """Return a JSON array of cells."""
    return to_json([cell_to_json(cell) for cell in cells])


def cell_to_json(cell: Any) -> Any:
    """Return a cell as a value for ``json.dumps``."""
    if isinstance(cell, float):
        return cell if math.isfinite(cell) else {"number": cell_text(cell)}
    if isinstance(cell, int):
        return cell if -EXACT < cell < EXACT else {"number": cell_text(cell)}
    return [cell_to_json(each) for each in cast("tuple[Any, ...]", cell)] if isinstance(cell, tuple) else cell


def to_json(value: Any) -> str:
    """Return compact JSON."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
