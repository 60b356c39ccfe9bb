# SPDX-License-Identifier: Apache-2.0
"""Names of the files that MindSpore's operator ``TensorDump`` writes.

2.3 writes ``{number}_{file}.npy``; later versions write ``{file}[_in]_{dtype}_{number}.npy``. The numbers rise with
each call.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

_DTYPES = r"bool|bfloat16|float(?:16|32|64)|u?int(?:1|4|8|16|32|64)|complex(?:64|128)"
_LATER = re.compile(rf"(?P<name>.+?)(?P<input>_in)?_(?P<dtype>{_DTYPES})_(?P<number>\d{{1,18}})\.npy", re.ASCII)
_FIRST = re.compile(r"(?P<number>\d{1,18})_(?P<name>.+)\.npy", re.ASCII)


class TensorDumpName(NamedTuple):
    """The parts of the name of a file."""

    file: str
    name: str
    number: int
    is_input: bool
    dtype: str
    """Name of the dtype; empty in names of MindSpore 2.3."""


def tensor_dump_names(files: Iterable[str]) -> list[TensorDumpName]:
    """Return all npy files of a directory, if all have names of one form; else none. Numbers of 2.3 have no gaps."""
    arrays = sorted(name for name in files if name.endswith(".npy"))
    later = [match for name in arrays if (match := _LATER.fullmatch(name))]
    if len(later) == len(arrays):
        return [
            TensorDumpName(each[0], each["name"], int(each["number"]), bool(each["input"]), each["dtype"])
            for each in later
        ]
    first = [match for name in arrays if (match := _FIRST.fullmatch(name))]
    numbers = sorted(int(match["number"]) for match in first)
    if len(first) != len(arrays) or numbers != list(range(numbers[0], numbers[0] + len(numbers))):
        return []
    return [TensorDumpName(each[0], each["name"], int(each["number"]), False, "") for each in first]
