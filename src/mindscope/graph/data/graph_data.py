# SPDX-License-Identifier: Apache-2.0
"""The neutral model of a computational graph: columns, and views of single nodes and scopes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Protocol, overload

import numpy as np
from numpy.typing import NDArray

from mindscope.formats.message_columns import Texts
from mindscope.graph.data.columns import (
    EdgeColumns,
    EdgeKind,
    Indices,
    NodeColumns,
    Role,
    ScopeColumns,
    ScopeKind,
    Shape,
    TensorType,
)
from mindscope.graph.data.reachability import reachable
from mindscope.reasons import Reason

NO_NODES: Indices = np.empty(0, np.int32)


class Details(Protocol):
    """Parts of a node that are read on request. Raises FormatError if they can't be read."""

    def attributes(self, node: int) -> Mapping[str, Any]:
        """Return the attributes by name: numbers, texts, lists, arrays."""
        ...

    def value(self, node: int) -> Any:
        """Return the value of a constant, the initial value of a parameter; None if the file has none."""
        ...

    def attribute_hashes(self, count: int) -> NDArray[np.uint64]:
        """Return a hash of all attributes of each node in any order, of constants the value, shape (count,).

        It is 0 without any.
        """
        ...


class Input(NamedTuple):
    """One input of a node: output ``output`` of ``node``."""

    node: Node
    kind: EdgeKind = EdgeKind.DATA
    output: int = 0


