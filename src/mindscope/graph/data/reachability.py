# SPDX-License-Identifier: Apache-2.0
"""Finds the nodes to which a node leads, in time linear in nodes and edges."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mindscope.graph.data.columns import Indices


def reachable(ends: Indices, first: NDArray[np.int64], start: int) -> NDArray[np.bool_]:
    """Return whether ``start`` leads to each node, itself included, shape (n,).

    Node i leads to the nodes ``ends[first[i] : first[i + 1]]``; ``first`` has the shape (n + 1,).
    """
    targets: list[int] = ends.tolist()
    limits: list[int] = first.tolist()
    reached = bytearray(len(limits) - 1)
    reached[start] = 1
    waiting = [start]
    while waiting:
        node = waiting.pop()
        for target in targets[limits[node] : limits[node + 1]]:
            if not reached[target]:
                reached[target] = 1
                waiting.append(target)
    return np.frombuffer(bytes(reached), np.bool_)
