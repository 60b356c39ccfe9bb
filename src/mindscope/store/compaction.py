# SPDX-License-Identifier: Apache-2.0
"""Moves rows from memory into chunk files, and merges small chunks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from mindscope.formats.step_ranges import StepRanges
from mindscope.store.cache_codec import LAYOUTS
from mindscope.store.chunk import Chunk, Layout, write_chunk
from mindscope.store.run import RunStore

MERGED_SHARE = 2
"""Merge chunks from the first one on that has at most this many times the rows of all later ones.

So a run that grows forever has few chunks, and each row is rewritten only a few times.
"""


def compact(store: RunStore, new_path: Callable[[], Path], step_ranges: StepRanges, may_merge: bool) -> None:
    """Move all points of a run from memory into chunks. Call it from the thread that appends.

    Pass ``may_merge`` only if no more data is waiting to be read: otherwise the next call would merge again.
    Raises OSError if a chunk can't be written; then the points stay in memory. Raises ChunkDamagedError.
    """
    in_use = {rows.chunk for series in store.series.values() for rows in series.points.slices}
    chunks = [chunk for chunk in store.chunks if chunk in in_use]
    for layout in LAYOUTS.values():
        chunks = _compact_layout(store, layout, chunks, new_path, step_ranges, may_merge)
    with store.lock:
        store.chunks = tuple(chunks)
        store.unsaved_rows = store.unsaved_bytes = 0


def _compact_layout(
    store: RunStore,
    layout: Layout,
    chunks: list[Chunk],
    new_path: Callable[[], Path],
    step_ranges: StepRanges,
    may_merge: bool,
) -> list[Chunk]:
    series = [each.points for each in store.series.values() if each.points.layout is layout]
    newest_rows = sum(points.unsaved_count for points in series)
    merged = _merged([chunk for chunk in chunks if chunk.layout is layout], newest_rows) if may_merge else set[Chunk]()
    moved = [
        each
        for each in series
        if each.unsaved_count or any(each.needs_compaction(rows, merged) for rows in each.slices)
    ]
    if not moved:
        return chunks
    slices = write_chunk(new_path(), layout, [points.parts(merged) for points in moved], step_ranges)
    with store.lock:
        for points, rows in zip(moved, slices, strict=True):
            points.replace_rows(merged, rows)
    return [*(chunk for chunk in chunks if chunk not in merged), slices[0].chunk]


def _merged(chunks: list[Chunk], newest_rows: int) -> set[Chunk]:
    """Return the last chunks, starting with the first one that is small compared with its successors."""
    for number, chunk in enumerate(chunks):
        after = sum(each.rows for each in chunks[number + 1 :]) + newest_rows
        if chunk.rows <= MERGED_SHARE * after:
            return set(chunks[number:])
    return set()
