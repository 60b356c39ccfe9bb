# SPDX-License-Identifier: Apache-2.0
"""Filters over the rows of a lineage table: ``lr < 0.01 and metric["Accuracy"] > 0.9``.

A comparison with a missing value is false for every operator; ``not`` turns that into true. Numbers compare with
numbers, texts with texts. Lists and booleans compare only for equality; values of different types are not equal.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from mindscope.errors import ColumnNotFoundError
from mindscope.lineage.cell import EXACT, Cell
from mindscope.lineage.column import Column, Group
from mindscope.lineage.filter_parser import parse_filter
from mindscope.lineage.filter_syntax import (
    Arithmetic,
    Compare,
    CompareSign,
    Condition,
    Constant,
    In,
    Is,
    IsTrue,
    Join,
    Name,
    Not,
    Operand,
)
from mindscope.lineage.filter_tokens import filter_error
from mindscope.lineage.table import Table
from mindscope.reasons import reason_of

Mask = NDArray[np.bool_]
Cells = NDArray[np.object_]
_SIGNS: Mapping[CompareSign, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
_MIRRORED: Mapping[CompareSign, CompareSign] = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}


class Filter:
    """A condition on rows."""

    def __init__(self, text: str) -> None:
        """Raises FilterError; its ``position`` is the character of the syntax error."""
        self.text = text
        self._condition = parse_filter(text)

    def matches(self, table: Table) -> Mask:
        """Whether the condition holds, for each row: bool of shape (rows,).

        Raises FilterError with the position of the name if the table lacks a column.
        """
        return _Evaluation(table).mask(self._condition)

    def apply(self, table: Table) -> Table:
        """Return the rows for which the condition holds. Raises like ``matches``."""
        return table.take(np.flatnonzero(self.matches(table)))


class _Evaluation:
    """Evaluates one filter over one table."""

    def __init__(self, table: Table) -> None:
        self._table = table

    def mask(self, node: Condition) -> Mask:
        match node:
            case Join(sign="and", conditions=conditions):
                return np.logical_and.reduce([self.mask(each) for each in conditions])
            case Join(conditions=conditions):
                return np.logical_or.reduce([self.mask(each) for each in conditions])
            case Not(condition=condition):
                return ~self.mask(condition)
            case IsTrue(operand=operand):
                return self._rows(_is_true, operand)
            case Compare(sign=sign, left=left, right=right):
                return self._compare(sign, left, right)
            case In(item=item, container=container, is_negated=is_negated):
                return self._rows(partial(_is_in, is_negated), item, container)
            case Is(operand=operand, what="missing", is_negated=is_negated):
                return self._rows(partial(_is_missing, is_negated), operand)
            case Is(operand=operand, is_negated=is_negated):
                return self._rows(partial(_is_nan, is_negated), operand)

    def _compare(self, sign: CompareSign, left: Operand, right: Operand) -> Mask:
        if isinstance(left, Constant) and isinstance(right, Name):
            left, right, sign = right, left, _MIRRORED[sign]
        if isinstance(left, Name) and isinstance(right, Constant):
            column = self._column(left)
            if column.is_numeric and column.is_exact and _is_exact(right.value):
                return _SIGNS[sign](column.numbers, cast(float, right.value)) & ~column.is_missing
        return self._rows(partial(compare, sign), left, right)

    def _rows(self, test: Callable[..., bool], *operands: Operand) -> Mask:
        columns = [self._cells(each) for each in operands]
        return np.fromiter(map(test, *columns), bool, len(self._table))

    def _cells(self, node: Operand) -> Cells:
        match node:
            case Name():
                return self._column(node).cells
            case Constant(value=value):
                return np.fromiter((value for _ in range(len(self._table))), object, len(self._table))
            case Arithmetic(sign=sign, left=left, right=right):
                compute = _ARITHMETIC[sign]
                pairs = zip(self._cells(left), self._cells(right), strict=True)
                return np.fromiter((_number(compute, *pair) for pair in pairs), object, len(self._table))

    def _column(self, node: Name) -> Column:
        try:
            key = (
                self._table.find(node.name) if node.group is None else self._table.find_in(Group(node.group), node.name)
            )
        except ColumnNotFoundError as error:
            reason = reason_of(error)
            raise filter_error(f"filter_{reason.code}", node.position, **reason.values) from None
        return self._table.columns[key]


def compare(sign: CompareSign, one: Cell | None, other: Cell | None) -> bool:
    """Compares two cells; False if one is missing."""
    if one is None or other is None:
        return False
    if sign in ("==", "!="):
        return _is_equal(one, other) is (sign == "==")
    are_ordered = (_is_number(one) and _is_number(other)) or (isinstance(one, str) and isinstance(other, str))
    return are_ordered and bool(_SIGNS[sign](one, other))


def _is_equal(one: Any, other: Any) -> bool:
    if _is_number(one) and _is_number(other):
        return bool(one == other)
    if type(one) is not type(other):
        return False
    if isinstance(one, tuple):
        items, others = cast("tuple[Any, ...]", one), cast("tuple[Any, ...]", other)
        return len(items) == len(others) and all(map(_is_equal, items, others))
    return bool(one == other)


def _is_in(is_negated: bool, item: Cell | None, container: Cell | None) -> bool:
    if item is None or container is None:
        return False
    if isinstance(container, tuple):
        return any(_is_equal(item, each) for each in container) is not is_negated
    is_part = isinstance(item, str) and isinstance(container, str) and item in container
    return is_part is not is_negated


def _is_number(cell: object) -> bool:
    return type(cell) is int or type(cell) is float


def _is_true(cell: Cell | None) -> bool:
    return cell is True


def _is_missing(is_negated: bool, cell: Cell | None) -> bool:
    return (cell is None) is not is_negated


def _is_nan(is_negated: bool, cell: Cell | None) -> bool:
    return cell is not None and (isinstance(cell, float) and math.isnan(cell)) is not is_negated


def _is_exact(value: Cell) -> bool:
    return type(value) is float or (type(value) is int and -EXACT < value < EXACT)


def _number(compute: Callable[[Any, Any], Any], one: Cell | None, other: Cell | None) -> Cell | None:
    """Missing unless both are numbers; NaN if an integer is too large for float arithmetic."""
    if not (_is_number(one) and _is_number(other)):
        return None
    try:
        return compute(one, other)
    except OverflowError:  # an integer too large for float64
        return math.nan


def _divide(one: float, other: float) -> float:
    try:
        return one / other
    except ZeroDivisionError:
        return math.nan if one == 0 or one != one else math.copysign(math.inf, one) * math.copysign(1.0, other)


_ARITHMETIC: Mapping[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": _divide,
}
