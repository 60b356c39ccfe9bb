# SPDX-License-Identifier: Apache-2.0
"""Names of modules as in the code of a network: ``conv1`` and ``Conv2d`` out of ``conv1-Conv2d``."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mindscope.graph.algorithms.parts import NodePart
from mindscope.graph.data.columns import Indices, Role
from mindscope.graph.data.graph_data import GraphData

ROOT = "Default"
"""The scope that MindSpore puts around all others."""
_MINDSPORE = re.compile(r"(.+)-([A-Za-z_]\w*)", re.DOTALL)
_TENSORBOARD = re.compile(r"([A-Za-z_]\w*)\[(.+)\]", re.DOTALL)
_TRACED = re.compile(r" \((module structure|torch\.fx)[;)]")


class CodeName(NamedTuple):
    """The name of a module in its parent, and its class; "" if unknown."""

    name: str
    kind: str


def code_name(label: str, around: str = "") -> CodeName:
    """Return the name of a scope with ``label`` inside of one with the label ``around``.

    MindSpore writes ``conv1-Conv2d``, ``torch.utils.tensorboard`` ``Conv2d[conv1]``, and ONNX repeats the names
    around: ``layer1.0`` in ``layer1``.
    """
    if match := _MINDSPORE.fullmatch(label):
        return CodeName(match[1], match[2])
    if match := _TENSORBOARD.fullmatch(label):
        return CodeName(match[2], match[1])
    has_prefix = around != "" and label.startswith(f"{around}.") and len(label) > len(around) + 1
    return CodeName(label[len(around) + 1 :] if has_prefix else label, "")


def scope_names(graph: GraphData) -> list[CodeName]:
    """Return the names of all scopes; that of the root is empty."""
    columns = graph.scope_columns
    labels = [graph.texts[path].rpartition("/")[2] for path in columns.path.tolist()]
    parents: list[int] = columns.parent.tolist()
    around = [labels[parent] if parent >= 0 else "" for parent in parents]
    known: dict[tuple[str, str], CodeName] = {}
    return [known.get(pair) or known.setdefault(pair, code_name(*pair)) for pair in zip(labels, around, strict=True)]


def is_of_pytorch(graph: GraphData) -> bool:
    """Return whether PyTorch wrote the graph: most types are names of functions, or the name says how it was traced.

    Its operations have no numbers of their own, as MindSpore's have in ``Conv2D-op3``.
    """
    if _TRACED.search(graph.name):
        return True
    types = graph.node_columns.op_type[graph.node_columns.role == Role.OPERATION]
    distinct, counts = np.unique(types, return_counts=True)
    lower = [graph.texts[number][:1].islower() for number in distinct.tolist()]
    return int(counts[np.array(lower, bool)].sum()) * 2 > types.size


class ShownScopes(NamedTuple):
    """The scopes of a graph as a view shows them: the forward part without a scope around it, the rest in one."""

    of_node: Indices  # (n,)
    parent: Indices  # (k,)
    rest: int
    """The scope with the backward pass and the optimizer, ``Default`` of the file; -1 without one."""


def shown_scopes(graph: GraphData, parts: NDArray[np.uint8]) -> ShownScopes:
    """Take the forward part out of ``Default``, and put scopes of the backward pass and the optimizer into it."""
    nodes, parent = graph.node_columns.scope, graph.scope_columns.parent
    root = graph.scope_numbers.get(ROOT, -1)
    if root < 0:
        return ShownScopes(nodes, parent, -1)
    nodes = np.where(nodes == root, 0, nodes).astype(np.int32)
    parent = np.where(parent == root, 0, parent).astype(np.int32)
    is_forward = np.zeros(len(parent), bool)
    is_operation = graph.node_columns.role == Role.OPERATION
    is_forward[nodes[is_operation & (parts & (NodePart.GRADIENT | NodePart.OPTIMIZER) == 0)]] = True
    for scope in range(len(parent) - 1, 0, -1):
        is_forward[parent[scope]] |= is_forward[scope]
    rest = np.flatnonzero((parent == 0) & ~is_forward & (graph.scope_sizes > 0))
    rest = rest[rest > root]  # a parent precedes its children
    if not rest.size or not is_forward[0]:
        return ShownScopes(nodes, parent, -1)
    parent[rest] = root
    return ShownScopes(nodes, parent, root)
