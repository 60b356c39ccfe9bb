# SPDX-License-Identifier: Apache-2.0
"""Regular expressions of users, which run in RE2: in time linear in the text, and in the size of the expression."""

from __future__ import annotations

import re
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

MAX_SIZE = 4000
"""Limit of the states of an expression: RE2 then searches a megabyte in seconds at worst."""

_TOKEN = re.compile(
    r"\\[pP](?:\{[^}]*\}|.)|\\Q.*?(?:\\E|\Z)|\\x\{[^}]*\}|\\.|"
    r"\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]|"
    r"\(\?P?<[^>]*>|\(\?[^:)]*:?|[()|.*+?]|\{(?P<least>\d+)(?P<comma>,(?P<most>\d*))?\}|.",
    re.DOTALL,
)
_CLASS_SIZE = 8  # an encoded character has up to four bytes, with several ranges of each
_PROPERTY_SIZE = 200


class RegexError(ValueError):
    """RE2 can't use the expression; the message is the detail for users."""


def matches(regex: str, texts: Any, *, ignores_case: bool = False) -> NDArray[np.bool_]:
    """Which texts hold a match: (texts,). ``texts`` are a sequence, or an array of Arrow.

    ``^`` and ``$`` match at the ends of lines. Raises RegexError.
    """
    pyarrow: Any = import_module("pyarrow")  # has no type hints
    compute: Any = import_module("pyarrow.compute")
    check_size(regex)
    column = pyarrow.array(texts, pyarrow.string()) if isinstance(texts, Sequence) else texts
    try:
        found = compute.match_substring_regex(column, f"(?m){regex}", ignore_case=ignores_case)
    except pyarrow.ArrowInvalid as error:
        raise RegexError(str(error).partition(": ")[2] or str(error)) from error
    return np.asarray(found.to_numpy(zero_copy_only=False), np.bool_)


def check(regex: str) -> None:
    """Raises RegexError if ``matches`` would."""
    matches(regex, [""])


def check_size(regex: str) -> None:
    """Raises RegexError for an expression whose repetitions make it too large to search with."""
    size = size_of(regex)
    if size > MAX_SIZE:
        raise RegexError(f"its repetitions make it {size} characters long, at most {MAX_SIZE} are searched")


def size_of(regex: str) -> int:
    """About how many states an automaton of this expression has, with all repetitions written out."""
    totals, last = [0], 0  # of the open groups; the size of the last item, to which a repetition applies
    for token in _TOKEN.finditer(regex):
        text = token[0]
        if text.startswith("("):
            totals.append(0)
        elif text == ")" and len(totals) > 1:
            last = totals.pop()
            totals[-1] += last
        elif token["least"] is not None:
            times = max(int(token["most"] or token["least"]), 1) + (token["comma"] == ",")
            totals[-1] += last * (times - 1)
            last *= times
        else:
            last = _item_size(text)
            totals[-1] += last
    return sum(totals)


def _item_size(text: str) -> int:
    if text.startswith(("\\p", "\\P")):
        return _PROPERTY_SIZE
    if text == "." or (len(text) > 1 and text.startswith("[")):
        return _CLASS_SIZE
    return max(len(text) - 4, 1) if text.startswith("\\Q") else 1
