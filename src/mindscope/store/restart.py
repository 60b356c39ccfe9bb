# SPDX-License-Identifier: Apache-2.0
"""The restart rule: which points of a series are drawn when a training was started again."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Rows = NDArray[np.intp]


def written_order(rank: NDArray[np.int64]) -> Rows | None:
    """Row numbers by age of their file, rows of one file in their order; None when they stand so already.

    ``rank`` has shape (n,): the place of each row's file among the files of the run, the oldest 0.
    """
    if rank.size < 2 or bool(np.all(rank[1:] >= rank[:-1])):
        return None
    return np.argsort(rank, kind="stable")


def visible_rows(step: NDArray[np.int64], rank: NDArray[np.int64]) -> Rows:
    """Row numbers of the points that are drawn, by ascending step; no step occurs twice.

    In the order in which the points were written, a point replaces an equal step before it, and hides larger steps
    that came from an older file. So a point is hidden exactly if a later one has its step, or if any newer file holds
    a smaller step. What is left does not depend on when the files were read.

    ``step`` and ``rank`` have shape (n,), rows of one file in the order of the file.
    """
    order = written_order(rank)
    if order is None:
        return _visible(step, rank)
    return order[_visible(step[order], rank[order])]


def _visible(step: NDArray[np.int64], rank: NDArray[np.int64]) -> Rows:
    shown = np.flatnonzero(~_hidden_by_newer_file(step, rank))
    by_step = shown[np.argsort(step[shown], kind="stable")]
    steps = step[by_step]
    is_last = np.append(steps[1:] != steps[:-1], True)[: steps.size]
    return by_step[is_last]


def _hidden_by_newer_file(step: NDArray[np.int64], rank: NDArray[np.int64]) -> NDArray[np.bool_]:
    if step.size == 0:
        return np.zeros(0, bool)
    starts = np.concatenate([[0], np.flatnonzero(rank[1:] != rank[:-1]) + 1])
    lowest = np.minimum.reduceat(step, starts)
    lowest_in_newer = np.append(np.minimum.accumulate(lowest[:0:-1])[::-1], np.iinfo(np.int64).max)
    return step > np.repeat(lowest_in_newer, np.diff(np.append(starts, step.size)))
