# SPDX-License-Identifier: Apache-2.0
"""Regular expressions of users, which run in RE2: in time linear in the text, and in the size of the expression."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Sequence
from functools import lru_cache
from importlib import import_module
from itertools import chain, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

MAX_SIZE = 4000
"""Limit of the instructions of a compiled expression: RE2 then searches a megabyte in seconds at worst."""

_ITEM = re.compile(
    r"\[\^(?!-)(?:[^\\\[\]\0-\x1f]|\\[dDwWsStrf]|\\[^\w\0-\x1f])+\]|"
    r"\[(?!\^)(?:[^\\\[\]\0-\x1f]|\\[dwSrf]|\\[ts](?!-)|\\[^\w\0-\x1f])+\]|"
    r"\\[bBdDsSwWtrf]|\\p(?:L|\{L\}|\{Han\})|\\[^\w\0-\x1f]|\((?:\?[is]?[:)]|\?P?<\w+>|(?!\?))|[^\\\[(\0-\x1f]"
)
"""An item of an expression for which there is one that matches the same but for the ends of lines."""
_ITEMS = re.compile(f"(?:{_ITEM.pattern})*")
_ESCAPE = re.compile(r"\\.")
_IN_LINE = {"(?s)": "", "(?s:": "(?:", r"\s": r"[\t\f\r ]", r"\D": r"[^\d\n]", r"\W": r"[^\w\n]"}


class RegexError(ValueError):
    """RE2 can't use the expression; the message is the detail for users."""


class LineSearch:
    """Searches many texts that lie one after the other, because a call of RE2 takes as long as to read a kilobyte."""

    def __init__(self, regex: str, *, ignores_case: bool, most_size: int = MAX_SIZE) -> None:
        """``^`` and ``$`` match at the ends of lines. Raises RegexError."""
        self._search = _compiled(f"(?m){regex}", ignores_case, most_size).search
        in_line = _in_line(regex)
        self._lines = None if in_line is None else _lines_with(in_line, ignores_case)
        self._may_cross_lines = in_line != regex

    def rows(self, data: bytes, starts: NDArray[np.integer[Any]]) -> NDArray[np.bool_]:
        """Return which texts hold a match: (texts,).

        Text i begins at ``starts[i]`` and ends before the last byte before ``starts[i + 1]``, which is a line feed.
        """
        if self._lines is None or not _is_utf8(data):
            return self._lone_rows(data, starts)
        spans = np.fromiter(chain.from_iterable(match.span() for match in self._lines(data)), np.int64).reshape(-1, 2)
        found = _touched(starts, spans)
        if self._may_cross_lines:
            line_ends = np.flatnonzero(np.frombuffer(data, np.uint8) == ord("\n"))
            rest = ~found & (np.diff(np.searchsorted(line_ends, starts)) > 1)
            for row in np.flatnonzero(rest).tolist():
                found[row] = self._holds(data[starts[row] : starts[row + 1] - 1])
        return found

    def span(self, text: str) -> tuple[int, int] | None:
        """Return the characters of the first match in a text; None without one."""
        data = text.encode("utf-8", "replace")
        found = self._search(data)
        if found is None:
            return None
        begin, end = found.span()
        return len(data[:begin].decode("utf-8", "replace")), len(data[:end].decode("utf-8", "replace"))

    def _lone_rows(self, data: bytes, starts: NDArray[np.integer[Any]]) -> NDArray[np.bool_]:
        bounds = pairwise(starts.tolist())
        return np.array([self._holds(data[begin : end - 1]) for begin, end in bounds], np.bool_)

    def _holds(self, text: bytes) -> bool:
        return self._search(text) is not None


def _touched(starts: NDArray[np.integer[Any]], spans: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which texts have lines of a span."""
    first, end = np.searchsorted(starts, spans[:, 0], "right") - 1, np.searchsorted(starts, spans[:, 1])
    depths = np.bincount(first, minlength=len(starts)) - np.bincount(end, minlength=len(starts))
    return np.cumsum(depths)[:-1] > 0


def _is_utf8(data: bytes) -> bool:
    """Return whether ``.`` matches each character of a line: it matches no damaged byte."""
    try:
        return data.isascii() or bool(data.decode())
    except UnicodeDecodeError:
        return False


@lru_cache(maxsize=4)
def line_search(regex: str, *, ignores_case: bool = False) -> LineSearch:
    """Return the search for an expression; those of the last ones are kept. Raises RegexError."""
    return LineSearch(regex, ignores_case=ignores_case)


@lru_cache(maxsize=4)
def text_search(text: str) -> LineSearch:
    """Return the search for a text of any length, in any case."""
    return LineSearch(import_module("re2").escape(text), ignores_case=True, most_size=sys.maxsize)


def matches(regex: str, texts: Sequence[str], *, ignores_case: bool = False) -> NDArray[np.bool_]:
    """Return whether each text holds a match, shape (texts,).

    ``^`` and ``$`` match at the ends of lines. Raises RegexError.
    """
    data = "\n".join([*texts, ""]).encode("utf-8", "replace")
    lengths = map(len, texts) if data.isascii() else (len(text.encode("utf-8", "replace")) for text in texts)
    starts = np.cumsum([0, *lengths]) + np.arange(len(texts) + 1)
    return line_search(regex, ignores_case=ignores_case).rows(data, starts)


def check(regex: str) -> None:
    """Raises RegexError if ``matches`` would."""
    line_search(regex)


def whole_match(regex: str) -> Callable[[str], bool]:
    """Return the test whether an expression matches a whole text. Raises RegexError."""
    fullmatch = _compiled(regex, ignores_case=False).fullmatch
    return lambda text: fullmatch(text.encode("utf-8", "replace")) is not None


def prefix_match(regex: str) -> Callable[[str], bool]:
    """Return the test whether an expression matches the beginning of a text, as ``re.match``. Raises RegexError."""
    match = _compiled(regex, ignores_case=False).match
    return lambda text: match(text.encode("utf-8", "replace")) is not None


def _compiled(regex: str, ignores_case: bool, most_size: int = MAX_SIZE) -> Any:
    re2: Any = import_module("re2")  # has no type hints
    options = re2.Options()
    options.log_errors, options.never_capture, options.case_sensitive = False, True, not ignores_case
    try:
        compiled = re2.compile(regex.encode("utf-8", "backslashreplace"), options)
    except re2.error as error:
        raise RegexError(error.args[0].decode(errors="replace").replace("(?m)", "", 1)) from error
    finally:
        re2.purge()  # it would keep the last 128, with up to 8 MiB of states each
    if (size := compiled.programsize) > most_size:
        raise RegexError(f"it compiles to {size} instructions, at most {most_size} are searched with")
    return compiled


def _in_line(regex: str) -> str | None:
    """Return an expression for those matches that have no end of a line; None if ``regex`` may say how to end one."""
    return _ITEM.sub(lambda item: _item_in_line(item[0]), regex) if _ITEMS.fullmatch(regex) else None


def _item_in_line(item: str) -> str:
    if item.startswith("[^"):
        return rf"[^\n{item[2:]}"
    if item.startswith("["):
        return _ESCAPE.sub(lambda escape: r"\t\f\r " if escape[0] == r"\s" else escape[0], item)
    return _IN_LINE.get(item, item)


def _lines_with(in_line: str, ignores_case: bool) -> Any:
    """Find consecutive lines with a match at once: ``finditer``; None if the expression is too large for that."""
    try:
        return _compiled(f"(?m)(?:{in_line}).*\n(?:.*(?:{in_line}).*\n)*", ignores_case).finditer
    except RegexError:
        return None
