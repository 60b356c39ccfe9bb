# SPDX-License-Identifier: Apache-2.0
"""Graphs of two frameworks in one form: common names, and what exporters fold or write as several operations is folded.

A folded node belongs to another node, its owner. Folded are constants and what computes shapes, operations that give
their input on, transposed weights, the addition of a bias, and batch normalization after a convolution where the other
graph has none. The steps of GELU and SiLU are one operation.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

import numpy as np

from mindscope.errors import FormatError
from mindscope.graph.compare.comparable import Comparable, comparable
from mindscope.graph.compare.synonyms import Dialect, common_name, dialects_of, tells_dialect
from mindscope.graph.data.columns import EdgeColumns, Indices, NodeColumns, Role, Shape
from mindscope.graph.data.graph_data import GraphData
from mindscope.graph.data.hashes import Hashes

_PRODUCTS = frozenset({"conv", "conv_transpose", "matmul"})
_COMMUTATIVE = frozenset({"add", "mul"})
_SHAPE_STEPS = frozenset("embedding reshape concat slice cast mul add sub div expand reduce_prod".split())
"""Operations between a shape that is read and one that is set; ``embedding`` is Gather of ONNX."""
_SHAPE_TAKERS = frozenset("reshape expand slice resize pad".split())
_LEAVES = (Role.CONSTANT, Role.PARAMETER)


class _NoDetails:
    """Attributes of two frameworks have nothing in common."""

    def attributes(self, node: int) -> Mapping[str, Any]:
        return {}

    def value(self, node: int) -> Any:
        return None

    def attribute_hashes(self, count: int) -> Hashes:
        return np.zeros(count, np.uint64)


@dataclass(frozen=True)
class NormalForm:
    """``rows[i]`` is the node of ``graph`` that row i of ``reduced`` is.

    ``row_of[n]`` is the row of the owner of node n, -1 for a constant that nothing takes.
    """

    graph: GraphData
    reduced: Comparable
    rows: Indices  # (r,)
    row_of: Indices  # (n,)


def normal_forms(before: GraphData, after: GraphData) -> tuple[NormalForm, NormalForm] | None:
    """Return both graphs in the common form; None for graphs of one exporter: names and attributes are comparable."""
    op_types = [[node.op_type for node in graph.operations] for graph in (before, after)]
    dialects = [dialects_of(types) for types in op_types]
    exporters = [_exporter_of(found, graph) for found, graph in zip(dialects, (before, after), strict=True)]
    has_two = all(exporters) and exporters[0] != exporters[1]
    is_one = bool(dialects[0] & dialects[1]) or any(map(tells_dialect, {*op_types[0]} & {*op_types[1]}))
    if not all(dialects) or (is_one and not has_two):
        return None
    chosen = [Dialect.ONNX if has_two else next(iter(found)) for found in dialects]
    folds = [_Folding(graph, dialect) for graph, dialect in zip((before, after), chosen, strict=True)]
    has_norms = ["batch_norm" in fold.op for fold in folds]
    for fold in folds:
        fold.fold(folds_norms=has_norms.count(True) == 1)
    reduced = [fold.reduced() for fold in folds]
    sides = comparable(reduced[0], reduced[1])
    numbers: dict[object, int] = {}
    return tuple(  # pyright: ignore[reportReturnType]
        fold.form(side, numbers) for fold, side in zip(folds, sides, strict=True)
    )


def _exporter_of(dialects: frozenset[Dialect], graph: GraphData) -> str:
    """Return the beginning of the names that an exporter of PyTorch gives to nodes of ONNX; "" for another one."""
    names = [node.full_name for node in graph.operations] if Dialect.ONNX in dialects else []
    counts = {start: sum(name.startswith(start) for name in names) for start in ("/", "node_")}
    most = max(counts, key=lambda start: counts[start])
    return most if counts[most] * 2 > len(names) else ""


class _Folding:
    """A graph as lists, and the owner of each node."""

    def __init__(self, graph: GraphData, dialect: Dialect) -> None:
        columns, edges = graph.node_columns, graph.edge_columns
        self.graph = graph
        self.role: list[int] = columns.role.tolist()
        self.shape: list[Shape | None] = [graph.types[number].shape for number in columns.type.tolist()]
        names = {number: common_name(dialect, graph.texts[number]) for number in np.unique(columns.op_type).tolist()}
        self.op = [
            names[number] if role == Role.OPERATION else ""
            for number, role in zip(columns.op_type.tolist(), self.role, strict=True)
        ]
        self.owner = list(range(len(columns)))
        self.inputs: list[list[int]] = [[] for _ in self.owner]
        self.consumers: list[list[int]] = [[] for _ in self.owner]
        for source, target, is_control in zip(
            edges.source.tolist(), edges.target.tolist(), edges.is_control.tolist(), strict=True
        ):
            if not is_control:
                self.inputs[target].append(source)
                self.consumers[source].append(target)
        self.outputs = set(graph.output_nodes.tolist())

    def fold(self, *, folds_norms: bool) -> None:
        operations = [node for node, role in enumerate(self.role) if role == Role.OPERATION]
        self._fold_shapes(operations)
        for node in operations:
            self._pass_on(node)
        for node in operations:
            self._name_pool(node)
            self._fold_activation(node)
        for node in operations:
            self._fold_bias(node)
        if folds_norms:
            for node in operations:
                self._fold_norm(node)
            for node in operations:
                if self.op[node] in _PRODUCTS:
                    self._own([each for each in self.inputs[node] if self._is_vector(each)], node)
        for node, role in enumerate(self.role):
            if role == Role.CONSTANT:
                self._own([node], self.consumers[node][0] if self.consumers[node] else -1)

    def root(self, node: int) -> int:
        """Return the last owner of a node; -1 for a constant that nothing takes."""
        while node >= 0 and self.owner[node] != node:
            node = self.owner[node]
        return node

    def data(self, node: int) -> list[int]:
        """Return the inputs of a node, or their owners, without constants, shapes and folded parameters."""
        found = map(self._value, self.inputs[node])
        return [each for each in found if each >= 0 and self.role[each] != Role.CONSTANT]

    def _value(self, node: int) -> int:
        """Return the node with the value of a node; -1 for what belongs to its consumer."""
        while self.owner[node] != node:
            if self.role[node] in _LEAVES or self.op[node] == "shape":
                return -1
            node = self.owner[node]
        return node

    def only_consumer(self, node: int) -> int:
        """Return the only operation that takes a node, through what gives it on; -1 for several or a result."""
        taken: set[int] = set()
        pending = [node]
        while pending:
            each = pending.pop()
            if each in self.outputs:
                return -1
            for target in self.consumers[each]:
                if self.root(target) == self.root(node):
                    pending.append(target)
                else:
                    taken.add(target)
        return taken.pop() if len(taken) == 1 else -1

    def _own(self, nodes: list[int], owner: int) -> None:
        for node in nodes:
            if self.owner[node] == node and self.root(owner) != node:
                self.owner[node] = owner

    def _is_vector(self, node: int) -> bool:
        shape = self.shape[self.root(node)]
        return self.role[self.root(node)] == Role.PARAMETER and shape is not None and len(shape) == 1

    def _fold_shapes(self, operations: list[int]) -> None:
        """Fold what computes a shape into the operation that sets it."""
        of_shape = set[int]()
        for node in operations:
            sources = [each for each in self.inputs[node] if self.role[each] not in _LEAVES]
            is_step = self.op[node] in _SHAPE_STEPS and bool(sources) and of_shape.issuperset(sources)
            if self.op[node] == "shape" or is_step:
                of_shape.add(node)
        for node in reversed(operations):
            takers = self.consumers[node]
            if (
                node in of_shape
                and takers
                and all(self.op[each] in _SHAPE_TAKERS or self.op[each] == "shape" for each in takers)
            ):
                self.op[node] = "shape"
                self.owner[node] = takers[0]

    def _pass_on(self, node: int) -> None:
        """Fold an operation that gives its input on, and the transposition of a weight."""
        op, inputs = self.op[node], self.data(node)
        is_weight = len(inputs) == 1 and self.role[inputs[0]] == Role.PARAMETER
        gives_on = op == "identity" or (op == "dropout" and not self._is_training(node))
        if inputs and (gives_on or (op == "transpose" and is_weight)):
            self._own([node], inputs[0])

    def _is_training(self, node: int) -> bool:
        try:
            return str(self.graph.details.attributes(node).get("train")) == "True"
        except FormatError:
            return False

    def _name_pool(self, node: int) -> None:
        """Name a mean over all positions, which frameworks write in three ways, apart from other means."""
        if self.op[node] not in ("global_avg_pool", "reduce_mean"):
            return
        shape, inputs = self.shape[node], self.data(node)
        source = self.shape[inputs[0]] if inputs else None
        is_whole = shape is not None and source is not None and len(shape) == len(source) > 2 and set(shape[2:]) == {1}
        if is_whole:
            self.op[node] = "global_avg_pool"
        elif self.op[node] == "global_avg_pool":
            self.op[node] = "adaptive_avg_pool"

    def _fold_activation(self, node: int) -> None:
        """Make one operation of ``x * (1 + erf(x / c)) / 2`` and of ``x * sigmoid(x)``."""
        inputs = self.data(node)
        if len(inputs) != 1:
            return
        source, steps = inputs[0], list[int]()
        if self.op[node] == "sigmoid":
            steps = self._steps(node, ["mul"], source)
        elif self.op[node] == "erf" and self.op[source] in ("div", "mul") and len(self.data(source)) == 1:
            scaled, source = source, self.data(source)[0]
            steps = self._steps(node, ["add", "mul", "mul"], source)
            if steps and self.only_consumer(scaled) == node:
                steps = [scaled, *steps]
        if steps and any(source in self.data(step) for step in steps):
            self._own(steps, node)
            self.inputs[node] = [source]
            self.op[node] = "gelu" if self.op[node] == "erf" else "silu"

    def _steps(self, node: int, ops: list[str], source: int) -> list[int]:
        """Return the operations after a node, which take it, ``source`` and constants only; none if others follow."""
        steps = list[int]()
        for op in ops:
            last = steps[-1] if steps else node
            step = self.only_consumer(last)
            if step < 0 or self.op[step] != op or not {last, source}.issuperset(self.data(step)):
                return []
            steps.append(step)
        return steps

    def _fold_bias(self, node: int) -> None:
        """Fold the addition of a vector into the product before it."""
        inputs = self.data(node)
        products = [each for each in inputs if self.op[each] in _PRODUCTS]
        vectors = [each for each in inputs if self._is_vector(each)]
        if self.op[node] not in ("add", "bias_add") or len(inputs) != 2 or not products or not vectors:
            return
        if self.only_consumer(products[0]) == node and not any(map(self._is_vector, self.inputs[products[0]])):
            self.inputs[products[0]].append(vectors[0])
            self._own([node], products[0])

    def _fold_norm(self, node: int) -> None:
        """Fold a normalization with its parameters into the product before it."""
        inputs = self.data(node)
        if self.op[node] != "batch_norm" or not inputs or self.op[inputs[0]] not in _PRODUCTS:
            return
        if self.only_consumer(inputs[0]) == node:
            self._own([each for each in self.inputs[node][1:] if self.role[each] in _LEAVES], inputs[0])
            self._own([node], inputs[0])

    # ---- the form ---------------------------------------------------------------------------------------------------

    @cached_property
    def rows(self) -> Indices:
        return np.array([node for node, owner in enumerate(self.owner) if node == owner], np.int32)

    @cached_property
    def row_of(self) -> Indices:
        row = np.full(len(self.owner) + 1, -1, np.int32)
        row[self.rows] = np.arange(len(self.rows))
        return row[[self.root(node) for node in range(len(self.owner))]]

    def reduced(self) -> GraphData:
        graph, columns = self.graph, self.graph.node_columns
        pairs = [(source, row) for row, node in enumerate(self.rows.tolist()) for source in self._ordered(node)]
        source, target = (np.array([pair[end] for pair in pairs], np.int32) for end in (0, 1))
        edges = EdgeColumns(source, target, np.zeros(len(pairs), np.int32), np.zeros(len(pairs), bool))
        kept = NodeColumns(*(getattr(columns, field.name)[self.rows] for field in fields(columns)))
        return GraphData(graph.name, graph.texts, kept, edges, graph.scope_columns, graph.types, _NoDetails())

    def _ordered(self, node: int) -> list[int]:
        """Return the rows of the inputs of a node: values in their order, then parameters, matrices before vectors."""
        inputs = [each for each in self.data(node) if each != node]
        ranks = [(0, 0) if self.role[each] != Role.PARAMETER else (1, -len(self.shape[each] or ())) for each in inputs]
        order = sorted(range(len(inputs)), key=lambda index: ranks[index])
        return [int(self.row_of[inputs[index]]) for index in order]

    def form(self, side: Comparable, numbers: dict[object, int]) -> NormalForm:
        """Return the form with numbers that mean the same in both graphs."""
        nodes: list[int] = self.rows.tolist()
        products = [node for node, op in enumerate(self.op) if op == "matmul"]
        matrices = {self.root(each) for node in products for each in self.inputs[node]}
        shapes = [self.shape[node] for node in nodes]
        for row, node in enumerate(nodes):
            if node in matrices and self.role[node] == Role.PARAMETER:
                shapes[row] = tuple(sorted(self.shape[node] or ()))  # frameworks transpose weights
        types: list[int] = side.graph.node_columns.type.tolist()
        dtypes = [self.graph.types[number].dtype for number in types]
        ops = [self.op[node] for node in nodes]

        def numbered(*facts: Sequence[object]) -> Indices:
            keys = zip(*facts, strict=True)
            return np.array([numbers.setdefault((len(facts), key), len(numbers) + 1) for key in keys], np.int32)

        common = replace(
            side,
            op_type=numbered(ops),
            shape=numbered(shapes),
            type=numbered(dtypes, shapes),
            is_commutative=np.array([op in _COMMUTATIVE for op in ops], bool),
        )
        return NormalForm(self.graph, common, self.rows, self.row_of)
