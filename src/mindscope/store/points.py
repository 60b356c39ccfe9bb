# SPDX-License-Identifier: Apache-2.0
"""Points of one series in growing columns, and the rows of them that are drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from mindscope.store.columns import GrowingColumns
from mindscope.store.restart import visible_rows, written_order

Columns = dict[str, NDArray[Any]]


class FileRanks:
    """Age of the files of a run: ``ranks[ordinal]`` is a file's place among all, the oldest 0.

    An ordinal is given at first sight and never changes. A later file shifts ranks but keeps the order of the others,
    so that nothing derived from the order of two files has to be computed again.
    """

    def __init__(self) -> None:
        self.ranks: NDArray[np.int64] = np.zeros(0, np.int64)

    def order(self, ordinals_by_age: Sequence[int]) -> None:
        """Set all ranks; ``ordinals_by_age`` names every ordinal once."""
        ranks = np.empty(len(ordinals_by_age), np.int64)
        ranks[np.asarray(ordinals_by_age, np.intp)] = np.arange(len(ordinals_by_age))
        self.ranks = ranks


class Points:
    """Rows of (step, wall_time, file, ...), appended file by file. The owner's lock guards every call."""

    def __init__(self, ranks: FileRanks, dtypes: Mapping[str, DTypeLike]) -> None:
        self._ranks = ranks
        self._columns = GrowingColumns({"step": np.int64, "wall_time": np.float64, "file": np.int32, **dtypes})
        self._names = ("step", "wall_time", "file", *dtypes)
        self._is_plain = True  # steps only rise and files only get newer: every row is drawn, in the order of arrival
        self._last_file: int | None = None  # of the row that arrived last, None before the first
        self._last_step = 0
        self._visible: Columns = {}  # as of _visible_count rows; unused while the series is plain
        self._visible_count = -1

    def __len__(self) -> int:
        return len(self._columns)

    def extend(self, file: int, rows: Mapping[str, NDArray[Any]]) -> None:
        """Append rows of a file in their order. Costs little for few rows: a run may have 20,000 series."""
        step = rows["step"]
        if step.size == 0:
            return
        self._columns.extend({**rows, "file": file}, step.size)
        if self._is_plain:
            self._is_plain = self._follows(file, int(step[0])) and (step.size == 1 or _rises(step))
        self._last_file, self._last_step = file, int(step[-1])

    def _follows(self, file: int, step: int) -> bool:
        if self._last_file is None:
            return True
        ranks = self._ranks.ranks
        return step > self._last_step and (file == self._last_file or ranks[file] > ranks[self._last_file])

    def visible(self) -> Columns:
        """The drawn points by ascending step."""
        if self._is_plain:
            return self._arrived()
        if self._visible_count != len(self._columns):
            arrived = self._arrived()
            rows = visible_rows(arrived["step"], self._rank(arrived["file"]))
            self._visible = {name: _frozen(column[rows]) for name, column in arrived.items()}
            self._visible_count = len(self._columns)
        return self._visible

    def written(self) -> Columns:
        """All points in the order in which they were written: by age of the file, then as in the file."""
        arrived = self._arrived()
        order = None if self._is_plain else written_order(self._rank(arrived["file"]))
        return arrived if order is None else {name: _frozen(column[order]) for name, column in arrived.items()}

    def without(self, file: int) -> Points:
        """A copy that has no row of ``file``."""
        arrived = self._arrived()
        copy = Points(self._ranks, {name: arrived[name].dtype for name in self._names[3:]})
        starts = np.flatnonzero(np.diff(arrived["file"], prepend=-1))
        for start, stop in zip(starts, [*starts[1:], len(self)], strict=True):
            if (ordinal := int(arrived["file"][start])) != file:
                copy.extend(ordinal, {name: column[start:stop] for name, column in arrived.items() if name != "file"})
        return copy

    def _arrived(self) -> Columns:
        return {name: self._columns.column(name) for name in self._names}

    def _rank(self, file: NDArray[np.int32]) -> NDArray[np.int64]:
        return self._ranks.ranks[file]


def _rises(step: NDArray[np.int64]) -> bool:
    return bool((step[1:] > step[:-1]).all())


def _frozen(column: NDArray[Any]) -> NDArray[Any]:
    column.flags.writeable = False
    return column
