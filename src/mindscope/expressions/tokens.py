# SPDX-License-Identifier: Apache-2.0
"""Splits an expression into tokens with their positions."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

from mindscope.errors import ExpressionError
from mindscope.reasons import Reason, Value

_KEYWORDS: Mapping[str, Any] = json.loads((Path(__file__).parent / "keywords.json").read_text("utf-8"))
"""The page reads this file too, since it writes names of columns into expressions."""
STATES: tuple[str, ...] = tuple(_KEYWORDS["states"])
"""Words that follow ``is``."""
RUN_CONSTANTS: Mapping[str, bool | float] = {
    word: float(value) if isinstance(value, str) else value for word, value in _KEYWORDS["run_constants"].items()
}
WORDS = frozenset[str](_KEYWORDS["operators"])
"""Words that name nothing unless they are in backticks."""
_DIGITS = "[0-9]+(?:_[0-9]+)*"
_TOKEN = re.compile(
    rf"""(?P<space>\s+)
    |(?P<number>(?:{_DIGITS}(?:\.(?:{_DIGITS})?)?|\.{_DIGITS})(?:[eE][-+]?{_DIGITS})?)
    |(?P<name>[^\W\d]\w*(?:\.\w+)*)
    |(?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
    |(?P<quoted>`[^`]+`)
    |(?P<sign>\*\*|//|<=|>=|==|!=|[-+*/%<>()\[\],])""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)", re.DOTALL)
_NOT_ACCEPTED = {'"': "text_open", "'": "text_open", "`": "name_open", "=": "assignment"}
_ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words of a language: of expressions over curves, or over runs."""

    longest: int
    """The limit of characters."""
    constants: Mapping[str, Any]
    functions: Collection[str]
    groups: Collection[str] = ()
    """Names before brackets, as in ``metric["Accuracy"]``."""
    reserved: Collection[str] = ()
    """Words that name nothing unless they are in backticks, besides those of all languages."""
    whole_number: Callable[[str], float] = int


TokenKind = Literal["value", "name", "quoted", "sign", "end"]


class Token(NamedTuple):
    """A token from character ``position`` to before ``end``; words such as ``and`` are signs.

    ``text`` is the name, the sign or the text without quotes. ``value`` is that of a number, text or constant.
    """

    kind: TokenKind
    text: str
    position: int
    end: int
    value: Any = None

    @property
    def sign(self) -> str:
        """The sign or word; empty for other tokens."""
        return self.text if self.kind == "sign" else ""

    @property
    def is_word(self) -> bool:
        """Whether it is a word without quotes."""
        return self.kind in ("sign", "name") or (self.kind == "value" and not isinstance(self.value, str))


def tokenize(text: str, vocabulary: Vocabulary) -> list[Token]:
    """Return the tokens of an expression, the end last.

    Raises ExpressionError for a character that can't be used, or for too many characters.
    """
    if len(text) > (most := vocabulary.longest):
        raise expression_error("too_long", most, count=len(text), most=most)
    tokens: list[Token] = []
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise expression_error(_NOT_ACCEPTED.get(text[position], "sign"), position, sign=text[position])
        if match.lastgroup != "space":
            tokens.append(_token(match, vocabulary))
        position = match.end()
    return [*tokens, Token("end", "", len(text), len(text))]


def expression_error(code: str, position: int, **values: Value) -> ExpressionError:
    """Return the error of a code; its values have ``position``, from 0, and ``character``, from 1."""
    return ExpressionError(Reason(f"expression_{code}", position=position, character=position + 1, **values))


def _token(match: re.Match[str], vocabulary: Vocabulary) -> Token:
    word, (start, end) = match[0], match.span()
    match match.lastgroup:
        case "number":
            is_whole = word.replace("_", "").isdigit()
            return Token("value", word, start, end, vocabulary.whole_number(word) if is_whole else float(word))
        case "text":
            plain = _ESCAPE.sub(_unescaped, word[1:-1])
            return Token("value", plain, start, end, plain)
        case "quoted":
            return Token("quoted", word[1:-1], start, end)
        case "name" if word in vocabulary.constants:
            return Token("value", word, start, end, vocabulary.constants[word])
        case "name" if word not in WORDS and word not in vocabulary.reserved:
            return Token("name", word, start, end)
        case _:
            return Token("sign", word, start, end)


def _unescaped(escape: re.Match[str]) -> str:
    sign = escape[1]
    return chr(int(sign[1:], 16)) if len(sign) > 1 else _ESCAPES.get(sign, sign)
