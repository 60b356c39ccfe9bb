# SPDX-License-Identifier: Apache-2.0
"""The communication of all ranks in one table, and which of its rows are one collective."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.ranks.rank_data import RankData
from mindscope.profile.tables.communication import Communication
from mindscope.table.columns import TextColumn, joined_texts
from mindscope.table.grouping import groups_of

SYNCHRONOUS = frozenset(("allreduce", "allgather", "reducescatter", "alltoall", "alltoallv", "alltoallvc", "barrier"))
"""Kinds that no rank can leave before all ranks entered: they end together."""
POINT_TO_POINT = frozenset(("send", "receive", "sendreceive", "batchsendrecv"))


@dataclass(frozen=True, slots=True)
class Operations:
    """Columns of n operations of all ranks."""

    data: NDArray[np.int64]
    """Into the list of ``RankData``."""
    row: NDArray[np.int64]
    """Row in the ``Communication`` of that rank."""
    rank: NDArray[np.int64]
    cycle: NDArray[np.int64]
    step: NDArray[np.int64]
    """-1 outside of any step."""
    start: NDArray[np.int64]
    """Start by the clock of the rank, nanoseconds since 1970; where unknown the position in the file."""
    has_start: NDArray[np.bool_]
    duration: NDArray[np.int64]
    kind: TextColumn
    group: TextColumn
    group_ranks: TextColumn
    dtype: TextColumn
    size: NDArray[np.int64]
    """Bytes that the rank contributes; -1 where unknown."""
    transit: NDArray[np.int64]
    """Transit as the profiler measured it; -1 where it did not."""
    group_size: NDArray[np.int64]
    """Number of ranks of the group; -1 where unknown."""
    collective: NDArray[np.int64]
    """Number of the collective of an operation; -1 for those that no other rank can be matched with."""

    def __len__(self) -> int:
        return len(self.data)

    @property
    def end(self) -> NDArray[np.int64]:
        """End of each, by the clock of the rank."""
        return self.start + self.duration

    def is_synchronous(self) -> NDArray[np.bool_]:
        """Return which operations end together on all ranks, at a known time."""
        return self.has_start & self.kind.is_any_of(lambda text: text in SYNCHRONOUS)


def operations_of(data: Sequence[RankData]) -> Operations:
    """Return all operations; collectives are matched between ranks.

    Those of one cycle, kind and process group match by their number within the group; where the profiler records none,
    by their order within the step. Operations outside of steps match by their order if no rank has steps.
    """
    found = [(each.communication, index) for index, each in enumerate(data) if each.communication is not None]
    lengths = [len(table) for table, _ in found]
    owner = np.repeat(np.array([index for _, index in found], np.int64), lengths)
    blank = np.full(sum(lengths), -1, np.int64)

    def numbers(column: Callable[[Communication], NDArray[np.int64] | None]) -> NDArray[np.int64]:
        columns = [_or(column(table), -1, len(table)) for table, _ in found]
        return np.concatenate(columns) if columns else blank

    def texts(column: Callable[[Communication], TextColumn | None]) -> TextColumn:
        return joined_texts([column(table) or TextColumn.constant("", len(table)) for table, _ in found])

    origins = np.array([each.origin_ns or 0 for each in data], np.int64)
    ranks, cycles = (np.array([getattr(each, name) for each in data], np.int64) for name in ("rank", "cycle"))
    parts = Operations(
        data=owner,
        row=np.concatenate([np.arange(length) for length in lengths]) if lengths else blank,
        rank=ranks[owner] if len(data) else blank,
        cycle=cycles[owner] if len(data) else blank,
        step=numbers(lambda table: table.step),
        start=numbers(_starts) + (origins[owner] if len(data) else 0),
        has_start=np.repeat([table.start is not None for table, _ in found], lengths).astype(np.bool_),
        duration=numbers(lambda table: table.duration),
        kind=texts(lambda table: table.kind),
        group=texts(lambda table: table.group),
        group_ranks=texts(lambda table: table.group_ranks),
        dtype=texts(lambda table: table.dtype),
        size=numbers(lambda table: table.size),
        transit=numbers(lambda table: table.transit),
        group_size=numbers(lambda table: table.group_size),
        collective=blank,
    )
    sequence = numbers(lambda table: table.sequence)
    has_steps = any(each.steps is not None for each in data)
    return _matched(parts, sequence, has_steps)


def _matched(found: Operations, sequence: NDArray[np.int64], has_steps: bool) -> Operations:
    is_numbered = sequence >= 0
    is_matched = is_numbered | (found.step >= 0) | (not has_steps)
    is_matched &= ~found.kind.is_any_of(lambda text: text in POINT_TO_POINT)
    keys = [
        found.cycle, found.group.codes, found.group_ranks.codes, found.kind.codes, sequence,
        np.where(is_numbered, -2, found.step),
    ]  # fmt: skip
    key, _ = groups_of([each[is_matched] - (0 if each.dtype == np.uint32 else each.min(initial=0)) for each in keys],
                       int(is_matched.sum()))  # fmt: skip
    order = _order_within(key, found.rank[is_matched], found.start[is_matched])
    collective, _ = groups_of([key, order], len(key))
    found.collective[is_matched] = collective
    return found


def _order_within(key: NDArray[np.int64], rank: NDArray[np.int64], start: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the position of each operation among those of its rank and key, by time."""
    order = np.lexsort((start, rank, key))
    is_new = np.ones(len(order), np.bool_)
    is_new[1:] = (np.diff(key[order]) != 0) | (np.diff(rank[order]) != 0)
    begins = np.maximum.accumulate(np.where(is_new, np.arange(len(order)), 0))
    found = np.empty(len(order), np.int64)
    found[order] = np.arange(len(order)) - begins
    return found


def _starts(table: Communication) -> NDArray[np.int64]:
    return np.arange(len(table), dtype=np.int64) if table.start is None else table.start


def _or(column: NDArray[np.int64] | None, other: int, length: int) -> NDArray[np.int64]:
    return np.full(length, other, np.int64) if column is None else column
