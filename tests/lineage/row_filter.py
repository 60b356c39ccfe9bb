# SPDX-License-Identifier: Apache-2.0
"""The filter language row by row, written for tests alone: what the columns are checked against."""

from __future__ import annotations

import ast
import math
from typing import Any

from mindscope.expressions.syntax import Syntax


def holds(syntax: Syntax, node: ast.expr, row: dict[str, Any]) -> bool:
    """Whether a condition holds for one row by column id."""
    match node:
        case ast.BoolOp(op=sign, values=values):
            results = [holds(syntax, each, row) for each in values]
            return all(results) if isinstance(sign, ast.And) else any(results)
        case ast.UnaryOp(operand=operand):
            return not holds(syntax, operand, row)
        case ast.Compare(left=left, ops=signs, comparators=others):
            pairs = zip(signs, [left, *others], others, strict=False)
            return all(compares(syntax, *pair, row) for pair in pairs)
        case _:
            return value(syntax, node, row) is True


def compares(syntax: Syntax, sign: ast.cmpop, one: ast.expr, other: ast.expr, row: dict[str, Any]) -> bool:
    left = value(syntax, one, row)
    if isinstance(sign, ast.Is | ast.IsNot):
        is_negated = isinstance(sign, ast.IsNot)
        if syntax.token(other).text == "missing":
            return (left is None) != is_negated
        return left is not None and (isinstance(left, float) and math.isnan(left)) != is_negated
    right = value(syntax, other, row)
    if left is None or right is None:
        return False
    match sign:
        case ast.In() | ast.NotIn():
            if isinstance(right, tuple):
                is_in = any(same(left, each) for each in right)
            else:
                is_in = isinstance(left, str) and isinstance(right, str) and left in right
            return is_in == isinstance(sign, ast.In)
        case ast.Eq():
            return same(left, right)
        case ast.NotEq():
            return not same(left, right)
        case _ if kind(left) != kind(right) or kind(left) not in ("number", "text"):
            return False
        case _:
            ordered = {ast.Lt: left < right, ast.LtE: left <= right, ast.Gt: left > right, ast.GtE: left >= right}
            return ordered[type(sign)]


def value(syntax: Syntax, node: ast.expr, row: dict[str, Any]) -> Any:
    match node:
        case ast.Name() | ast.Subscript():
            group = syntax.token(node).text
            name = group if isinstance(node, ast.Name) else syntax.token(node.slice).text
            return row.get(name if group in (name, "parameter") else f"{group}/{name}")
        case ast.List(elts=items):
            return tuple([value(syntax, each, row) for each in items])
        case ast.UnaryOp(operand=operand):
            number = value(syntax, operand, row)
            return -number if kind(number) == "number" else None
        case ast.BinOp(left=left, op=sign, right=right):
            return computed(sign, value(syntax, left, row), value(syntax, right, row))
        case _:
            return syntax.token(node).value


def computed(sign: ast.operator, left: Any, right: Any) -> Any:
    if kind(left) != "number" or kind(right) != "number":
        return None
    try:
        if isinstance(sign, ast.Div):
            if right == 0:
                if left == 0 or math.isnan(left):
                    return math.nan
                return math.copysign(math.inf, math.copysign(1, left) * math.copysign(1, right))
            return left / right
        is_plus, is_minus = isinstance(sign, ast.Add), isinstance(sign, ast.Sub)
        return left + right if is_plus else left - right if is_minus else left * right
    except OverflowError:
        return math.nan


def kind(cell: Any) -> str:
    return {bool: "truth", int: "number", float: "number", str: "text", tuple: "list"}.get(type(cell), "missing")


def same(left: Any, right: Any) -> bool:
    if kind(left) != kind(right):
        return False
    if isinstance(left, tuple):
        return len(left) == len(right) and all(same(one, other) for one, other in zip(left, right, strict=True))
    return bool(left == right)
