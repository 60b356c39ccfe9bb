# SPDX-License-Identifier: Apache-2.0
"""Parses Python's syntax on any thread."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import TypeVar

_T = TypeVar("_T")
_TRIES = 100
"""Other threads of the process may parse without the lock."""
_parsing = Lock()


def parsed(parse: Callable[[], _T]) -> _T:
    """Return what ``parse`` makes of Python's syntax, as ``ast.parse``, ``ast.literal_eval`` and ``numpy.load`` do.

    CPython 3.11 counts the depth of a syntax tree for all threads together, so that a thread may find the count of
    another one and raise SystemError: "AST constructor recursion depth mismatch". ``parse`` may run several times.
    """
    for _ in range(_TRIES):
        try:
            with _parsing:
                return parse()
        except SystemError:
            continue
    with _parsing:
        return parse()
