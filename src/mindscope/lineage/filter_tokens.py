# SPDX-License-Identifier: Apache-2.0
"""Tokenizer of filters."""

from __future__ import annotations

import re
from enum import Enum, auto
from typing import NamedTuple

from mindscope.errors import FilterError

LONGEST = 2000
KEYWORDS = frozenset("and or not in is missing nan inf true false True False".split())
_ESCAPES = {"n": "\n", "t": "\t"}
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
    """The tokens of a filter, ``END`` last. Raises FilterError."""
    if len(text) > LONGEST:
        raise FilterError(f"the filter has {len(text)} characters, want at most {LONGEST}", LONGEST)
    tokens: list[Token] = []
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise FilterError(f"{_met(text, position)} at character {position + 1}", position)
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


def _met(text: str, position: int) -> str:
    sign = text[position]
    if sign in "\"'`":
        return f"the {'column' if sign == '`' else 'text'} without a closing {sign}"
    return "use == to compare, = is not accepted" if sign == "=" else f"{sign!r} is not accepted"
