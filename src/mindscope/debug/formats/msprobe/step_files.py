# SPDX-License-Identifier: Apache-2.0
"""The files of one rank in one step of a dump of msprobe."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from mindscope.artifacts.problems import Problems
from mindscope.debug.formats.json_entries import JsonEntry, json_entries
from mindscope.debug.formats.msprobe.names import OperatorName, parse_operator
from mindscope.debug.formats.msprobe.stacks import Stacks
from mindscope.debug.formats.msprobe.values import ProbedTensor, plain_values_of, tensors_of
from mindscope.debug.formats.recorded_steps import RecordedTensor
from mindscope.debug.formats.stored_array import StoredArray, read_npy
from mindscope.debug.formats.torch_file import read_torch_file
from mindscope.debug.model.attributes import TensorAttributes
from mindscope.debug.model.tensors import DebugTensor, Phase
from mindscope.errors import FormatError
from mindscope.reasons import Reason

_DATA = "data"
_TENSORS = "dump_tensor_data"
_FRAMEWORKS = {"pytorch": "torch", "mindspore": "mindspore"}
_READERS: Mapping[str, Callable[[Path], StoredArray]] = {".npy": read_npy, ".pt": read_torch_file}
_MOST_PARENTS = 64
MOST_ENTRIES = 200_000
"""Largest number of entries of a file of one step."""
MOST_TENSORS = 600_000
"""Largest number of tensors of one step; they take 0.6 GB in memory."""
MOST_NAME_CHARACTERS = 1 << 25
"""Largest number of characters of the names in a file of one step; several parts of each stay in memory."""
MOST_CHARACTERS = 1 << 26
"""The same of the texts of a step's tensors, and of its stacks."""


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
        """Yield the tensors of the step, one after the other. A file that was cut gives those before the cut.

        The file is read twice, since the names of all operators say which call of its module one is; one entry at a
        time is in memory.
        """
        names = {name: parse_operator(name) for name, _ in self._operators()}
        modules = self._modules(names)
        calls = _calls(names, modules)
        stacks = self._stacks(names)
        rows, characters = 0, 0
        for order, (name, entry) in enumerate(self._operators()):
            parsed = names.get(name)
            if parsed is None:
                break  # it was written in the meantime
            plain_values = {} if parsed.is_gradient else plain_values_of(entry)
            characters += sum(len(slot) + len(text) for slot, text in plain_values.items())
            for each in tensors_of(entry, parsed.is_gradient):
                tensor = DebugTensor(
                    modules[name], parsed.type, parsed.phase, each.role, each.slot, calls[name],
                    each.dtype, each.shape, name, stacks.get(name, ()),
                )  # fmt: skip
                attributes = TensorAttributes(each.requires_grad, each.checksum, plain_values)
                yield RecordedTensor(tensor, order, self._array(each), each.values, each.digest, attributes)
                rows += 1
                characters += each.characters
            if rows >= MOST_TENSORS or characters >= MOST_CHARACTERS:
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
        """Return the stacks of operators that have one; a backward pass has that of its forward pass."""
        forward = {name: re.sub(r"\.backward\b", ".forward", name) for name in names}
        stacks = Stacks({*forward, *forward.values()}, MOST_CHARACTERS)
        for row, entry in enumerate(self._entries("stack.json")):
            if not stacks.add(entry.value):
                self._note_left("stack.json", row)
                break
        return {name: stacks.of(name) or stacks.of(forward[name]) for name in forward}

    def _entries(self, name: str) -> Iterator[JsonEntry]:
        path = self._directory / name
        if not path.exists():
            return
        with self._problems.noted(path):
            characters = 0
            for row, entry in enumerate(json_entries(path, _DATA)):
                characters += len(entry.key) + (len(entry.value) if isinstance(entry.value, str) else 0)
                if row == MOST_ENTRIES or characters > MOST_NAME_CHARACTERS:
                    self._note_left(name, row)
                    return
                yield entry

    def _note_left(self, name: str, most: int) -> None:
        self._problems.note(self._directory / name, Reason("debug_entries_left", file=name, most=most))


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
        found.update({name: call for call, (_, name) in enumerate(sorted(same))})
    return found
