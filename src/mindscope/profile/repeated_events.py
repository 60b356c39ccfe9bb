# SPDX-License-Identifier: Apache-2.0
"""Events that a trace holds several times: tools merge a file with itself, or with one that overlaps it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.trace import Events, Skipped, Slices

REPEATED = "repeated"
"""Reason of events that are skipped for it."""
FEWEST_SHARE = 0.02
"""Fewest slices that repeat another one, as a share. Clocks of whole microseconds make some equal."""
FEWEST = 8
"""Fewest slices that repeat another one, unless all do."""
_SAMPLED = 1 << 20
"""Slices from which on a sixteenth of them decides, so that a healthy trace costs no memory."""
_CHUNK = 1 << 18
_FACTOR = np.uint64(0x9E3779B97F4A7C15)

_T = TypeVar("_T", Slices, Events)


def without_repeated(slices: Slices, events: Events) -> tuple[Slices, Events, dict[str, Skipped]]:
    """Keep each slice and event once; count how many repeat another one of equal name, thread, time and duration.

    In a file that holds everything equally often, a share of each group of equal events is left out, so that events
    which were equal in the original stay.
    """
    if not _is_repeated(slices):
        return slices, events, {}
    keys = _keys(_columns(slices))
    copies = _copies(keys[np.asarray(slices.duration) > 0])
    is_kept = _first_of(keys, copies), _first_of(_keys(_columns(events)), copies)
    lost = sum(int((~each).sum()) for each in is_kept)
    return _select(slices, is_kept[0]), _select(events, is_kept[1]), {REPEATED: Skipped(lost, -1)}


def _is_repeated(slices: Slices) -> bool:
    """Whether more than some slices that take time repeat others."""
    keys = _keys(_columns(slices), slices.duration, 15 if len(slices) > _SAMPLED else 0)
    keys.sort()
    repeats = int((keys[1:] == keys[:-1]).sum())
    is_whole = len(keys) - repeats > 1 and _copies(keys) > 1
    return is_whole or repeats >= max(FEWEST, FEWEST_SHARE * len(keys))


def _columns(found: Slices | Events) -> list[NDArray[Any]]:
    """Return what equal events share: everything but the place of their arguments."""
    return [getattr(found, each.name) for each in fields(found) if each.name != "args_offset"]


def _keys(
    columns: Sequence[NDArray[Any]], duration: NDArray[np.int64] | None = None, mask: int = 0
) -> NDArray[np.uint64]:
    """A hash of each row; with durations only of rows that last, and of those whose hash has no bit of the mask."""
    kept = [np.empty(0, np.uint64)]
    for begin in range(0, len(columns[0]), _CHUNK):
        rows = slice(begin, begin + _CHUNK)
        key = np.zeros(len(columns[0][rows]), np.uint64)
        for column in columns:
            key = (key ^ column[rows].astype(np.uint64)) * _FACTOR
            key ^= key >> np.uint64(32)
        if duration is not None:
            key = key[(duration[rows] > 0) & (key & np.uint64(mask) == 0)]
        kept.append(key)
    return np.concatenate(kept)


def _copies(keys: NDArray[np.uint64]) -> int:
    """Return how often the file holds everything; 1 if it holds only a part of it several times."""
    return int(np.gcd.reduce(np.unique(keys, return_counts=True)[1]))


def _first_of(keys: NDArray[np.uint64], copies: int) -> NDArray[np.bool_]:
    """Return which rows are the first of their equal ones: one of ``copies``, or a single one of a part."""
    is_kept = np.zeros(len(keys), np.bool_)
    if not len(keys):
        return is_kept
    order = np.argsort(keys, kind="stable")
    _, first, count = np.unique(keys[order], return_index=True, return_counts=True)
    most = np.maximum(count // copies, 1) if copies > 1 else np.ones(len(count), np.int64)
    place = np.arange(len(keys)) - np.repeat(first, count)
    is_kept[order[place < np.repeat(most, count)]] = True
    return is_kept


def _select(columns: _T, mask: NDArray[np.bool_]) -> _T:
    return type(columns)(*(getattr(columns, each.name)[mask] for each in fields(columns)))
