# SPDX-License-Identifier: Apache-2.0
"""From memory into files: which rows of a run are sealed together."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from mindscope.formats.progressions import Progressions
from mindscope.store.chunk import Chunk, Layout, write_chunk
from mindscope.store.run import RunStore
from mindscope.store.saved import LAYOUTS

MERGED_SHARE = 2
"""Chunks are written anew together once the first of them has at most so many times the rows of all after it.

So a run that grows for ever has few chunks, and each row is rewritten a few times only.
"""


def seal(store: RunStore, new_path: Callable[[], Path], progressions: Progressions, may_merge: bool) -> None:
    """Move all points of a run from memory into chunks. Call it from the thread that appends.

    ``may_merge`` is for when the run is read for now: merging while there is more to come would be done again.
    Raises OSError when a chunk can't be written; then the points stay where they are. Raises ChunkDamagedError.
    """
    in_use = {sealed.chunk for series in store.series.values() for sealed in series.points.sealed}
    chunks = [chunk for chunk in store.chunks if chunk in in_use]
    for layout in LAYOUTS.values():
        chunks = _seal_layout(store, layout, chunks, new_path, progressions, may_merge)
    with store.lock:
        store.chunks = tuple(chunks)
        store.unsealed_rows = store.unsealed_bytes = 0


def _seal_layout(
    store: RunStore,
    layout: Layout,
    chunks: list[Chunk],
    new_path: Callable[[], Path],
    progressions: Progressions,
    may_merge: bool,
) -> list[Chunk]:
    series = [each.points for each in store.series.values() if each.points.layout is layout]
    newest_rows = sum(points.newest_count for points in series)
    merged = _merged([chunk for chunk in chunks if chunk.layout is layout], newest_rows) if may_merge else set[Chunk]()
    moved = [each for each in series if each.newest_count or any(each.is_moved(rows, merged) for rows in each.sealed)]
    if not moved:
        return chunks
    places = write_chunk(new_path(), layout, [points.parts(merged) for points in moved], progressions)
    with store.lock:
        for points, sealed in zip(moved, places, strict=True):
            points.seal(merged, sealed)
    return [*(chunk for chunk in chunks if chunk not in merged), places[0].chunk]


def _merged(chunks: list[Chunk], newest_rows: int) -> set[Chunk]:
    """The last chunks, from the first one on that is small beside what follows it."""
    for number, chunk in enumerate(chunks):
        after = sum(each.rows for each in chunks[number + 1 :]) + newest_rows
        if chunk.rows <= MERGED_SHARE * after:
            return set(chunks[number:])
    return set()
