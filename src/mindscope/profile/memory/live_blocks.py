# SPDX-License-Identifier: Apache-2.0
"""The blocks that live at a moment, and pages of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.tables.memory import UNKNOWN_TIME, MemoryBlocks
from mindscope.table.columns import Rows, Sizes


def live_rows(blocks: MemoryBlocks, time: int, device: str | None = None) -> Rows:
    """Return rows of the blocks that are allocated at ``time``, of one device or all, in their order.

    A block whose allocation is unknown lives from the begin on, one whose free is unknown to the end.
    """
    alive = blocks.allocated_at <= time  # UNKNOWN_TIME is the least number
    alive &= (blocks.freed_at > time) | (blocks.freed_at == UNKNOWN_TIME)
    return np.flatnonzero(alive & of_device(blocks, device))


def allocated_rows(blocks: MemoryBlocks, begin: int, end: int, device: str | None = None) -> Rows:
    """Return rows of the blocks whose allocation lies in [begin, end), of one device or all, in their order."""
    is_known = blocks.allocated_at != UNKNOWN_TIME
    inside = is_known & (blocks.allocated_at >= begin) & (blocks.allocated_at < end)
    return np.flatnonzero(inside & of_device(blocks, device))


def of_device(blocks: MemoryBlocks, device: str | None) -> NDArray[np.bool_]:
    """Return which blocks are those of a device; all for None."""
    if device is None:
        return np.ones(len(blocks), np.bool_)
    return blocks.device.is_any_of(lambda text: text == device)


def largest(sizes: Sizes, rows: Rows, offset: int, count: int) -> Rows:
    """Return those of ``rows`` at the positions from ``offset`` on, at most ``count``, if the largest is the first.

    ``sizes`` are those of all blocks. Equal sizes stay in their order.
    """
    last = offset + count
    if last < len(rows):
        size = sizes[rows]
        least = np.partition(size, len(size) - last)[len(size) - last]
        above, equal = rows[size > least], rows[size == least]
        rows = np.sort(np.concatenate([above, equal[: last - len(above)]]))
    return rows[np.argsort(-sizes[rows], kind="stable")][offset:last]
