# SPDX-License-Identifier: Apache-2.0
"""Syntax tree of a filter. ``position`` is the index of the first character, from 0."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from mindscope.lineage.cell import Cell

CompareSign = Literal["<", "<=", ">", ">=", "==", "!="]
ArithmeticSign = Literal["+", "-", "*", "/"]


@dataclass(frozen=True, slots=True)
class Constant:
    """A number, text, boolean or list."""

    value: Cell
    position: int


@dataclass(frozen=True, slots=True)
class Name:
    """A column: ``group`` is None for an id or a name without a group."""

    group: str | None
    name: str
    position: int


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """An operation on two numbers."""

    sign: ArithmeticSign
    left: Operand
    right: Operand
    position: int


@dataclass(frozen=True, slots=True)
class Compare:
    """``left sign right``."""

    sign: CompareSign
    left: Operand
    right: Operand
    position: int


@dataclass(frozen=True, slots=True)
class In:
    """``item in container``: an element of a list, or a part of a text."""

    item: Operand
    container: Operand
    is_negated: bool
    position: int


@dataclass(frozen=True, slots=True)
class Is:
    """``operand is missing`` or ``operand is nan``."""

    operand: Operand
    what: Literal["missing", "nan"]
    is_negated: bool
    position: int


@dataclass(frozen=True, slots=True)
class Not:
    """True if the condition is false."""

    condition: Condition
    position: int


@dataclass(frozen=True, slots=True)
class Join:
    """Conditions joined by ``and`` or ``or``."""

    sign: Literal["and", "or"]
    conditions: tuple[Condition, ...]
    position: int


@dataclass(frozen=True, slots=True)
class IsTrue:
    """A column as a condition: true if its value is true."""

    operand: Name
    position: int


Operand: TypeAlias = "Constant | Name | Arithmetic"
Condition: TypeAlias = "Compare | In | Is | Not | Join | IsTrue"
