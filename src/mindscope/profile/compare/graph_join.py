# SPDX-License-Identifier: Apache-2.0
"""Joins the scopes of a computational graph with the modules of a profile."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.compare.alignment import NamedTree, align
from mindscope.profile.tables.modules import Modules
from mindscope.table.columns import integers_of

_CONTAINERS = frozenset(("ModuleList", "ModuleDict", "CellList", "CellDict"))
_ROOTS = frozenset(("Default", "Gradients", "recompute_Default"))
_BRACKETS = re.compile(r"(.+)\[.*\]$")
_INSTANCE = re.compile(r"_\d+$")


def align_scopes(labels: Sequence[str], parents: NDArray[np.int64], modules: Modules) -> NDArray[np.int64]:
    """Return for each scope of a graph the row of its module; -1 for none.

    MindSpore gives scopes and modules equal paths. PyTorch's profiler names an instance by its class and a number:
    ``LeNet5_0/Conv2d_1`` is ``Default/conv2-Conv2d`` of the graph, or ``LeNet5/Conv2d[conv2]``. Then the trees are
    aligned by the classes of modules in the order of their first calls, under the root that fits best.

    Args:
        labels: (n,) last names of the scopes, in the order of their first nodes.
        parents: (n,) rows of the scopes around them, which precede them; -1 for none.
        modules: of a profile.
    """
    paths = _paths(labels, parents)
    rows = {path: row for row, path in enumerate(modules.path)}
    equal = np.array([rows.get(path, -1) if path else -1 for path in paths], np.int64)
    return equal if (equal >= 0).any() else _by_class(labels, parents, modules)


def _paths(labels: Sequence[str], parents: NDArray[np.int64]) -> list[str]:
    """Return the paths without the name of the subgraph, as ``modules.path`` of MindSpore."""
    found: list[str] = []
    for label, parent in zip(labels, integers_of(parents), strict=True):
        above = found[parent] if parent >= 0 else ""
        own = "" if not above and label in _ROOTS else label
        found.append(f"{above}/{own}" if above and own else above or own)
    return found


def _by_class(labels: Sequence[str], parents: NDArray[np.int64], modules: Modules) -> NDArray[np.int64]:
    """Align the scopes but those of containers that are never called, whose items their parents call."""
    rows = [row for row, label in enumerate(labels) if _class_of_scope(label) not in _CONTAINERS]
    index = {row: number for number, row in enumerate(rows)}
    above: list[int] = []
    for parent in integers_of(parents):
        while parent >= 0 and parent not in index:
            parent = int(parents[parent])
        above.append(index.get(parent, -1))
    found = np.full(len(labels), -1, np.int64)
    called = np.array([above[row] for row in rows], np.int64)
    found[rows] = _called_by_class([labels[row] for row in rows], called, modules)
    return found


def _called_by_class(labels: Sequence[str], parents: NDArray[np.int64], modules: Modules) -> NDArray[np.int64]:
    scopes = NamedTree([_class_of_scope(label) for label in labels], parents, np.arange(len(labels)))
    best = np.full(len(labels), -1, np.int64)
    for root in np.flatnonzero(modules.parent < 0).tolist():
        below = _below(modules.parent, root)
        for top in _tops(labels, parents):
            found = _aligned_below(scopes, top, modules, below)
            if (found >= 0).sum() > max((best >= 0).sum(), len(below) > 1):
                best = found
    return best


def _aligned_below(scopes: NamedTree, top: int, modules: Modules, below: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the scopes below ``top`` aligned with the modules ``below``, whose first one is that of ``top``."""
    inner = _below(scopes.parent, top)
    number_of = {row: number for number, row in enumerate(integers_of(inner))}
    other = {row: number for number, row in enumerate(integers_of(below))}
    names = [_INSTANCE.sub("", modules.name[row]) for row in integers_of(below)]
    one = NamedTree(
        ["", *(scopes.names[row] for row in integers_of(inner)[1:])],
        np.array([number_of.get(int(scopes.parent[row]), -1) for row in integers_of(inner)]), np.arange(len(inner)),
    )  # fmt: skip
    two = NamedTree(
        ["", *names[1:]],
        np.array([other.get(int(modules.parent[row]), -1) for row in integers_of(below)]), np.arange(len(below)),
    )  # fmt: skip
    found = np.full(len(scopes.names), -1, np.int64)
    aligned = align(two, one)
    found[inner] = np.where(aligned >= 0, below[aligned], -1)
    return found


def _tops(labels: Sequence[str], parents: NDArray[np.int64]) -> list[int]:
    """Return scopes that may be the whole network: the outermost ones, and the only one within such a one."""
    found: list[int] = []
    for row, parent in enumerate(integers_of(parents)):
        if parent < 0 or (parent in found and (parents == parent).sum() == 1):
            found.append(row)
    return found


def _below(parents: NDArray[np.int64], top: int) -> NDArray[np.int64]:
    """Return a row and those within it; parents precede their children."""
    is_inside = np.zeros(len(parents), np.bool_)
    is_inside[top] = True
    for row in range(top + 1, len(parents)):
        is_inside[row] |= parents[row] >= 0 and is_inside[parents[row]]
    return np.flatnonzero(is_inside)


def _class_of_scope(label: str) -> str:
    """Return ``conv1-Conv2d`` and ``Conv2d[conv1]`` -> ``Conv2d``."""
    match = _BRACKETS.match(label)
    return match[1] if match else label.rpartition("-")[2]
