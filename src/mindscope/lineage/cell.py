# SPDX-License-Identifier: Apache-2.0
"""Cell values of a lineage table: types and conversions."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from typing import Any, TypeAlias, cast

import numpy as np

Cell: TypeAlias = "bool | int | float | str | tuple[Any, ...]"
"""A value of a row; a tuple is a list of cells. A missing value is absent from its row."""

EXACT = 1 << 53
"""float64 represents every integer below this one."""
MOST_BITS = 14_000
"""Python prints integers of up to 4300 digits."""


class CellKind(str, Enum):
    """The type of a column's cells. A column of ``int`` and ``float`` is ``float``; any other mix is ``mixed``."""

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
    """Return the kind of a column whose cells have these types."""
    kinds = {_KINDS[each] for each in types}
    if kinds == {CellKind.INT, CellKind.FLOAT}:
        return CellKind.FLOAT
    return CellKind.MIXED if len(kinds) > 1 else next(iter(kinds), CellKind.EMPTY)


def as_cell(value: Any) -> Cell | None:
    """Converts a value of JSON, YAML, NumPy or a message to a cell of the same type; None stays None.

    A list keeps its order. A mapping inside a list, and any other type, becomes text. So does an integer that Python
    refuses to print, as hexadecimal digits.
    """
    if value is None or type(value) in (bool, float):
        return value
    if isinstance(value, np.generic):
        return as_cell(value.item())
    if isinstance(value, int):  # or an enum member, as in the next cases
        return int(value) if value.bit_length() <= MOST_BITS else hex(value)
    if isinstance(value, float):
        return float(value)
    if isinstance(value, str):
        return as_unicode(str.__str__(value))
    if isinstance(value, Mapping):
        return json.dumps(value, default=str, ensure_ascii=False)
    if isinstance(value, Sequence):
        return tuple([as_cell(each) for each in cast("Sequence[Any]", value)])
    return str(value)


def flatten(settings: Mapping[Any, Any], prefix: str = "") -> Iterator[tuple[str, Cell]]:
    """Yield nested settings as (dotted name, cell): ``{"model": {"depth": 3}}`` gives ``model.depth``.

    The items of a list of mappings are numbered, as in ``layers.0.units``; any other list is one cell. Skips None.
    """
    for key, value in settings.items():
        name = as_unicode(f"{prefix}{key}")
        if isinstance(value, Mapping):
            yield from flatten(cast("Mapping[Any, Any]", value), f"{name}.")
        elif _is_list_of_mappings(value):
            yield from flatten(dict(enumerate(cast("Sequence[Any]", value))), f"{name}.")
        elif (cell := as_cell(value)) is not None:
            yield name, cell


def as_unicode(text: str) -> str:
    """Converts unpaired surrogates, which UTF-8 can't encode, to backslash escapes."""
    return text if text.isascii() else text.encode("utf-8", "backslashreplace").decode()


def _is_list_of_mappings(value: Any) -> bool:
    if not isinstance(value, list | tuple):
        return False
    items = cast("Sequence[Any]", value)
    return bool(items) and all(isinstance(item, Mapping) for item in items)
