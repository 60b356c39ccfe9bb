# SPDX-License-Identifier: Apache-2.0
"""Events that a trace holds several times: tools merge a file with itself, or with one that overlaps it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.trace.arguments import ArgumentReader
from mindscope.profile.trace.trace import Events, Skipped, Slices
from mindscope.table.columns import integers_of

REPEATED = "repeated"
"""Reason of events that are skipped for it."""
FEWEST_SHARE = 0.02
"""Fewest slices that repeat another one, as a share. Clocks of whole microseconds make some equal."""
FEWEST = 8
"""Fewest slices that repeat another one, unless all do; and fewest of a sequence that the file holds again."""
IDS = ("External id", "correlation", "Ev Idx", "Python id", "Record function id")
"""Arguments by which PyTorch's profiler numbers what it records."""
_SAMPLED = 1 << 20
"""Slices from which on a sixteenth of them decides, so that a healthy trace costs no memory."""
_MOST_READ = 64
"""Slices whose arguments are compared."""
_CHUNK = 1 << 18
_FACTOR = np.uint64(0x9E3779B97F4A7C15)

_T = TypeVar("_T", Slices, Events)


def without_repeated(
    slices: Slices, events: Events, arguments: ArgumentReader | None = None
) -> tuple[Slices, Events, dict[str, Skipped]]:
    """Keep each slice and event once; count how many repeat another one of equal name, thread, time and duration.

    In a file that holds everything equally often, a share of each group of equal events is left out, so that events
    which were equal in the original stay. Nothing is left out without evidence that a tool wrote the events again.

    Args:
        slices: in the order of the file.
        events: in the order of the file.
        arguments: of the slices; None if they have none.

    Raises:
        OSError: the arguments can't be read.
    """
    if not _is_repeated(slices, arguments):
        return slices, events, {}
    keys = _keys(_columns(slices))
    copies = _copies(keys[np.asarray(slices.duration) > 0])
    is_kept = _first_of(keys, copies), _first_of(_keys(_columns(events)), copies)
    lost = sum(int((~each).sum()) for each in is_kept)
    return _select(slices, is_kept[0]), _select(events, is_kept[1]), {REPEATED: Skipped(lost, -1)}


def _is_repeated(slices: Slices, arguments: ArgumentReader | None) -> bool:
    """Return whether a tool has written slices that take time again.

    A program whose clock is coarse, or that marks all it does twice, also has many equal slices. So there must be a
    sequence of slices that follows again in the same order, or slices with equal ids.
    """
    keys = _keys(_columns(slices), slices.duration, 15 if len(slices) > _SAMPLED else 0)
    ordered = np.sort(keys)
    repeats = int((ordered[1:] == ordered[:-1]).sum())
    is_whole = len(keys) - repeats > 1 and _copies(keys) > 1
    if not is_whole and repeats < max(FEWEST, FEWEST_SHARE * len(keys)):
        return False
    return _longest_sequence(keys) >= FEWEST or (arguments is not None and _has_equal_ids(slices, arguments))


def _longest_sequence(keys: NDArray[np.uint64]) -> int:
    """Return of how many different rows the longest sequence is that follows again in the same order."""
    before = _rows_before(keys)
    is_next = (before[1:] == before[:-1] + 1) & (before[:-1] >= 0) & (keys[1:] != keys[:-1])
    ends = np.flatnonzero(np.diff(is_next, prepend=False, append=False))
    return int((ends[1::2] - ends[::2]).max(initial=0)) + 1


def _rows_before(keys: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return for each row the last one before it that is equal; -1 for none."""
    order = np.argsort(keys, kind="stable")
    before = np.full(len(keys), -1, np.int64)
    is_equal = keys[order[1:]] == keys[order[:-1]]
    before[order[1:][is_equal]] = order[:-1][is_equal]
    return before


def _has_equal_ids(slices: Slices, arguments: ArgumentReader) -> bool:
    """Return whether slices that are equal are one call by their ids, of those that have ids."""
    rows = np.flatnonzero((slices.duration > 0) & (slices.args_offset >= 0))[:_SAMPLED]
    before = _rows_before(_keys([column[rows] for column in _columns(slices)]))
    pairs = np.flatnonzero(before >= 0)[:_MOST_READ]
    one, other = rows[before[pairs]], rows[pairs]
    read = np.unique(np.concatenate([one, other]))
    read = read[np.argsort(slices.args_offset[read], kind="stable")]
    offsets, sizes = integers_of(slices.args_offset[read]), integers_of(slices.args_size[read])
    found = map(_ids, arguments.read_all(zip(offsets, sizes, strict=True)))
    ids = dict(zip(integers_of(read), found, strict=True))
    both = [(ids[first], ids[second]) for first, second in zip(integers_of(one), integers_of(other), strict=True)]
    compared = [first == second for first, second in both if first and second]
    return len(compared) > 1 and 2 * sum(compared) > len(compared)


def _ids(arguments: Mapping[str, Any]) -> dict[str, Any]:
    return {name: arguments[name] for name in IDS if name in arguments}


def _columns(found: Slices | Events) -> list[NDArray[Any]]:
    """Return what equal events share: everything but the offset of their arguments."""
    return [getattr(found, field.name) for field in fields(found) if field.name != "args_offset"]


def _keys(
    columns: Sequence[NDArray[Any]], duration: NDArray[np.int64] | None = None, mask: int = 0
) -> NDArray[np.uint64]:
    """Return a hash of each row.

    It includes durations only of rows that last, and of those whose hash has no bit of the mask.
    """
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
    occurrence = np.arange(len(keys)) - np.repeat(first, count)
    is_kept[order[occurrence < np.repeat(most, count)]] = True
    return is_kept


def _select(columns: _T, mask: NDArray[np.bool_]) -> _T:
    return type(columns)(*(getattr(columns, field.name)[mask] for field in fields(columns)))
