# SPDX-License-Identifier: Apache-2.0
"""The files of one rank in one step of a dump of msprobe."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from mindscope.debug.formats.json_entries import JsonEntry, json_entries
from mindscope.debug.formats.msprobe.names import OperatorName, parse_operator
from mindscope.debug.formats.msprobe.values import ProbedTensor, plain_values_of, tensors_of
from mindscope.debug.formats.problems import Problems
from mindscope.debug.formats.recorded_steps import RecordedTensor
from mindscope.debug.formats.stored_array import StoredArray, read_npy
from mindscope.debug.formats.torch_file import read_torch_file
from mindscope.debug.model.attributes import TensorAttributes
from mindscope.debug.model.tensors import DebugTensor, Phase
from mindscope.errors import FormatError
from mindscope.reasons import Reason

_DATA = "data"
_TENSORS = "dump_tensor_data"
_FRAME = re.compile(r"\s*File (?P<path>.+?), line (?P<line>\d+), in (?P<function>[^,\n]+),?\s*(?P<source>.*)", re.S)
_FRAMEWORKS = {"pytorch": "torch", "mindspore": "mindspore"}
_READERS: Mapping[str, Callable[[Path], StoredArray]] = {".npy": read_npy, ".pt": read_torch_file}
_MOST_PARENTS = 64
MOST_ENTRIES = 200_000
"""Largest number of entries of a file of one step."""
MOST_TENSORS = 600_000
"""Largest number of tensors of one step; they take 0.6 GB in memory."""
_MOST_FRAMES, _LONGEST_FRAME = 256, 1000
"""Largest number of frames of a stack, and of characters of a frame."""


def read_framework(directory: Path) -> str:
    """Read the framework that ``dump.json`` names before its data; empty if it names none."""
    try:
        for entry in json_entries(directory / "dump.json", _DATA):
            if entry.section:
                break
            if entry.key == "framework":
                return _FRAMEWORKS.get(str(entry.value), "")
    except (FormatError, OSError):
        pass
    return ""


class StepFiles:
    """Reads the operators in the order of ``dump.json``, which is that of the execution."""

    def __init__(self, directory: Path, problems: Problems) -> None:
        self._directory, self._problems = directory, problems

    def rows(self) -> Iterator[RecordedTensor]:
        """The tensors of the step, one after the other. A file that was cut gives those before the cut.

        The file is read twice, since the names of all operators say which call of its module one is; one entry at a
        time is in memory.
        """
        names = {name: parse_operator(name) for name, _ in self._operators()}
        modules = self._modules(names)
        calls = _calls(names, modules)
        stacks = self._stacks(names)
        rows = 0
        for order, (name, entry) in enumerate(self._operators()):
            parsed = names.get(name)
            if parsed is None:
                break  # it was written in the meantime
            plain_values = {} if parsed.is_gradient else plain_values_of(entry)
            for each in tensors_of(entry, parsed.is_gradient):
                tensor = DebugTensor(
                    modules[name], parsed.type, parsed.phase, each.role, each.slot, calls[name],
                    each.dtype, each.shape, name, stacks.get(name, ()),
                )  # fmt: skip
                attributes = TensorAttributes(each.requires_grad, each.checksum, plain_values)
                yield RecordedTensor(tensor, order, self._array(each), each.values, each.digest, attributes)
                rows += 1
            if rows >= MOST_TENSORS:
                self._note_left("dump.json", order + 1)
                return

    def _operators(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        for name in ("dump.json", "debug.json"):
            for entry in self._entries(name):
                if entry.section == _DATA and isinstance(entry.value, dict):
                    yield entry.key, cast("Mapping[str, Any]", entry.value)

    def _modules(self, names: Mapping[str, OperatorName]) -> dict[str, str]:
        parents = {entry.key: entry.value for entry in self._entries("construct.json") if isinstance(entry.value, str)}
        return {name: _module(name, parsed, parents) for name, parsed in names.items()}

    def _array(self, tensor: ProbedTensor) -> StoredArray | None:
        if not tensor.file:
            return None
        path = self._directory / _TENSORS / tensor.file
        reader = _READERS.get(path.suffix)
        return self._problems.read(path, reader) if reader else None

    def _stacks(self, names: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """Of the operators that have one; a backward pass has that of its forward pass."""
        found: dict[str, tuple[str, ...]] = {}
        forward = {name: re.sub(r"\.backward\b", ".forward", name) for name in names}
        wanted = {*forward, *forward.values()}
        for entry in self._entries("stack.json"):
            pair = cast("list[Any]", entry.value)
            if not isinstance(entry.value, list) or len(pair) != 2 or not all(isinstance(each, list) for each in pair):
                continue
            frames = tuple(_frame(str(each)[:_LONGEST_FRAME]) for each in pair[1][:_MOST_FRAMES])
            found.update({name: frames for each in pair[0] if (name := str(each)) in wanted})
        return {name: found.get(name) or found.get(forward[name], ()) for name in forward}

    def _entries(self, name: str) -> Iterator[JsonEntry]:
        path = self._directory / name
        if not path.exists():
            return
        with self._problems.noted(path):
            for row, entry in enumerate(json_entries(path, _DATA)):
                if row == MOST_ENTRIES:
                    self._note_left(name, row)
                    return
                yield entry

    def _note_left(self, name: str, most: int) -> None:
        self._problems.note(self._directory / name, Reason("debug_entries_left", file=name, most=most))


def _frame(text: str) -> str:
    match = _FRAME.fullmatch(text.strip())
    if match is None:
        return " ".join(text.split())
    return f"{match['path']}:{match['line']} {match['function'].strip()}: {' '.join(match['source'].split())}"


def _module(name: str, parsed: OperatorName, parents: Mapping[str, str]) -> str:
    """Return the path of the nearest module around an operator."""
    for _ in range(_MOST_PARENTS):
        if parsed.is_module:
            return parsed.module
        if name not in parents:
            break
        name = parents[name]
        parsed = parse_operator(name)
    return ""


def _calls(names: Mapping[str, OperatorName], modules: Mapping[str, str]) -> dict[str, int]:
    """The number in a name counts calls of a module; of an operator it counts all calls in the network."""
    found: dict[str, int] = {}
    alike: dict[tuple[str, str, Phase], list[tuple[int, str]]] = defaultdict(list)
    for name, parsed in names.items():
        if parsed.is_module:
            found[name] = parsed.call
        else:
            alike[modules[name], parsed.type, parsed.phase].append((parsed.call, name))
    for same in alike.values():
        found.update({name: place for place, (_, name) in enumerate(sorted(same))})
    return found
