# SPDX-License-Identifier: Apache-2.0
"""What expressions over columns are made of: their operators and functions, each on whole columns."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

Column = NDArray[Any]
ColumnsByName = Mapping[str, Column]
Evaluate = Callable[[ColumnsByName], Any]

COORDINATES = ("step", "wall_time")
"""Names of the coordinates of a point; use ``tag()`` for a tag of such a name."""
CONSTANTS = {"nan": np.nan, "inf": np.inf, "pi": np.pi}
ARITHMETIC: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: np.add,
    ast.Sub: np.subtract,
    ast.Mult: np.multiply,
    ast.Div: np.divide,
    ast.FloorDiv: np.floor_divide,
    ast.Mod: np.mod,
    ast.Pow: np.float_power,
}
COMPARISONS: dict[type[ast.cmpop], tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Lt: ("<", np.less),
    ast.LtE: ("<=", np.less_equal),
    ast.Gt: (">", np.greater),
    ast.GtE: (">=", np.greater_equal),
    ast.Eq: ("==", np.equal),
    ast.NotEq: ("!=", np.not_equal),
}
MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
NUMBERS: dict[str, tuple[int, Callable[..., Any]]] = {
    "abs": (1, np.abs),
    "sqrt": (1, np.sqrt),
    "exp": (1, np.exp),
    "log": (1, np.log),
    "log10": (1, np.log10),
    "log2": (1, np.log2),
    "min": (2, np.minimum),
    "max": (2, np.maximum),
}
TESTS: dict[str, Callable[[Any], Any]] = {"isnan": np.isnan, "isinf": np.isinf, "isfinite": np.isfinite}


def coordinate(name: str) -> str:
    """Return the name of a column of ``COORDINATES`` among ``columns``, which no tag can have."""
    return f"\0{name}"


def as_float(value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        return np.inf


def constant(value: float, columns: ColumnsByName) -> Any:
    return np.float64(value)


def column(name: str, columns: ColumnsByName) -> Any:
    return np.asarray(columns[name], np.float64)


def apply(function: Callable[..., Any], arguments: list[Evaluate], columns: ColumnsByName) -> Any:
    return function(*(argument(columns) for argument in arguments))


def fold(join: Callable[[Any, Any], Any], parts: list[Evaluate], columns: ColumnsByName) -> Any:
    result = parts[0](columns)
    for part in parts[1:]:
        result = join(result, part(columns))
    return result
