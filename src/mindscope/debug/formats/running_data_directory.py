# SPDX-License-Identifier: Apache-2.0
"""Reads a directory that a running data recorder wrote: mindscope's, or that of MindSpore r1.2 to r2.5.

Every file may be missing, of another form, or cut; what there is counts.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, cast

from mindscope.debug.formats.problems import Problems
from mindscope.debug.formats.running_data_files import (
    ExecutedNode,
    MemoryAddress,
    read_execution_order,
    read_memory_addresses,
    running_data_files,
)
from mindscope.errors import FormatError
from mindscope.formats.text_lines import bounded_lines

_MOST_ROWS = 10_000
_LONGEST_LINE = 1 << 20
_MOST_TEXT = 1 << 20
_OWN = frozenset(("culprit.json", "exception.txt", "exec_order.csv"))
_OF_MINDSPORE = re.compile(r"[A-Z_]{2,}\.\w+(\.\d{1,9})?\.\d{14}\.(ir|pb|txt|json|csv)", re.ASCII)
_NAME = re.compile(r"(?:[A-Z_]+\.)?(?P<name>\w+?)(?:\.(?P<time>\d{14}))?\.(?:json|txt|csv)", re.ASCII)
_RANK = re.compile(r"rank_(\d{1,9})", re.ASCII)


class TextTable(NamedTuple):
    """A CSV file; rows may be shorter than ``columns``."""

    columns: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()


_EMPTY = TextTable()


class RecordedFile(NamedTuple):
    """A file of the directory."""

    name: str
    size_bytes: int


@dataclass(slots=True)
class RunningData:
    """The last data of a training; what there is no file of is empty."""

    path: Path
    rank: int | None
    """Number of the rank; None if the path does not name it."""
    culprit: dict[str, Any] = field(default_factory=dict[str, Any])
    """``error``, ``phase``, ``module``, ``type``, ``call``, ``lines``, ``first_not_finite``, as far as known."""
    state: dict[str, Any] = field(default_factory=dict[str, Any])
    memory: dict[str, Any] = field(default_factory=dict[str, Any])
    exception: str = ""
    """The traceback."""
    stacks: str = ""
    """Calls of each thread."""
    order: TextTable = _EMPTY
    """Modules in the order of execution of the last step."""
    statistics: TextTable = _EMPTY
    """Statistics of the last tensors."""
    memory_history: TextTable = _EMPTY
    nodes: list[ExecutedNode] = field(default_factory=list[ExecutedNode])
    """Orders of execution that MindSpore recorded."""
    addresses: list[MemoryAddress] = field(default_factory=list[MemoryAddress])
    """Memory of operators that MindSpore recorded."""
    files: list[RecordedFile] = field(default_factory=list[RecordedFile])
    problems: Problems = field(default_factory=Problems)

    @property
    def error(self) -> str:
        """The error that the training failed with, in a line; empty if it did not, or it is unknown."""
        known = self.culprit.get("error")
        lines = self.exception.strip().splitlines()
        return str(known) if known else (lines[-1] if lines else "")


def holds_running_data(names: Collection[str]) -> bool:
    """Whether a directory with these names is one."""
    return not _OWN.isdisjoint(names) or any(_OF_MINDSPORE.fullmatch(name) for name in names)


def read_running_data(directory: Path) -> RunningData:
    """The data of a directory. Raises OSError if it can't be listed; ``problems`` has what can't be read."""
    ranks = [int(match[1]) for part in directory.parts if (match := _RANK.fullmatch(part))]
    found = RunningData(directory, ranks[-1] if ranks else None)
    files = sorted(each for each in directory.iterdir() if each.is_file())
    found.files = [RecordedFile(each.name, each.stat().st_size) for each in files]
    newest, problems = _newest(files), found.problems

    def read(name: str, reader: Any, otherwise: Any) -> Any:
        content = problems.read(newest[name], reader) if name in newest else None
        return otherwise if content is None else content

    found.culprit, found.state, found.memory = (
        read(f"{name}.json", _object, {}) for name in ("culprit", "state", "memory")
    )
    found.exception, found.stacks = (read(f"{name}.txt", _text, "") for name in ("exception", "stacks"))
    found.order, found.statistics, found.memory_history = (
        read(f"{name}.csv", _table, _EMPTY) for name in ("exec_order", "statistics", "memory_history")
    )
    for file in running_data_files(directory):
        if file.name.startswith("graph_exec_order") and file.kind == "txt":
            found.nodes += read_execution_order(file.path, problems)[:_MOST_ROWS]
        elif file.name.startswith("mem_address_list"):
            found.addresses += read_memory_addresses(file.path, problems)[:_MOST_ROWS]
    return found


def _newest(files: Sequence[Path]) -> dict[str, Path]:
    """Return the file of the last failure by plain name: ``TORCH.culprit.20261126204131.json`` as ``culprit.json``."""
    named = [(match["name"], match["time"] or "", path) for path in files if (match := _NAME.fullmatch(path.name))]
    last = max((time for _, time, _ in named), default="")
    return {f"{name}{path.suffix}": path for name, time, path in named if time == last}


def _object(path: Path) -> dict[str, Any]:
    try:
        content: Any = json.loads(_text(path))
    except (ValueError, RecursionError) as error:
        raise FormatError(f"it is no JSON: {error}") from error
    if not isinstance(content, dict):
        raise FormatError(f"it holds {type(content).__name__}, want a JSON object")
    return cast("dict[str, Any]", content)


def _text(path: Path) -> str:
    with path.open(encoding="utf-8", errors="replace") as file:
        return file.read(_MOST_TEXT)


def _table(path: Path) -> TextTable:
    try:
        with path.open(encoding="utf-8", errors="replace", newline="") as file:
            lines = (line for line in bounded_lines(file, _LONGEST_LINE) if line is not None)
            rows = list(islice(csv.reader(lines), _MOST_ROWS + 1))
            return TextTable(rows[0], rows[1:]) if rows else _EMPTY
    except csv.Error as error:
        raise FormatError(f"it is no CSV: {error}") from error
