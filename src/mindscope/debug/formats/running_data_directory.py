# SPDX-License-Identifier: Apache-2.0
"""Reads a directory that a running data recorder wrote: mindscope's, or that of MindSpore r1.2 to r2.5.

Every file may be missing, of another form, or cut; what there is counts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, cast

from mindscope.artifacts.problems import Problems
from mindscope.debug.formats.problems import debug_problems
from mindscope.debug.formats.running_data_files import (
    ExecutedNode,
    MemoryAddress,
    read_execution_order,
    read_memory_addresses,
    running_data_files,
)
from mindscope.errors import FormatError
from mindscope.formats.text_lines import csv_rows
from mindscope.reasons import Reason

_T = TypeVar("_T")

MOST_ROWS = 10_000
_MOST_CELLS = 1 << 22
"""Characters and cells of a table."""
_LONGEST_LINE = 1 << 16
_MOST_TEXT = 1 << 20
_OWN = frozenset(("culprit.json", "exception.txt", "exec_order.csv"))
_OF_MINDSPORE = re.compile(r"[A-Z_]{2,}\.\w+(\.\d{1,9})?\.\d{14}\.(ir|pb|txt|json|csv)", re.ASCII)
_NAME = re.compile(r"(?:[A-Z_]+\.)?(?P<name>\w+?)(?:\.(?P<time>\d{14}))?\.(?:json|txt|csv)", re.ASCII)
_RANK = re.compile(r"rank_(\d{1,9})", re.ASCII)


class TextTable(NamedTuple):
    """A CSV file; rows may be shorter than ``columns``."""

    columns: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    is_cut: bool = False
    """Whether the file has more rows."""


_EMPTY = TextTable()


class RecordedFile(NamedTuple):
    """A file of the directory."""

    name: str
    size_bytes: int


@dataclass(slots=True)
class RunningData:
    """The last data of a training; what there is no file of is empty.

    A file is read on each access, since the ranks of a training may be thousands.
    """

    path: Path
    rank: int | None
    """Number of the rank; None if the path does not name it."""
    files: list[RecordedFile] = field(default_factory=list[RecordedFile])
    problems: Problems = field(default_factory=debug_problems)
    """What can't be read, or is left out, of the files that were read until now."""

    @property
    def culprit(self) -> dict[str, Any]:
        """``error``, ``phase``, ``module``, ``type``, ``call``, ``lines``, ``first_not_finite``, as far as known."""
        return self._newest("culprit.json", _object) or {}

    @property
    def state(self) -> dict[str, Any]:
        """Step, settings, versions."""
        return self._newest("state.json", _object) or {}

    @property
    def memory(self) -> dict[str, Any]:
        """Memory at the end."""
        return self._newest("memory.json", _object) or {}

    @property
    def exception(self) -> str:
        """The traceback."""
        return self._newest("exception.txt", _text) or ""

    @property
    def stacks(self) -> str:
        """Calls of each thread."""
        return self._newest("stacks.txt", _text) or ""

    @property
    def order(self) -> TextTable:
        """Modules in the order of execution of the last step."""
        return self._table("exec_order.csv")

    @property
    def statistics(self) -> TextTable:
        """Statistics of the last tensors."""
        return self._table("statistics.csv")

    @property
    def memory_history(self) -> TextTable:
        """Memory at the last steps."""
        return self._table("memory_history.csv")

    @property
    def nodes(self) -> list[ExecutedNode]:
        """Orders of execution that MindSpore recorded."""
        files = [file.path for file in running_data_files(self.path)
                 if file.name.startswith("graph_exec_order") and file.kind == "txt"]  # fmt: skip
        return self._rows(files, read_execution_order)

    @property
    def addresses(self) -> list[MemoryAddress]:
        """Memory of operators that MindSpore recorded."""
        files = [file.path for file in running_data_files(self.path) if file.name.startswith("mem_address_list")]
        return self._rows(files, read_memory_addresses)

    @property
    def error(self) -> str:
        """The error that the training failed with, in a line; empty if it did not, or it is unknown."""
        known = self.culprit.get("error")
        lines = [] if known else self.exception.strip().splitlines()
        return str(known) if known else (lines[-1] if lines else "")

    def _newest(self, name: str, read: Callable[[Path], _T]) -> _T | None:
        path = _newest_files([self.path / file.name for file in self.files]).get(name)
        return None if path is None else self.problems.read(path, read)

    def _table(self, name: str) -> TextTable:
        table = self._newest(name, _table) or _EMPTY
        if table.is_cut:
            self._note_left(name, len(table.rows))
        return table

    def _rows(self, files: Sequence[Path], read: Callable[[Path, Problems], Iterator[_T]]) -> list[_T]:
        """Return the first rows of all files together."""
        rows: list[_T] = []
        for path in files:
            rows += islice(read(path, self.problems), MOST_ROWS + 1 - len(rows))
            if len(rows) > MOST_ROWS:
                self._note_left(path.name, MOST_ROWS)
                break
        return rows[:MOST_ROWS]

    def _note_left(self, file: str, most: int) -> None:
        self.problems.note(self.path / file, Reason("debug_entries_left", file=file, most=most))


def holds_running_data(names: Collection[str]) -> bool:
    """Whether a directory with these names is one."""
    return not _OWN.isdisjoint(names) or any(_OF_MINDSPORE.fullmatch(name) for name in names)


def read_running_data(directory: Path) -> RunningData:
    """Return the data of a directory. Raises OSError if it can't be listed; ``problems`` has what can't be read."""
    ranks = [int(match[1]) for part in directory.parts if (match := _RANK.fullmatch(part))]
    running_data = RunningData(directory, ranks[-1] if ranks else None)
    files = sorted(entry for entry in directory.iterdir() if entry.is_file())
    running_data.files = [RecordedFile(file.name, file.stat().st_size) for file in files]
    _ = (
        running_data.culprit,
        running_data.state,
        running_data.memory,
        running_data.exception,
        running_data.stacks,
    )  # now, for their problems
    return running_data


def _newest_files(files: Sequence[Path]) -> dict[str, Path]:
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
    """Return the header and the first rows, as far as there is room for their cells."""
    rows: list[list[str]] = []
    left, is_cut = _MOST_CELLS, False
    with path.open(encoding="utf-8", errors="replace", newline="") as file:
        for row in csv_rows(file, _LONGEST_LINE):
            if row is None:
                continue
            left -= len(row) + sum(map(len, row))
            is_cut = left < 0 or len(rows) > MOST_ROWS
            if is_cut:
                break
            rows.append(row)
    return TextTable(rows[0], rows[1:], is_cut) if rows else _EMPTY
