# SPDX-License-Identifier: Apache-2.0
"""Groups blocks by category, operator, module, line of code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mindscope.profile.tables.memory import MemoryBlocks
from mindscope.profile.trace.own_code import own_frame
from mindscope.table.columns import Counts, Rows, Sizes, TextColumn, integers_of
from mindscope.table.grouping import sums_of

GROUPS = ("category", "operator", "module", "line")


def group_texts(blocks: MemoryBlocks, by: str) -> TextColumn | None:
    """Return the group of each block, empty where unknown; None if the format does not record it.

    ``line`` is the innermost frame outside of libraries. Raises ValueError for another name than those of ``GROUPS``.
    """
    if by not in GROUPS:
        raise ValueError(f"by is {by!r}, want one of {', '.join(GROUPS)}")
    if by != "line":
        found: TextColumn | None = getattr(blocks, by)
        return found
    return None if blocks.stack is None else _merged([own_line(stack) for stack in blocks.stack.values], blocks.stack)


def own_line(stack: str) -> str:
    """Return the innermost frame of a stack outside of libraries; the innermost one if all are in libraries."""
    return own_frame(stack) or stack.split(";")[0]


def _merged(texts: list[str], column: TextColumn) -> TextColumn:
    values = TextColumn.of(texts)
    return values.select(column.codes) if len(column) else TextColumn.constant("", 0)


@dataclass(frozen=True, slots=True, eq=False)
class Breakdown:
    """Groups of blocks, the largest first; of equal sizes the one whose text comes first in the profile."""

    text: Sequence[str]
    size: Sizes
    count: Counts


def breakdown(texts: TextColumn, sizes: Sizes, rows: Rows) -> Breakdown:
    """Return the bytes and number of blocks of each group among ``rows``; ``sizes`` are those of all blocks."""
    codes = texts.codes[rows]
    count = np.bincount(codes, minlength=len(texts.values))
    size = sums_of(codes, sizes[rows], len(texts.values))
    used = np.flatnonzero(count)
    used = used[np.argsort(-size[used], kind="stable")]
    return Breakdown([texts.values[code] for code in integers_of(used)], size[used], count[used])
