# SPDX-License-Identifier: Apache-2.0
"""Stacks of operators in ``stack.json``: ``[[NAME, ...], ["File PATH, line N, in FUNCTION, CODE", ...]]``."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any, cast

_FRAME = re.compile(r"\s*File (?P<path>.+?), line (?P<line>\d+), in (?P<function>[^,\n]+),?\s*(?P<source>.*)", re.S)
_MOST_FRAMES, _LONGEST_FRAME = 256, 1000
"""Largest number of frames of a stack, and of characters of a frame."""
_REFERENCE = 8
"""Bytes that a frame takes in a further stack."""


class Stacks:
    """The stacks of the operators in ``wanted``. Stacks share equal frames, as those of the callers in a training."""

    def __init__(self, wanted: Collection[str], most_characters: int) -> None:
        self._wanted, self._left = wanted, most_characters
        self._by_name: dict[str, tuple[str, ...]] = {}
        self._frames: dict[str, str] = {}

    def of(self, name: str) -> tuple[str, ...]:
        """Return the frames of an operator, innermost first; empty without any."""
        return self._by_name.get(name, ())

    def add(self, value: Any) -> bool:
        """Add an entry; one of another form counts as empty. False if all stacks have too many characters with it."""
        names, lines = _entry(value)
        names = [name for name in names if name in self._wanted]
        if names:
            stack = tuple(self._frame(str(line)[:_LONGEST_FRAME]) for line in lines[:_MOST_FRAMES])
            self._left -= len(stack) * _REFERENCE
            if self._left < 0:
                return False
            self._by_name.update(dict.fromkeys(names, stack))
        return True

    def _frame(self, line: str) -> str:
        text = _frame_text(line)
        frame = self._frames.setdefault(text, text)
        if frame is text:
            self._left -= len(text)
        return frame


def _entry(value: Any) -> tuple[list[Any], list[Any]]:
    pair = cast("list[Any]", value) if isinstance(value, list) else []
    if len(pair) != 2 or not all(isinstance(part, list) for part in pair):
        return [], []
    names, lines = cast("list[list[Any]]", pair)
    return [name for name in names if isinstance(name, str)], lines


def _frame_text(line: str) -> str:
    match = _FRAME.fullmatch(line.strip())
    if match is None:
        return " ".join(line.split())
    return f"{match['path']}:{match['line']} {match['function'].strip()}: {' '.join(match['source'].split())}"
