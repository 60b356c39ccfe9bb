# SPDX-License-Identifier: Apache-2.0
"""Reads the metadata of an embedding: a file of lines with tabs, with names of columns only where it has several."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from mindscope.artifacts.open_below import open_below
from mindscope.errors import FormatError
from mindscope.reasons import Reason

ONLY_COLUMN = "label"
"""Name of the column of a file without names."""
_MOST_BYTES = 128 << 20
_MOST_COLUMNS = 100
_MOST_TEXT = 1000


@dataclass(frozen=True, slots=True, eq=False)
class MetadataColumn:
    """One column: ``codes`` are indices into ``texts``, the distinct values in the order of their occurrence.

    ``numbers`` are the values where each that is not empty is a number, else None.
    """

    name: str
    texts: list[str]
    codes: NDArray[np.uint32]
    numbers: NDArray[np.float64] | None


def read_metadata(run: Path, path: str, rows: NDArray[np.int64]) -> tuple[list[MetadataColumn], int]:
    """Return the columns for some rows, and how many rows the file has. Missing values are empty.

    Raises FormatError for a file of more than 128 MB, OSError.
    """
    with os.fdopen(open_below(run, path), "rb") as file:
        size = os.fstat(file.fileno()).st_size
        if size > _MOST_BYTES:
            raise FormatError(Reason("embedding_metadata_large", file=path, bytes=size, most=_MOST_BYTES))
        lines = file.read(_MOST_BYTES).decode("utf-8", "replace").split("\n")
    if lines and not lines[-1]:
        lines.pop()
    if not lines:
        return [], 0
    lines = [line.removesuffix("\r") for line in lines]
    first = lines[0].split("\t")
    names = first if len(first) > 1 else [ONLY_COLUMN]
    offset = 1 if len(first) > 1 else 0
    cells = _cells_of(lines, rows, offset)
    columns = [_column(name, cells, index) for index, name in enumerate(_distinct(names[:_MOST_COLUMNS]))]
    return columns, len(lines) - offset


def _cells_of(lines: list[str], rows: NDArray[np.int64], offset: int) -> Callable[[int], list[str]]:
    numbers: list[int] = (rows + offset).tolist()
    split = [lines[number].split("\t") if number < len(lines) else [""] for number in numbers]
    return lambda column: [cells[column][:_MOST_TEXT] if column < len(cells) else "" for cells in split]


def _distinct(names: list[str]) -> list[str]:
    """Return names that differ: a further ``a`` is ``a (2)``."""
    counts: dict[str, int] = {}
    distinct: list[str] = []
    for name in names:
        counts[name] = counts.get(name, 0) + 1
        distinct.append(name if counts[name] == 1 else f"{name} ({counts[name]})")
    return distinct


def _column(name: str, cells: Callable[[int], list[str]], index: int) -> MetadataColumn:
    known: dict[str, int] = {}
    codes = np.fromiter((known.setdefault(text, len(known)) for text in cells(index)), np.uint32)
    texts = list(known)
    numbers = _numbers(texts)
    return MetadataColumn(name, texts, codes, None if numbers is None else numbers[codes])


def _numbers(texts: list[str]) -> NDArray[np.float64] | None:
    try:
        numbers = [float(text) if text.strip() else np.nan for text in texts]
    except ValueError:
        return None
    return np.array(numbers) if any(text.strip() for text in texts) else None
