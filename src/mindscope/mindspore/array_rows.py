# SPDX-License-Identifier: Apache-2.0
"""Rows of data as MindSpore's ``GeneratorDataset`` can take them with NumPy 2."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import numpy as np

Row = tuple[np.ndarray[Any, Any], ...]


class ArrayRows:
    """A source for ``GeneratorDataset`` whose columns are arrays, also where they are single numbers.

    MindSpore 2.7 to 2.10 ask NumPy for an array without a copy, which NumPy 2 refuses for numbers: neither
    ``NumpySlicesDataset`` nor a source that gives plain labels works there. Write
    ``GeneratorDataset(ArrayRows((pixels, labels)), ["data", "label"])``.

    Args:
        source: columns as a tuple or dict of arrays, as ``NumpySlicesDataset`` takes them, one array, or a source of
            rows with ``len`` and ``[]``.

    Raises:
        TypeError: it is none of these.
        ValueError: columns of different lengths.
    """

    def __init__(self, source: Any) -> None:
        columns = _columns(source)
        lengths = sorted({len(column) for column in columns}) if columns else [_length(source)]
        if len(lengths) > 1:
            raise ValueError(f"columns have {lengths} rows, want the same number in each")
        self._columns, self._source, self._count = columns, source, lengths[0]

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, index: int) -> Row:
        if self._columns:
            return tuple(np.asarray(column[index]) for column in self._columns)
        row: Any = self._source[index]
        return tuple(np.asarray(each) for each in (cast("list[Any]", row) if isinstance(row, (tuple, list)) else [row]))


def _columns(source: Any) -> list[Any]:
    """Return the columns, none where the source gives rows."""
    if isinstance(source, Mapping):
        return list(cast("Mapping[str, Any]", source).values())
    if isinstance(source, tuple):
        return list(cast("tuple[Any, ...]", source))
    return [source] if isinstance(source, np.ndarray) else []


def _length(source: Any) -> int:
    if not hasattr(source, "__getitem__") or not hasattr(source, "__len__"):
        raise TypeError(f"source is {type(source).__name__}, want columns, an array, or rows by len() and []")
    return len(source)
