# SPDX-License-Identifier: Apache-2.0
"""All that is known of one run."""

from __future__ import annotations

from pathlib import Path
from threading import RLock
from typing import Literal

import numpy as np

from mindscope.formats.scan import Scanned
from mindscope.store.files import FileFacts, readable
from mindscope.store.points import FileRanks
from mindscope.store.series import ReferenceSeries, ScalarSeries
from mindscope.types import Damage, DialectName, Kind

DROPPED_TAG = "mindscope/dropped"
LIVE_S = 60.0
"""A run that grew within so many seconds counts as being trained right now."""

SeriesKey = tuple[Kind, str]
RunState = Literal["live", "finished", "idle", "empty"]


class RunStore:
    """Series, files and damages of a run. One thread appends, any number read; what readers hold never changes.

    ``id`` is the path below the base directory with ``/``, "." for the base itself; ``path`` is the directory.
    """

    def __init__(self, id: str, path: Path) -> None:
        self.id = id
        self.path = path
        self.lock = RLock()
        self.version = 0  # grows with every change of anything in here; written under the lock
        self._ranks = FileRanks()
        self._files: dict[int, FileFacts] = {}  # by ordinal; an ordinal is never given twice
        self._ordinals = 0
        self._series: dict[SeriesKey, ScalarSeries | ReferenceSeries] = {}  # in the order of first sight

    @property
    def name(self) -> str:
        """What a person calls the run: its id, or the directory's name for the base itself."""
        return readable(self.path.name) if self.id == "." else self.id

    def add_file(self, facts: FileFacts) -> int:
        """Take in a file that has not been read yet; returns its ordinal."""
        with self.lock:
            ordinal = self._ordinals
            self._ordinals += 1
            self._files[ordinal] = facts
            self._rank_files()
            self.version += 1
            return ordinal

    def update_file(self, ordinal: int, facts: FileFacts) -> None:
        """Replace what is known of a file; the name and the creation number stay."""
        with self.lock:
            if self._files[ordinal] != facts:
                self._files[ordinal] = facts
                self.version += 1

    def append(self, ordinal: int, scanned: Scanned, facts: FileFacts) -> None:
        """Take in the values of a stretch of a file, and with them what is then known of the file."""
        with self.lock:
            for tag, rows in scanned.scalars.items():
                if rows["step"].size:
                    self._scalar_series(tag).extend(ordinal, rows)
            for (kind, tag), places in scanned.references.items():
                if places["step"].size:
                    self._reference_series(kind, tag).extend(ordinal, places)
            self._files[ordinal] = facts
            self.version += 1

    def forget_values(self, ordinal: int) -> None:
        """Take back every value of a file, as when it is read anew; the file stays listed."""
        with self.lock:
            for key, series in list(self._series.items()):
                series.forget(ordinal)
                if len(series) == 0:
                    del self._series[key]
            self.version += 1

    def remove_file(self, ordinal: int) -> None:
        """Forget a file that is gone, with its values."""
        with self.lock:
            self.forget_values(ordinal)
            del self._files[ordinal]

    @property
    def files(self) -> tuple[FileFacts, ...]:
        """The event files from the oldest to the newest."""
        with self.lock:
            return tuple(sorted(self._files.values(), key=lambda facts: facts.key))

    def file(self, ordinal: int) -> FileFacts:
        """What is known of the file that a series calls ``ordinal``. Raises KeyError when the file is gone."""
        with self.lock:
            return self._files[ordinal]

    @property
    def series(self) -> dict[SeriesKey, ScalarSeries | ReferenceSeries]:
        """All series by (kind, tag), as first seen; a snapshot of the table, not of the points."""
        with self.lock:
            return dict(self._series)

    def scalars(self, tag: str) -> ScalarSeries | None:
        """The scalar series of a tag, None when there is none."""
        series = self._series.get((Kind.SCALAR, tag))
        return series if isinstance(series, ScalarSeries) else None

    def references(self, kind: Kind, tag: str) -> ReferenceSeries | None:
        """The series of a tag of another kind than scalar, None when there is none."""
        series = self._series.get((kind, tag))
        return series if isinstance(series, ReferenceSeries) else None

    def tags(self, kind: Kind) -> tuple[str, ...]:
        """Tags of a kind in the order in which they were first seen."""
        return tuple(tag for each, tag in self.series if each is kind)

    def tag_counts(self) -> dict[Kind, int]:
        """Number of tags by kind."""
        counts: dict[Kind, int] = {}
        for kind, _ in self.series:
            counts[kind] = counts.get(kind, 0) + 1
        return counts

    @property
    def damages(self) -> tuple[Damage, ...]:
        """Every place that could not be read, from the oldest file to the newest, by offset."""
        return tuple(damage for facts in self.files for damage in facts.damages)

    @property
    def dropped(self) -> int:
        """How many values the recorder says it had to drop, by its latest count."""
        series = self.scalars(DROPPED_TAG)
        count = series.visible().value[-1:] if series else np.zeros(0)
        return int(count[0]) if count.size and np.isfinite(count[0]) else 0

    @property
    def size_bytes(self) -> int:
        """Size of all event files."""
        return sum(facts.size_bytes for facts in self.files)

    @property
    def dialects(self) -> tuple[DialectName, ...]:
        """Dialects of the files, each once, the oldest first."""
        return tuple(dict.fromkeys(facts.dialect for facts in self.files if facts.dialect is not None))

    @property
    def first_wall_time(self) -> float | None:
        return min((facts.first_wall_time for facts in self.files if facts.first_wall_time is not None), default=None)

    @property
    def last_wall_time(self) -> float | None:
        return max((facts.last_wall_time for facts in self.files if facts.last_wall_time is not None), default=None)

    @property
    def last_step(self) -> int | None:
        """The step to which the newest file with steps has come."""
        return next((facts.last_step for facts in reversed(self.files) if facts.last_step is not None), None)

    def state(self, now: float) -> RunState:
        """``now`` is in seconds since 1970. A file of mode 0400 was closed by its writer."""
        files = self.files
        if not any(facts.records for facts in files):
            return "empty"
        if _is_finished(files):
            return "finished"
        return "live" if now - max(facts.modified_at for facts in files) <= LIVE_S else "idle"

    def _rank_files(self) -> None:
        files = self._files
        gone = [ordinal for ordinal in range(self._ordinals) if ordinal not in files]
        self._ranks.order([*gone, *sorted(files, key=lambda ordinal: files[ordinal].key)])

    def _scalar_series(self, tag: str) -> ScalarSeries:
        series = self.scalars(tag)
        if series is None:
            series = self._series[Kind.SCALAR, tag] = ScalarSeries(self._ranks, self.lock)
        return series

    def _reference_series(self, kind: Kind, tag: str) -> ReferenceSeries:
        series = self.references(kind, tag)
        if series is None:
            series = self._series[kind, tag] = ReferenceSeries(self._ranks, self.lock)
        return series


def _is_finished(files: tuple[FileFacts, ...]) -> bool:
    closable = [facts for facts in files if facts.dialect in (DialectName.MINDSPORE, DialectName.MINDSPORE_LINEAGE)]
    return bool(closable) and closable[-1].mode == 0o400
