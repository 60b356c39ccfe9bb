# SPDX-License-Identifier: Apache-2.0
"""Selects the checkpoints for landscapes to remove, so that the others fit into a limit of bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mindscope.collector.landscape import LEAST_INTERVAL

Intervals = Sequence[Sequence[int]]


def to_remove(intervals: Intervals, kept: Mapping[int, int], number: int, size: int, limit: int | None) -> list[int]:
    """Return the checkpoints to remove before that of step or epoch ``number`` is written.

    What stays is spread evenly over the intervals: the first and the last of each, and at least three, even where these
    are more than the limit. A training may end at any step, so the newest stays until the next one comes.

    Args:
        intervals: steps or epochs of each landscape.
        kept: bytes of each checkpoint on disk.
        number: the step or epoch.
        size: of its checkpoint, in bytes.
        limit: bytes of all checkpoints; None for no limit.
    """
    sizes = {**kept, number: size}
    total = sum(sizes.values())
    if limit is None or total <= limit:
        return []
    planned = evenly(intervals, limit // max(1, *sizes.values()))
    counts = [sum(each in sizes for each in set(interval)) for interval in intervals]
    removed: list[int] = []
    for candidate in dict.fromkeys(each for interval in intervals for each in interval):
        if total <= limit:
            break
        owners = [index for index, interval in enumerate(intervals) if candidate in interval]
        is_kept = candidate in kept and candidate != number
        if is_kept and candidate not in planned and all(counts[index] > LEAST_INTERVAL for index in owners):
            removed.append(candidate)
            total -= sizes[candidate]
            for index in owners:
                counts[index] -= 1
    return removed


def evenly(intervals: Intervals, count: int) -> set[int]:
    """Return about ``count`` steps or epochs, at even distances in each interval; a long interval has more of them."""
    longest = max(map(len, intervals))
    for most in range(longest, LEAST_INTERVAL, -1):
        chosen = _chosen(intervals, most, longest)
        if len(chosen) <= count:
            return chosen
    return _chosen(intervals, LEAST_INTERVAL, longest)


def _chosen(intervals: Intervals, most: int, longest: int) -> set[int]:
    """Return ``most`` of the longest interval, fewer of the others."""
    return {
        interval[index]
        for interval in intervals
        for index in _spread_indexes(len(interval), max(LEAST_INTERVAL, len(interval) * most // longest))
    }


def _spread_indexes(length: int, count: int) -> list[int]:
    return [round(index * (length - 1) / (count - 1)) for index in range(count)]
