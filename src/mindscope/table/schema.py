# SPDX-License-Identifier: Apache-2.0
"""The schema of a table: the unit of each column, and how its values merge where rows are merged.

A field of a table declares both by its type: ``duration: Annotated[NDArray[np.int64], Unit.NS, SUM]``. Columns that
only one format has are declared where that format is read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from enum import Enum
from functools import cache
from typing import Any, Literal, NamedTuple, get_args, get_type_hints
from zlib import crc32

from mindscope._version import VERSION

FIGURES_REVISION = 2
"""Raise it if the same profile gives other figures in the same columns, which the schema doesn't say."""


class Unit(str, Enum):
    """The unit of the values of a column."""

    TEXT = "text"
    STEP = "step"
    """The number of a step as text, by which rows are grouped; empty outside of any. Programs get a whole number."""
    ID = "id"
    """A number that names something: a rank, a step, a row of another table. It is no quantity."""
    FLAG = "flag"
    NS = "ns"
    US = "us"
    SECONDS = "s"
    """Seconds since 1970."""
    BYTES = "bytes"
    SHARE = "share"
    """Share from 0 to 1."""
    PERCENT = "percent"
    COUNT = "count"
    GB_PER_SECOND = "GB/s"
    GFLOPS = "GFLOPS"
    NUMBER = "number"
    """A quantity of another unit, or of an unknown one."""
    VALUE = "value"
    """What a training recorded: NaN is a value, not a missing one."""


class Merge(NamedTuple):
    """The rule by which values of merged rows become one.

    A mean is weighted by the column or property ``weight``.
    """

    rule: Literal["sum", "mean", "min", "max", "equal", "heaviest", "derived"]
    weight: str = ""


SUM, MIN, MAX = Merge("sum"), Merge("min"), Merge("max")
EQUAL = Merge("equal")
"""The value if all rows have it, else missing: a median, an id, a bandwidth can't be merged."""
HEAVIEST = Merge("heaviest")
"""The text of the row with the greatest weight of the group."""
RECOMPUTED = Merge("derived")
"""Computed again from the merged columns."""


def mean_by(weight: str) -> Merge:
    """Return the mean weighted by the column or property ``weight`` of the table, over rows whose value is a number."""
    return Merge("mean", weight)


class Title(str):
    """The key of the title of a column in the texts of the page, behind ``rows.column_``; else the column's name."""

    __slots__ = ()


class ColumnField(NamedTuple):
    """The declaration of one column."""

    unit: Unit
    merge: Merge
    title: str = ""


TEXT = ColumnField(Unit.TEXT, HEAVIEST)
UNKNOWN = ColumnField(Unit.NUMBER, EQUAL)
"""A column of numbers without a declaration: it is never added."""


@cache
def fields_of(table: type) -> Mapping[str, ColumnField]:
    """Return the declared columns of a class of tables in their order, then the derived ones.

    Raises:
        TypeError: a column has no unit or no merge rule.
    """
    hints = get_type_hints(table, include_extras=True)
    names = [field.name for field in fields(table) if field.name not in getattr(table, "FACTS", ())]
    declared = {name: _field_of(name, hints[name]) for name in names}
    for name in getattr(table, "DERIVED", ()):
        hint = get_type_hints(getattr(table, name).fget, include_extras=True)["return"]
        declared[name] = _field_of(name, hint)._replace(merge=RECOMPUTED)
    return declared


def _field_of(name: str, hint: Any) -> ColumnField:
    said = [each for part in (hint, *get_args(hint)) for each in getattr(part, "__metadata__", ())]
    units = [each for each in said if isinstance(each, Unit)]
    merges = [each for each in said if isinstance(each, Merge)]
    if not units or not merges:
        raise TypeError(f"column {name!r} declares no unit or no merge rule: Annotated[..., Unit.NS, SUM]")
    return ColumnField(units[-1], merges[-1], next((each for each in said if isinstance(each, Title)), name))


def schema_version(*tables: type) -> int:
    """Return a number below 2^32 that changes with the columns of tables, their declarations, and each release.

    It is the version of files that hold them, which are made again when it differs.
    """
    return text_version(*(line for table in tables for line in _lines_of(table)))


def text_version(*lines: str) -> int:
    """Return a number below 2^32 of any other description of a layout, as ``schema_version``."""
    return crc32("\n".join((VERSION, str(FIGURES_REVISION), *lines)).encode())


def _lines_of(table: type) -> Iterator[str]:
    """Yield the fields with their annotations, also of the tables that a field holds."""
    hints = get_type_hints(table, include_extras=True)
    for name, hint in hints.items():
        yield f"{table.__name__}.{name}: {hint}"
        for part in (hint, *get_args(hint)):
            if isinstance(part, type) and (hasattr(part, "__dataclass_fields__") or hasattr(part, "_fields")):
                yield from _lines_of(part)
