# SPDX-License-Identifier: Apache-2.0
"""Joins the tensors of debugging data with the nodes and scopes of a computational graph."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mindscope.analysis.module_scopes import ModuleScopes
from mindscope.debug.compare.names import alike_type
from mindscope.debug.first_bad.step_operators import is_module
from mindscope.debug.formats.mindspore_dump.scopes import plain_name
from mindscope.debug.model.tensors import DebugTensor, Phase, Role
from mindscope.graph import Graph
from mindscope.graph import Role as NodeRole
from mindscope.graph.algorithms.parts import pass_through_types

_OF_PARAMETERS = (Role.PARAMETER, Role.GRADIENT)
_NO_OPERATORS = ("prim::", "IO Node")
"""Beginnings of types of nodes that compute nothing."""
_VIEWS = frozenset(
    "alias asstrided chunk detach expand reshape select slice split squeeze transpose unbind unsafeview"
    " unsqueeze".split()
)
"""Operators of PyTorch whose outputs are elements of their inputs."""
Pairs = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class GraphTensors:
    """The items of a graph that tensors belong to. Item i is scope i, or node i - k, of a graph with k scopes."""

    own: Pairs
    """(p, 2) a tensor, and an item that is its operator or its module, or a node that is its parameter."""
    around: Pairs
    """(q, 2) ``own``, then each tensor with the scopes around its items, without the root."""
    is_named: NDArray[np.bool_]
    """(tensors,) Whether an operator of the graph has the full name of that of the tensor."""

    def items_of(self, tensor: int) -> list[int]:
        """Return the own items of a tensor."""
        first, last = np.searchsorted(self.own[:, 0], (tensor, tensor + 1))
        return self.own[first:last, 1].tolist()


def join_tensors(graph: Graph, tensors: Sequence[DebugTensor]) -> GraphTensors:
    """Finds the items of each tensor: by the full name of its operator, else by module, type and call.

    An operator without a node belongs to the scope of its module. A scope with a single operation has none of its own:
    the operation computes what the module does.
    """
    join = _Join(graph, tensors)
    pairs = np.array([(row, item) for row in range(len(tensors)) for item in join.items(row)], np.int64).reshape(-1, 2)
    is_named = np.array([join.named(tensor) >= 0 for tensor in tensors], np.bool_)
    return GraphTensors(pairs, _with_scopes_around(graph, pairs), is_named)


def _with_scopes_around(graph: Graph, pairs: Pairs) -> Pairs:
    scopes = graph.scope_columns.parent.astype(np.int64)
    parents = np.concatenate([scopes, graph.node_columns.scope.astype(np.int64)])
    found = [pairs]
    while len(pairs):
        pairs = np.stack([pairs[:, 0], parents[pairs[:, 1]]], axis=1)
        pairs = pairs[pairs[:, 1] > 0]
        found.append(pairs)
    return np.unique(np.concatenate(found), axis=0)


_OperatorKey = tuple[str, str, str]
"""Module, type and phase."""


@dataclass(slots=True)
class _Join:
    graph: Graph
    tensors: Sequence[DebugTensor]
    modules: ModuleScopes = field(init=False)
    nodes: dict[str, int] = field(init=False)
    """Operations by full name, and by that name as files have it."""
    weights: dict[str, int] = field(init=False)
    operations: dict[int, list[tuple[int, str]]] = field(init=False)
    """The nodes of each scope that compute something, with their types under one name for all frameworks."""
    inside: NDArray[np.int64] = field(init=False)
    """(k,) How many such nodes are in a scope and the scopes in it."""
    calls: dict[_OperatorKey, int] = field(init=False)
    """Number of calls of an operator in a step."""

    def __post_init__(self) -> None:
        nodes, scopes, texts = self.graph.node_columns, self.graph.scope_columns, self.graph.texts.all
        path_texts: list[int] = scopes.path.tolist()
        self.modules = ModuleScopes.of(
            [texts[path_text] for path_text in path_texts],
            scopes.parent.tolist(),
            {tensor.module for tensor in self.tensors},
        )
        is_operation = nodes.role == NodeRole.OPERATION
        full_names = {texts[nodes.full_name[node]]: node for node in np.flatnonzero(is_operation).tolist()}
        full_names.pop("", None)
        self.nodes = {**{plain_name(name): node for name, node in full_names.items()}, **full_names}
        is_weight = nodes.role == NodeRole.PARAMETER
        self.weights = {texts[nodes.name[node]]: node for node in np.flatnonzero(is_weight).tolist()}
        self._read_operations(is_operation & ~np.isin(nodes.op_type, pass_through_types(self.graph)))
        self.calls = defaultdict(int)
        for tensor in self.tensors:
            key = _key(tensor)
            self.calls[key] = max(self.calls[key], tensor.call + 1)

    def _read_operations(self, is_wanted: NDArray[np.bool_]) -> None:
        nodes, scopes, texts = self.graph.node_columns, self.graph.scope_columns, self.graph.texts.all
        self.operations = defaultdict(list)
        self.inside = np.zeros(len(scopes), np.int64)
        for node in np.flatnonzero(is_wanted).tolist():
            op_type = texts[nodes.op_type[node]]
            if not op_type.startswith(_NO_OPERATORS):
                scope = int(nodes.scope[node])
                self.operations[scope].append((node, alike_type(op_type)))
                self.inside[scope] += 1
        for scope in range(len(scopes) - 1, 0, -1):
            self.inside[scopes.parent[scope]] += self.inside[scope]

    def items(self, row: int) -> list[int]:
        """Return the own items of a tensor."""
        tensor = self.tensors[row]
        if tensor.role in _OF_PARAMETERS:
            return self._of_parameter(tensor)
        named = self.named(tensor)
        if named >= 0:
            return [self._item(named)]
        return self._of_module(tensor) if is_module(tensor) else self._of_operator(tensor)

    def named(self, tensor: DebugTensor) -> int:
        """Return the node with the full name of the operator of a tensor; -1 for none."""
        return self.nodes.get(tensor.name, -1) if tensor.name else -1

    def _item(self, node: int) -> int:
        return len(self.graph.scope_columns) + node

    def _of_parameter(self, tensor: DebugTensor) -> list[int]:
        path = f"{tensor.module}.{tensor.slot}" if tensor.module else tensor.slot
        weight = self.weights.get(path, -1)
        own = [] if weight < 0 else [self._item(weight)]
        return [*own, *(self._single(scope) for scope in self.modules.find(tensor.module, is_backward=False))]

    def _of_module(self, tensor: DebugTensor) -> list[int]:
        if not tensor.module:
            network = max(self.modules.networks, key=lambda scope: (int(self.inside[scope]), scope))
            return [network] if network else []
        return [self._single(scope) for scope in self._scopes_of(tensor)]

    def _of_operator(self, tensor: DebugTensor) -> list[int]:
        wanted = alike_type(tensor.type.removesuffix("_backward"))
        scopes = self._scopes_of(tensor) or ([] if tensor.module else self.modules.networks)
        alike = [node for scope in scopes for node, op_type in self.operations.get(scope, ()) if op_type == wanted]
        if not tensor.module:  # the loss, which the graph may not have, comes after the network
            return [self._item(alike[tensor.call])] if tensor.call < len(alike) else []
        if alike and self.calls[_key(tensor)] % len(alike) == 0:
            return [self._item(alike[tensor.call % len(alike)])]
        return [] if wanted in _VIEWS else [self._single(scope) for scope in scopes]

    def _scopes_of(self, tensor: DebugTensor) -> list[int]:
        return self.modules.find(tensor.module, is_backward=tensor.phase is Phase.BACKWARD)

    def _single(self, scope: int) -> int:
        """Return the scope, or its only operation."""
        operation = self.operations.get(scope, ())
        return self._item(operation[0][0]) if len(operation) == 1 and self.inside[scope] == 1 else scope


def _key(tensor: DebugTensor) -> _OperatorKey:
    return tensor.module, tensor.type, tensor.phase.value
