# SPDX-License-Identifier: Apache-2.0
"""Aligns two trees from their roots on: the children of aligned nodes by the longest common sequence of their names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_NUMBER = re.compile(r"_\d+$")
_MOST_CELLS = 4_000_000
"""Largest table that the sequences of two nodes need; longer ones are aligned by name and order of equal names."""
_EXACT, _ALIKE = 1.0, 0.9


@dataclass(frozen=True)
class NamedTree:
    """Rows of n nodes; parents precede their children."""

    names: Sequence[str]
    parent: NDArray[np.int64]
    """-1 for a root."""
    order: NDArray[np.int64]
    """Siblings are in this order."""


class _Children:
    """The children of each node of a tree, of which there may be millions."""

    def __init__(self, tree: NamedTree) -> None:
        self._rows = np.lexsort((tree.order, tree.parent))
        self._first = np.searchsorted(tree.parent[self._rows], np.arange(-1, len(tree.parent) + 1))

    def of(self, node: int) -> list[int]:
        """Return rows of the children of a node, in their order; roots for -1."""
        return self._rows[self._first[node + 1] : self._first[node + 2]].tolist()


def align(before: NamedTree, after: NamedTree) -> NDArray[np.int64]:
    """Return for each node of ``after`` the one of ``before``; -1 for none.

    Names that differ only in the number of an instance (``Linear_1``, ``Linear_2``) may be aligned, equal ones rather.
    """
    if _key(after) < _key(before):  # of equal alignments the same one in both directions
        return _inverse(align(after, before), len(after.parent))
    found = np.full(len(after.parent), -1, np.int64)
    old_children, new_children = _Children(before), _Children(after)
    pending = [(old_children.of(-1), new_children.of(-1))]
    while pending:
        for old, new in _pairs(before.names, after.names, *pending.pop()):
            found[new] = old
            inner = old_children.of(old), new_children.of(new)
            if all(inner):
                pending.append(inner)
    return found


def _key(tree: NamedTree) -> tuple[list[str], bytes, bytes]:
    return list(tree.names), tree.parent.tobytes(), tree.order.tobytes()


def _inverse(found: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    inverse = np.full(count, -1, np.int64)
    rows = np.flatnonzero(found >= 0)
    inverse[found[rows]] = rows
    return inverse


def _pairs(
    old_names: Sequence[str], new_names: Sequence[str], old: Sequence[int], new: Sequence[int]
) -> Iterator[tuple[int, int]]:
    """Yield the aligned nodes of two sequences of siblings."""
    head = 0
    while head < min(len(old), len(new)) and old_names[old[head]] == new_names[new[head]]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old_names[old[-1 - tail]] == new_names[new[-1 - tail]]:
        tail += 1
    yield from zip(old[:head], new[:head], strict=True)
    yield from zip(old[len(old) - tail :], new[len(new) - tail :], strict=True)
    rest_old, rest_new = old[head : len(old) - tail], new[head : len(new) - tail]
    if not rest_old or not rest_new:
        return
    if len(rest_old) * len(rest_new) > _MOST_CELLS:
        yield from _by_occurrence(old_names, new_names, rest_old, rest_new)
    else:
        yield from _longest_common(old_names, new_names, rest_old, rest_new)


def _longest_common(
    old_names: Sequence[str], new_names: Sequence[str], old: Sequence[int], new: Sequence[int]
) -> list[tuple[int, int]]:
    """Return the alignment of the greatest weight among those that keep the order."""
    codes: dict[str, int] = {}
    exact = [np.array([codes.setdefault(names[row], len(codes)) for row in rows])
             for names, rows in ((old_names, old), (new_names, new))]  # fmt: skip
    alike = [np.array([codes.setdefault(_NUMBER.sub("_", names[row]), len(codes)) for row in rows])
             for names, rows in ((old_names, old), (new_names, new))]  # fmt: skip
    best = np.zeros((len(old) + 1, len(new) + 1), np.float32)
    for row in range(len(old)):
        weight = np.where(exact[1] == exact[0][row], _EXACT, np.where(alike[1] == alike[0][row], _ALIKE, -np.inf))
        reached = np.maximum(best[row, 1:], best[row, :-1] + weight)
        best[row + 1, 1:] = np.maximum.accumulate(reached)
    found: list[tuple[int, int]] = []
    row, column = len(old), len(new)
    while row and column:
        here = best[row, column]
        if here == best[row - 1, column]:
            row -= 1
        elif here == best[row, column - 1]:
            column -= 1
        else:
            row, column = row - 1, column - 1
            found.append((old[row], new[column]))
    return found


def _by_occurrence(
    old_names: Sequence[str], new_names: Sequence[str], old: Sequence[int], new: Sequence[int]
) -> Iterator[tuple[int, int]]:
    by_name: dict[str, list[int]] = {}
    for row in reversed(old):
        by_name.setdefault(old_names[row], []).append(row)
    return ((rows.pop(), row) for row in new if (rows := by_name.get(new_names[row])))
