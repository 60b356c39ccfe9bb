# SPDX-License-Identifier: Apache-2.0
"""Hints at leaks: memory that steps allocate and nothing frees."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mindscope.profile.tables.memory import UNKNOWN_TIME, MemoryBlocks
from mindscope.table.columns import integers_of
from mindscope.table.grouping import groups_of

FEWEST_STEPS = 2
"""Fewest steps in which blocks of one origin remain: gradients and state that the first steps make live on, too."""
LEAST_BYTES = 64 << 10
"""A step: losses that are kept for a curve are no leak."""
_YOUNG_STEPS = 1
"""Blocks of the last steps may still be freed by the next ones."""


@dataclass(frozen=True, slots=True)
class LeakHint:
    """Blocks of one operator, module and stack that remained after their steps."""

    operator: str
    module: str
    stack: str
    device: str
    steps: tuple[int, ...]
    """Steps that left blocks, but the first and the last."""
    bytes_per_step: int
    rows: tuple[int, ...]
    """Rows among the blocks."""


def find_leaks(blocks: MemoryBlocks) -> list[LeakHint]:
    """Return origins whose blocks remain in each step but the first, which may make state, and the last.

    The greatest growth comes first. Needs blocks with steps, and at least four steps.
    """
    if blocks.step is None:
        return []
    numbers = np.unique(blocks.step[blocks.step >= 0])
    judged = numbers[1 : len(numbers) - _YOUNG_STEPS]
    if len(judged) < FEWEST_STEPS:
        return []
    rows = np.flatnonzero(np.isin(blocks.step, judged) & (blocks.freed_at == UNKNOWN_TIME))
    texts = [each for each in (blocks.device, blocks.operator, blocks.module, blocks.stack) if each is not None]
    group, first = groups_of([text.codes[rows] for text in texts], len(rows))
    order = np.argsort(group, kind="stable")
    of_group = np.split(rows[order], np.searchsorted(group[order], np.arange(1, len(first))))
    is_large = np.bincount(group, blocks.size[rows], len(first)) >= LEAST_BYTES * len(judged)
    hints = [
        _hint(blocks, of_group[integer], int(rows[first[integer]])) for integer in integers_of(np.flatnonzero(is_large))
    ]
    found = [hint for hint in hints if len(hint.steps) == len(judged) and hint.bytes_per_step >= LEAST_BYTES]
    return sorted(found, key=lambda each: -each.bytes_per_step)


def _hint(blocks: MemoryBlocks, rows: np.ndarray[tuple[int], np.dtype[np.int64]], row: int) -> LeakHint:
    assert blocks.step is not None
    steps = integers_of(np.unique(blocks.step[rows]))
    return LeakHint(
        operator=blocks.operator[row] if blocks.operator else "",
        module=blocks.module[row] if blocks.module else "",
        stack=blocks.stack[row] if blocks.stack else "",
        device=blocks.device[row],
        steps=tuple(steps),
        bytes_per_step=int(blocks.size[rows].sum()) // len(steps),
        rows=tuple(integers_of(rows)),
    )
