# SPDX-License-Identifier: Apache-2.0
"""Parses an expression: accepts only the syntax nodes listed here, and compiles each to a function of columns."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from mindscope.errors import ExpressionError
from mindscope.reasons import Reason
from mindscope.stats.expression_operators import (
    ARITHMETIC,
    COMPARISONS,
    CONSTANTS,
    COORDINATES,
    MIRRORED,
    NUMBERS,
    TESTS,
    Evaluate,
    apply,
    as_float,
    column,
    constant,
    coordinate,
    fold,
)

LONGEST = 500
DEEPEST = 40
QUOTED = re.compile(r""""[^"]*"|'[^']*'|`([^`]+)`""")


@dataclass(frozen=True, slots=True)
class Bound:
    """A comparison of a column with a number, as in ``loss > 2``."""

    column: str
    operator: str
    limit: float


class Parser:
    """One pass over one expression."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._quoted: dict[str, str] = {}  # the tag that each placeholder name replaces
        self.tags: list[str] = []  # in the order of the text

    def tree(self) -> ast.expr:
        if len(self._text) > LONGEST:
            raise ExpressionError(Reason("expression_too_long", count=len(self._text), most=LONGEST))
        try:
            body = ast.parse(QUOTED.sub(self._name_of, self._text).strip(), mode="eval").body
        except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
            why = error.msg if isinstance(error, SyntaxError) else str(error)
            raise ExpressionError(Reason("expression_unreadable", text=self._text, why=why)) from None
        if _depth(body) > DEEPEST:
            raise ExpressionError(Reason("expression_too_deep", text=self._text, most=DEEPEST))
        return body

    def _name_of(self, match: re.Match[str]) -> str:
        if match[1] is None:
            return match[0]
        name = f"_quoted_{len(self._quoted)}"
        self._quoted[name] = match[1]
        return name

    def read(self, node: ast.expr) -> tuple[Evaluate, bool]:
        """What computes a node, and whether it is a condition."""
        match node:
            case ast.BoolOp(values=values):
                join = np.logical_and if isinstance(node.op, ast.And) else np.logical_or
                return partial(fold, join, [self._condition(each) for each in values]), True
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return partial(apply, np.logical_not, [self._condition(operand)]), True
            case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand):
                sign = np.negative if isinstance(node.op, ast.USub) else np.positive
                return partial(apply, sign, [self._number(operand)]), False
            case ast.BinOp(left=left, op=operator, right=right) if type(operator) in ARITHMETIC:
                return partial(apply, ARITHMETIC[type(operator)], [self._number(left), self._number(right)]), False
            case ast.Compare(left=left, ops=operators, comparators=others):
                return self._comparison([left, *others], operators), True
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
                return self._call(node, name, arguments)
            case ast.Name(id=name):
                return self._name(name), False
            case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
                return partial(constant, as_float(value)), False
            case _:
                raise self._refused("expression_part", node)

    def bounds(self, node: ast.expr) -> Iterator[Bound]:
        """Yield the comparisons with numbers of which a condition is made."""
        match node:
            case ast.BoolOp(values=values):
                for each in values:
                    yield from self.bounds(each)
            case ast.Compare(left=left, ops=[operator], comparators=[right]) if type(operator) in COMPARISONS:
                sign = COMPARISONS[type(operator)][0]
                name, limit = self._column(left), _limit(right)
                if name is None:
                    name, limit, sign = self._column(right), _limit(left), MIRRORED[sign]
                if name is not None and limit is not None:
                    yield Bound(name, sign, limit)
            case _:
                return

    def _column(self, node: ast.expr) -> str | None:
        return self._quoted.get(node.id, node.id) if isinstance(node, ast.Name) else None

    def _comparison(self, operands: list[ast.expr], operators: list[ast.cmpop]) -> Evaluate:
        for operator in operators:
            if type(operator) not in COMPARISONS:
                raise ExpressionError(Reason("expression_comparison", text=self._text))
        numbers = [self._number(each) for each in operands]
        pairs = [
            partial(apply, COMPARISONS[type(operator)][1], [left, right])
            for operator, left, right in zip(operators, numbers, numbers[1:], strict=False)
        ]
        return partial(fold, np.logical_and, pairs)

    def _call(self, node: ast.Call, name: str, arguments: list[ast.expr]) -> tuple[Evaluate, bool]:
        if name == "tag":
            match arguments:
                case [ast.Constant(value=str() as tag)]:
                    return self._tag(tag), False
                case _:
                    raise self._refused("expression_tag_call", node)
        if name in TESTS and len(arguments) == 1:
            return partial(apply, TESTS[name], [self._number(arguments[0])]), True
        if name not in NUMBERS or len(arguments) != NUMBERS[name][0]:
            raise self._refused("expression_function", node)
        return partial(apply, NUMBERS[name][1], [self._number(each) for each in arguments]), False

    def _name(self, name: str) -> Evaluate:
        if name in self._quoted:
            return self._tag(self._quoted[name])
        if name in CONSTANTS:
            return partial(constant, CONSTANTS[name])
        return partial(column, coordinate(name)) if name in COORDINATES else self._tag(name)

    def _tag(self, tag: str) -> Evaluate:
        self.tags.append(tag)
        return partial(column, tag)

    def _number(self, node: ast.expr) -> Evaluate:
        evaluate, is_condition = self.read(node)
        if is_condition:
            raise self._refused("expression_part_is_condition", node)
        return evaluate

    def _condition(self, node: ast.expr) -> Evaluate:
        evaluate, is_condition = self.read(node)
        if not is_condition:
            raise self._refused("expression_part_is_number", node)
        return evaluate

    def _source(self, node: ast.expr) -> str:
        source = ast.unparse(node)
        for name, tag in self._quoted.items():
            source = source.replace(name, f"`{tag}`")
        return source

    def _refused(self, code: str, node: ast.expr) -> ExpressionError:
        return ExpressionError(Reason(code, text=self._text, part=self._source(node)))


def _depth(node: ast.AST) -> int:
    """Computed without recursion, because it guards against deep recursion."""
    deepest, waiting = 0, [(node, 1)]
    while waiting:
        each, depth = waiting.pop()
        deepest = max(deepest, depth)
        waiting.extend((child, depth + 1) for child in ast.iter_child_nodes(each))
    return deepest


def _limit(node: ast.expr) -> float | None:
    match node:
        case ast.Constant(value=int() | float() as value):
            return as_float(value)
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return -as_float(value)
        case _:
            return None
