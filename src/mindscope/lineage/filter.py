# SPDX-License-Identifier: Apache-2.0
"""Filters over the rows of a lineage table: ``lr < 0.01 and metric["Accuracy"] > 0.9``.

A comparison with a missing value is false for every operator; ``not`` turns that into true. Numbers compare with
numbers, texts with texts. Lists and booleans compare only for equality; values of different types are not equal.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Callable
from functools import partial
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from mindscope.errors import ColumnNotFoundError
from mindscope.expressions.language import ARITHMETIC, COMPARISONS, FUNCTIONS, TESTS, Compiler, Evaluate, Language
from mindscope.expressions.tokens import RUN_CONSTANTS, STATES, Token, Vocabulary, expression_error
from mindscope.lineage.cell import EXACT, Cell
from mindscope.lineage.column import Column, Group
from mindscope.lineage.table import Table
from mindscope.reasons import reason_of
from mindscope.table.cells import as_number

Mask = NDArray[np.bool_]
Cells = NDArray[np.object_]
_DIVISIONS = [ARITHMETIC[sign] for sign in (ast.Div, ast.FloorDiv, ast.Mod)]


class Filter:
    """A condition on rows."""

    def __init__(self, text: str) -> None:
        """Compile ``text``. Raises ExpressionError; its ``position`` is the character of the syntax error."""
        self.text = text
        compiler = Compiler(RUNS, text)
        self._evaluate = compiler.condition(compiler.syntax.tree)

    def matches(self, table: Table) -> Mask:
        """Return whether the condition holds, for each row: bool of shape (rows,).

        Raises ExpressionError with the position of the name if the table lacks a column.
        """
        with np.errstate(all="ignore"):
            result = self._evaluate(table)
        return np.array(np.broadcast_to(np.asarray(result, bool), (len(table),)))

    def apply(self, table: Table) -> Table:
        """Return the rows for which the condition holds. Raises like ``matches``."""
        return table.take(np.flatnonzero(self.matches(table)))


class Runs(Language):
    """Names are columns of a table. Values are a ``Column``, or cells of shape (rows,), () for constants."""

    vocabulary = Vocabulary(
        longest=2000,
        constants=RUN_CONSTANTS,
        functions=tuple(FUNCTIONS),
        groups=tuple(group.value for group in Group),
        reserved=STATES,
    )

    def name(self, token: Token, name_in_group: str | None) -> Evaluate:
        return partial(_column, token, name_in_group)

    def constant(self, value: Any) -> Any:
        return np.fromiter([value], object, 1).reshape(())

    def lift(self, function: Callable[..., Any]) -> Callable[..., Any]:
        return partial(_cell_by_cell, partial(_has if function in TESTS.values() else _number, function))

    def comparison(self, sign: ast.cmpop, state: str) -> Callable[..., Any] | None:
        is_negated = isinstance(sign, ast.NotIn | ast.IsNot)
        if state:
            return partial(_cell_by_cell, partial(_is_missing if state == "missing" else _is_nan, is_negated))
        if isinstance(sign, ast.In | ast.NotIn):
            return partial(_cell_by_cell, partial(_is_in, is_negated))
        return partial(_compare, COMPARISONS[type(sign)])

    def truth(self, name: Evaluate) -> Evaluate | None:
        return lambda table: _cell_by_cell(_is_true, name(table))


RUNS = Runs()


def _column(token: Token, name_in_group: str | None, table: Table) -> Column:
    try:
        is_plain = name_in_group is None
        return table.columns[table.find(token.text) if is_plain else table.find_in(Group(token.text), name_in_group)]
    except ColumnNotFoundError as error:
        reason = reason_of(error)
        raise expression_error(reason.code, token.position, **reason.values) from None


def _cell_by_cell(function: Callable[..., Any], *values: Column | Cells) -> Cells:
    cells = [value.cells if isinstance(value, Column) else value for value in values]
    return np.asarray(np.frompyfunc(function, len(cells), 1)(*cells), object)


def _compare(sign: Callable[[Any, Any], Any], *values: Column | Cells) -> Mask | Cells:
    """Compare as float64 where that is exact, else cell by cell."""
    numbers = [_exact_numbers(value) for value in values]
    if any(number is None for number in numbers):
        return _cell_by_cell(partial(compare, sign), *values)
    is_missing = [value.is_missing for value in values if isinstance(value, Column)]
    return np.logical_and.reduce([sign(*numbers), *map(np.logical_not, is_missing)])


def _exact_numbers(values: Column | Cells) -> Any:
    """Return values as float64; None if they are no numbers, or not exact so."""
    if isinstance(values, Column):
        return values.numbers if values.is_numeric and values.is_exact else None
    value: Any = values[()] if values.ndim == 0 else None
    return value if type(value) is float or (type(value) is int and -EXACT < value < EXACT) else None


def compare(sign: Callable[[Any, Any], Any], one: Cell | None, other: Cell | None) -> bool:
    """Compare two cells by an operator of Python; False if one is missing."""
    if one is None or other is None:
        return False
    if sign in (operator.eq, operator.ne):
        return _is_equal(one, other) is (sign is operator.eq)
    are_ordered = (_is_number(one) and _is_number(other)) or (isinstance(one, str) and isinstance(other, str))
    return are_ordered and bool(sign(one, other))


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


def _has(test: Callable[[float], Any], cell: Cell | None) -> bool:
    return _is_number(cell) and bool(test(as_number(cell)))


def _number(compute: Callable[..., Any], *cells: Any) -> Cell | None:
    """Return the result of float arithmetic, or None unless all are numbers. It is NaN if an integer is too large.

    Operators of Python keep integers exact; powers, functions and divisions by zero compute as float64.
    """
    if not all(map(_is_number, cells)):
        return None
    is_by_python = not isinstance(compute, np.ufunc) and not (compute in _DIVISIONS and cells[1] == 0)
    try:
        return compute(*cells) if is_by_python else float(compute(*map(np.float64, cells)))
    except OverflowError:
        return math.nan
