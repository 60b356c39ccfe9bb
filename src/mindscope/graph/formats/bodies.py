# SPDX-License-Identifier: Apache-2.0
"""Opens the bodies of operations that run other graphs: conditions, loops, calls of functions.

The nodes of a body become nodes of the graph around it, in a scope of the operation: ``layer/cond/then_branch``. A
value that the body takes from outside has an edge to what reads it there, and the results of the body are inputs of
the operation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mindscope.formats.message_columns import Texts, join_texts
from mindscope.graph.data.columns import EdgeColumns, Indices, NodeColumns, Role, ScopeColumns, ScopeKind
from mindscope.graph.data.graph_data import Details
from mindscope.graph.formats.assemble import ScopeTree, TypeNumbers
from mindscope.graph.graph import Graph

MOST_LEVELS = 32
"""Limit of the levels of bodies in bodies; the operations below stay closed."""
MOST_CALLED = 1 << 17
"""Limit of the nodes that calls of functions add, which several calls repeat."""
_NUMBER = re.compile(r"-op\d+$")
_BRANCHES = frozenset("If StatelessIf Case StatelessCase cond switch".split())
_LOOPS = frozenset(
    "Loop Scan SequenceMap While StatelessWhile For MapDefun while_loop map map_impl scan associative_scan".split()
)


@dataclass(frozen=True)
class Body:
    """A graph that the operation ``node`` runs.

    ``taken`` maps nodes of the body to the inputs of the operation, by their position, whose values they have.
    """

    node: int
    label: str
    run: Runnable
    taken: Mapping[int, int] = field(default_factory=dict[int, int])
    formal: frozenset[int] = frozenset()
    """The nodes in ``taken`` that have another value in each iteration of a loop: they stay nodes."""


class Runnable(NamedTuple):
    """A graph that operations run: results as nodes with their outputs, inputs with -1 for one without a node."""

    graph: Graph
    results: Sequence[tuple[int, int]]
    inputs: Sequence[int]


class Functions:
    """The functions that a file defines, of which each is read once."""

    def __init__(self, names: Sequence[str], read: Callable[[int, Functions], Runnable]) -> None:
        self.names = {name: row for row, name in reversed([*enumerate(names)])}
        self._read, self._rows = read, range(len(names))
        self._known: dict[int, Runnable] = {}
        self._open: set[int] = set()
        self._added = 0

    @property
    def all(self) -> list[Graph]:
        return [self._of(row).graph for row in self._rows]

    def call(self, name: str) -> Runnable | None:
        """Return a function to open; None if the file has none, or if it calls itself or would be too large."""
        row = self.names.get(name)
        if row is None or row in self._open or len(self._open) >= MOST_LEVELS:
            return None
        called = self._of(row)
        self._added += len(called.graph.node_columns)
        return called if self._added <= MOST_CALLED else None

    def _of(self, row: int) -> Runnable:
        if row not in self._known:
            self._open.add(row)
            self._known[row] = self._read(row, self)
            self._open.discard(row)
        return self._known[row]


def _none(row: int, functions: Functions) -> Runnable:
    raise IndexError(row)


NO_FUNCTIONS = Functions((), _none)


def is_loop(op_type: str) -> bool:
    """Return whether an operation runs its bodies several times."""
    return op_type in _LOOPS


def body_of_last_inputs(graph: Graph, node: int, inputs: int, label: str, run: Runnable) -> Body:
    """Return a body whose inputs are the last of the ``inputs`` values that its operation takes, in their order.

    A weight is the same in each iteration of a loop, so what reads it in the body reads the weight itself.
    """
    first, columns, edges = inputs - len(run.inputs), graph.node_columns, graph.edge_columns
    taken = {each: first + index for index, each in enumerate(run.inputs) if each >= 0 and first + index >= 0}
    if not is_loop(graph.texts[int(columns.op_type[node])]):
        return Body(node, label, run, taken)
    source = {each: int(edges.source[graph.first_input[node] + position]) for each, position in taken.items()}
    changes = (each for each, outer in source.items() if columns.role[outer] != Role.PARAMETER)
    return Body(node, label, run, taken, frozenset(changes))


def open_bodies(graph: Graph, bodies: Sequence[Body]) -> Graph:
    """Return ``graph`` with the nodes of ``bodies`` after its own."""
    return _Opening(graph, bodies).opened() if bodies else graph


class _Opening:
    """Columns that grow by one body after the other."""

    def __init__(self, graph: Graph, bodies: Sequence[Body]) -> None:
        self._graph, self._bodies = graph, bodies
        graphs = {id(each): each for each in (graph, *(body.run.graph for body in bodies))}
        numbers, self._texts = join_texts([each.texts for each in graphs.values()])
        self._text = dict(zip(graphs, numbers, strict=True))
        self._types = TypeNumbers()
        self._nodes = [self._columns(graph, np.arange(len(graph.node_columns)))]
        self._nodes[0].scope[:] = graph.node_columns.scope
        self._edges: list[EdgeColumns] = []
        own = np.arange(len(graph.node_columns), dtype=np.int64)
        self._details = [(graph.details, len(own), own)]
        scopes = graph.scope_columns
        paths = [graph.texts[number] for number in scopes.path.tolist()]
        self._tree = ScopeTree(paths, scopes.parent.tolist())
        kinds: list[int] = scopes.kind.tolist()
        self._kind = dict(enumerate(kinds))
        self._box: dict[int, str] = {}
        self._size = len(graph.node_columns)
        self._moved = np.zeros(len(graph.edge_columns), bool)
        self._damaged = [graph.damaged_nodes]

    def opened(self) -> Graph:
        graph = self._graph
        for body in self._bodies:
            self._add(body)
        edges = self._joined_edges()
        texts, scopes = self._scopes()
        return Graph(
            graph.name,
            texts,
            NodeColumns(*(np.concatenate(each) for each in zip(*map(_values, self._nodes), strict=True))),
            edges,
            scopes,
            self._types.all,
            _Details(self._details),
            outputs=graph.output_nodes,
            functions=graph.functions,
            damaged=np.concatenate(self._damaged).astype(np.int32),
            is_cut=graph.is_cut or any(body.run.graph.is_cut for body in self._bodies),
        )

    def _columns(self, graph: Graph, kept: NDArray[Any]) -> NodeColumns:
        """Return the kept nodes of a graph with the texts and types of the whole; all are in the root."""
        nodes, text = graph.node_columns, self._text[id(graph)]
        types = np.array([self._types.number(each) for each in graph.types], np.int32)
        return NodeColumns(
            name=text[nodes.name[kept]],
            op_type=text[nodes.op_type[kept]],
            full_name=text[nodes.full_name[kept]],
            device=text[nodes.device[kept]],
            scope=np.zeros(len(kept), np.int32),
            type=types[nodes.type[kept]],
            role=nodes.role[kept],
        )

    def _add(self, body: Body) -> None:
        graph, outer = body.run.graph, self._graph.edge_columns
        first = int(self._graph.first_input[body.node])
        source, output = np.full(len(graph.node_columns), -1, np.int32), np.zeros(len(graph.node_columns), np.int32)
        is_read = np.zeros(len(graph.node_columns), bool)
        is_read[graph.edge_columns.source] = True
        results = np.array(body.run.results, np.int32).reshape(-1, 2)
        is_read[results[:, 0]] = True
        for node, position in body.taken.items():
            source[node], output[node] = outer.source[first + position], outer.output[first + position]
            self._moved[first + position] |= is_read[node] or node in body.formal
        is_node = source < 0
        formal = np.array(sorted(body.formal), np.int32)
        is_node[formal] = True
        kept = np.flatnonzero(is_node)
        index = (self._size + np.cumsum(is_node) - 1).astype(np.int32)
        columns = self._columns(graph, kept)
        columns.scope[:] = self._numbers_of_scopes(body)[graph.node_columns.scope[kept]]
        self._nodes.append(columns)
        self._details.append((graph.details, len(graph.node_columns), kept))
        self._damaged.append(index[graph.damaged_nodes[is_node[graph.damaged_nodes]]])
        self._size += len(kept)
        edges = graph.edge_columns
        ends = np.concatenate([edges.source, results[:, 0]])
        is_inside, zero = is_node[ends], np.zeros(len(formal) + len(results), bool)
        self._edges.append(
            EdgeColumns(
                np.concatenate([source[formal], np.where(is_inside, index[ends], source[ends])]).astype(np.int32),
                np.concatenate([index[formal], index[edges.target], np.full(len(results), body.node)]).astype(np.int32),
                np.concatenate(
                    [
                        output[formal],
                        np.where(is_inside, np.concatenate([edges.output, results[:, 1]]), output[ends]),
                    ]
                ).astype(np.int32),
                np.concatenate([zero[: len(formal)], edges.is_control, zero[: len(results)]]),
            )
        )

    def _joined_edges(self) -> EdgeColumns:
        """Return all edges by target, without those of values that are inputs of a body alone."""
        own = EdgeColumns(*(column[~self._moved] for column in _values(self._graph.edge_columns)))
        columns = [np.concatenate(each) for each in zip(*map(_values, [own, *self._edges]), strict=True)]
        order = np.argsort(columns[1], kind="stable")
        return EdgeColumns(*(column[order] for column in columns))

    # ---- scopes -----------------------------------------------------------------------------------------------------

    def _numbers_of_scopes(self, body: Body) -> Indices:
        """Return the scope of the whole graph for each scope of a body."""
        op_type = self._graph.texts[int(self._graph.node_columns.op_type[body.node])]
        box = self._box.get(body.node) or self._add_box(body.node, op_type)
        root = self._free(f"{box}/{body.label.replace('/', '_') or 'body'}")
        scopes = body.run.graph.scope_columns
        around = self._graph.texts[
            int(self._graph.scope_columns.path[self._graph.node_columns.scope[body.node]])
        ].split("/")
        paths = [body.run.graph.texts[number].split("/") for number in scopes.path.tolist()]
        inner = ["/".join([root, *path[_common(path, around) :]]) if path != [""] else root for path in paths]
        numbers = [self._tree.add(path) for path in inner]
        self._kind.update((number, kind) for number, kind in zip(numbers, scopes.kind.tolist(), strict=True) if kind)
        self._kind[numbers[0]] = ScopeKind.BRANCH if op_type in _BRANCHES else ScopeKind.BODY
        return np.array(numbers, np.int32)

    def _add_box(self, node: int, op_type: str) -> str:
        """Return the path of the scope around an operation and its bodies."""
        nodes, scopes = self._graph.node_columns, self._graph.scope_columns
        around = self._graph.texts[int(scopes.path[nodes.scope[node]])]
        name = self._graph.texts[int(nodes.full_name[node] or nodes.name[node])]
        label = _NUMBER.sub("", name.rpartition("/")[2]) or op_type
        if op_type.lower() not in label.lower():
            label = f"{label}-{op_type}"
        path = self._box[node] = self._free(f"{around}/{label}" if around else label)
        number = self._tree.add(path)
        self._kind[number] = ScopeKind.LOOP if is_loop(op_type) else ScopeKind.CALL
        self._nodes[0].scope[node] = number
        return path

    def _free(self, path: str) -> str:
        """Return a path that no scope has."""
        number, free = 1, path
        while free in self._tree.numbers:
            number += 1
            free = f"{path}_{number}"
        return free

    def _scopes(self) -> tuple[Texts, ScopeColumns]:
        known = len(self._graph.scope_columns)
        new = list(self._tree.numbers)[known:]
        path = np.concatenate(
            [
                self._text[id(self._graph)][self._graph.scope_columns.path],
                len(self._texts) + np.arange(len(new)),
            ]
        ).astype(np.int32)
        kind = np.array([self._kind.get(number, 0) for number in range(len(path))], np.uint8)
        return self._texts.and_more(new), ScopeColumns(path, np.array(self._tree.parents, np.int32), kind)


def _common(path: Sequence[str], around: Sequence[str]) -> int:
    """Return how many labels both paths begin with."""
    count = 0
    for label, other in zip(path, around, strict=False):
        if label != other:
            break
        count += 1
    return count


def _values(columns: NodeColumns | EdgeColumns) -> list[NDArray[Any]]:
    return [getattr(columns, each.name) for each in fields(columns)]


class _Details:
    """The details of nodes of several graphs, one after the other."""

    def __init__(self, parts: Sequence[tuple[Details, int, NDArray[np.int64]]]) -> None:
        """Each of ``parts`` has the details of a graph, its number of nodes, and which of them are here."""
        self._parts = parts
        self._first = np.cumsum([0, *(len(nodes) for _, _, nodes in parts)])

    def attributes(self, node: int) -> Mapping[str, Any]:
        details, inner = self._of(node)
        return details.attributes(inner)

    def value(self, node: int) -> Any:
        details, inner = self._of(node)
        return details.value(inner)

    def attribute_hashes(self, count: int) -> NDArray[np.uint64]:
        return np.concatenate([details.attribute_hashes(size)[nodes] for details, size, nodes in self._parts])

    def _of(self, node: int) -> tuple[Details, int]:
        part = int(np.searchsorted(self._first, node, side="right")) - 1
        details, _, nodes = self._parts[part]
        return details, int(nodes[node - self._first[part]])
