# SPDX-License-Identifier: Apache-2.0
"""Evaluates watchpoints over the steps of a source, one step in memory at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from mindscope.debug.model.source import DebugSource
from mindscope.debug.watchpoints.hits import Evaluation
from mindscope.debug.watchpoints.search import MOST_HITS, WatchpointSearch
from mindscope.debug.watchpoints.watchpoint import Watchpoint


def evaluate_watchpoints(
    source: DebugSource,
    watchpoints: Sequence[Watchpoint],
    *,
    steps: Iterable[int] | None = None,
    ranks: Iterable[int] | None = None,
    most_hits: int = MOST_HITS,
    check: Callable[[], None] = lambda: None,
) -> Evaluation:
    """Return the hits of watchpoints over recorded statistics, and what could not be evaluated.

    Args:
        source: the debugging data.
        watchpoints: the conditions.
        steps: only hits of these steps; the others are still read, because conditions compare steps.
        ranks: only these ranks; by default all.
        most_hits: hits beyond are only counted.
        check: called for each step; an exception in it ends the evaluation.

    Raises:
        DebugDataError, FormatError, OSError: as ``DebugSource.at``.
    """
    search = WatchpointSearch(source, watchpoints, steps=steps, ranks=ranks, most_hits=most_hits)
    while not search.is_over:
        check()
        search.read_next()
    return search.result()
