# SPDX-License-Identifier: Apache-2.0
"""Compiles the syntax tree of an expression to a function. A ``Language`` says what its names and values are."""

from __future__ import annotations

import ast
import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any, Literal

import numpy as np

from mindscope.errors import ExpressionError
from mindscope.expressions.syntax import Syntax, parse
from mindscope.expressions.tokens import Token, Vocabulary, expression_error

Evaluate = Callable[[Any], Any]
"""Computes a part of an expression from what the language evaluates over, such as a table."""

ARITHMETIC: Mapping[type[ast.operator | ast.unaryop], Any] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: np.float_power,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}
COMPARISONS: Mapping[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
NUMBERS: Mapping[str, np.ufunc] = {
    "abs": np.abs,
    "sqrt": np.sqrt,
    "exp": np.exp,
    "log": np.log,
    "log10": np.log10,
    "log2": np.log2,
    "min": np.minimum,
    "max": np.maximum,
}
TESTS: Mapping[str, np.ufunc] = {"isnan": np.isnan, "isinf": np.isinf, "isfinite": np.isfinite}
FUNCTIONS = {**NUMBERS, **TESTS}

Kind = Literal["condition", "number", "name", "value"]


@dataclass(frozen=True, slots=True)
class CompiledPart:
    """A compiled part. ``value`` is that of a constant; a name may be both a number and a condition."""

    kind: Kind
    evaluate: Evaluate
    value: Any = None

    @property
    def is_number(self) -> bool:
        return self.kind in ("number", "name") or type(self.value) in (int, float)


class Language(ABC):
    """The differences between expressions over curves and over runs."""

    vocabulary: Vocabulary

    @abstractmethod
    def name(self, token: Token, name_in_group: str | None) -> Evaluate:
        """Return what gives the values of a name, or of a name in the group that ``token`` names."""

    @abstractmethod
    def constant(self, value: Any) -> Any:
        """Return the values of a number, text, truth or tuple; None if the language has no such constants."""

    def lift(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return an operator or a function of numbers as a function of values."""
        return function

    def comparison(self, sign: ast.cmpop, state: str) -> Callable[..., Any] | None:
        """Return what compares values; None if the language lacks it. After ``is``, ``state`` is missing or nan."""
        return COMPARISONS.get(type(sign))

    def call(self, syntax: Syntax, node: ast.Call) -> CompiledPart | None:
        """Return a call that only this language has."""
        return None

    def truth(self, name: Evaluate) -> Evaluate | None:
        """Return whether the values of a name are true; None if a name is no condition."""
        return None


class Compiler:
    """Compiles the tree of one expression."""

    def __init__(self, language: Language, text: str) -> None:
        """Raises ExpressionError if the text is no expression."""
        self._language = language
        self.syntax = parse(text, language.vocabulary)

    def condition(self, node: ast.expr) -> Evaluate:
        """Raises ExpressionError for a number."""
        part = self.part(node)
        is_true = self._language.truth(part.evaluate) if part.kind == "name" else part.evaluate
        if is_true is None or part.kind in ("number", "value"):
            raise self._refused("no_condition", node)
        return is_true

    def number(self, node: ast.expr) -> Evaluate:
        """Raises ExpressionError for a condition."""
        return self._numeric(node).evaluate

    def part(self, node: ast.expr) -> CompiledPart:
        """Return a number or a condition. Raises ExpressionError."""
        match node:
            case ast.BoolOp(op=sign, values=values):
                join = np.logical_and if isinstance(sign, ast.And) else np.logical_or
                return CompiledPart("condition", partial(_fold, join, [self.condition(value) for value in values]))
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return CompiledPart("condition", partial(_apply, np.logical_not, [self.condition(operand)]))
            case ast.UnaryOp(op=sign, operand=operand):
                return self._signed(ARITHMETIC[type(sign)], self._numeric(operand), node)
            case ast.BinOp(left=left, op=sign, right=right):
                return self._applied(ARITHMETIC[type(sign)], [self.number(left), self.number(right)])
            case ast.Compare():
                return CompiledPart("condition", partial(_fold, np.logical_and, list(self._comparisons(node))))
            case ast.Call():
                return self._language.call(self.syntax, node) or self._call(node)
            case ast.List(elts=items):
                return self._constant(tuple([self._item(item) for item in items]), node)
            case ast.Subscript(value=group, slice=name):
                return CompiledPart("name", self._language.name(self.syntax.token(group), self.syntax.token(name).text))
            case ast.Name():
                return CompiledPart("name", self._language.name(self.syntax.token(node), None))
            case _:
                return self._constant(self.syntax.token(node).value, node)

    def _numeric(self, node: ast.expr) -> CompiledPart:
        part = self.part(node)
        if not part.is_number:
            raise self._refused("no_number", node)
        return part

    def _applied(self, function: Callable[..., Any], arguments: list[Evaluate], kind: Kind = "number") -> CompiledPart:
        return CompiledPart(kind, partial(_apply, self._language.lift(function), arguments))

    def _signed(self, sign: Callable[..., Any], part: CompiledPart, node: ast.expr) -> CompiledPart:
        is_constant = part.kind == "value"
        return self._constant(sign(part.value), node) if is_constant else self._applied(sign, [part.evaluate])

    def _constant(self, value: Any, node: ast.expr) -> CompiledPart:
        values = self._language.constant(value)
        if values is None:
            raise self._refused("no_number", node)
        return CompiledPart("value", lambda _: values, value)

    def _item(self, node: ast.expr) -> Any:
        part = self.part(node)
        if part.kind != "value":
            raise self._refused("list_item", node)
        return part.value

    def _comparisons(self, node: ast.Compare) -> Iterator[Evaluate]:
        left, left_node = self._operand(node.left), node.left
        for sign, right_node in zip(node.ops, node.comparators, strict=True):
            state = self.syntax.token(right_node).text if isinstance(sign, ast.Is | ast.IsNot) else ""
            compare = self._language.comparison(sign, state)
            if compare is None:
                token = self.syntax.sign_after(left_node)
                raise expression_error("comparison", token.position, sign=token.text)
            right = left if state else self._operand(right_node)
            yield partial(_apply, compare, [left] if state else [left, right])
            left, left_node = right, right_node

    def _operand(self, node: ast.expr) -> Evaluate:
        part = self.part(node)
        if part.kind == "condition":
            raise self._refused("condition_compared", node)
        return part.evaluate

    def _call(self, node: ast.Call) -> CompiledPart:
        name = self.syntax.token(node.func).text
        function = FUNCTIONS[name]
        if function.nin != len(node.args):
            raise self._refused("function", node)
        return self._applied(
            function, [self.number(argument) for argument in node.args], "condition" if name in TESTS else "number"
        )

    def _refused(self, code: str, node: ast.expr) -> ExpressionError:
        return expression_error(code, self.syntax.position(node), part=self.syntax.part(node))


def _apply(function: Callable[..., Any], arguments: list[Evaluate], scope: Any) -> Any:
    return function(*[argument(scope) for argument in arguments])


def _fold(join: Callable[[Any, Any], Any], parts: list[Evaluate], scope: Any) -> Any:
    return reduce(join, [part(scope) for part in parts])
