# SPDX-License-Identifier: Apache-2.0
"""Expressions over columns: a safe part of Python, checked node by node before anything is computed.

    loss - val_loss        1 - acc        `train/loss` > 2 and step > 100        max(tag("a b"), 0) / lr

Names are columns: ``step``, ``wall_time`` and tags. A tag that is no Python name stands in backticks or in ``tag()``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import partial

import numpy as np

from mindscope.errors import ExpressionError
from mindscope.stats.operators import (
    ARITHMETIC,
    COMPARISONS,
    CONSTANTS,
    MIRRORED,
    NUMBERS,
    TESTS,
    Column,
    ColumnsByName,
    Evaluate,
    apply,
    as_float,
    column,
    constant,
    fold,
)

LONGEST = 500
DEEPEST = 40
COORDINATES = ("step", "wall_time")
"""Names that stand for the place of a point; a tag of such a name is reached with ``tag()``."""
QUOTED = re.compile(r""""[^"]*"|'[^']*'|`([^`]+)`""")


@dataclass(frozen=True, slots=True)
class Bound:
    """A comparison of a column with a number, as in ``loss > 2``."""

    column: str
    operator: str
    limit: float


@dataclass(frozen=True, slots=True)
class Expression:
    """What ``parse`` made of ``text``. ``tags`` are the tags that it names, in their order.

    ``is_condition`` says whether it gives truths rather than numbers.
    """

    text: str
    tags: tuple[str, ...]
    is_condition: bool
    bounds: tuple[Bound, ...]
    _evaluate: Evaluate = field(repr=False, compare=False)

    def evaluate(self, columns: ColumnsByName) -> Column:
        """Row by row: float64, or bool for a condition, of shape (n,), the shape of every column.

        ``columns`` holds all ``tags`` by name, and those of ``COORDINATES`` by what ``coordinate`` calls them; at least
        one of them. What has no value, such as log(-1), is NaN; a comparison with NaN is false.
        """
        length = len(next(iter(columns.values())))
        with np.errstate(all="ignore"):
            result = self._evaluate(columns)
        return np.ascontiguousarray(
            np.broadcast_to(np.asarray(result, bool if self.is_condition else float), (length,))
        )


def require_tags(text: str, tags: Iterable[str], known: Collection[str]) -> None:
    """Raises ExpressionError, which names near tags, when one of the ``tags`` of an expression is not ``known``."""
    for tag in tags:
        if tag not in known:
            near = get_close_matches(tag, known, n=3, cutoff=0.5) or sorted(each for each in known if tag in each)[:3]
            remedy = f"did you mean {' or '.join(f'`{each}`' for each in near)}?" if near else "look at its tags"
            raise ExpressionError(f"{text!r}: {tag!r} is no scalar tag there; {remedy}")


def coordinate(name: str) -> str:
    """The name of a column of ``COORDINATES`` among ``columns``, which no tag can have."""
    return f"\0{name}"


def parse(text: str, wants_condition: bool | None = None) -> Expression:
    """Read an expression; ``wants_condition`` says which sort is asked for, None: either.

    Raises ExpressionError with what was met and what is accepted.
    """
    reader = _Reader(text)
    tree = reader.tree()
    evaluate, is_condition = reader.read(tree)
    if wants_condition is not None and is_condition is not wants_condition:
        want = "a condition such as loss > 2" if wants_condition else "a number such as 1 - acc"
        raise ExpressionError(f"{text!r} is {'a condition' if is_condition else 'a number'}, want {want}")
    return Expression(text, tuple(dict.fromkeys(reader.tags)), is_condition, tuple(reader.bounds(tree)), evaluate)


class _Reader:
    """One pass over one expression."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._quoted: dict[str, str] = {}  # the tag for each name that stands for one in backticks
        self.tags: list[str] = []  # as met

    def tree(self) -> ast.expr:
        if len(self._text) > LONGEST:
            raise ExpressionError(f"expression has {len(self._text)} characters, want at most {LONGEST}")
        try:
            body = ast.parse(QUOTED.sub(self._name_of, self._text).strip(), mode="eval").body
        except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
            why = error.msg if isinstance(error, SyntaxError) else str(error)
            raise self._refused("it", f"can't be read: {why}") from None
        if _depth(body) > DEEPEST:
            raise self._refused("it", f"is nested deeper than {DEEPEST}")
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
                raise self._refused(
                    self._source(node), "is not accepted: want numbers, tags, + - * / // % **, < > == and or not"
                )

    def bounds(self, node: ast.expr) -> Iterator[Bound]:
        """The comparisons with numbers of which a condition is made."""
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
                raise self._refused(self._text, "compares with is or in: want < <= > >= == !=")
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
                    raise self._refused(self._source(node), 'want tag("its name")')
        if name in TESTS and len(arguments) == 1:
            return partial(apply, TESTS[name], [self._number(arguments[0])]), True
        if name not in NUMBERS or len(arguments) != NUMBERS[name][0]:
            accepted = "abs sqrt exp log log10 log2 isnan isinf isfinite of one number, min and max of two"
            raise self._refused(self._source(node), f"is no function here: want {accepted}")
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
            raise self._refused(self._source(node), "is a condition, want a number")
        return evaluate

    def _condition(self, node: ast.expr) -> Evaluate:
        evaluate, is_condition = self.read(node)
        if not is_condition:
            raise self._refused(self._source(node), "is a number, want a condition such as loss > 2")
        return evaluate

    def _source(self, node: ast.expr) -> str:
        source = ast.unparse(node)
        for name, tag in self._quoted.items():
            source = source.replace(name, f"`{tag}`")
        return source

    def _refused(self, what: str, why: str) -> ExpressionError:
        return ExpressionError(f"expression {self._text!r}: {what} {why}")


def _depth(node: ast.AST) -> int:
    """Without recursion, for it is what guards against too much of it."""
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
