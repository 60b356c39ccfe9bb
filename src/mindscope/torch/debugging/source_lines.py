# SPDX-License-Identifier: Apache-2.0
"""Finds the lines of the user's program that called an operator."""

from __future__ import annotations

import linecache
import sys
import sysconfig
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import torch

_MOST_FRAMES = 8
_OTHERS = tuple(
    f"{Path(each).resolve()}/"
    for each in (
        Path(torch.__file__).parent,
        Path(__file__).parents[2],
        sysconfig.get_paths()["stdlib"],
        sysconfig.get_paths()["purelib"],
    )
)
_ARE_USERS: dict[CodeType, bool] = {}


def user_stack() -> tuple[str, ...]:
    """Return source lines, innermost first: ``/train/net.py:49 forward: x = self.conv(x)``.

    It omits installed packages.

    None of installed packages.
    """
    frame: FrameType | None = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
    lines: list[str] = []
    while frame is not None and len(lines) < _MOST_FRAMES:
        if is_of_user(frame.f_code):
            lines.append(source_line(frame.f_code, frame.f_lineno, frame.f_globals))
        frame = frame.f_back
    return tuple(lines)


def is_of_user(code: CodeType) -> bool:
    """Return whether code is of the user's program, not of an installed package."""
    known = _ARE_USERS.get(code)
    if known is None:
        name = code.co_filename
        known = _ARE_USERS[code] = not name.startswith(("<frozen", *_OTHERS)) and not name.endswith("/runpy.py")
    return known


def source_line(code: CodeType, number: int, variables: dict[str, Any]) -> str:
    """Return a line of code as text: ``/train/net.py:49 forward: x = self.conv(x)``.

    ``variables`` are those of its module.
    """
    text = linecache.getline(code.co_filename, number, variables).strip()
    return f"{code.co_filename}:{number} {code.co_name}" + (f": {text[:200]}" if text else "")
