# SPDX-License-Identifier: Apache-2.0
"""The files of one iteration of a dump: tensors, ``statistic.csv``, ``mapping.csv``. Complete files are read-only."""

from __future__ import annotations

import csv
import json
import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, TextIO

import numpy as np
from numpy.typing import NDArray

from mindscope.debug.dump.file_names import (
    MAPPING,
    STATISTICS,
    TensorName,
    is_too_long,
    plain_name,
    random_file_name,
)
from mindscope.debug.dump.statistic_columns import columns

READ_ONLY = 0o400
_WRITABLE = 0o600


class IterationFiles:
    """Writes into the directory of one iteration. One thread uses it.

    A tensor is written under another name first, so that a killed training leaves no partial one.

    Args:
        directory: of the iteration; created with the first file.
        categories: of ``statistic.csv``.
    """

    def __init__(self, directory: Path, categories: Sequence[str]) -> None:
        self._directory, self._categories = directory, categories
        self._partial = directory / f".partial-{os.getpid()}"
        self._statistics: TextIO | None = None
        self._mapping: TextIO | None = None

    def write_tensor(self, name: TensorName, array: NDArray[Any]) -> int:
        """Write a file; returns its bytes. Raises OSError, and leaves nothing then."""
        file_name = name.file_name
        if is_too_long(file_name):
            original, file_name = file_name, random_file_name()
            self._mapping = self._mapping or _append(self._made() / MAPPING)
            self._mapping.write(f"{file_name},{original}\n")
        return self._write(file_name, partial(_write_array, array))

    def write_arguments(self, type: str, full_name: str, arguments: Mapping[str, str]) -> int:
        """Write the other arguments of an operator; returns the bytes of the file. Raises OSError."""
        file_name = f"{plain_name(type)}.{plain_name(full_name)}.json"
        if is_too_long(file_name):
            file_name = random_file_name().replace(".npy", ".json")
        content = json.dumps(arguments, indent=1).encode("utf-8", "replace")
        return self._write(file_name, partial(_write_bytes, content))

    def write_statistics(self, name: TensorName, size_bytes: int, shape: Sequence[int], cells: Sequence[str]) -> int:
        """Append a row; returns about its bytes. Raises OSError."""
        if self._statistics is None:
            file = self._made() / STATISTICS
            is_new = not file.exists()
            self._statistics = _append(file)
            if is_new:
                csv.writer(self._statistics, lineterminator="\n").writerow(columns(self._categories))
        shape_text = f"({','.join(map(str, shape))})"
        row = (name.type, _line(name.full_name), 0, 0, name.timestamp, name.role, name.slot, size_bytes, name.dtype,
               shape_text, *cells)  # fmt: skip
        csv.writer(self._statistics, lineterminator="\n").writerow(row)
        return sum(len(str(cell)) + 1 for cell in row)

    def close(self) -> None:
        """Close the tables. Raises OSError."""
        tables, self._statistics, self._mapping = (self._statistics, self._mapping), None, None
        for table in tables:
            if table is not None:
                with table:
                    os.fchmod(table.fileno(), READ_ONLY)

    def _write(self, file_name: str, write: Callable[[BinaryIO], object]) -> int:
        target = self._made() / file_name
        try:
            with self._partial.open("wb") as file:
                write(file)
            size = self._partial.stat().st_size
            self._partial.chmod(READ_ONLY)
            self._partial.replace(target)
        except BaseException:
            self._partial.unlink(missing_ok=True)
            raise
        return size

    def _made(self) -> Path:
        self._directory.mkdir(parents=True, exist_ok=True)
        return self._directory


def _append(file: Path) -> TextIO:
    """Return a table that an earlier training may have left read-only; each line is written at once."""
    if file.exists():
        file.chmod(_WRITABLE)
    return file.open("a", encoding="utf-8", newline="", buffering=1)


def _line(text: str) -> str:
    return " ".join(text.split()) if "\n" in text or "\r" in text else text


def _write_array(array: NDArray[Any], file: BinaryIO) -> None:
    np.lib.format.write_array(file, np.asarray(array, order="C"), allow_pickle=False)


def _write_bytes(content: bytes, file: BinaryIO) -> None:
    file.write(content)
