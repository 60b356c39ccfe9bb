# SPDX-License-Identifier: Apache-2.0
"""Source lines of operators in ``.ir`` texts of MindSpore, whose punctuation differs between versions.

An operator is some lines: its expression, its types, its full name in parentheses, then the lines of the program.
``In file PATH(LINE)/ SOURCE/`` comes innermost first; later versions write ``In file PATH:LINE, COLUMNS/SOURCE/``
outermost first, with the line of each function before the line in it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

_NAME = re.compile(r"\s*[#:]?\s*(?:full_?name_?\s?with_?\s?scope\s*:\s*)?\((?P<name>[^()\s,]+)\)\s*", re.I | re.ASCII)
_FILE = re.compile(
    r"\s*#?\s*In file (?P<path>.+?)(?:\((?P<old>\d+)\)|:(?P<line>\d+)(?:~(?P<last>\d+))?)(?:,\s*\d+~\d+)?\s*"
    r"/(?P<source>.*?)/?\s*",
    re.ASCII,
)
_FUNCTION = re.compile(r"\s*(?:async\s+)?def\s+(?P<name>\w+)")
_PARAMETER = re.compile(r"\s*%para\d+_(?P<name>[^\s:<>]+)\s*:(?P<rest>.*)")
_MOST_LINES = 64
_LONGEST_LINE = 4096
_MOST_NAMES = 1 << 18


@dataclass(slots=True)
class IrText:
    """Facts about operators by full name, and about parameters, from an ``.ir`` text."""

    stacks: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """Source lines, innermost first."""
    parameters: dict[str, bool] = field(default_factory=dict[str, bool])
    """Whether a parameter is a weight; other ones are inputs of the graph."""


def read_ir(lines: Iterable[str]) -> IrText:
    """Return the operators and parameters of a text; lines that are neither are skipped."""
    ir_text = IrText()
    name = ""
    frames: list[re.Match[str]] = []
    for line in lines:
        if len(ir_text.stacks) >= _MOST_NAMES or len(ir_text.parameters) >= _MOST_NAMES:
            break
        if len(line) > _LONGEST_LINE:  # constants
            line = line[:_LONGEST_LINE]
        if "In file " in line and (frame := _FILE.fullmatch(line.rstrip("\n"))):
            if name and len(frames) < _MOST_LINES:
                frames.append(frame)
        elif "(" in line and (named := _NAME.fullmatch(line)) and ("/" in named["name"] or "-op" in named["name"]):
            _end(ir_text, name, frames)
            name, frames = named["name"], []
        elif line.lstrip().startswith("%para") and (parameter := _PARAMETER.fullmatch(line.rstrip("\n"))):
            ir_text.parameters[parameter["name"]] = "isweight: false" not in parameter["rest"].lower()
    _end(ir_text, name, frames)
    return ir_text


def _end(found: IrText, name: str, frames: list[re.Match[str]]) -> None:
    if name:
        is_inner_first = bool(frames) and frames[0]["old"] is not None
        found.stacks.setdefault(name, tuple(_stack(frames) if is_inner_first else reversed(_stack(frames))))


def _stack(frames: list[re.Match[str]]) -> list[str]:
    stack: list[str] = []
    function, path = "", ""
    for frame in frames:
        named = _FUNCTION.match(frame["source"])
        if named and not frame["old"]:
            function, path = named["name"], frame["path"]
            continue
        location = f"{frame['path']}:{frame['old'] or frame['line']}"
        inside = f" {function}" if function and path == frame["path"] else ""
        stack.append(f"{location}{inside}: {frame['source'].strip()}")
    return stack
