# SPDX-License-Identifier: Apache-2.0
"""Expressions over columns: numbers such as ``loss - val_loss``, conditions such as ``loss > 2 and step > 100``.

Names are columns: ``step``, ``wall_time`` and tags. Write a tag that is no name in backticks or as ``tag("a b")``.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.errors import ExpressionError
from mindscope.expressions.language import FUNCTIONS, CompiledPart, Compiler, Evaluate, Language
from mindscope.expressions.syntax import Syntax
from mindscope.expressions.tokens import Token, Vocabulary, expression_error
from mindscope.reasons import Reason

Column = NDArray[Any]
ColumnsByName = Mapping[str, Column]

COORDINATES = ("step", "wall_time")
"""Names of the coordinates of a point; use ``tag()`` for a tag of such a name."""
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}


@dataclass(frozen=True, slots=True)
class Bound:
    """A comparison of a column with a number, as in ``loss > 2``."""

    column: str
    operator: str
    limit: float


@dataclass(frozen=True, slots=True)
class Expression:
    """The result of ``parse`` for ``text``. ``tags`` are the tags that it names, in their order.

    ``is_condition`` says whether it gives truths rather than numbers.
    """

    text: str
    tags: tuple[str, ...]
    is_condition: bool
    bounds: tuple[Bound, ...]
    _evaluate: Evaluate = field(repr=False, compare=False)

    def evaluate(self, columns: ColumnsByName) -> Column:
        """Return row by row: float64, or bool for a condition, of shape (n,), the shape of every column.

        ``columns`` holds all ``tags`` by name, and those of ``COORDINATES`` by what ``coordinate`` calls them; at least
        one of them. What has no value, such as log(-1), is NaN; a comparison with NaN is false.
        """
        length = len(next(iter(columns.values())))
        with np.errstate(all="ignore"):
            result = self._evaluate(columns)
        return np.ascontiguousarray(
            np.broadcast_to(np.asarray(result, bool if self.is_condition else float), (length,))
        )


def coordinate(name: str) -> str:
    """Return the name of a column of ``COORDINATES`` among ``columns``, which no tag can have."""
    return f"\0{name}"


def require_tags(text: str, tags: Iterable[str], known: Collection[str]) -> None:
    """Raises ExpressionError, which names near tags, when one of the ``tags`` of an expression is not ``known``."""
    for tag in tags:
        if tag not in known:
            near = get_close_matches(tag, known, n=3, cutoff=0.5) or sorted(each for each in known if tag in each)[:3]
            if not near:
                raise ExpressionError(Reason("expression_unknown_tag", text=text, tag=tag))
            names = " or ".join(f"`{each}`" for each in near)
            raise ExpressionError(Reason("expression_near_tag", text=text, tag=tag, near=names))


def parse(text: str, wants_condition: bool | None = None) -> Expression:
    """Read an expression; ``wants_condition`` requires a condition (True) or a number (False); None accepts both.

    Raises ExpressionError with the position of what can't be read and what is accepted.
    """
    curves = _Curves()
    compiler = Compiler(curves, text)
    syntax, tree = compiler.syntax, compiler.syntax.tree
    is_condition = compiler.part(tree).kind == "condition" if wants_condition is None else wants_condition
    evaluate = compiler.condition(tree) if is_condition else compiler.number(tree)
    return Expression(text, tuple(dict.fromkeys(curves.tags)), is_condition, tuple(_bounds(syntax, tree)), evaluate)


class _Curves(Language):
    """Names are tags, all values are float64."""

    vocabulary = Vocabulary(
        longest=500,
        constants={"nan": np.nan, "inf": np.inf, "pi": np.pi},
        functions=(*FUNCTIONS, "tag"),
        reserved=("True", "False", "None"),
        whole_number=float,
    )

    def __init__(self) -> None:
        self.tags: list[str] = []  # in the order of the text

    def name(self, token: Token, name_in_group: str | None) -> Evaluate:
        is_coordinate = token.kind == "name" and token.text in COORDINATES
        return _column(coordinate(token.text)) if is_coordinate else self._tag(token.text)

    def constant(self, value: Any) -> Any:
        return np.float64(value) if type(value) is float else None

    def call(self, syntax: Syntax, node: ast.Call) -> CompiledPart | None:
        if syntax.token(node.func).text != "tag":
            return None
        match node.args:
            case [ast.Constant() as argument] if isinstance(tag := syntax.token(argument).value, str):
                return CompiledPart("number", self._tag(tag))
            case _:
                raise expression_error("tag_call", syntax.position(node), part=syntax.part(node))

    def _tag(self, tag: str) -> Evaluate:
        self.tags.append(tag)
        return _column(tag)


def _column(name: str) -> Evaluate:
    return lambda columns: np.asarray(columns[name], np.float64)


def _bounds(syntax: Syntax, node: ast.expr) -> Iterator[Bound]:
    """Yield the comparisons with numbers of which a condition is made."""
    match node:
        case ast.BoolOp(values=values):
            for value in values:
                yield from _bounds(syntax, value)
        case ast.Compare(left=left, ops=[_], comparators=[right]):
            sign = syntax.sign_after(left).text
            if not isinstance(left, ast.Name):
                left, right, sign = right, left, _MIRRORED[sign]
            limit = _limit(syntax, right)
            if isinstance(left, ast.Name) and limit is not None:
                yield Bound(syntax.token(left).text, sign, limit)
        case _:
            return


def _limit(syntax: Syntax, node: ast.expr) -> float | None:
    match node:
        case ast.Constant():
            return syntax.token(node).value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant() as operand):
            return -syntax.token(operand).value
        case _:
            return None
