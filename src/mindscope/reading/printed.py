# SPDX-License-Identifier: Apache-2.0
"""Values that a training printed: in files of ``print_file_path``, and tensors in its logs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np

from mindscope.debug.formats.print_file import PrintedValue
from mindscope.debug.formats.printed_text import printed_tensors
from mindscope.debug.logs.find_logs import find_logs, find_logs_beside
from mindscope.debug.logs.message_index import open_index
from mindscope.debug.logs.print_index import PrintIndex
from mindscope.reading.debugging_data import entries_beside

_TENSOR = b"Tensor"
_PAGE = 1000


def printed_values(directory: Path) -> Iterator[tuple[Path, PrintedValue]]:
    """Yield the printed values of the run in a directory, and their files. Raises OSError if it can't be read.

    After the values of a file that is damaged or too long, a text says so.
    """
    paths = find_logs(directory) + (find_logs_beside(directory) if entries_beside(directory) else [])
    for path in paths:
        with suppress(OSError):
            for value in _values(path):
                yield path, value


def _values(path: Path) -> Iterator[PrintedValue]:
    index = open_index(path)
    problem = ""
    try:
        while index.read_more():
            pass
    except OSError as error:
        problem = str(error)
    for first in range(0, len(index), _PAGE):
        rows = np.arange(first, min(first + _PAGE, len(index)))
        if isinstance(index, PrintIndex):
            yield from map(index.value, rows.tolist())
        elif _TENSOR in index.texts(int(rows[0]), int(rows[-1]))[0]:
            for message in index.messages(rows):
                yield from printed_tensors(message.text)
    if problem and len(index):
        yield PrintedValue(problem)
