# SPDX-License-Identifier: Apache-2.0
"""Scopes with the same structure, such as the layers of a transformer."""

from __future__ import annotations

from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from mindscope.graph.data.columns import Indices, Role, ScopeKind
from mindscope.graph.data.graph_data import GraphData

_OUTSIDE = 1 << 40  # above all positions inside of a scope
_TYPES = 1 << 32


def scope_classes(graph: GraphData) -> NDArray[np.uint32]:
    """(k,) Scopes with the same number above 0 have the same structure; 0 is for scopes without nodes.

    A body is like no other: branches of a condition are no stack.

    Equal are: all nodes with operation type, role and type, the labels of the scopes inside, and all inputs in their
    order; of inputs from outside role, type and which of them are the same node. Names of nodes and the label of the
    scope itself may differ. Nodes are compared in the order of their scopes, then of the file.
    """
    order = _TreeOrder(graph)
    sizes = order.sizes()
    _, like, count = np.unique(sizes, axis=0, return_inverse=True, return_counts=True)
    has_equal_size = (count > 1)[like.reshape(-1)].tolist()
    is_body = (graph.scope_columns.kind >= ScopeKind.BODY).tolist()
    numbers: dict[bytes | int, int] = {}
    classes = [0] * len(sizes)
    for scope, has_nodes in enumerate((sizes[:, 0] > 0).tolist()):
        if has_nodes:
            key = order.digest(scope) if has_equal_size[scope] and not is_body[scope] else scope
            classes[scope] = numbers.setdefault(key, len(numbers) + 1)
    return np.array(classes, np.uint32)


class _TreeOrder:
    """Nodes and edges so ordered that each scope with all scopes inside is one range of each."""

    def __init__(self, graph: GraphData) -> None:
        nodes, edges = graph.node_columns, graph.edge_columns
        self.preorder, self.after = _preorder(graph.scope_columns.parent)
        scope = self.preorder[nodes.scope]
        order = np.argsort(scope, kind="stable")
        rank = np.empty(len(nodes), np.int64)
        rank[order] = np.arange(len(nodes))
        self.scope = scope[order]
        self.node_facts = np.stack([nodes.op_type, nodes.type, nodes.role], axis=1).astype(np.int64)[order]
        target = rank[edges.target]
        edge_order = np.argsort(target, kind="stable")
        self.target, self.source = target[edge_order], rank[edges.source][edge_order]
        role = np.where(
            nodes.role == Role.INPUT, np.uint8(Role.OPERATION), nodes.role
        )  # the first layer is like others
        outside = _OUTSIDE + role.astype(np.int64) * _TYPES + nodes.type
        self.outside = outside[edges.source][edge_order]
        self.edge_facts = (edges.output.astype(np.int64) * 2 + edges.is_control)[edge_order]
        self.labels = _label_numbers(graph)[np.argsort(self.preorder)]

    def sizes(self) -> NDArray[np.int64]:
        """Return nodes, edges that enter them, and scopes in each scope, shape (k, 3).

        With other sizes the structure is another.
        """
        scopes = self.preorder, self.after
        nodes = [np.searchsorted(self.scope, number) for number in scopes]
        edges = [np.searchsorted(self.target, node) for node in nodes]
        return np.stack([end - start for start, end in (nodes, edges, scopes)], axis=1)

    def digest(self, scope: int) -> bytes:
        """Return a digest of everything in the scope."""
        first, last = int(self.preorder[scope]), int(self.after[scope])
        start, stop = np.searchsorted(self.scope, [first, last])
        edge_start, edge_stop = np.searchsorted(self.target, [start, stop])
        source = self.source[edge_start:edge_stop]
        is_outside = (source < start) | (source >= stop)
        position = source - start
        position[is_outside] = self.outside[edge_start:edge_stop][is_outside]
        state = blake2b(digest_size=16)
        for column in (
            self.labels[first + 1 : last],
            self.node_facts[start:stop],
            self.scope[start:stop] - first,
            self.target[edge_start:edge_stop] - start,
            position,
            _by_first(source[is_outside]),
            self.edge_facts[edge_start:edge_stop],
        ):
            state.update(len(column).to_bytes(8, "little"))
            state.update(np.ascontiguousarray(column, np.int64).tobytes())
        return state.digest()


def _by_first(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Numbers the distinct values in the order of their first occurrence."""
    _, first, inverse = np.unique(values, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[inverse.reshape(-1)]


def _preorder(parent: Indices) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the number of each scope in preorder, and the number after all scopes inside."""
    parents: list[int] = parent.tolist()
    sizes = [1] * len(parents)
    for index in range(len(parents) - 1, 0, -1):
        sizes[parents[index]] += sizes[index]
    number, free = [0] * len(parents), [1] * len(parents)
    for index in range(1, len(parents)):
        around = parents[index]
        number[index] = free[around]
        free[around] += sizes[index]
        free[index] = number[index] + 1
    numbers = np.array(number, np.int64)
    return numbers, numbers + np.array(sizes, np.int64)


def _label_numbers(graph: GraphData) -> NDArray[np.int64]:
    """(k,) Scopes with the same label have the same number."""
    paths = graph.scope_columns.path.tolist()
    labels = [graph.texts[path].rpartition("/")[2] for path in paths]
    numbers = {label: number for number, label in enumerate(dict.fromkeys(labels))}
    return np.array([numbers[label] for label in labels], np.int64)
