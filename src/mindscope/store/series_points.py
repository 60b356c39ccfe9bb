# SPDX-License-Identifier: Apache-2.0
"""Points of one series: sealed ones in files, new ones in memory, and which of them are visible."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.store.chunk import Chunk, ChunkSlice, Columns, Layout
from mindscope.store.column_cache import ColumnCache
from mindscope.store.columns import ChunkedColumns, cast
from mindscope.store.file_ranks import FileRanks
from mindscope.store.restart import Visible, purged_rows, visible_rows, written_order

FilePurge = tuple[int, int, int]
"""A session start inside a file: the file, the count of its rows before the start, and the step."""


class SeriesPoints:
    """Rows of (step, wall_time, ...), appended file by file. The caller holds the owner's lock.

    Reading raises ChunkDamagedError if sealed rows can't be read.
    """

    __slots__ = (
        "_column_cache",
        "_files",
        "_has_progress",
        "_is_plain",
        "_last_file",
        "_last_step",
        "_layout",
        "_purges",
        "_ranks",
        "_stops",
        "_unsaved",
        "slices",
    )

    def __init__(self, ranks: FileRanks, layout: Layout, column_cache: ColumnCache, has_progress: bool = True) -> None:
        """``has_progress``: the steps show the progress of a training, so session starts hide rows."""
        self._ranks = ranks
        self._has_progress = has_progress
        self._layout = layout
        self._column_cache = column_cache
        self.slices: tuple[ChunkSlice, ...] = ()  # the oldest rows, in append order
        self._unsaved: ChunkedColumns | None = None  # all rows after them; None if there are none
        self._files: list[int] = []  # ranges of rows from one file: its ordinal,
        self._stops: list[int] = []  # and the end of the range
        self._is_plain = True  # steps only rise and files only get newer: every row is visible, in append order
        self._last_file: int | None = None  # file of the last row, None before the first
        self._last_step = 0
        self._purges: list[FilePurge] = []

    def __len__(self) -> int:
        return self._stops[-1] if self._stops else 0

    def widened(self, layout: Layout) -> SeriesPoints:
        """Return a copy whose columns have the wider types of ``layout``; sealed rows are cast when they are read."""
        copy = SeriesPoints(self._ranks, layout, self._column_cache, self._has_progress)
        state = [[*self._files], [*self._stops], self._is_plain, self._last_file, self._last_step, [*self._purges]]
        copy.restore(self.slices, state)
        copy._unsaved = None if self._unsaved is None else self._unsaved.cast(layout)
        return copy

    @property
    def layout(self) -> Layout:
        """Names and types of the columns."""
        return self._layout

    def extend(self, file: int, rows: Mapping[str, NDArray[Any]]) -> None:
        """Append rows of a file in their order. Cheap for few rows: a run may have 20,000 series."""
        step = rows["step"]
        if step.size == 0:
            return
        if self._unsaved is None:
            self._unsaved = ChunkedColumns(self._layout)
        self._unsaved.extend(rows, step.size)
        self._add_range(file, step.size)
        if self._is_plain:
            self._is_plain = self._follows(file, int(step[0])) and (
                step.size == 1 or self._column_cache.is_increasing(step)
            )
        self._last_file, self._last_step = file, int(step[-1])

    def _add_range(self, file: int, count: int) -> None:
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
        """Return the visible points by ascending step."""
        if self.is_plain:
            return self._appended()
        key = (self, "visible", self.relations())
        known = self._column_cache.get(key, len(self))
        if known is not None:
            return known
        appended, rows = self._appended(), self.visible_rows().rows
        visible = {name: _frozen(column[rows]) for name, column in appended.items()}
        return self._column_cache.put(key, len(self), visible)

    def written(self) -> Columns:
        """Return all points in written order: by age of the file, then in file order."""
        appended = self._appended()
        order = None if self._is_plain else written_order(self._rank(appended["file"]))
        return appended if order is None else {name: _frozen(column[order]) for name, column in appended.items()}

    def without(self, files: Collection[int]) -> SeriesPoints:
        """Return a copy without the rows of ``files``, all in memory."""
        copy = self.emptied()
        appended = self._appended()
        for ordinal, start, stop in zip(self._files, [0, *self._stops], self._stops, strict=False):
            if ordinal not in files:
                copy.extend(ordinal, {name: appended[name][start:stop] for name in self._layout})
        copy._purges = [purge for purge in self._purges if purge[0] not in files]
        return copy

    def emptied(self) -> SeriesPoints:
        """Return a copy without rows."""
        return SeriesPoints(self._ranks, self._layout, self._column_cache, self._has_progress)

    @property
    def last_step(self) -> int:
        """The step of the last appended row."""
        return self._last_step

    def count_of(self, file: int) -> int:
        """Number of rows of a file."""
        ranges = zip(self._files, [0, *self._stops], self._stops, strict=False)
        return sum(stop - start for ordinal, start, stop in ranges if ordinal == file)

    def purge(self, file: int, count: int, step: int) -> None:
        """Note that a session starts at ``step`` after the first ``count`` rows of a file."""
        if count and self._has_progress:
            kept = [purge for purge in self._purges if purge[0] != file or purge[2] < step]
            self._purges = [*kept, (file, count, step)]

    @property
    def is_plain(self) -> bool:
        """Whether every row is visible in append order; a new row or a session start can end this."""
        return self._is_plain and not self.is_purged

    @property
    def is_purged(self) -> bool:
        """Whether session starts can hide rows."""
        newest = self._ranks.newest_purge if self._has_progress and self._files else -1
        return bool(self._purges) or (newest > 0 and newest > int(self._ranks.ranks[self._files].min()))

    @property
    def follows_purges(self) -> bool:
        """Whether no newer file than that of the last row has a session start."""
        return self._last_file is None or self._ranks.newest_purge <= int(self._ranks.ranks[self._last_file])

    def relations(self) -> bytes:
        """Return the relations that decide which rows are visible, as bytes to compare for changes."""
        return b"" if self.is_plain else self._ranks.relations(self._files) + repr(self._purges).encode()

    def visible_rows(self) -> Visible:
        """Return row numbers, in append order, of the visible points by ascending step."""
        parts = self.appended_parts()
        step, file = np.concatenate([part["step"] for part in parts]), self._file_column()
        purged = self._purged(parts, step, file) if self.is_purged else None
        return visible_rows(step, self._rank(file), *self._ranks.sessions(self._files), purged)

    def _purged(self, parts: list[Columns], step: NDArray[np.int64], file: NDArray[np.int32]) -> NDArray[np.bool_]:
        wall_time = np.concatenate([part["wall_time"] for part in parts])
        purged = purged_rows(step, wall_time, self._rank(file), self._ranks.purges())
        for ordinal, count, first in self._purges:
            rows = np.flatnonzero(file == ordinal)[:count]
            purged[rows] |= step[rows] >= first
        return purged

    def step_of(self, row: int) -> int:
        """Return the step of a row, by append order."""
        for part in self.appended_parts():
            if row < part["step"].size:
                return int(part["step"][row])
            row -= part["step"].size
        raise IndexError(f"row {row} is after the last one")

    def is_newest_since(self, row: int) -> bool:
        """Return whether the rows from ``row`` on were appended by age of their files.

        All are at least as new as earlier ones.
        """
        if row >= len(self):
            return True
        ranks = self._ranks.ranks[self._files]
        first = int(np.searchsorted(self._stops, row, "right"))  # the range that holds the row
        return bool(ranks[first] >= ranks[:first].max(initial=-1)) and bool((np.diff(ranks[first:]) >= 0).all())

    @property
    def unsaved_count(self) -> int:
        """Number of unsealed rows."""
        return 0 if self._unsaved is None else len(self._unsaved)

    def parts(self, chunks: Collection[Chunk]) -> list[Columns]:
        """Return the rows to seal together: those of ``chunks`` or of narrower types, then the unsealed ones."""
        parts = [self._read(rows) for rows in self.slices if self.needs_compaction(rows, chunks)]
        return parts if self._unsaved is None else [*parts, *self._unsaved.pieces()]

    def needs_compaction(self, rows: ChunkSlice, chunks: Collection[Chunk]) -> bool:
        """Return whether a merge of ``chunks`` must seal these rows again."""
        return rows.chunk in chunks or rows.chunk.layout is not self._layout

    def replace_rows(self, chunks: Collection[Chunk], rows: ChunkSlice) -> None:
        """Replace the rows that ``parts`` returned by ``rows``."""
        self.slices = (*(each for each in self.slices if not self.needs_compaction(each, chunks)), rows)
        self._unsaved = None

    def _read(self, rows: ChunkSlice) -> Columns:
        columns = rows.read()
        if rows.chunk.layout is self._layout:
            return columns
        return {
            name: column if column.dtype == self._layout[name] else _frozen(cast(column, self._layout[name]))
            for name, column in columns.items()
        }

    def to_json(self) -> list[Any]:
        """Return the state without the sealed rows; all rows must be sealed."""
        return [self._files, self._stops, self._is_plain, self._last_file, self._last_step, self._purges]

    def restore(self, slices: tuple[ChunkSlice, ...], state: Sequence[Any]) -> None:
        """Restore the state of ``to_json``."""
        self.slices = slices
        self._files, self._stops, self._is_plain, self._last_file, self._last_step, purges = state
        self._purges = [(file, count, step) for file, count, step in purges]

    def appended_parts(self) -> list[Columns]:
        """Return all points in append order, as the parts in files and in memory."""
        parts: list[Columns] = []
        for rows in self.slices:
            parts.append(self._read(rows))
            self._column_cache.hold_mapping(rows.chunk, parts[-1]["wall_time"], rows.chunk.size_bytes)
        return parts if self._unsaved is None else [*parts, *self._unsaved.pieces()]

    def _appended(self) -> Columns:
        if self._unsaved is not None and not self.slices:
            return self._unsaved.columns() | {"file": self._file_column()}
        return self._joined(self.appended_parts()) | {"file": self._file_column()}

    def _joined(self, parts: list[Columns]) -> Columns:
        if len(parts) < 2:
            return self._concatenated(parts)
        known = self._column_cache.get((self, "arrived"), len(self))
        return known or self._column_cache.put((self, "arrived"), len(self), self._concatenated(parts))

    def _concatenated(self, parts: list[Columns]) -> Columns:
        if len(parts) == 1:
            return parts[0]
        if not parts:
            return {name: _frozen(np.empty(0, dtype)) for name, dtype in self._layout.items()}
        return {name: _frozen(np.concatenate([part[name] for part in parts])) for name in self._layout}

    def _file_column(self) -> NDArray[np.int32]:
        """Return the ordinal of each row's file; takes no memory if all rows come from one file."""
        if len(self._files) == 1:
            return self._ranks.column(self._files[0], len(self))
        return _frozen(np.repeat(np.array(self._files, np.int32), np.diff(np.array([0, *self._stops]))))

    def _rank(self, file: NDArray[np.int32]) -> NDArray[np.int64]:
        return self._ranks.ranks[file]


def _frozen(column: NDArray[Any]) -> NDArray[Any]:
    column.flags.writeable = False
    return column
