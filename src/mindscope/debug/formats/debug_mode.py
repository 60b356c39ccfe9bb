# SPDX-License-Identifier: Apache-2.0
"""Logs of PyTorch's ``DebugMode``: one operator a line, indented below its modules.

::

    [nn.Mod] Net
      [nn.Mod] Net.fc1
        # File: /train/net.py:49 in forward, code: x = self.fc1(x)
        aten::addmm(t$2: f32[3], t$3: f32[2, 4])  ->  t$4: f32[2, 3]  # {'input_hash': ((0.8, 8.0), {}), 'hash': 4.7}

A hash that is a float is the L1 norm of the tensor; one that is an integer is a hash of its bits.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mindscope.artifacts.format import Format, Progress
from mindscope.artifacts.problems import Problems
from mindscope.debug.formats.elements import element_type
from mindscope.debug.formats.problems import debug_problems
from mindscope.debug.formats.recorded_steps import RecordedSteps, RecordedTensor
from mindscope.debug.formats.shapes import is_possible_shape
from mindscope.debug.model.fields import COLUMN, FIELDS, Field
from mindscope.debug.model.tensors import DebugTensor, Phase, Role
from mindscope.formats.debug_mode_text import HEAD_BYTES, LOG_SUFFIXES, is_debug_mode_text
from mindscope.reasons import Reason

_LONGEST_LINE = 1 << 16
MOST_TENSORS = 250_000
"""Largest number of tensors of a log; they take 0.3 GB in memory."""
MOST_CHARACTERS = 1 << 26
"""The same of characters of their names, modules and source lines."""
_OPERATOR = re.compile(
    r"(?P<indent>\s*)(?P<name>[A-Za-z_]\w*(?:::|\.)[\w.]+)\((?P<inputs>.*)\)(?:  ->  (?P<outputs>.*))?", re.ASCII
)
_MODULE = re.compile(r"(?P<indent>\s*)\[nn\.Mod\] (?P<path>\S+)", re.ASCII)
_FRAME = re.compile(r"\s*# File: (?P<path>.+?):(?P<line>\d+) in (?P<function>\S+), code: (?P<source>.*)", re.ASCII)
_TENSOR = re.compile(r"\bt(?:\$\d+)?: (?P<dtype>[a-z]\w*)\[(?P<shape>(?:\d{1,18}(?:, ?\d{1,18})*)?)\]", re.ASCII)
_HASHES = "  # {"
_INPUT_HASH, _AFTER_INPUT_HASH = "'input_hash': (", "), 'hash'"
_OUTPUT_HASH = re.compile(r"'hash': (?P<numbers>.*)$")
_NUMBER = re.compile(r"(?<![\w.'])(?:-?\d+\.\d+(?:e[-+]?\d+)?|-?\d+|nan|inf)(?![\w.'])", re.ASCII)
_RANK = re.compile(r"rank[_-]?(\d{1,9})", re.ASCII)


class _Line(NamedTuple):
    name: str
    module: str
    phase: Phase
    stack: tuple[str, ...]
    inputs: str
    outputs: str
    input_hashes: list[str]
    output_hashes: list[str]


def is_debug_mode_log(path: Path) -> bool:
    """Return whether a text file begins with lines of DebugMode. Raises OSError."""
    if not path.name.endswith(LOG_SUFFIXES) or not path.is_file():
        return False
    with path.open("rb") as file:
        return is_debug_mode_text(file.read(HEAD_BYTES))


def read_debug_mode_log(path: Path, on_progress: Progress) -> RecordedSteps:
    """Return the operators of a log as one step. Raises OSError."""
    problems = debug_problems()
    rank = _RANK.search(path.name)
    readers = {(int(rank[1]) if rank else 0, 0): lambda: _rows(path, problems)}
    path.stat()
    return RecordedSteps(DEBUG_MODE.name, "torch", readers, problems)


def _rows(path: Path, problems: Problems) -> Iterator[RecordedTensor]:
    """Yield the tensors of the first operators, as many as have room in memory."""
    rows, characters, stack = 0, 0, tuple[str, ...]()
    with problems.noted(path):
        for order, (line, tensors) in enumerate(_operators(path)):
            rows += len(tensors)
            characters += len(line.name) + len(line.module) + (0 if line.stack is stack else sum(map(len, line.stack)))
            stack = line.stack
            if rows > MOST_TENSORS or characters > MOST_CHARACTERS:
                problems.note(path, Reason("debug_entries_left", file=path.name, most=order))
                return
            yield from tensors


def _operators(path: Path) -> Iterator[tuple[_Line, list[RecordedTensor]]]:
    calls: Counter[tuple[str, str, Phase]] = Counter()
    for order, line in enumerate(_lines(path)):
        rows: list[RecordedTensor] = []
        key = line.module, line.name, line.phase
        sides = ((Role.INPUT, line.inputs, line.input_hashes), (Role.OUTPUT, line.outputs, line.output_hashes))
        for role, text, hashes in sides:
            tensors = list(_TENSOR.finditer(text))
            known = hashes if len(hashes) == len(tensors) else [""] * len(tensors)
            for slot, (match, number) in enumerate(zip(tensors, known, strict=True)):
                element = element_type(match["dtype"])
                shape = _shape(match["shape"])
                tensor = DebugTensor(
                    line.module, line.name, line.phase, role, str(slot), calls[key],
                    element.name if element else match["dtype"], shape, "", line.stack,
                )  # fmt: skip
                rows.append(RecordedTensor(tensor, order, None, _statistics(shape, number), _digest(number)))
        calls[key] += 1
        yield line, rows


def _lines(path: Path) -> Iterator[_Line]:
    modules: list[tuple[int, str]] = []
    stack: tuple[str, ...] = ()
    phase = Phase.FORWARD
    with path.open(encoding="utf-8", errors="replace") as file:
        while text := file.readline(_LONGEST_LINE):
            text = text.rstrip("\n")
            if frame := _FRAME.fullmatch(text):
                stack = (f"{frame['path']}:{frame['line']} {frame['function']}: {frame['source'].strip()}",)
            elif module := _MODULE.match(text):
                depth = len(module["indent"])
                modules = [*(each for each in modules if each[0] < depth), (depth, module["path"])]
                phase = Phase.FORWARD
            elif operator := _OPERATOR.match(_without_hashes(text)[0]):
                modules = [each for each in modules if each[0] < len(operator["indent"])]
                phase = _phase(phase, operator["name"], bool(modules))
                yield _line(text, operator, modules, phase, stack)


def _phase(before: Phase, name: str, is_in_module: bool) -> Phase:
    """Return the phase of a call.

    A backward pass starts with ``ones_like`` of the loss, or an operator of its own, outside of modules.
    """
    starts = not is_in_module and (name == "aten::ones_like" or "backward" in name)
    return Phase.BACKWARD if starts else before


def _line(
    text: str, operator: re.Match[str], modules: list[tuple[int, str]], phase: Phase, stack: tuple[str, ...]
) -> _Line:
    path = modules[-1][1].partition(".")[2] if modules else ""  # the first part is the class of the network
    content = _without_hashes(text)[1]
    outputs = _OUTPUT_HASH.search(content)
    return _Line(
        operator["name"], path, phase, stack, operator["inputs"], operator["outputs"] or "",
        _NUMBER.findall(_input_hashes(content)), _NUMBER.findall(outputs["numbers"]) if outputs else [],
    )  # fmt: skip


def _without_hashes(text: str) -> tuple[str, str]:
    """Return a line, and the hashes at its end. A regular expression would take quadratic time."""
    at = text.find(_HASHES) if text.endswith("}") else -1
    return (text, "") if at < 0 else (text[:at], text[at + len(_HASHES) : -1])


def _input_hashes(content: str) -> str:
    start, end = content.find(_INPUT_HASH), content.rfind(_AFTER_INPUT_HASH)
    return content[start + len(_INPUT_HASH) : end] if 0 <= start < end else ""


def _shape(text: str) -> tuple[int, ...] | None:
    sizes = tuple(int(size) for size in text.split(",") if size)
    return sizes if is_possible_shape(sizes) else None


def _statistics(shape: tuple[int, ...] | None, number: str) -> NDArray[np.float64]:
    values = np.full(len(FIELDS), math.nan)
    if shape is not None:
        values[COLUMN[Field.COUNT]] = math.prod(shape)
    if "." in number or number in ("nan", "inf"):
        norm = float(number)
        if math.isfinite(norm):
            values[COLUMN[Field.SUM_ABS]] = norm
            for field in (Field.NAN, Field.POSITIVE_INF, Field.NEGATIVE_INF):
                values[COLUMN[field]] = 0
        elif math.isnan(norm):
            values[COLUMN[Field.NAN]] = 1  # at least one
    return values


def _digest(number: str) -> int:
    if not number:
        return 0
    return int.from_bytes(hashlib.md5(number.encode(), usedforsecurity=False).digest()[:8], "big")


DEBUG_MODE = Format("debug_mode", "a log of PyTorch's DebugMode", is_debug_mode_log, read_debug_mode_log)
