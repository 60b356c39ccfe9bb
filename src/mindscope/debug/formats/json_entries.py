# SPDX-License-Identifier: Apache-2.0
"""Entries of large JSON objects one after the other, also of files that were cut, as by a crash."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from mindscope.errors import FormatError
from mindscope.formats.json_text import ESCAPED_SURROGATE, as_unicode

_PIECE = 1 << 18
_LARGEST_ENTRY = 1 << 24
"""Limit of the characters of an entry. A list of empty lists takes twenty times that many bytes in memory."""
_SPACE = re.compile(r"[ \t\r\n]*")


class JsonEntry(NamedTuple):
    """An entry of the object, or, with ``section``, one of the object in an entry of that name."""

    section: str
    key: str
    value: Any


def json_entries(path: Path, *sections: str) -> Iterator[JsonEntry]:
    """Yield the entries of an object in the order of the file; bare words such as NaN are numbers.

    Unpaired surrogates become backslash escapes.

    Args:
        path: of a file in UTF-8.
        sections: keys whose objects come entry by entry too.

    Raises:
        FormatError: after the entries before it, where the text is no JSON or ends early.
        OSError: it can't be read.
    """
    with path.open(encoding="utf-8", errors="replace") as file:
        yield from _Reader(file, path.name).entries(sections)


class _Reader:
    """Decodes values from a text that is read piece by piece."""

    def __init__(self, file: TextIO, name: str) -> None:
        self._file, self._name = file, name
        self._text, self._at = "", 0
        self._dropped = 0
        """Characters before ``_text``."""
        self._is_ended = False
        self._decoder = json.JSONDecoder()

    def entries(self, sections: tuple[str, ...], section: str = "") -> Iterator[JsonEntry]:
        self._expect("{")
        if self._next() == "}":
            self._at += 1
            return
        while True:
            key = self._value()
            if not isinstance(key, str):
                raise self._broken("a key is no text")
            self._expect(":")
            if key in sections and self._next() == "{":
                yield from self.entries((), key)
            else:
                yield JsonEntry(section, key, self._value())
            if self._next() == "}":
                self._at += 1
                return
            self._expect(",")

    def _value(self) -> Any:
        self._next()
        while True:
            try:
                value, end = self._decoder.raw_decode(self._text, self._at)
            except RecursionError as error:
                raise self._broken("it is nested too deep") from error
            except json.JSONDecodeError as error:
                if not self._read_more():
                    raise self._broken(error.msg if not self._is_ended else "the file ends within a value") from error
                continue
            except ValueError as error:  # an integer of thousands of digits
                raise self._broken(str(error)) from error
            if end < len(self._text) or not self._read_more():
                is_plain = not ESCAPED_SURROGATE.search(self._text, self._at, end)
                self._at = end
                return value if is_plain else as_unicode(value)

    def _expect(self, sign: str) -> None:
        if self._next() != sign:
            raise self._broken(f"want {sign}" if self._text[self._at :] else "the file ends early")
        self._at += 1

    def _next(self) -> str:
        """Return the next character that is no space; empty at the end."""
        while True:
            match = _SPACE.match(self._text, self._at)
            assert match is not None
            self._at = match.end()
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._read_more():
                return ""

    def _read_more(self) -> bool:
        """Read as much as is kept already, so that long entries are not decoded again and again."""
        kept = len(self._text) - self._at
        if self._is_ended or kept > _LARGEST_ENTRY:
            return False
        more = self._file.read(max(_PIECE, kept))
        self._is_ended = not more
        self._dropped += self._at
        self._text, self._at = self._text[self._at :] + more, 0
        return bool(more)

    def _broken(self, what: str) -> FormatError:
        return FormatError(f"{self._name} at character {self._dropped + self._at}: {what}")
