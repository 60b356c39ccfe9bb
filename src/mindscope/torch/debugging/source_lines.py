# SPDX-License-Identifier: Apache-2.0
"""Which lines of the user's program called an operator."""

from __future__ import annotations

import linecache
import sys
import sysconfig
from pathlib import Path
from types import CodeType, FrameType

import torch

import mindscope

_MOST_FRAMES = 8
_OTHERS = tuple(
    f"{Path(each).resolve()}/"
    for each in (
        Path(torch.__file__).parent,
        Path(mindscope.__file__).parent,
        sysconfig.get_paths()["stdlib"],
        sysconfig.get_paths()["purelib"],
    )
)
_ARE_USERS: dict[CodeType, bool] = {}


def user_stack() -> tuple[str, ...]:
    """Source lines, innermost first: ``/train/net.py:49 forward: x = self.conv(x)``. None of installed packages."""
    frame: FrameType | None = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
    lines: list[str] = []
    while frame is not None and len(lines) < _MOST_FRAMES:
        if _is_users(frame.f_code):
            lines.append(_line(frame))
        frame = frame.f_back
    return tuple(lines)


def _is_users(code: CodeType) -> bool:
    known = _ARE_USERS.get(code)
    if known is None:
        name = code.co_filename
        known = _ARE_USERS[code] = not name.startswith(("<frozen", *_OTHERS)) and not name.endswith("/runpy.py")
    return known


def _line(frame: FrameType) -> str:
    code, number = frame.f_code, frame.f_lineno
    text = linecache.getline(code.co_filename, number, frame.f_globals).strip()
    return f"{code.co_filename}:{number} {code.co_name}" + (f": {text[:200]}" if text else "")
