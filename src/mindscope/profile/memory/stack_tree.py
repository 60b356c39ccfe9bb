# SPDX-License-Identifier: Apache-2.0
"""Stacks of blocks as a tree, and bytes of blocks as a flame graph over it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.tables.memory import MemoryBlocks
from mindscope.profile.timeline.range_statistics import Flame
from mindscope.table.columns import Rows, Sizes, TextColumn, integers_of
from mindscope.table.grouping import groups_of, sums_of


class StackTree:
    """A tree of frames, each below its caller. ``names`` are texts of frames; a node comes after its parent.

    A block without a stack is below a node without a name.
    """

    def __init__(self, blocks: MemoryBlocks) -> None:
        """Make the tree by stacks; by module and operator where blocks have none."""
        stacks = _stacks(blocks)
        self.names: list[str] = []
        self._parent: list[int] = []
        self._name: list[int] = []
        self._known: dict[str, int] = {"": -1}  # node of a stack, innermost frame first
        self._names: dict[str, int] = {}
        self._codes = stacks.codes
        self._leaf = np.array([self._node(text) for text in stacks.values], np.int64)
        self._parents, self._name_of = np.array(self._parent, np.int64), np.array(self._name, np.int64)
        self._levels = _levels(self._parent)

    def __len__(self) -> int:
        return len(self._parent)

    def flame(self, sizes: Sizes, rows: Rows, most: int) -> Flame:
        """Return the bytes of the blocks in ``rows``; ``sizes`` are those of all blocks.

        At most ``most`` nodes, the largest.
        """
        leaf = self._leaf[self._codes[rows]]
        own, count = sums_of(leaf, sizes[rows], len(self)), np.bincount(leaf, minlength=len(self))
        total: NDArray[np.int64] = np.array(own)
        for level in self._levels[:0:-1]:
            np.add.at(total, self._parents[level], total[level])
            np.add.at(count, self._parents[level], count[level])
        used = np.flatnonzero(count)
        kept = np.sort(used[np.argsort(-total[used], kind="stable")[:most]])  # a parent is never smaller, and first
        row_of = np.full(len(self) + 1, -1, np.int64)
        row_of[kept] = np.arange(len(kept))
        return Flame(
            row_of[self._parents[kept]], self._name_of[kept], count[kept], total[kept], own[kept], len(used) - len(kept)
        )

    def _node(self, stack: str) -> int:
        """Return the node of a stack; makes those of its callers, too."""
        if not stack:
            return self._child(-1, "", "\0")
        pending: list[tuple[str, str]] = []
        while stack not in self._known:
            frame, _, callers = stack.partition(";")
            pending.append((frame, stack))
            stack = callers
        node = self._known[stack]
        for frame, text in reversed(pending):
            node = self._child(node, frame, text)
        return node

    def _child(self, parent: int, frame: str, key: str) -> int:
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = len(self._parent)
            self._parent.append(parent)
            self._name.append(self._names.setdefault(frame, len(self._names)))
            if len(self._names) > len(self.names):
                self.names.append(frame)
        return found


def _stacks(blocks: MemoryBlocks) -> TextColumn:
    if blocks.stack is not None and any(blocks.stack.values):
        return blocks.stack
    texts = [each for each in (blocks.operator, blocks.module) if each is not None]
    group, first = groups_of([text.codes for text in texts], len(blocks))
    return TextColumn(group.astype(np.uint32), [_path(blocks, row) for row in integers_of(first)])


def _path(blocks: MemoryBlocks, row: int) -> str:
    """Return the operator, then its modules from the innermost on."""
    modules = [] if blocks.module is None else blocks.module[row].split("/")[::-1]
    operator = "" if blocks.operator is None else blocks.operator[row]
    return ";".join(module for module in (operator, *modules) if module)


def _levels(parents: list[int]) -> list[NDArray[np.int64]]:
    """Return nodes by their depth."""
    depth: list[int] = []
    for parent in parents:
        depth.append(depth[parent] + 1 if parent >= 0 else 0)
    depths = np.array(depth, np.int64)
    order = np.argsort(depths, kind="stable")
    return np.split(order, np.searchsorted(depths[order], np.arange(1, int(depths.max(initial=0)) + 1)))