class GraphData:
    """The columns of a computational graph; ``Graph`` adds the algorithms on them.

    ``functions`` are graphs that the file defines by name, ``output_nodes`` give the results, ``damaged_nodes`` can't
    be read to their ends. If ``is_cut``, the graph itself breaks off before its end.
    """

    def __init__(
        self,
        name: str,
        texts: Texts,
        node_columns: NodeColumns,
        edge_columns: EdgeColumns,
        scope_columns: ScopeColumns,
        types: Sequence[TensorType],
        details: Details,
        *,
        outputs: Indices = NO_NODES,
        functions: Sequence[GraphData] = (),
        damaged: Indices = NO_NODES,
        is_cut: bool = False,
    ) -> None:
        self.name = name
        self.texts = texts
        self.node_columns = node_columns
        self.edge_columns = edge_columns
        self.scope_columns = scope_columns
        self.types = tuple(types)
        self.details = details
        self.output_nodes = outputs
        self.functions = tuple(functions)
        self.damaged_nodes = damaged
        self.is_cut = is_cut
        self.shape_problem: Reason | None = None
        """Reason why the shapes of operators are missing that a reader infers; None if they are not."""

    @property
    def damage(self) -> Reason | None:
        """Reason why parts of the graph are missing; None if it was read completely."""
        if self.is_cut:
            return Reason("graph_cut", name=self.name, nodes=len(self.operations))
        if self.damaged_nodes.size:
            damaged = int(self.damaged_nodes.size)
            return Reason("graph_damaged", name=self.name, nodes=len(self.node_columns), damaged=damaged)
        return None

    # ---- nodes ------------------------------------------------------------------------------------------------------

    @property
    def nodes(self) -> Nodes:
        """All nodes: operations in file order, then parameters, constants and others; then those of bodies."""
        return Nodes(self, np.arange(len(self.node_columns), dtype=np.int32))

    def nodes_of(self, role: Role) -> Nodes:
        """Return the nodes with a role."""
        return Nodes(self, np.flatnonzero(self.node_columns.role == role).astype(np.int32))

    @property
    def operations(self) -> Nodes:
        return self.nodes_of(Role.OPERATION)

    @property
    def parameters(self) -> Nodes:
        """Weights and buffers."""
        return self.nodes_of(Role.PARAMETER)

    @property
    def constants(self) -> Nodes:
        return self.nodes_of(Role.CONSTANT)

    @property
    def inputs(self) -> Nodes:
        """The inputs of the graph, without those of bodies."""
        columns = self.node_columns
        rows = np.flatnonzero((columns.role == Role.INPUT) & ~self.is_in_body[columns.scope])
        return Nodes(self, rows.astype(np.int32))

    @property
    def outputs(self) -> Nodes:
        """The nodes whose values the graph returns."""
        return Nodes(self, self.output_nodes)

    def node(self, name: str) -> Node:
        """Return the node called ``name``. Raises KeyError."""
        return self.nodes[name]

    @cached_property
    def node_numbers(self) -> dict[str, int]:
        """The index of each node by name; of nodes with the same name the first."""
        texts, name = self.texts.all, self.node_columns.name
        return {texts[name[row]]: row for row in range(len(name) - 1, -1, -1)}

    # ---- edges ------------------------------------------------------------------------------------------------------

    @property
    def edge_count(self) -> int:
        """Number of inputs of all nodes, without those of functions."""
        return len(self.edge_columns)

    @cached_property
    def first_input(self) -> NDArray[np.int64]:
        """(n + 1,) The inputs of node i are the edges ``first_input[i]`` to ``first_input[i + 1]``."""
        return np.searchsorted(self.edge_columns.target, np.arange(len(self.node_columns) + 1))

    @cached_property
    def consumer_edges(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The edges by source, and (n + 1,) where those of each node begin in them."""
        order = np.argsort(self.edge_columns.source, kind="stable")
        first = np.searchsorted(self.edge_columns.source[order], np.arange(len(self.node_columns) + 1))
        return order, first

    def is_upstream(self, node: int) -> NDArray[np.bool_]:
        """Return whether each node is ``node``, or one on which it depends, shape (n,)."""
        return reachable(self.edge_columns.source, self.first_input, node)

    def is_downstream(self, node: int) -> NDArray[np.bool_]:
        """Return whether each node is ``node``, or one that depends on it, shape (n,)."""
        order, first = self.consumer_edges
        return reachable(self.edge_columns.target[order], first, node)

    # ---- scopes -----------------------------------------------------------------------------------------------------

    @property
    def scopes(self) -> Sequence[Scope]:
        """All scopes, parents first; the first is the root."""
        return [Scope(self, index) for index in range(len(self.scope_columns))]

    def scope(self, path: str) -> Scope:
        """Return the scope at ``path``. Raises KeyError."""
        return Scope(self, self.scope_numbers[path])

    @cached_property
    def scope_numbers(self) -> dict[str, int]:
        """The index of each scope by path."""
        return {self.texts[text]: index for index, text in enumerate(self.scope_columns.path.tolist())}

    @cached_property
    def is_in_body(self) -> NDArray[np.bool_]:
        """(k,) Whether each scope is a body of an operation, or inside of one."""
        kind = self.scope_columns.kind
        is_in_body = (kind == ScopeKind.BODY) | (kind == ScopeKind.BRANCH)
        parents: list[int] = self.scope_columns.parent.tolist() if is_in_body.any() else []
        for index, parent in enumerate(parents[1:], 1):
            is_in_body[index] |= is_in_body[parent]
        return is_in_body

    @cached_property
    def scope_sizes(self) -> NDArray[np.int64]:
        """(k,) The number of operations in each scope and all scopes inside."""
        operations = self.node_columns.scope[self.node_columns.role == Role.OPERATION]
        sizes = np.bincount(operations, minlength=len(self.scope_columns))
        parents = self.scope_columns.parent
        for index in range(len(sizes) - 1, 0, -1):
            sizes[parents[index]] += sizes[index]
        return sizes

    def __repr__(self) -> str:
        return f"Graph({self.name!r}: {len(self.operations)} operations, {self.edge_count} edges)"


@dataclass(frozen=True, slots=True)
class Node:
    """A view of one node; equal views show the same node of the same graph."""

    graph: GraphData
    index: int

    def _text(self, column: Indices) -> str:
        return self.graph.texts[int(column[self.index])]

    @property
    def name(self) -> str:
        """The name that other nodes use. MindSpore numbers its nodes."""
        return self._text(self.graph.node_columns.name)

    @property
    def op_type(self) -> str:
        return self._text(self.graph.node_columns.op_type)

    @property
    def full_name(self) -> str:
        """The name with its scope; "" if the file has none."""
        return self._text(self.graph.node_columns.full_name)

    @property
    def device(self) -> str:
        return self._text(self.graph.node_columns.device)

    @property
    def scope(self) -> str:
        """The path of the enclosing layers with ``/``, "" at the top."""
        return Scope(self.graph, int(self.graph.node_columns.scope[self.index])).path

    @property
    def role(self) -> Role:
        return Role(int(self.graph.node_columns.role[self.index]))

    @property
    def type(self) -> TensorType:
        """The type of the first output."""
        return self.graph.types[int(self.graph.node_columns.type[self.index])]

    @property
    def dtype(self) -> str:
        """The NumPy name in lower case; "" if unknown."""
        return self.type.dtype

    @property
    def shape(self) -> Shape | None:
        """Sizes by axis, -1 for an unknown size; None if unknown."""
        return self.type.shape

    @property
    def inputs(self) -> tuple[Input, ...]:
        first, edges = self.graph.first_input, self.graph.edge_columns
        rows = range(int(first[self.index]), int(first[self.index + 1]))
        return tuple(self._input(int(edges.source[row]), row) for row in rows)

    @property
    def consumers(self) -> tuple[Node, ...]:
        """The nodes that take an output of this one, each once, in file order."""
        order, first = self.graph.consumer_edges
        targets = self.graph.edge_columns.target[order[first[self.index] : first[self.index + 1]]]
        return tuple(Node(self.graph, int(target)) for target in np.unique(targets))

    @property
    def upstream(self) -> Nodes:
        """The node and all nodes on which it depends, in file order."""
        return Nodes(self.graph, np.flatnonzero(self.graph.is_upstream(self.index)).astype(np.int32))

    @property
    def downstream(self) -> Nodes:
        """The node and all nodes that depend on it, in file order."""
        return Nodes(self.graph, np.flatnonzero(self.graph.is_downstream(self.index)).astype(np.int32))

    @property
    def attributes(self) -> Mapping[str, Any]:
        """Read from the file at each use. Raises FormatError."""
        return self.graph.details.attributes(self.index)

    @property
    def value(self) -> Any:
        """The value of a constant, or the initial one of a parameter; None without one. Raises FormatError."""
        return self.graph.details.value(self.index)

    def _input(self, source: int, row: int) -> Input:
        edges = self.graph.edge_columns
        kind = EdgeKind.CONTROL if edges.is_control[row] else EdgeKind.DATA
        return Input(Node(self.graph, source), kind, int(edges.output[row]))

    def __repr__(self) -> str:
        return f"Node({self.name!r}, {self.op_type!r}, scope={self.scope!r})"


class Nodes(Sequence[Node]):
    """Some nodes of a graph by index or name."""

    def __init__(self, graph: GraphData, indices: Indices) -> None:
        self._graph = graph
        self.indices = indices

    def __len__(self) -> int:
        return self.indices.size

    @overload
    def __getitem__(self, key: int | str) -> Node: ...
    @overload
    def __getitem__(self, key: slice) -> Nodes: ...
    def __getitem__(self, key: int | str | slice) -> Node | Nodes:
        """Raises KeyError for a name that no node of the graph has, IndexError as a list does."""
        if isinstance(key, slice):
            return Nodes(self._graph, self.indices[key])
        index = self._graph.node_numbers[key] if isinstance(key, str) else int(self.indices[key])
        return Node(self._graph, index)

    def __iter__(self) -> Iterator[Node]:
        return (Node(self._graph, index) for index in self.indices.tolist())

    def __repr__(self) -> str:
        return f"Nodes({len(self)} of {self._graph.name!r})"


@dataclass(frozen=True, slots=True)
class Scope:
    """A view of one scope."""

    graph: GraphData
    index: int

    @property
    def path(self) -> str:
        """The labels from the root on, joined by ``/``; "" for the root."""
        return self.graph.texts[int(self.graph.scope_columns.path[self.index])]

    @property
    def label(self) -> str:
        """The last part of the path."""
        return self.path.rpartition("/")[2]

    @property
    def parent(self) -> Scope | None:
        """The scope around this one; None for the root."""
        parent = int(self.graph.scope_columns.parent[self.index])
        return None if parent < 0 else Scope(self.graph, parent)

    @property
    def children(self) -> tuple[Scope, ...]:
        """The scopes directly inside."""
        inside = np.flatnonzero(self.graph.scope_columns.parent == self.index)
        return tuple(Scope(self.graph, int(index)) for index in inside)

    @property
    def nodes(self) -> Nodes:
        """The nodes directly inside."""
        return Nodes(self.graph, np.flatnonzero(self.graph.node_columns.scope == self.index).astype(np.int32))

    @property
    def size(self) -> int:
        """The number of operations inside, at any depth."""
        return int(self.graph.scope_sizes[self.index])

    def __repr__(self) -> str:
        return f"Scope({self.path!r}, {self.size} operations)"
