# SPDX-License-Identifier: Apache-2.0
"""Random memory of a device, and its bytes by a plain scan."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import numpy as np
from hypothesis import strategies as st

from mindscope.profile.tables.memory import UNKNOWN_TIME, MemoryBlocks
from mindscope.table.columns import TextColumn

OPERATORS = ("aten::mm", "aten::relu", "")
STACKS = ("model.py(3): forward;train.py(9): step", "lib/python3/torch/nn.py(1): call;train.py(9): step", "")

_time = st.one_of(st.just(UNKNOWN_TIME), st.integers(-5, 30))


@st.composite
def memory_blocks(draw: st.DrawFn) -> MemoryBlocks:
    """Up to 30 blocks of two devices within 35 ns; some are born before, or freed after it."""
    rows = draw(st.lists(st.tuples(st.integers(0, 9), _time, _time, st.integers(0, 2), st.integers(0, 2)), max_size=30))
    born = [each[1] for each in rows]
    freed = [each[2] if each[2] == UNKNOWN_TIME else max(each[2], each[1]) for each in rows]
    return MemoryBlocks(
        device=TextColumn.of("GPU 0" if size % 2 else "GPU 1" for size, *_ in rows),
        size=np.array([each[0] for each in rows], np.int64),
        allocated_at=np.array(born, np.int64),
        freed_at=np.array(freed, np.int64),
        operator=TextColumn.of(OPERATORS[each[3]] for each in rows),
        stack=TextColumn.of(STACKS[each[4]] for each in rows),
    )


def plainly_live(blocks: MemoryBlocks, time: int, device: str | None = None) -> list[int]:
    """Rows of the live blocks."""
    found: list[int] = []
    for row, each in enumerate(blocks.rows()):
        is_born = each["allocated_at"] == UNKNOWN_TIME or each["allocated_at"] <= time
        is_freed = each["freed_at"] != UNKNOWN_TIME and each["freed_at"] <= time
        if is_born and not is_freed and device in (None, each["device"]):
            found.append(row)
    return found


def plainly_summed(blocks: MemoryBlocks, rows: list[int], by: str) -> dict[Any, int]:
    """Bytes by a column."""
    found: dict[Any, int] = defaultdict(int)
    for row in rows:
        found[blocks.row(row)[by]] += int(blocks.size[row])
    return dict(found)
