# SPDX-License-Identifier: Apache-2.0
"""The files of one rank in one step of a dump of msprobe."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
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
"""Of a file of one step: operators of some hundred bytes each take 4 kB in memory."""


def read_framework(directory: Path) -> str:
    """What ``dump.json`` says before its data; empty if it says nothing."""
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

    def rows(self) -> list[RecordedTensor]:
        """The tensors of the step. A file that was cut gives those before the cut."""
        operators = [
            (entry.key, cast("Mapping[str, Any]", entry.value))
            for name in ("dump.json", "debug.json")
            for entry in self._entries(name)
            if entry.section == _DATA and isinstance(entry.value, dict)
        ]
        names = {name: parse_operator(name) for name, _ in operators}
        parents = {entry.key: entry.value for entry in self._entries("construct.json") if isinstance(entry.value, str)}
        stacks = self._stacks()
        modules = {name: _module(name, parsed, parents) for name, parsed in names.items()}
        calls = _calls(names, modules)
        rows: list[RecordedTensor] = []
        for order, (name, entry) in enumerate(operators):
            parsed = names[name]
            stack = stacks.get(name) or stacks.get(re.sub(r"\.backward\b", ".forward", name), ())
            plain_values = {} if parsed.is_gradient else plain_values_of(entry)
            for each in tensors_of(entry, parsed.is_gradient):
                array = self._array(each)
                tensor = DebugTensor(
                    modules[name], parsed.type, parsed.phase, each.role, each.slot, calls[name],
                    each.dtype, each.shape, name, stack,
                )  # fmt: skip
                attributes = TensorAttributes(each.requires_grad, each.checksum, plain_values)
                rows.append(RecordedTensor(tensor, order, array, each.values, each.digest, attributes))
        return rows

    def _array(self, tensor: ProbedTensor) -> StoredArray | None:
        path = self._directory / _TENSORS / tensor.file
        reader = _READERS.get(path.suffix)
        return self._problems.read(path, reader) if tensor.file and reader else None

    def _stacks(self) -> dict[str, tuple[str, ...]]:
        found: dict[str, tuple[str, ...]] = {}
        for entry in self._entries("stack.json"):
            pair = cast("list[Any]", entry.value)
            if not isinstance(entry.value, list) or len(pair) != 2 or not all(isinstance(each, list) for each in pair):
                continue
            frames = tuple(_frame(str(each)) for each in pair[1])
            found.update({str(name): frames for name in pair[0]})
        return found

    def _entries(self, name: str) -> Iterator[JsonEntry]:
        path = self._directory / name
        if not path.exists():
            return
        read: list[JsonEntry] = []

        def collect(path: Path) -> None:
            for entry in json_entries(path, _DATA):
                if len(read) == MOST_ENTRIES:
                    self._problems.note(path, Reason("debug_entries_left", file=name, most=MOST_ENTRIES))
                    return
                read.append(entry)

        self._problems.read(path, collect)
        yield from read


def _frame(text: str) -> str:
    match = _FRAME.fullmatch(text.strip())
    if match is None:
        return " ".join(text.split())
    return f"{match['path']}:{match['line']} {match['function'].strip()}: {' '.join(match['source'].split())}"


def _module(name: str, parsed: OperatorName, parents: Mapping[str, str]) -> str:
    """Of an operator, the path of the nearest module around it."""
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
