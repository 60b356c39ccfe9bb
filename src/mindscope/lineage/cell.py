# SPDX-License-Identifier: Apache-2.0
"""The values of a lineage table: what a setting, a metric or a fact may be."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from typing import Any, TypeAlias, cast

import numpy as np

Cell: TypeAlias = "bool | int | float | str | tuple[Any, ...]"
"""One value of a row; a tuple is a list of cells. A missing value is absent from its row."""

EXACT = 1 << 53
"""float64 holds every whole number below this one."""


class CellKind(str, Enum):
    """What the cells of a column are. A column of ``int`` and ``float`` is ``float``; any other mix is ``mixed``."""

    INT = "int"
    FLOAT = "float"
    BOOL = "bool"
    TEXT = "text"
    LIST = "list"
    MIXED = "mixed"
    EMPTY = "empty"

    def __str__(self) -> str:
        return self.value


_KINDS: Mapping[type, CellKind] = {
    int: CellKind.INT,
    float: CellKind.FLOAT,
    bool: CellKind.BOOL,
    str: CellKind.TEXT,
    tuple: CellKind.LIST,
}


def kind_of(types: Iterable[type]) -> CellKind:
    """The kind of a column whose cells have these types."""
    kinds = {_KINDS[each] for each in types}
    if kinds == {CellKind.INT, CellKind.FLOAT}:
        return CellKind.FLOAT
    return CellKind.MIXED if len(kinds) > 1 else next(iter(kinds), CellKind.EMPTY)


def as_cell(value: Any) -> Cell | None:
    """A value of JSON, YAML, NumPy or a message as a cell of the same type; None stays None.

    A list keeps its order. A mapping within a list, and anything else, becomes text.
    """
    if value is None or (type(value) in _KINDS and not isinstance(value, tuple)):
        return value
    if isinstance(value, np.generic):
        return as_cell(value.item())
    if isinstance(value, int):  # a member of an enumeration, as the following
        return int(value)
    if isinstance(value, float):
        return float(value)
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, Mapping):
        return json.dumps(value, default=str, ensure_ascii=False)
    if isinstance(value, Sequence):
        return tuple([as_cell(each) for each in cast("Sequence[Any]", value)])
    return str(value)


def flatten(settings: Mapping[Any, Any], prefix: str = "") -> Iterator[tuple[str, Cell]]:
    """Nested settings as (dotted name, cell): ``{"model": {"depth": 3}}`` gives ``model.depth``.

    A list of mappings is numbered, as in ``layers.0.units``; any other list is one cell. None is missing.
    """
    for key, value in settings.items():
        name = f"{prefix}{key}"
        if isinstance(value, Mapping):
            yield from flatten(cast("Mapping[Any, Any]", value), f"{name}.")
        elif _is_list_of_mappings(value):
            yield from flatten(dict(enumerate(cast("Sequence[Any]", value))), f"{name}.")
        elif (cell := as_cell(value)) is not None:
            yield name, cell


def as_number(cell: object) -> float:
    """A number as float64, infinite where it is too large; NaN for anything else."""
    if type(cell) is float:
        return cell
    if type(cell) is not int:
        return np.nan
    try:
        return float(cell)
    except OverflowError:
        return np.inf if cell > 0 else -np.inf


def cell_text(cell: Cell) -> str:
    """A cell as text: texts as they are, all else as JSON; NaN, Infinity and -Infinity by these names."""
    return cell if isinstance(cell, str) else json.dumps(cell, default=str, ensure_ascii=False)


def _is_list_of_mappings(value: Any) -> bool:
    if not isinstance(value, list | tuple):
        return False
    items = cast("Sequence[Any]", value)
    return bool(items) and all(isinstance(each, Mapping) for each in items)
