# SPDX-License-Identifier: Apache-2.0
"""Two graphs as columns whose numbers mean the same in both, and hashes of the surroundings of nodes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mindscope.formats.message_columns import ByteRanges, number_runs
from mindscope.graph.compare._matching import hash_along
from mindscope.graph.data.columns import Indices, Role
from mindscope.graph.data.graph_data import GraphData
from mindscope.graph.data.hashes import Hashes, combine, mix, sums_of_ranges

Neighbors = tuple[Indices, Indices, Hashes, NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]

_ROUNDS = 3
_OPERATION_SUFFIX = 13  # bytes of "-op" with a number, at most


@dataclass(frozen=True, slots=True)
class NodeHashes:
    """Hashes of n nodes. ``upstream`` and ``downstream`` include all predecessors and successors, ``near`` three steps.

    ``own`` is the node alone.
    """

    own: Hashes
    near: Hashes
    upstream: Hashes
    downstream: Hashes


@dataclass(frozen=True)
class Comparable:
    """One of two graphs with n nodes and m edges. Equal numbers mean the same text or type in both graphs.

    ``name`` and ``plain_name`` are 0 if a node has no name or only a number; a plain name has no suffix ``-op12``.
    """

    graph: GraphData
    op_type: Indices  # (n,)
    name: Indices  # (n,)
    plain_name: Indices  # (n,)
    scope: Indices  # (n,) the path
    type: Indices  # (n,) dtype and shape
    dtype: Indices  # (n,)
    shape: Indices  # (n,)
    attributes: Hashes  # (n,)
    is_commutative: NDArray[np.bool_] | None = None  # (n,) whether the order of inputs is no difference; None for none

    def __len__(self) -> int:
        return len(self.op_type)

    @property
    def role(self) -> NDArray[np.uint8]:
        return self.graph.node_columns.role

    @cached_property
    def is_operation(self) -> NDArray[np.bool_]:
        return self.role == Role.OPERATION

    @cached_property
    def edge_fact(self) -> Hashes:
        """(m,) The position among the inputs of the target, the output of the source, and whether it only orders."""
        edges = self.graph.edge_columns
        position = np.arange(len(edges)) - self.graph.first_input[edges.target]
        if self.is_commutative is not None:
            position = np.where(self.is_commutative[edges.target], 0, position)
        return combine(position, edges.output, edges.is_control)

    @cached_property
    def neighbors(self) -> Neighbors:
        """The edges, and those of each node, as ``pair_neighbors`` reads them."""
        edges, (order, first) = self.graph.edge_columns, self.graph.consumer_edges
        own = np.arange(len(edges), dtype=np.int64)
        return edges.source, edges.target, self.edge_fact, own, self.graph.first_input, order, first

    @cached_property
    def exact(self) -> NodeHashes:
        """Surroundings of the nodes, with types, shapes and attributes."""
        return self._surroundings(combine(self.op_type, self.role, self.type, self.attributes))

    @cached_property
    def loose(self) -> NodeHashes:
        """Surroundings of the nodes, with operation types and roles only."""
        return self._surroundings(combine(self.op_type, self.role))

    @cached_property
    def order(self) -> Indices:
        """The nodes in order; predecessors come first, except on cycles."""
        zeros = np.zeros(len(self), np.uint64)
        return self._hash_along(zeros, zeros)[1]

    def _surroundings(self, own: Hashes) -> NodeHashes:
        near = self._near(own)
        edges = self.graph.edge_columns
        every = np.arange(len(edges), dtype=np.int64)
        downstream, _ = hash_along(own, near, every, self.graph.first_input, edges.source, self.edge_fact)
        return NodeHashes(own, near, self._hash_along(own, near)[0], downstream)

    def _hash_along(self, own: Hashes, cyclic: Hashes) -> tuple[Hashes, Indices]:
        order, first = self.graph.consumer_edges
        return hash_along(own, cyclic, order, first, self.graph.edge_columns.target, self.edge_fact)

    def _near(self, own: Hashes) -> Hashes:
        """Return neighbors up to three steps away. What is no operation has no neighbors: all of them would be near."""
        edges, (order, first) = self.graph.edge_columns, self.graph.consumer_edges
        near = own
        for _ in range(_ROUNDS):
            passed = np.where(self.is_operation, near, own)
            taken = sums_of_ranges(mix(passed[edges.source] ^ self.edge_fact), self.graph.first_input)
            given = sums_of_ranges(mix(passed[edges.target] ^ self.edge_fact)[order], first)
            near = combine(near, taken, given)
        return near


def comparable(before: GraphData, after: GraphData) -> tuple[Comparable, Comparable]:
    """Return both graphs with common numbers."""
    graphs = (before, after)
    texts, plain = _common_texts(graphs)
    types, dtypes, shapes = _common_types(graphs)
    return tuple(  # pyright: ignore[reportReturnType]
        _columns(graph, *columns) for graph, *columns in zip(graphs, texts, plain, types, dtypes, shapes, strict=True)
    )


def _columns(
    graph: GraphData, text: Indices, plain: Indices, type: Indices, dtype: Indices, shape: Indices
) -> Comparable:
    nodes = graph.node_columns
    name = np.where(nodes.full_name > 0, nodes.full_name, nodes.name)
    return Comparable(
        graph,
        op_type=text[nodes.op_type],
        name=np.where(plain[name] > 0, text[name], 0).astype(np.int32),
        plain_name=plain[name],
        scope=text[graph.scope_columns.path[nodes.scope]],
        type=type[nodes.type],
        dtype=dtype[nodes.type],
        shape=shape[nodes.type],
        attributes=graph.details.attribute_hashes(len(nodes)),
    )


def _common_texts(graphs: Sequence[GraphData]) -> tuple[list[Indices], list[Indices]]:
    """Number the texts that graphs have in common, and the plain names in them, for the texts of each graph."""
    data = b"".join(graph.texts.joined.tobytes() for graph in graphs)
    runs: list[ByteRanges] = []
    offset = 0
    for graph in graphs:
        ends = graph.texts.ends
        start = np.concatenate([np.zeros(1, np.int64), ends])[:-1]
        runs.append(ByteRanges(data, start + offset, ends + offset))
        offset += len(graph.texts.joined)
    numbers, _ = number_runs(*runs, *(_plain_names(each) for each in runs))
    return numbers[: len(graphs)], numbers[len(graphs) :]


def _plain_names(names: ByteRanges) -> ByteRanges:
    """Return the names without ``-op`` and a number at the end; an empty name for a number."""
    data = np.frombuffer(names.data + b"  ", np.uint8)
    dash, digit = names.find(b"-", last=True), _is_digit(data[names.stop - 1])
    has_suffix = (dash >= 0) & digit & (names.stop - dash <= _OPERATION_SUFFIX)
    has_suffix &= (data[dash + 1] == ord("o")) & (data[dash + 2] == ord("p"))
    stop = np.where(has_suffix, dash, names.stop)
    is_number = digit & (stop == names.stop) & _is_digit(data[names.start]) & (stop > names.start)
    return ByteRanges(names.data, names.start, np.where(is_number, names.start, stop))


def _is_digit(data: NDArray[np.uint8]) -> NDArray[np.bool_]:
    return (data >= ord("0")) & (data <= ord("9"))


def _common_types(graphs: Sequence[GraphData]) -> tuple[list[Indices], list[Indices], list[Indices]]:
    """Return the common numbers of the types of each graph, of their dtypes and of their shapes."""
    numbers: dict[object, int] = {}

    def columns(kind: str) -> list[Indices]:
        facts = [[(kind, type if kind == "type" else getattr(type, kind)) for type in graph.types] for graph in graphs]
        return [np.array([numbers.setdefault(fact, len(numbers)) for fact in each], np.int32) for each in facts]

    return columns("type"), columns("dtype"), columns("shape")
