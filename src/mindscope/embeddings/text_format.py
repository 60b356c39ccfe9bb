# SPDX-License-Identifier: Apache-2.0
"""Parses the text format of protobuf without a schema.

Source: https://protobuf.dev/reference/protobuf/textformat-spec/
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

from mindscope.errors import FormatError

Message: TypeAlias = list[tuple[str, "Message | str"]]
"""Names and values in their order; numbers and names of enums as they are written, strings without quotes."""

_MOST_DEPTH = 16
_TOKEN = re.compile(
    r"""(?P<space>(?:\s|\#[^\n]*)+)
    | (?P<string>"(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*')
    | (?P<word>[-+.\w]+)
    | (?P<mark>[{}<>:,;\[\]])""",
    re.VERBOSE,
)
_ESCAPE = re.compile(rb"\\(?:([0-7]{1,3})|[xX]([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|(.))", re.DOTALL)
_LETTERS = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"a": b"\a", b"b": b"\b", b"f": b"\f", b"v": b"\v"}
_ENDS = {"{": "}", "<": ">"}


class _Token(NamedTuple):
    kind: str
    text: str
    line: int


def parse_text_format(text: str) -> Message:
    """Return the fields of a message. Raises FormatError with the line."""
    return _Parser(text).message("", 0)


class _Parser:
    def __init__(self, text: str) -> None:
        self._tokens = _tokens(text)
        self._next = next(self._tokens, None)

    def message(self, end: str, depth: int) -> Message:
        """Return the fields up to ``end``; the empty text is the end of the file."""
        if depth > _MOST_DEPTH:
            raise FormatError(f"messages are nested more than {_MOST_DEPTH} deep")
        fields: Message = []
        while not self._is(end):
            name = self._take("word", "the name of a field").text
            if self._is(":"):
                self._advance()
            fields += [(name, value) for value in self._values(depth)]
            while self._is(",", ";"):
                self._advance()
        self._advance()
        return fields

    def _values(self, depth: int) -> Iterator[Message | str]:
        if not self._is("["):
            yield self._value(depth)
            return
        self._advance()
        while not self._is("]"):
            yield self._value(depth)
            if self._is(","):
                self._advance()
        self._advance()

    def _value(self, depth: int) -> Message | str:
        token = self._next
        if token is not None and token.text in _ENDS:
            self._advance()
            return self.message(_ENDS[token.text], depth + 1)
        if token is not None and token.kind == "string":
            parts: list[str] = []
            while self._next is not None and self._next.kind == "string":
                parts.append(_unquoted(self._next.text))
                self._advance()
            return "".join(parts)
        return self._take("word", "a value").text

    def _is(self, *marks: str) -> bool:
        if self._next is None:
            return "" in marks
        return self._next.kind == "mark" and self._next.text in marks

    def _take(self, kind: str, want: str) -> _Token:
        token = self._next
        if token is None:
            raise FormatError(f"the file ends, want {want}")
        if token.kind != kind:
            raise FormatError(f"line {token.line} has {token.text[:40]!r}, want {want}")
        self._advance()
        return token

    def _advance(self) -> None:
        self._next = next(self._tokens, None)


def _tokens(text: str) -> Iterator[_Token]:
    position, line = 0, 1
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise FormatError(f"line {line} has {text[position : position + 40]!r}, want a field")
        kind = match.lastgroup or ""
        if kind != "space":
            yield _Token(kind, match.group(), line)
        line += match.group().count("\n")
        position = match.end()


def _unquoted(literal: str) -> str:
    def unescaped(match: re.Match[bytes]) -> bytes:
        octal, hexadecimal, short, long, letter = match.groups()
        if octal or hexadecimal:
            return bytes([int(octal, 8) & 255 if octal else int(hexadecimal, 16)])
        if short or long:
            return chr(min(int(short or long, 16), 0x10FFFF)).encode("utf-8", "replace")
        return _LETTERS.get(letter, letter)

    return _ESCAPE.sub(unescaped, literal[1:-1].encode()).decode("utf-8", "replace")
