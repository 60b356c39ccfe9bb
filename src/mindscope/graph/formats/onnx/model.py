# SPDX-License-Identifier: Apache-2.0
"""Reads the graph of an ONNX model as columns, and attributes on request."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from mindscope.formats.message_columns import (
    ByteRanges,
    Indices,
    Messages,
    join_rows,
    number_runs,
)
from mindscope.formats.onnx_schemas import (
    ATTRIBUTE_GRAPHS,
    ATTRIBUTE_TENSOR,
    MODEL,
    TENSOR_NAME,
)
from mindscope.graph.data.columns import Role, TensorType
from mindscope.graph.formats.assemble import (
    GraphParts,
    NamedInputs,
    NamedNodes,
    TypeNumbers,
    assemble,
    check_size,
    name_the_nameless,
)
from mindscope.graph.formats.bodies import (
    MOST_LEVELS,
    NO_FUNCTIONS,
    Body,
    Functions,
    Runnable,
    is_loop,
    open_bodies,
)
from mindscope.graph.formats.onnx.body import GraphBody, cut_graph
from mindscope.graph.formats.onnx.details import OnnxDetails
from mindscope.graph.formats.onnx.scopes import noted_scopes, scopes_in_names
from mindscope.graph.formats.onnx.tensors import tensor_types
from mindscope.graph.formats.onnx.value_types import InferredTypes, read_type, tensor_role
from mindscope.graph.graph import Graph
from mindscope.reasons import Reason


def read_onnx_model(encoded: bytes, infer: Callable[[bytes], InferredTypes] | None = None) -> Graph:
    """Return the graph of an encoded ModelProto; ``functions`` are those that the model defines.

    ``infer`` is called if the model lacks the shape of an output of a node; ``shape_problem`` of the graph then says
    which shapes are missing, and why.

    A node has the name of its first output, because inputs name outputs; its own name is the full name. Scopes are the
    modules that PyTorch notes, else the parts of names with ``/``. Initializers are parameters; scalars and lists of
    integers are constants. Subgraphs, as of If and Loop, and called functions are scopes of their nodes; a subgraph is
    an attribute too.
    """
    model = Messages.one(MODEL, encoded)
    functions = model.each_message("functions")[1]
    names, domains = functions.field_runs("name"), functions.field_runs("domain")
    called = Functions(
        [_called(domains.text(row), names.text(row)) for row in range(len(functions))],
        lambda row, called: _Reader(GraphBody.of_function(functions, row), 0, called).run(),
    )
    body = GraphBody.of_graph(cut_graph(model) if model.broken.size else model.field_runs("graph"))
    reader = _Reader(body, 0, called)
    if infer is None or model.broken.size or not reader.lacks_shapes:
        return reader.read(called.all, is_cut=bool(model.broken.size))
    reader.inferred, problem = infer(encoded)
    graph = reader.read(called.all)
    graph.shape_problem = _shape_problem(graph, problem)
    return graph


def _called(domain: str, name: str) -> str:
    """Return the key of a function."""
    return f"{domain}/{name}"


def _shape_problem(graph: Graph, problem: Reason | None) -> Reason | None:
    """Return the reason why shapes of operators are missing; None if none is."""
    columns = graph.node_columns
    is_unknown = np.array([each.shape is None for each in graph.types], bool)
    rows = np.flatnonzero((columns.role == Role.OPERATION) & is_unknown[columns.type])
    if problem is not None or not rows.size:
        return problem if rows.size else None
    first = graph.texts[int(columns.op_type[rows[0]])]
    return Reason("onnx_shapes_unknown", count=int(rows.size), total=len(graph.operations), example=first)


class _Subgraph(NamedTuple):
    """A graph in an attribute of a node; ``formal`` are the nodes of its inputs, ``free`` of values from outside."""

    node: int
    label: str
    run: Runnable
    formal: list[int]
    free: list[int]


class _Reader:
    """Reads one body. Rows are the nodes, then the tensors, then the inputs that are no tensors."""

    def __init__(self, body: GraphBody, level: int, functions: Functions) -> None:
        self._body, self._level, self._functions = body, level, functions
        self.inferred: Mapping[str, TensorType] = {}
        """Types of values that the body does not give, by name."""
        self.named = 0
        """Number of the nodes that the body names, once it is read; values from outside follow."""
        self._types = TypeNumbers()
        nodes = body.nodes
        producer, given = nodes.each_run("output")
        target, taken = nodes.each_run("input")
        check_size(len(nodes), len(taken))
        output = (np.arange(len(producer)) - np.searchsorted(producer, producer)).astype(np.int32)
        is_given, is_taken = given.stop > given.start, taken.stop > taken.start  # optional ones may be ""
        self._producer, self._output_of, given = producer[is_given], output[is_given], given.take(is_given)
        position = np.arange(len(target)) - np.searchsorted(target, target)
        self._target, self._position, taken = target[is_taken], position[is_taken], taken.take(is_taken)
        first = _first_outputs(self._producer, given, len(nodes))
        tensors = Messages(TENSOR_NAME, body.tensors)
        self._broken = np.concatenate([nodes.broken, tensors.broken + len(nodes)])
        numbers, texts = number_runs(
            first,
            nodes.field_runs("name"),
            nodes.field_runs("op_type"),
            scopes_in_names(nodes.field_runs("name"), first),
            taken,
            given,
            tensors.field_runs("name"),
            body.inputs.names,
            body.outputs.names,
            body.infos.names,
        )
        self._name, self._own_name, self._op_type, self._scope, self._taken, self._given, *numbers = numbers
        self._tensor, self._input, self._output, self._info = numbers
        self._name, texts = name_the_nameless(self._name, texts, lambda row, _: f"nameless_{row + 1}")
        self._scope, self._texts = noted_scopes(nodes, self._scope, texts)

    @property
    def lacks_shapes(self) -> bool:
        """Whether the body gives no shape of an output of a node."""
        type_of = self._value_types()
        has_shape = np.array([each.shape is not None for each in self._types.all], bool)
        return not has_shape[type_of[self._given]].all()

    def read(self, defined: Sequence[Graph] = (), *, is_cut: bool = False) -> Graph:
        """Return the graph; all names that a subgraph does not define are its inputs.

        ``defined`` are the functions of the model.
        """
        is_tensor = np.zeros(len(self._texts), bool)
        is_tensor[self._tensor] = True
        inputs = self._input[~is_tensor[self._input]]
        taken = self._named_inputs()
        nodes = self._named_nodes(inputs)
        self.named = len(nodes.name)
        count = len(self._body.nodes)
        graph = assemble(
            GraphParts(
                name=self._body.name,
                texts=self._texts,
                nodes=nodes,
                inputs=taken,
                types=self._types.all,
                details=OnnxDetails(
                    join_rows([self._body.nodes.runs, self._body.tensors]), count, len(inputs), self._level, _read_graph
                ),
                output_names=self._source_of(self._output)[0],
                functions=defined,
                damaged=self._broken,
                is_cut=is_cut or self._body.is_broken,
                input_names=np.unique(np.concatenate([taken.source, self._output])) if self._level else inputs,
            )
        )
        return open_bodies(graph, [*self._opened_subgraphs(), *self._opened_calls(graph)])

    def run(self) -> Runnable:
        """Return the graph with its results."""
        graph = self.read()
        name, output = self._source_of(self._output)
        nodes = [graph.node_numbers.get(self._texts[number], -1) for number in name.tolist()]
        results = [pair for pair in zip(nodes, output.tolist(), strict=True) if pair[0] >= 0]
        return Runnable(graph, results, graph.inputs.indices.tolist())

    def _opened_subgraphs(self) -> list[Body]:
        """Return the subgraphs; the values that they take from outside are the last inputs of their nodes."""
        bodies: list[Body] = []
        count: Counter[int] = Counter()
        for each in self._subgraphs:
            positions = self._positions(each.node)
            formal = {node: positions[index] for index, node in enumerate(each.formal) if index in positions}
            first = len(positions) + count[each.node]
            count[each.node] += len(each.free)
            taken = {**formal, **{node: first + index for index, node in enumerate(each.free)}}
            is_repeated = is_loop(self._texts[int(self._op_type[each.node])])
            bodies.append(
                Body(each.node, each.label, each.run, taken, frozenset(formal) if is_repeated else frozenset())
            )
        return bodies

    def _opened_calls(self, graph: Graph) -> list[Body]:
        """Return the functions that nodes call."""
        if not self._functions.names:
            return []
        domains, bodies = self._body.nodes.field_runs("domain"), list[Body]()
        for node, number in enumerate(self._op_type.tolist()):
            called = self._functions.call(_called(domains.text(node), self._texts[number]))
            if called is not None:
                positions = self._positions(node)
                taken = {inner: positions[index] for index, inner in enumerate(called.inputs) if index in positions}
                bodies.append(Body(node, self._texts[number], called, taken))
        return bodies

    def _positions(self, node: int) -> dict[int, int]:
        """Return the input of a node in its edges for each input in the file, where an optional one may be missing."""
        start, stop = np.searchsorted(self._target, [node, node + 1])
        return {position: index for index, position in enumerate(self._position[start:stop].tolist())}

    def _named_nodes(self, inputs: Indices) -> NamedNodes:
        tensors = [self._types.number(each) for each in tensor_types(self._body.tensors)]
        is_constant = self._is_type("Constant")
        roles = [tensor_role(type) for type in self._types.all]
        type_of = self._value_types()
        own = type_of[self._name]
        self._add_types_of_constants(own, np.flatnonzero(is_constant))
        blank = np.zeros(len(tensors) + len(inputs), np.int32)
        name = np.concatenate([self._name, self._tensor, inputs])
        return NamedNodes(
            name=name,
            op_type=np.concatenate([self._op_type, blank]),
            full_name=np.concatenate([np.where(self._own_name > 0, self._own_name, self._name), blank]).astype(
                np.int32
            ),
            device=np.zeros(len(name), np.int32),
            scope=np.concatenate([self._scope, blank]),
            type=np.concatenate([own, np.array(tensors, np.int32), type_of[inputs]]),
            role=np.concatenate(
                [
                    np.where(is_constant, Role.CONSTANT, Role.OPERATION),
                    np.array([roles[type] for type in tensors], np.int64),
                    np.full(len(inputs), Role.INPUT),
                ]
            ).astype(np.uint8),
        )

    def _is_type(self, name: str) -> NDArray[np.bool_]:
        types = np.unique(self._op_type)
        return np.isin(self._op_type, [number for number in types.tolist() if self._texts[number] == name])

    def _value_types(self) -> Indices:
        """Return the type of the value with each text as its name."""
        type_of = np.zeros(len(self._texts), np.int32)
        body = self._body
        for names, values in ((self._info, body.infos), (self._output, body.outputs), (self._input, body.inputs)):
            type_of[names] = self._types.of(values.types, read_type)
        if self.inferred:
            self._add_inferred(type_of)
        return type_of

    def _add_inferred(self, type_of: Indices) -> None:
        numbers = {text: number for number, text in enumerate(self._texts.all)}
        for name, type in self.inferred.items():
            number = numbers.get(name)
            if number is not None and _is_unknown(self._types.all[int(type_of[number])].shape):
                type_of[number] = self._types.number(type)

    def _add_types_of_constants(self, types: Indices, rows: NDArray[np.int64]) -> None:
        """Fill in the types of nodes ``Constant`` that hold a tensor."""
        constants = Messages(self._body.nodes.schema, self._body.nodes.runs.take(rows))
        row, attributes = constants.each_run("attribute")
        holder, tensors = Messages(ATTRIBUTE_TENSOR, attributes).each_run("t")
        types[rows[row[holder]]] = [self._types.number(each) for each in tensor_types(tensors)]

    def _named_inputs(self) -> NamedInputs:
        captured = [each.run.graph.nodes[node].name for each in self._subgraphs for node in each.free]
        outer = [each.node for each in self._subgraphs for _ in each.free]
        known = {text: number for number, text in enumerate(self._texts.all)} if captured else {}
        names = np.array([known.setdefault(text, len(known)) for text in captured], np.int32)
        self._texts = self._texts.and_more(list(known)[len(self._texts) :])
        source, output = self._source_of(np.concatenate([self._taken, names]))
        target = np.concatenate([self._target, np.array(outer, np.int32)])
        return NamedInputs(source, target, output, np.zeros(len(target), bool))

    def _source_of(self, values: Indices) -> tuple[Indices, Indices]:
        """Return the names of the nodes that give ``values``, and which of their outputs.

        The first of several counts.
        """
        name, output = np.arange(len(self._texts), dtype=np.int32), np.zeros(len(self._texts), np.int32)
        name[self._given[::-1]] = self._name[self._producer[::-1]]
        output[self._given[::-1]] = self._output_of[::-1]
        return name[values], output[values]

    @cached_property
    def _subgraphs(self) -> list[_Subgraph]:
        row, attributes = self._body.nodes.each_run("attribute")
        messages = Messages(ATTRIBUTE_GRAPHS, attributes)
        names = messages.field_runs("name")
        found = list[_Subgraph]()
        for field in ("g", "graphs") if self._level < MOST_LEVELS else ():
            holders, runs = messages.each_run(field)
            rows: list[int] = holders.tolist()
            for number, holder in enumerate(rows):
                body = GraphBody.of_graph(runs.take(np.array([number])))
                reader = _Reader(body, self._level + 1, self._functions)
                run = reader.run()
                index = number - int(np.searchsorted(holders, holder))
                found.append(
                    _Subgraph(
                        int(row[holder]),
                        names.text(holder) + (f"_{index}" if field == "graphs" else ""),
                        run,
                        [node for node in run.inputs if node < reader.named],
                        [node for node in run.inputs if node >= reader.named],
                    )
                )
        return found


def _is_unknown(shape: tuple[int, ...] | None) -> bool:
    return shape is None or -1 in shape


def _first_outputs(producer: Indices, given: ByteRanges, count: int) -> ByteRanges:
    """Return the name of the first output of each node; an empty one without outputs."""
    start, stop = np.zeros(count, np.int64), np.zeros(count, np.int64)
    start[producer[::-1]], stop[producer[::-1]] = given.start[::-1], given.stop[::-1]
    return ByteRanges(given.data, start, stop)


def _read_graph(runs: ByteRanges, level: int) -> Graph:
    return _Reader(GraphBody.of_graph(runs), level, NO_FUNCTIONS).read()
