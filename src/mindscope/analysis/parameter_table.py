# SPDX-License-Identifier: Apache-2.0
"""Compares parameters, metrics and custom fields of runs: the columns of their table, and which of them differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Role = Literal["parameter", "metric", "custom"]
ROLES: tuple[Role, ...] = ("parameter", "metric", "custom")

Cell = float | bool | str | None
ParameterRow = Mapping[tuple[Role, str], Cell]
"""The cells of a run by role and name."""


@dataclass(frozen=True, slots=True)
class ParameterColumn:
    """A column; ``differs`` if two rows have different values."""

    role: Role
    name: str
    differs: bool


def parameter_columns(rows: Mapping[str, ParameterRow], only_differing: bool = False) -> list[ParameterColumn]:
    """The columns of rows by run id, first those that differ, each part by role, then by the number of runs."""
    counts = Counter(key for row in rows.values() for key in row)
    columns = [ParameterColumn(*key, _differs([row.get(key) for row in rows.values()])) for key in counts]
    chosen = [column for column in columns if column.differs or not only_differing]
    return sorted(chosen, key=lambda one: (not one.differs, ROLES.index(one.role), -counts[one.role, one.name]))


def _differs(cells: list[Cell]) -> bool:
    return any(cell != cells[0] for cell in cells)
