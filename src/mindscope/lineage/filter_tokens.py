# SPDX-License-Identifier: Apache-2.0
"""Tokenizer of filters."""

from __future__ import annotations

import re
from enum import Enum, auto
from typing import NamedTuple

from mindscope.errors import FilterError
from mindscope.reasons import Reason, Value

LONGEST = 2000
KEYWORDS = frozenset("and or not in is missing nan inf true false True False".split())
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t"}
_TOKEN = re.compile(
    r"""(?P<space>\s+)
    |(?P<number>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)
    |(?P<name>[^\W\d]\w*(?:\.\w+)*)
    |(?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
    |(?P<quoted>`[^`]+`)
    |(?P<sign><=|>=|==|!=|[-+*/<>()\[\],])""",
    re.VERBOSE | re.DOTALL,
)


class TokenKind(Enum):
    """The type of a token; a ``COLUMN`` is a name in backticks."""

    NUMBER = auto()
    TEXT = auto()
    NAME = auto()
    COLUMN = auto()
    KEYWORD = auto()
    SIGN = auto()
    END = auto()


class Token(NamedTuple):
    """A token at ``position``, a character index from 0; ``text`` has no quotes and escapes."""

    kind: TokenKind
    text: str
    position: int


def tokenize(text: str) -> list[Token]:
    """Return the tokens of a filter, ``END`` last. Raises FilterError."""
    if len(text) > LONGEST:
        raise filter_error("filter_too_long", LONGEST, count=len(text), most=LONGEST)
    tokens: list[Token] = []
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise _not_accepted(text[position], position)
        if match.lastgroup != "space":
            tokens.append(_token(str(match.lastgroup), match[0], position))
        position = match.end()
    return [*tokens, Token(TokenKind.END, "", len(text))]


def _token(group: str, word: str, position: int) -> Token:
    match group:
        case "number":
            return Token(TokenKind.NUMBER, word, position)
        case "name":
            return Token(TokenKind.KEYWORD if word in KEYWORDS else TokenKind.NAME, word, position)
        case "text":
            plain = re.sub(r"\\(.)", lambda escape: _ESCAPES.get(escape[1], escape[1]), word[1:-1], flags=re.DOTALL)
            return Token(TokenKind.TEXT, plain, position)
        case "quoted":
            return Token(TokenKind.COLUMN, word[1:-1], position)
        case _:
            return Token(TokenKind.SIGN, word, position)


def filter_error(code: str, position: int, **values: Value) -> FilterError:
    """Return the error of a code; its values have ``position``, from 0, and ``character``, from 1."""
    return FilterError(Reason(code, position=position, character=position + 1, **values))


def _not_accepted(sign: str, position: int) -> FilterError:
    match sign:
        case '"' | "'":
            return filter_error("filter_text_open", position, sign=sign)
        case "`":
            return filter_error("filter_column_open", position, sign=sign)
        case "=":
            return filter_error("filter_assignment", position)
        case _:
            return filter_error("filter_sign", position, sign=sign)
