# SPDX-License-Identifier: Apache-2.0
"""Files of MindSpore's operator ``TensorDump``: the n-th file of a name is that of step n."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from mindscope.artifacts.format import Format, Progress
from mindscope.artifacts.problems import Problems
from mindscope.debug.formats.problems import debug_problems
from mindscope.debug.formats.recorded_steps import RecordedSteps, RecordedTensor, StepReader
from mindscope.debug.formats.stored_array import read_npy
from mindscope.debug.model.tensors import DebugTensor, Phase, Role
from mindscope.errors import FormatError
from mindscope.formats.tensor_dump_names import TensorDumpName, tensor_dump_names
from mindscope.store.file_facts import readable

_OPERATOR = "TensorDump"
_RANK = re.compile(r"rank_?(\d{1,9})", re.ASCII)


def is_tensor_dump(directory: Path) -> bool:
    """Return whether all npy files of a directory have such names. Raises OSError."""
    return directory.is_dir() and bool(_files(directory))


def read_tensor_dump(directory: Path, on_progress: Progress) -> RecordedSteps:
    """Return the tensors by name. Raises FormatError, OSError."""
    files = _files(directory)
    if not files:
        raise FormatError(f"{directory} holds no files of TensorDump")
    problems = debug_problems()
    by_name: dict[tuple[str, Role], list[TensorDumpName]] = defaultdict(list)
    for file in files:
        by_name[file.name, _role(file)].append(file)
    steps: dict[int, list[TensorDumpName]] = defaultdict(list)
    for same in by_name.values():
        for step, file in enumerate(sorted(same, key=lambda file: file.number)):
            steps[step].append(file)
    rank = _RANK.fullmatch(directory.name)
    number = int(rank[1]) if rank else 0
    readers: dict[tuple[int, int], StepReader] = {
        (number, step): partial(_rows, directory, sorted(found, key=lambda file: file.number), problems)
        for step, found in steps.items()
    }
    return RecordedSteps(TENSOR_DUMP.name, "mindspore", readers, problems)


def _rows(directory: Path, files: Sequence[TensorDumpName], problems: Problems) -> list[RecordedTensor]:
    rows: list[RecordedTensor] = []
    for order, file in enumerate(files):
        array = problems.read(directory / file.file, partial(read_npy, dtype=file.dtype))
        dtype = file.dtype or (array.element.name if array else "")
        shape = array.tensor_shape if array else None
        tensor = DebugTensor("", _OPERATOR, Phase.FORWARD, _role(file), "0", 0, dtype, shape, readable(file.name))
        rows.append(RecordedTensor(tensor, order, array))
    return rows


def _role(file: TensorDumpName) -> Role:
    return Role.INPUT if file.is_input else Role.OUTPUT


def _files(directory: Path) -> list[TensorDumpName]:
    return tensor_dump_names(entry.name for entry in directory.iterdir() if entry.suffix == ".npy" and entry.is_file())


TENSOR_DUMP = Format("tensor_dump", "files of MindSpore's TensorDump", is_tensor_dump, read_tensor_dump)
