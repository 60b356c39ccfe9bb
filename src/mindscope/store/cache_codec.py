# SPDX-License-Identifier: Apache-2.0
"""JSON form of a cached run, without its sealed rows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mindscope.formats.scan import Purge
from mindscope.formats.step_ranges import StepRanges
from mindscope.reasons import Reason, reason_from_json, reason_to_json
from mindscope.store.chunk import REFERENCE_LAYOUT, SCALAR_LAYOUT, WIDE_SCALAR_LAYOUT, Chunk, ChunkSlice
from mindscope.store.file_facts import FileFacts
from mindscope.store.series_points import SeriesPoints
from mindscope.types import Damage, DamageKind, DialectName, Kind

Json = Any
# the wide ones first: compaction.py moves narrow rows of series that became wide out of the other chunks
LAYOUTS = {"wide_scalars": WIDE_SCALAR_LAYOUT, "scalars": SCALAR_LAYOUT, "references": REFERENCE_LAYOUT}


@dataclass(frozen=True, slots=True)
class CachedStore:
    """A run whose points are all sealed.

    ``chunks`` are in the order of sealing. ``series`` is a list of all series as JSON text, see ``read_series``. It
    stays text because it is large and most runs are only listed.
    """

    files: Mapping[int, FileFacts]
    ordinals: int
    tag_counts: Mapping[Kind, int]
    dropped: int
    chunks: tuple[Chunk, ...]
    series: bytes

    def to_json(self) -> Json:
        """Return all but ``series``."""
        return {
            "files": [[ordinal, *_facts_to_json(facts)] for ordinal, facts in self.files.items()],
            "ordinals": self.ordinals,
            "tag_counts": {kind.value: count for kind, count in self.tag_counts.items()},
            "dropped": self.dropped,
            "chunks": [[chunk.name, _layout_name(chunk), chunk.rows, chunk.stored_steps] for chunk in self.chunks],
        }

    @classmethod
    def from_json(cls, state: Json, series: bytes, folder: Path, step_ranges: StepRanges) -> CachedStore:
        """Restore from ``to_json``, with chunks in ``folder``. Raises KeyError, TypeError or ValueError if invalid."""
        return cls(
            files={ordinal: _facts_from_json(facts) for ordinal, *facts in state["files"]},
            ordinals=int(state["ordinals"]),
            tag_counts={Kind(kind): int(count) for kind, count in state["tag_counts"].items()},
            dropped=int(state["dropped"]),
            chunks=tuple(
                Chunk(folder, name, LAYOUTS[layout], int(rows), int(steps), step_ranges)
                for name, layout, rows, steps in state["chunks"]
            ),
            series=series,
        )


def write_series(series: Iterable[tuple[Kind, str, SeriesPoints]], chunks: tuple[Chunk, ...]) -> bytes:
    """JSON list of [kind, tag, [[chunk number, start, count, step, checksum], ..], state of the points] per series."""
    numbers = {chunk: number for number, chunk in enumerate(chunks)}
    rows = [
        [
            kind.value,
            tag,
            [[numbers[each.chunk], each.start, each.count, each.step, each.checksum] for each in points.slices],
            points.to_json(),
        ]
        for kind, tag, points in series
    ]
    return json.dumps(rows, separators=(",", ":")).encode()


def read_series(saved: CachedStore) -> Iterator[tuple[Kind, str, tuple[ChunkSlice, ...], Json]]:
    """Yield kind, tag, sealed rows and state of each series, in the order of first occurrence."""
    rows: Json = json.loads(saved.series)
    for kind, tag, slices, state in rows:
        yield Kind(kind), tag, tuple(_slice(saved.chunks, *each) for each in slices), state


def _slice(chunks: tuple[Chunk, ...], number: int, start: int, count: int, step: Json, checksum: int) -> ChunkSlice:
    return ChunkSlice(chunks[number], start, count, step if isinstance(step, int) else tuple(step), checksum)


def _layout_name(chunk: Chunk) -> str:
    return next(name for name, layout in LAYOUTS.items() if layout is chunk.layout)


def damage_to_json(damage: Damage) -> Json:
    return [damage.file, damage.offset, damage.kind.value, reason_to_json(damage.detail), damage.resumed_at]


def damage_from_json(state: Json) -> Damage:
    file, offset, kind, detail, resumed_at = state
    return Damage(file, offset, DamageKind(kind), reason_from_json(detail), resumed_at)


def _facts_to_json(facts: FileFacts) -> Json:
    return [
        facts.name,
        facts.path,
        facts.creation_number,
        None if facts.dialect is None else facts.dialect.value,
        facts.size_bytes,
        facts.mode,
        facts.modified_at,
        facts.read_bytes,
        facts.records,
        facts.first_wall_time,
        facts.last_wall_time,
        facts.last_step,
        facts.rewinds,
        facts.purge,
        facts.stopped_at,
        facts.run_name,
        [reason_to_json(note) for note in facts.notes],
        [damage_to_json(damage) for damage in facts.damages],
    ]


def _facts_from_json(state: Json) -> FileFacts:
    name, path, number, dialect, size, mode, modified_at, read, records, first, last, step, rewinds, *state = state
    purge, stopped_at, run_name, notes, damages = state
    return FileFacts(
        name=name,
        path=path,
        creation_number=number,
        dialect=None if dialect is None else DialectName(dialect),
        size_bytes=size,
        mode=mode,
        modified_at=modified_at,
        read_bytes=read,
        records=records,
        first_wall_time=first,
        last_wall_time=last,
        last_step=step,
        rewinds=rewinds,
        purge=None if purge is None else Purge(*purge),
        stopped_at=stopped_at,
        run_name=run_name,
        notes=tuple(note for note in map(reason_from_json, notes) if isinstance(note, Reason)),
        damages=tuple(damage_from_json(damage) for damage in damages),
    )
