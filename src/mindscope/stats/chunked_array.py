# SPDX-License-Identifier: Apache-2.0
"""A column in several arrays: sealed chunks of a file, and newer rows in memory."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.stats._values import Values

Rows = NDArray[np.int64]


class ChunkedArray:
    """Immutable sequence of arrays of one type, in order and not copied, as one column.

    ``parts`` are those of them that aren't empty, or one that is; ``starts`` counts the rows before each, and at last
    all rows. Most columns have one part and are used once, so none of their calls needs NumPy for that.
    """

    __slots__ = ("parts", "starts")

    def __init__(self, parts: Iterable[NDArray[Any]]) -> None:
        given = tuple(parts)
        self.parts = tuple(part for part in given if part.size) or given[:1]
        self.starts = (0, *accumulate(part.size for part in self.parts))

    @property
    def size(self) -> int:
        """Number of rows."""
        return self.starts[-1]

    @property
    def dtype(self) -> np.dtype[Any]:
        return self.parts[0].dtype

    def at(self, row: int) -> Any:
        """Return the number in a row, which must not be negative."""
        part = bisect_right(self.starts, row) - 1
        return self.parts[part][row - self.starts[part]]

    def pieces(self, start: int, stop: int) -> Iterator[tuple[int, NDArray[Any]]]:
        """Yield the rows ``start`` to ``stop`` in the fewest arrays, each with the row that it begins with."""
        for first, part in zip(self.starts, self.parts, strict=False):
            low, high = max(start - first, 0), min(stop - first, part.size)
            if low < high:
                yield first + low, part[low:high]

    def take(self, rows: Rows | slice) -> NDArray[Any]:
        """Return a copy of some rows; a view if they are adjacent. A slice has a start, a stop and no step."""
        if isinstance(rows, slice):
            pieces = [piece for _, piece in self.pieces(rows.start, rows.stop)]
            return pieces[0] if len(pieces) == 1 else np.concatenate([np.empty(0, self.dtype), *pieces])
        if len(self.parts) == 1:
            return self.parts[0][rows]
        taken = np.empty(rows.size, self.dtype)
        part_of = np.searchsorted(self.starts, rows, "right") - 1
        for number, part in enumerate(self.parts):
            chosen = np.flatnonzero(part_of == number)
            taken[chosen] = part[rows[chosen] - self.starts[number]]
        return taken

    def joined(self) -> NDArray[Any]:
        """Return all rows in one array: a copy, unless they are in one already."""
        return self.parts[0] if len(self.parts) == 1 else np.concatenate(self.parts)

    def values(self) -> Values:
        """Return the column, float32 or float64, as the compiled loops take it."""
        return Values(self.parts)
