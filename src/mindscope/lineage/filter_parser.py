# SPDX-License-Identifier: Apache-2.0
"""Parses a filter by recursive descent."""

from __future__ import annotations

import math
from collections.abc import Generator
from contextlib import contextmanager
from typing import Literal, cast

from mindscope.errors import FilterError
from mindscope.lineage.cell import Cell
from mindscope.lineage.column import Group
from mindscope.lineage.filter_syntax import (
    Arithmetic,
    ArithmeticSign,
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
from mindscope.lineage.filter_tokens import Token, TokenKind, filter_error, tokenize

GRAMMAR = """
condition  = and { "or" and }                       and = not { "and" not }
not        = "not" not | comparison
comparison = sum { sign sum } | sum ["not"] "in" sum | sum "is" ["not"] ("missing" | "nan")
sum        = product { ("+" | "-") product }        product = unary { ("*" | "/") unary }
unary      = "-" unary | NUMBER | TEXT | list | column | "true" | "false" | "nan" | "inf" | "(" condition ")"
list       = "[" [ unary { "," unary } ] "]"        column = NAME | NAME "[" TEXT "]" | "`" ID "`"
"""
DEEPEST = 40
MOST_OPERATIONS = 100
"""Limit for one filter; the syntax tree of a long sum is as deep as the sum is long."""
_COMPARE = frozenset(("<", "<=", ">", ">=", "==", "!="))
_CONSTANTS: dict[str, Cell] = {
    "true": True, "True": True, "false": False, "False": False, "nan": math.nan, "inf": math.inf,
}  # fmt: skip
_GROUPS = [group.value for group in Group]


def parse_filter(text: str) -> Condition:
    """Return the condition of a text. Raises FilterError with the position and the expected token."""
    parser = _Parser(tokenize(text))
    condition = parser.condition()
    parser.end()
    return condition


class _Parser:
    """One pass over the tokens of one filter."""

    def __init__(self, tokens: list[Token]) -> None:
        self._tokens = tokens
        self._next = 0
        self._depth = 0
        self._operations = 0

    def condition(self) -> Condition:
        """Raises FilterError if the text is a number or a text, not a condition."""
        position = self._token.position
        return self._as_condition(self._or(), position)

    def end(self) -> None:
        if self._token.kind is not TokenKind.END:
            raise self._unexpected("rest")

    def _or(self) -> Condition | Operand:
        return self._joined("or")

    def _and(self) -> Condition | Operand:
        return self._joined("and")

    def _joined(self, sign: Literal["and", "or"]) -> Condition | Operand:
        read = self._and if sign == "or" else self._not
        first = self._token.position
        parts = [read()]
        while self._takes(sign):
            parts.append(read())
        if len(parts) == 1:
            return parts[0]
        return Join(sign, tuple([self._as_condition(each, each.position) for each in parts]), first)

    def _not(self) -> Condition | Operand:
        position = self._token.position
        if not self._takes("not"):
            return self._comparison()
        with self._nested():
            inner = self._not()
        return Not(self._as_condition(inner, inner.position), position)

    def _comparison(self) -> Condition | Operand:
        left, position = self._sum(), self._token.position
        if self._takes("is"):
            return self._is(left, position)
        is_negated = self._peeks("not") and self._takes("not")
        if self._takes("in"):
            return In(self._as_operand(left), self._as_operand(self._sum()), is_negated, position)
        if is_negated:
            raise self._unexpected("word", words="in")
        pairs: list[Condition] = []
        while self._token.text in _COMPARE and self._token.kind is TokenKind.SIGN:
            sign = self._take()
            right = self._sum()
            operands = self._as_operand(left), self._as_operand(right)
            pairs.append(Compare(cast(CompareSign, sign.text), *operands, sign.position))
            left = right
        if not pairs:
            return left
        return pairs[0] if len(pairs) == 1 else Join("and", tuple(pairs), pairs[0].position)

    def _is(self, left: Condition | Operand, position: int) -> Is:
        is_negated = self._takes("not")
        for what in ("missing", "nan"):
            if self._takes(what):
                return Is(self._as_operand(left), what, is_negated, position)
        raise self._unexpected("word", words="missing, nan")

    def _sum(self) -> Condition | Operand:
        return self._arithmetic(("+", "-"))

    def _product(self) -> Condition | Operand:
        return self._arithmetic(("*", "/"))

    def _arithmetic(self, signs: tuple[str, str]) -> Condition | Operand:
        read = self._product if signs[0] == "+" else self._unary
        left = read()
        while self._token.kind is TokenKind.SIGN and self._token.text in signs:
            sign = self._take()
            self._operations += 1
            if self._operations > MOST_OPERATIONS:
                raise filter_error("filter_too_many", sign.position, most=MOST_OPERATIONS)
            right = read()
            numbers = self._as_number(left), self._as_number(right)
            left = Arithmetic(cast(ArithmeticSign, sign.text), *numbers, sign.position)
        return left

    def _unary(self) -> Condition | Operand:
        token = self._token
        if not self._takes("-"):
            return self._atom()
        with self._nested():
            operand = self._as_number(self._unary())
        if isinstance(operand, Constant):
            return Constant(-cast(float, operand.value), token.position)
        return Arithmetic("-", Constant(0, token.position), operand, token.position)

    def _atom(self) -> Condition | Operand:
        token = self._token
        if token.kind is TokenKind.NUMBER:
            self._take()
            is_whole = token.text.isdigit()
            return Constant(int(token.text) if is_whole else float(token.text), token.position)
        if token.kind is TokenKind.TEXT:
            return Constant(self._take().text, token.position)
        if token.kind is TokenKind.COLUMN:
            return Name(None, self._take().text, token.position)
        if token.kind is TokenKind.NAME:
            return self._name()
        if token.kind is TokenKind.KEYWORD and token.text in _CONSTANTS:
            return Constant(_CONSTANTS[self._take().text], token.position)
        if self._takes("["):
            return Constant(self._list(), token.position)
        if self._takes("("):
            with self._nested():
                inner = self._or()
            self._expect(")")
            return inner
        raise self._unexpected("operand")

    def _name(self) -> Name:
        token = self._take()
        if not self._takes("["):
            return Name(None, token.text, token.position)
        if token.text not in _GROUPS:
            raise filter_error("filter_group", token.position, text=token.text, groups=", ".join(_GROUPS))
        if self._token.kind is not TokenKind.TEXT:
            raise self._unexpected("column_name")
        name = self._take().text
        self._expect("]")
        return Name(token.text, name, token.position)

    def _list(self) -> tuple[Cell, ...]:
        items: list[Cell] = []
        with self._nested():
            while not self._takes("]"):
                if items:
                    self._expect(",")
                item = self._unary()
                if not isinstance(item, Constant):
                    raise filter_error("filter_list_item", item.position)
                items.append(item.value)
        return tuple(items)

    @property
    def _token(self) -> Token:
        return self._tokens[self._next]

    def _take(self) -> Token:
        self._next += 1
        return self._tokens[self._next - 1]

    def _peeks(self, word: str) -> bool:
        return self._token.kind in (TokenKind.KEYWORD, TokenKind.SIGN) and self._token.text == word

    def _takes(self, word: str) -> bool:
        is_next = self._peeks(word)
        self._next += is_next
        return is_next

    def _expect(self, word: str) -> None:
        if not self._takes(word):
            raise self._unexpected("word", words=word)

    def _unexpected(self, wanted: Literal["word", "operand", "column_name", "rest"], **values: str) -> FilterError:
        token = self._token
        if token.kind is TokenKind.END:
            return filter_error(f"filter_ends_before_{wanted}", token.position, **values)
        return filter_error(f"filter_{wanted}", token.position, text=token.text, **values)

    @contextmanager
    def _nested(self) -> Generator[None]:
        self._depth += 1
        if self._depth > DEEPEST:
            raise filter_error("filter_too_deep", self._token.position, most=DEEPEST)
        yield
        self._depth -= 1

    def _as_condition(self, node: Condition | Operand, position: int) -> Condition:
        if isinstance(node, Name):
            return IsTrue(node, position)
        if isinstance(node, Constant | Arithmetic):
            raise filter_error("filter_no_condition", node.position)
        return node

    def _as_operand(self, node: Condition | Operand) -> Operand:
        if isinstance(node, Constant | Name | Arithmetic):
            return node
        raise filter_error("filter_condition_compared", node.position)

    def _as_number(self, node: Condition | Operand) -> Operand:
        if isinstance(node, Name | Arithmetic):
            return node
        if isinstance(node, Constant) and type(node.value) in (int, float):
            return node
        raise filter_error("filter_no_number", node.position)
