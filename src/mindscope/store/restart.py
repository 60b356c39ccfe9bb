# SPDX-License-Identifier: Apache-2.0
"""The restart rule: which points of a series are visible after a restart of the training."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.intp]
Ranks = NDArray[np.int64]
_HIGHEST_STEP = np.iinfo(np.int64).max


class Visible(NamedTuple):
    """``rows`` are the row numbers of the visible points, by ascending step.

    Counts of the others: a restart replaced ``overwritten`` points; ``repeated`` points have a later point with the
    same file and step.
    """

    rows: Rows
    overwritten: int
    repeated: int


class Purges(NamedTuple):
    """Session starts that hide points of older files, in any order; arrays of shape (n,).

    ``rank`` is the age rank of their files.
    """

    rank: Ranks
    step: NDArray[np.int64]
    wall_time: NDArray[np.float64]


def purged_rows(
    step: NDArray[np.int64], wall_time: NDArray[np.float64], rank: Ranks, purges: Purges
) -> NDArray[np.bool_]:
    """Return the mask of the points that a session start in a newer file hides: older ones, at its step or a later one.

    A point with a later wall time than the start belongs to a writer that still writes.
    """
    purged = np.zeros(step.size, np.bool_)
    latest_first = np.argsort(-purges.wall_time, kind="stable")
    times = -purges.wall_time[latest_first]
    for file in np.unique(rank).tolist():
        rows = np.flatnonzero(rank == file)
        steps = np.where(purges.rank > file, purges.step, _HIGHEST_STEP)[latest_first]
        lowest = np.append(_HIGHEST_STEP, np.minimum.accumulate(steps))  # of the first n starts
        later = np.searchsorted(times, -wall_time[rows], "right")  # count of starts at or after each point
        purged[rows] = (step[rows] >= lowest[later]) & (lowest[later] < _HIGHEST_STEP)
    return purged


def written_order(rank: Ranks) -> Rows | None:
    """Return row numbers by age of their file, rows of one file in their order.

    It returns None if the rows already have this order.

    ``rank`` has shape (n,): the age rank of each row's file, 0 for the oldest.
    """
    if rank.size < 2 or bool(np.all(rank[1:] >= rank[:-1])):
        return None
    return np.argsort(rank, kind="stable")


def sessions_of(first: NDArray[np.float64], last: NDArray[np.float64]) -> Ranks:
    """Return the session of each file of a series, numbered by age: files whose wall times overlap share a session.

    ``first`` and ``last`` have shape (files,), the oldest file first; NaN for unknown. Overlap is transitive: files of
    writers that start more files share a session as long as some of their files overlap.
    """
    order = np.argsort(first, kind="stable")
    begin, reach = first[order], np.fmax.accumulate(last[order])
    starts_session = np.append(True, ~(begin[1:] < reach[:-1]))[: first.size]
    session = np.empty(first.size, np.int64)
    session[order] = np.cumsum(starts_session) - 1
    _, oldest = np.unique(session, return_index=True)
    return np.argsort(np.argsort(oldest))[session]


def visible_rows(
    step: NDArray[np.int64],
    rank: Ranks,
    session: Ranks | None = None,
    rewinds: NDArray[np.bool_] | None = None,
    purged: NDArray[np.bool_] | None = None,
) -> Visible:
    """Return the visible points.

    A point is hidden if a later session has its step or a smaller one, or if a later point of its file has its step.
    So processes that write at the same time do not hide each other's points. In a file that ``rewinds``, a point is
    also hidden if a later one of the file has a smaller step. ``purged`` marks points that are hidden too. The result
    does not depend on when the files were read.

    ``step`` and ``rank`` have shape (n,), rows of one file in file order. ``session`` and ``rewinds`` are
    indexed by rank; None: each file is its own session, and no file rewinds.
    """
    order = written_order(rank)
    if order is not None:
        found = visible_rows(step[order], rank[order], session, rewinds, None if purged is None else purged[order])
        return found._replace(rows=order[found.rows])
    hidden = _overwritten(step, rank, session, rewinds)
    kept = np.flatnonzero(~(hidden if purged is None else hidden | purged))
    by_step = kept[np.argsort(step[kept], kind="stable")]
    steps, ranks = step[by_step], rank[by_step]
    is_last = np.append((steps[1:] != steps[:-1]) | (ranks[1:] != ranks[:-1]), True)[: steps.size]
    rows = by_step[is_last]
    return Visible(rows, step.size - kept.size, kept.size - rows.size)


def _overwritten(
    step: NDArray[np.int64], rank: Ranks, session: Ranks | None, rewinds: NDArray[np.bool_] | None
) -> NDArray[np.bool_]:
    """Return the mask of rows that a restart hid; the rows must be in written order."""
    if step.size == 0:
        return np.zeros(0, bool)
    starts = np.append(0, np.flatnonzero(rank[1:] != rank[:-1]) + 1)
    stops = np.append(starts[1:], step.size)
    files = rank[starts]
    hidden = _hidden_by_later_session(step, starts, files if session is None else session[files])
    for file, start, stop in zip(files, starts, stops, strict=True):
        if rewinds is not None and rewinds[file]:
            lowest_after = np.minimum.accumulate(step[start:stop][::-1])[::-1]
            hidden[start : stop - 1] |= step[start : stop - 1] > lowest_after[1:]
    return hidden


def _hidden_by_later_session(step: NDArray[np.int64], starts: Rows, session: Ranks) -> NDArray[np.bool_]:
    """Return the mask of rows that a later session hides.

    ``session`` has shape (files,), one entry for each of ``starts``.
    """
    lowest = np.minimum.reduceat(step, starts)
    oldest_last = np.argsort(-session, kind="stable")
    lowest_from = np.minimum.accumulate(lowest[oldest_last])  # of this file and all later sessions, in this order
    later = np.searchsorted(-session[oldest_last], -session, "left")  # count of files in later sessions
    limit = np.where(later > 0, lowest_from[later - 1], 0)
    counts = np.diff(np.append(starts, step.size))
    return (step >= np.repeat(limit, counts)) & np.repeat(later > 0, counts)
