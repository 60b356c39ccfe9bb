# SPDX-License-Identifier: Apache-2.0
"""Files of MindSpore's operator ``TensorDump``.

2.3 writes ``{number}_{file}.npy``; later versions write ``{file}[_in]_{dtype}_{number}.npy``. The numbers rise with
each call, so the n-th file of a name is that of step n.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from mindscope.debug.formats.debug_format import DebugFormat
from mindscope.debug.formats.elements import element_type
from mindscope.debug.formats.problems import Problems
from mindscope.debug.formats.recorded_steps import RecordedSteps, RecordedTensor, StepReader
from mindscope.debug.formats.stored_array import read_npy
from mindscope.debug.model.tensors import DebugTensor, Phase, Role
from mindscope.errors import FormatError

_LATER = re.compile(r"(?P<name>.+?)(?P<input>_in)?_(?P<dtype>[a-z]+\d*)_(?P<number>\d+)\.npy", re.ASCII)
_FIRST = re.compile(r"(?P<number>\d+)_(?P<name>.+)\.npy", re.ASCII)
_OPERATOR = "TensorDump"
_RANK = re.compile(r"rank_?(\d{1,9})", re.ASCII)


class _File(NamedTuple):
    path: Path
    name: str
    number: int
    role: Role
    dtype: str


def is_tensor_dump(directory: Path) -> bool:
    """Whether all npy files of a directory have such names. Raises OSError."""
    return directory.is_dir() and bool(_files(directory))


def read_tensor_dump(directory: Path) -> RecordedSteps:
    """The tensors by name. Raises FormatError, OSError."""
    files = _files(directory)
    if not files:
        raise FormatError(f"{directory} holds no files of TensorDump")
    problems = Problems()
    by_name: dict[tuple[str, Role], list[_File]] = defaultdict(list)
    for file in files:
        by_name[file.name, file.role].append(file)
    steps: dict[int, list[_File]] = defaultdict(list)
    for same in by_name.values():
        for step, file in enumerate(sorted(same, key=lambda file: file.number)):
            steps[step].append(file)
    rank = _RANK.fullmatch(directory.name)
    readers: dict[tuple[int, int], StepReader] = {
        (int(rank[1]) if rank else 0, step): partial(_rows, sorted(found, key=lambda file: file.number), problems)
        for step, found in steps.items()
    }
    return RecordedSteps(TENSOR_DUMP.name, "mindspore", readers, problems)


def _rows(files: Sequence[_File], problems: Problems) -> list[RecordedTensor]:
    rows: list[RecordedTensor] = []
    for order, file in enumerate(files):
        array = problems.read(file.path, partial(read_npy, dtype=file.dtype))
        dtype = file.dtype or (array.element.name if array else "")
        shape = array.tensor_shape if array else None
        tensor = DebugTensor("", _OPERATOR, Phase.FORWARD, file.role, "0", 0, dtype, shape, file.name)
        rows.append(RecordedTensor(tensor, order, array))
    return rows


def _files(directory: Path) -> list[_File]:
    """All npy files if all of them have names of one form; else none."""
    paths = sorted(each for each in directory.iterdir() if each.suffix == ".npy" and each.is_file())
    later = [match for path in paths if (match := _LATER.fullmatch(path.name)) and element_type(match["dtype"])]
    if len(later) == len(paths):
        return [
            _File(
                path, match["name"], int(match["number"]), Role.INPUT if match["input"] else Role.OUTPUT, match["dtype"]
            )
            for path, match in zip(paths, later, strict=True)
        ]
    first = [match for path in paths if (match := _FIRST.fullmatch(path.name))]
    numbers = sorted(int(match["number"]) for match in first)
    if len(first) != len(paths) or numbers != list(range(numbers[0], numbers[0] + len(numbers))):
        return []
    return [
        _File(path, match["name"], int(match["number"]), Role.OUTPUT, "")
        for path, match in zip(paths, first, strict=True)
    ]


TENSOR_DUMP = DebugFormat("tensor_dump", "files of MindSpore's TensorDump", is_tensor_dump, read_tensor_dump)
