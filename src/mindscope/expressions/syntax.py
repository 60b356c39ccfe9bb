# SPDX-License-Identifier: Apache-2.0
"""Turns the text of an expression into a syntax tree of Python, whose nodes lead back to the text.

    loss > 2 and `train/loss` <= 0.5        metric["Accuracy"] > 0.9        optimizer in ["Adam", "SGD"]

``check`` accepts exactly the sequences of tokens that are an expression, so Python's parser only orders them by
precedence. Each token is a line for it: the line number of a node is the number of its token.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Literal

from mindscope.errors import ExpressionError
from mindscope.expressions.tokens import STATES, Token, Vocabulary, expression_error, tokenize
from mindscope.python_syntax import parsed

DEEPEST = 40
MOST_OPERATIONS = 100
"""Limit for one expression; the syntax tree of a long sum is as deep as the sum is long."""
_ARITHMETIC = ("+", "-", "*", "/", "//", "%", "**")
_COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")
_SOURCES = {"value": "0", "name": "n", "quoted": "n"}
"""Text that Python's parser reads for a token that is no sign."""


@dataclass(frozen=True, slots=True)
class Syntax:
    """The syntax tree of ``text``. Its names and constants have no content: ``token`` has it."""

    text: str
    tokens: list[Token]
    tree: ast.expr

    def token(self, node: ast.expr) -> Token:
        """Return the first token of a node."""
        return self.tokens[node.lineno - 1]

    def position(self, node: ast.expr) -> int:
        """Return the character of an operation's sign, or the first character of any other node."""
        is_operation = isinstance(node, ast.BinOp | ast.Compare)
        return (self.sign_after(node.left) if is_operation else self.token(node)).position

    def sign_after(self, operand: ast.expr) -> Token:
        """Return the sign of the operation whose left operand this is."""
        index = operand.end_lineno or 0
        while self.tokens[index].sign == ")":
            index += 1
        return self.tokens[index]

    def part(self, node: ast.expr) -> str:
        """Return the text of a node."""
        return self.text[self.token(node).position : self.tokens[(node.end_lineno or 1) - 1].end]


def parse(text: str, vocabulary: Vocabulary) -> Syntax:
    """Return the syntax of a text. Raises ExpressionError with the position of what can't continue an expression."""
    tokens = tokenize(text, vocabulary)
    _Check(tokens, vocabulary).run()
    source = "\n".join(_SOURCES.get(token.kind) or ("0" if token.text in STATES else token.text) for token in tokens)
    return Syntax(text, tokens, parsed(lambda: ast.parse(f"({source})", mode="eval")).body)


class _Check:
    """One pass over the tokens of one expression; operators have no precedence here."""

    def __init__(self, tokens: list[Token], vocabulary: Vocabulary) -> None:
        self._tokens = tokens
        self._vocabulary = vocabulary
        self._next = 0
        self._operations = 0

    def run(self) -> None:
        """Raises ExpressionError at the first token that can't continue an expression."""
        self._conditions(0)
        if self._token.kind != "end":
            raise self._unexpected("rest")

    def _conditions(self, depth: int) -> None:
        self._condition(depth)
        while self._takes("and", "or"):
            self._condition(depth)

    def _condition(self, depth: int) -> None:
        while self._takes("not"):
            depth = self._deeper(depth)
        self._comparison(depth)

    def _comparison(self, depth: int) -> None:
        self._operand(depth)
        while self._takes_arithmetic() or self._takes(*_COMPARISONS) or self._takes_in():
            self._operand(depth)
        if self._takes("is"):
            self._takes("not")
            if self._token.text not in STATES or not self._token.is_word:
                raise self._unexpected("word", words=", ".join(STATES))
            self._next += 1

    def _operand(self, depth: int) -> None:
        while self._takes("-", "+"):
            depth = self._deeper(depth)
        token = self._token
        if self._takes("("):
            self._conditions(self._deeper(depth))
            self._expect(")")
        elif self._takes("["):
            self._items("]", self._deeper(depth))
        elif token.kind in ("value", "name", "quoted"):
            self._next += 1
            self._after_name(token, depth)
        else:
            raise self._unexpected("operand")

    def _after_name(self, name: Token, depth: int) -> None:
        groups, functions = self._vocabulary.groups, self._vocabulary.functions
        if name.kind == "name" and self._takes("("):
            if name.text not in functions:
                raise expression_error("function", name.position, part=name.text)
            self._items(")", self._deeper(depth))
        elif name.kind == "name" and groups and self._takes("["):
            if name.text not in groups:
                raise expression_error("group", name.position, text=name.text, groups=", ".join(groups))
            if not isinstance(self._token.value, str):
                raise self._unexpected("column_name")
            self._next += 1
            self._expect("]")

    def _items(self, closing: str, depth: int) -> None:
        while not self._takes(closing):
            self._comparison(depth)
            if self._token.sign != closing:
                self._expect(",", f", {closing}")

    def _takes_arithmetic(self) -> bool:
        is_next = self._takes(*_ARITHMETIC)
        self._operations += is_next
        if self._operations > MOST_OPERATIONS:
            raise expression_error("too_many", self._tokens[self._next - 1].position, most=MOST_OPERATIONS)
        return is_next

    def _takes_in(self) -> bool:
        if self._takes("not"):
            self._expect("in")
            return True
        return self._takes("in")

    def _deeper(self, depth: int) -> int:
        if depth == DEEPEST:
            raise expression_error("too_deep", self._token.position, most=DEEPEST)
        return depth + 1

    @property
    def _token(self) -> Token:
        return self._tokens[self._next]

    def _takes(self, *signs: str) -> bool:
        is_next = self._token.kind == "sign" and self._token.text in signs
        self._next += is_next
        return is_next

    def _expect(self, sign: str, words: str = "") -> None:
        if not self._takes(sign):
            raise self._unexpected("word", words=words or sign)

    def _unexpected(self, wanted: Literal["word", "operand", "column_name", "rest"], **values: str) -> ExpressionError:
        token = self._token
        if token.kind == "end":
            return expression_error(f"ends_before_{wanted}", token.position, **values)
        return expression_error(wanted, token.position, text=token.text, **values)
