# SPDX-License-Identifier: Apache-2.0
"""Points of one series, sealed in files and newest in memory, and the rows of them that are drawn."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.store.chunk import Chunk, Columns, Layout, Sealed
from mindscope.store.columns import ArrivedColumns, cast
from mindscope.store.file_ranks import FileRanks
from mindscope.store.recent import RecentColumns
from mindscope.store.restart import Visible, visible_rows, written_order


class Points:
    """Rows of (step, wall_time, ...), appended file by file. The owner's lock guards every call.

    Reading raises ChunkDamagedError when sealed rows can't be had any more.
    """

    __slots__ = (
        "_files",
        "_is_plain",
        "_last_file",
        "_last_step",
        "_layout",
        "_newest",
        "_ranks",
        "_recent",
        "_stops",
        "sealed",
    )

    def __init__(self, ranks: FileRanks, layout: Layout, recent: RecentColumns) -> None:
        self._ranks = ranks
        self._layout = layout
        self._recent = recent
        self.sealed: tuple[Sealed, ...] = ()  # the rows that arrived first, in their order
        self._newest: ArrivedColumns | None = None  # all rows after them; None without any
        self._files: list[int] = []  # stretches of rows that arrived from one file: its ordinal,
        self._stops: list[int] = []  # and the row behind the stretch
        self._is_plain = True  # steps only rise and files only get newer: every row is drawn, in the order of arrival
        self._last_file: int | None = None  # of the row that arrived last, None before the first
        self._last_step = 0

    def __len__(self) -> int:
        return self._stops[-1] if self._stops else 0

    def widened(self, layout: Layout) -> Points:
        """A copy whose columns have the wider types of ``layout``; sealed rows are cast when they are read."""
        copy = Points(self._ranks, layout, self._recent)
        copy.restore(self.sealed, [[*self._files], [*self._stops], self._is_plain, self._last_file, self._last_step])
        copy._newest = None if self._newest is None else self._newest.cast(layout)
        return copy

    @property
    def layout(self) -> Layout:
        """Names and types of the columns."""
        return self._layout

    def extend(self, file: int, rows: Mapping[str, NDArray[Any]]) -> None:
        """Append rows of a file in their order. Costs little for few rows: a run may have 20,000 series."""
        step = rows["step"]
        if step.size == 0:
            return
        if self._newest is None:
            self._newest = ArrivedColumns(self._layout)
        self._newest.extend(rows, step.size)
        self._add_stretch(file, step.size)
        if self._is_plain:
            self._is_plain = self._follows(file, int(step[0])) and (step.size == 1 or self._recent.rises(step))
        self._last_file, self._last_step = file, int(step[-1])

    def _add_stretch(self, file: int, count: int) -> None:
        stop = len(self) + count
        if self._files and self._files[-1] == file:
            self._stops[-1] = stop
        else:
            self._files.append(file)
            self._stops.append(stop)

    def _follows(self, file: int, step: int) -> bool:
        if self._last_file is None:
            return True
        ranks = self._ranks.ranks
        return step > self._last_step and (file == self._last_file or ranks[file] > ranks[self._last_file])

    def visible(self) -> Columns:
        """The drawn points by ascending step."""
        if self._is_plain:
            return self._arrived()
        key = (self, "visible", self.relations())
        known = self._recent.find(key, len(self))
        if known is not None:
            return known
        arrived, rows = self._arrived(), self.visible_rows().rows
        shown = {name: _frozen(column[rows]) for name, column in arrived.items()}
        return self._recent.keep(key, len(self), shown)

    def written(self) -> Columns:
        """All points in the order in which they were written: by age of the file, then as in the file."""
        arrived = self._arrived()
        order = None if self._is_plain else written_order(self._rank(arrived["file"]))
        return arrived if order is None else {name: _frozen(column[order]) for name, column in arrived.items()}

    def without(self, files: Collection[int]) -> Points:
        """A copy that has no row of ``files``; it is all in memory."""
        copy = self.emptied()
        arrived = self._arrived()
        for ordinal, start, stop in zip(self._files, [0, *self._stops], self._stops, strict=False):
            if ordinal not in files:
                copy.extend(ordinal, {name: arrived[name][start:stop] for name in self._layout})
        return copy

    def emptied(self) -> Points:
        """A copy without any row."""
        return Points(self._ranks, self._layout, self._recent)

    @property
    def last_step(self) -> int:
        """The step of the row that arrived last."""
        return self._last_step

    @property
    def is_plain(self) -> bool:
        """Whether every row is drawn, in the order of arrival; a row that arrives later can end this for good."""
        return self._is_plain

    def relations(self) -> bytes:
        """What else than the rows decides which of them are drawn: equal bytes say that this did not change."""
        return b"" if self._is_plain else self._ranks.relations(self._files)

    def visible_rows(self) -> Visible:
        """Row numbers, by arrival, of the drawn points by ascending step."""
        step = np.concatenate([part["step"] for part in self.arrived_parts()])
        return visible_rows(step, self._rank(self._file_column()), *self._ranks.sessions(self._files))

    def step_of(self, row: int) -> int:
        """The step of a row, by arrival."""
        for part in self.arrived_parts():
            if row < part["step"].size:
                return int(part["step"][row])
            row -= part["step"].size
        raise IndexError(f"row {row} is behind the last one")

    def is_newest_since(self, row: int) -> bool:
        """Whether the rows from ``row`` on arrived in the order of age of their files, none older than any before."""
        if row >= len(self):
            return True
        ranks = self._ranks.ranks[self._files]
        first = int(np.searchsorted(self._stops, row, "right"))  # stretch that holds the row
        return bool(ranks[first] >= ranks[:first].max(initial=-1)) and bool((np.diff(ranks[first:]) >= 0).all())

    @property
    def newest_count(self) -> int:
        """Number of rows that are not sealed."""
        return 0 if self._newest is None else len(self._newest)

    def parts(self, chunks: Collection[Chunk]) -> list[Columns]:
        """The rows to be sealed together: those of the last ``chunks`` or of narrower types, then the newest ones."""
        parts = [self._read(sealed) for sealed in self.sealed if self.is_moved(sealed, chunks)]
        return parts if self._newest is None else [*parts, *self._newest.pieces()]

    def is_moved(self, sealed: Sealed, chunks: Collection[Chunk]) -> bool:
        """Whether sealed rows are to be sealed again when ``chunks`` are merged."""
        return sealed.chunk in chunks or sealed.chunk.layout is not self._layout

    def seal(self, chunks: Collection[Chunk], sealed: Sealed) -> None:
        """Have ``sealed`` in place of what ``parts`` gave."""
        self.sealed = (*(each for each in self.sealed if not self.is_moved(each, chunks)), sealed)
        self._newest = None

    def _read(self, sealed: Sealed) -> Columns:
        columns = sealed.read()
        if sealed.chunk.layout is self._layout:
            return columns
        return {
            name: column if column.dtype == self._layout[name] else _frozen(cast(column, self._layout[name]))
            for name, column in columns.items()
        }

    def to_json(self) -> list[Any]:
        """All but the sealed rows; there must be no others."""
        return [self._files, self._stops, self._is_plain, self._last_file, self._last_step]

    def restore(self, sealed: tuple[Sealed, ...], state: Sequence[Any]) -> None:
        """Be as when ``to_json`` was called."""
        self.sealed = sealed
        self._files, self._stops, self._is_plain, self._last_file, self._last_step = state

    def arrived_parts(self) -> list[Columns]:
        """All points in the order of arrival, in the pieces in which they lie in files and in memory."""
        parts: list[Columns] = []
        for sealed in self.sealed:
            parts.append(self._read(sealed))
            self._recent.hold(sealed.chunk, parts[-1]["wall_time"], sealed.chunk.size_bytes)
        return parts if self._newest is None else [*parts, *self._newest.pieces()]

    def _arrived(self) -> Columns:
        if self._newest is not None and not self.sealed:
            return self._newest.columns() | {"file": self._file_column()}
        return self._joined(self.arrived_parts()) | {"file": self._file_column()}

    def _joined(self, parts: list[Columns]) -> Columns:
        if len(parts) < 2:
            return self._concatenated(parts)
        known = self._recent.find((self, "arrived"), len(self))
        return known or self._recent.keep((self, "arrived"), len(self), self._concatenated(parts))

    def _concatenated(self, parts: list[Columns]) -> Columns:
        if len(parts) == 1:
            return parts[0]
        if not parts:
            return {name: _frozen(np.empty(0, dtype)) for name, dtype in self._layout.items()}
        return {name: _frozen(np.concatenate([part[name] for part in parts])) for name in self._layout}

    def _file_column(self) -> NDArray[np.int32]:
        """The ordinal of each row's file; takes no memory where there is one file."""
        if len(self._files) == 1:
            return self._ranks.column(self._files[0], len(self))
        return _frozen(np.repeat(np.array(self._files, np.int32), np.diff(np.array([0, *self._stops]))))

    def _rank(self, file: NDArray[np.int32]) -> NDArray[np.int64]:
        return self._ranks.ranks[file]


def _frozen(column: NDArray[Any]) -> NDArray[Any]:
    column.flags.writeable = False
    return column
