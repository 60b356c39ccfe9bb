# SPDX-License-Identifier: Apache-2.0
"""Relations between the files of a run: order by age, overlap in time, which files rewind, and session starts."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Collection, Sequence
from math import nan

import numpy as np
from numpy.typing import NDArray

from mindscope.formats.scan import Purge
from mindscope.store.file_facts import FileFacts, age_key
from mindscope.store.restart import Purges, Ranks, sessions_of

MAX_ROWS = 1 << 56

Times = tuple[float, float, bool, Purge | None]
"""First and last wall time of a file, NaN if it has no values, whether it rewinds, and its session start."""
UNKNOWN: Times = (nan, nan, False, None)


class FileRanks:
    """Age ranks of the files of a run: ``ranks[ordinal]`` is a file's rank, 0 for the oldest.

    A file keeps its ordinal forever. A new file shifts ranks but keeps the relative order of the others, so that
    results based on the order of two files stay valid. Ranks are computed lazily: a run may have 10,000 files, which
    arrive together. The caller holds the owner's lock.
    """

    def __init__(self) -> None:
        self.version = 0
        """Grows when files that did not overlap in time may overlap now."""
        self._by_age: list[tuple[int, str, int]] = []  # the creation number, name and ordinal of each file
        self._is_sorted = True
        self._ranks: NDArray[np.int64] | None = np.zeros(0, np.int64)  # None: files were added or removed
        self._purges: dict[int, Purge] = {}  # session starts, by ordinal
        self._newest_purge: int | None = None  # the highest rank of these files; None: not computed yet
        self._times: dict[int, Times] = {}  # by ordinal
        self._firsts: list[float] = []  # sorted first wall times of the files
        self._columns: dict[int, NDArray[np.int32]] = {}  # by ordinal; broadcast views, which take no memory

    def add(self, ordinal: int, creation_number: int, name: str) -> None:
        """Add a file; ``age_key`` of number and name orders the files by age."""
        self._is_sorted = self._is_sorted and (
            not self._by_age or age_key(*self._by_age[-1][:2]) < age_key(creation_number, name)
        )
        self._by_age.append((creation_number, name, ordinal))
        self._ranks = self._newest_purge = None

    def remove(self, ordinals: Collection[int]) -> None:
        """Remove files that have no rows any more."""
        self._by_age = [file for file in self._by_age if file[2] not in ordinals]
        self._ranks = self._newest_purge = None
        for ordinal in ordinals:
            self._purges.pop(ordinal, None)
            self._drop(self._times.pop(ordinal, UNKNOWN)[0])
        self.version += 1

    @property
    def ordinals_by_age(self) -> list[int]:
        """All files, the oldest first."""
        if not self._is_sorted:
            self._by_age.sort(key=lambda file: (age_key(*file[:2]), file[2]))
            self._is_sorted = True
        return [ordinal for _, _, ordinal in self._by_age]

    @property
    def ranks(self) -> NDArray[np.int64]:
        if self._ranks is None:
            ordinals = np.array(self.ordinals_by_age, np.intp)
            self._ranks = np.zeros(int(ordinals.max(initial=-1)) + 1, np.int64)
            self._ranks[ordinals] = np.arange(ordinals.size)
        return self._ranks

    def note(self, ordinal: int, facts: FileFacts) -> None:
        """Update the times of a file from its facts."""
        first, last = facts.first_wall_time, facts.last_wall_time
        now = (nan if first is None else first, nan if last is None else last, facts.rewinds, facts.purge)
        before = self._times.get(ordinal, UNKNOWN)
        self._times[ordinal] = now
        if now == before:
            return
        self._note_purge(ordinal, facts.purge)
        if now[0] == before[0] and now[2] == before[2]:
            others_begun = bisect_left(self._firsts, now[1]) - bisect_left(self._firsts, before[1])
            self.version += others_begun > (before[1] == first)  # do not count the file itself
            return
        self._drop(before[0])
        if first is not None:
            insort(self._firsts, first)
        self.version += len(self._firsts) > 1 or facts.rewinds

    def _note_purge(self, ordinal: int, purge: Purge | None) -> None:
        before = self._purges.pop(ordinal, None)
        if purge is not None:
            self._purges[ordinal] = purge
        if purge != before:
            self._newest_purge = None
            self.version += 1

    @property
    def newest_purge(self) -> int:
        """The highest rank of a file with a session start, -1 if there is none."""
        newest = self._newest_purge
        if newest is None:
            ranks: list[int] = self.ranks[[*self._purges]].tolist()
            newest = self._newest_purge = max(ranks, default=-1)
        return newest

    def purges(self) -> Purges:
        """Return the session starts of all files."""
        starts = [*self._purges.values()]
        step, wall_time = ([start[field] for start in starts] for field in (0, 1))
        return Purges(self.ranks[[*self._purges]], np.array(step, np.int64), np.array(wall_time, np.float64))

    def _drop(self, first: float) -> None:
        at = bisect_left(self._firsts, first)
        if at < len(self._firsts) and self._firsts[at] == first:
            del self._firsts[at]

    def sessions(self, ordinals: Sequence[int]) -> tuple[Ranks, NDArray[np.bool_]]:
        """Return, for the files of a series by rank, the session, see ``sessions_of``, and whether the file rewinds.

        Entries at the ranks of other files are undefined.
        """
        files, session, rewinds = self._related(ordinals)
        session_by_rank, rewinds_by_rank = np.zeros(self.ranks.size, np.int64), np.zeros(self.ranks.size, np.bool_)
        session_by_rank[self.ranks[files]], rewinds_by_rank[self.ranks[files]] = session, rewinds
        return session_by_rank, rewinds_by_rank

    def relations(self, ordinals: Sequence[int]) -> bytes:
        """Return the result of ``sessions`` as bytes, and the session starts of newer files, for comparison."""
        files, *columns = self._related(ordinals)
        purges = self.purges()
        older = np.searchsorted(self.ranks[files], purges.rank)  # count of these files; new files shift ranks
        newer = [column[older > 0] for column in (older, purges.step, purges.wall_time)]
        return b"".join(column.tobytes() for column in (files, *columns, *newer))

    def _related(self, ordinals: Sequence[int]) -> tuple[NDArray[np.intp], Ranks, NDArray[np.bool_]]:
        """Return each of the files once, the oldest first, with its session and whether it rewinds."""
        files = np.unique(np.asarray(ordinals, np.intp))
        files = files[np.argsort(self.ranks[files], kind="stable")]
        times = [self._times.get(ordinal, UNKNOWN) for ordinal in files.tolist()]
        first, last, rewinds = (np.array(column) for column in [*zip(*times, strict=True)][:3])
        return files, sessions_of(first, last), rewinds

    def column(self, ordinal: int, count: int) -> NDArray[np.int32]:
        """Return ``ordinal`` for each of ``count`` rows, read-only."""
        known = self._columns.get(ordinal)
        if known is None:
            number = np.array(ordinal, np.int32)
            known = self._columns[ordinal] = np.broadcast_to(number, (MAX_ROWS,))
        return known[:count]
