# SPDX-License-Identifier: Apache-2.0
"""Reads the graph of an ONNX model as columns, and attributes on request."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mindscope.formats import wire
from mindscope.formats.message_columns import (
    ByteRanges,
    Indices,
    Messages,
    Texts,
    distinct_runs,
    join_rows,
    number_runs,
)
from mindscope.formats.onnx_schemas import (
    ATTRIBUTE_GRAPHS,
    ATTRIBUTE_TENSOR,
    GRAPH,
    MODEL,
    NODE,
    TENSOR,
    TENSOR_NAME,
    TYPE,
)
from mindscope.graph.data.columns import Role, TensorType
from mindscope.graph.data.hashes import mix, sums_by_row
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
from mindscope.graph.formats.onnx.files import field_content, number_after
from mindscope.graph.formats.onnx.tensors import decode_tensor, dtype_name, tensor_types
from mindscope.graph.graph import Graph
from mindscope.reasons import Reason
from mindscope.types import Message

_SETTING_DTYPES = ("int64", "int32", "bool", "string")
_GRAPH_OF_MODEL = next(field.number for field in MODEL.fields if field.name == "graph")
_LARGEST_VALUE = 1 << 20  # bytes of a constant that are read


class InferredTypes(NamedTuple):
    """Types by the names of values; ``problem`` says why there are none."""

    types: Mapping[str, TensorType]
    problem: Reason | None = None


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
        lambda row, called: _Reader(_Body.of_function(functions, row), 0, called).run(),
    )
    body = _Body.of_graph(_cut_graph(model) if model.broken.size else model.field_runs("graph"))
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


def _cut_graph(model: Messages) -> ByteRanges:
    """Return the graph of a model that breaks off: what is there of it if it has no end."""
    runs = model.field_runs("graph")
    data, size = runs.data, len(runs.data)
    if runs.stop[0] > runs.start[0]:
        return runs
    whole = number_after(data, 0, size)
    while whole is not None:
        tag, at = whole
        content = field_content(data, tag, at, size)
        if content is None:
            break
        if tag >> 3 == _GRAPH_OF_MODEL:
            return ByteRanges(data, np.array([content[0]]), np.array([content[1]]))
        whole = number_after(data, content[1], size)
    return runs


@dataclass(frozen=True, slots=True)
class _Values:
    """Names of values with the encoded types."""

    names: ByteRanges
    types: ByteRanges

    @classmethod
    def of(cls, messages: Messages) -> _Values:
        return cls(messages.field_runs("name"), messages.field_runs("type"))

    @classmethod
    def untyped(cls, names: ByteRanges) -> _Values:
        nothing = np.zeros(len(names), np.int64)
        return cls(names, ByteRanges(names.data, nothing, nothing))


class _Subgraph(NamedTuple):
    """A graph in an attribute of a node; ``formal`` are the nodes of its inputs, ``free`` of values from outside."""

    node: int
    label: str
    run: Runnable
    formal: list[int]
    free: list[int]


@dataclass(frozen=True, slots=True)
class _Body:
    """The facts that a graph and a function have in common; only a graph has ``tensors``."""

    name: str
    nodes: Messages
    tensors: ByteRanges
    inputs: _Values
    outputs: _Values
    infos: _Values
    is_broken: bool

    @classmethod
    def of_graph(cls, runs: ByteRanges) -> _Body:
        graph = Messages(GRAPH, runs)
        check_size(sum(len(graph.each_run(field)[1]) for field in ("node", "initializer", "input", "value_info")))
        return cls(
            graph.field_runs("name").text(0),
            graph.each_message("node")[1],
            graph.each_run("initializer")[1],
            _Values.of(graph.each_message("input")[1]),
            _Values.of(graph.each_message("output")[1]),
            _Values.of(graph.each_message("value_info")[1]),
            bool(graph.broken.size),
        )

    @classmethod
    def of_function(cls, functions: Messages, row: int) -> _Body:
        function = Messages(functions.schema, functions.runs.take(np.array([row])))
        return cls(
            function.field_runs("name").text(0),
            function.each_message("node")[1],
            function.runs.take(np.empty(0, np.int32)),
            _Values.untyped(function.each_run("input")[1]),
            _Values.untyped(function.each_run("output")[1]),
            _Values.of(function.each_message("value_info")[1]),
            bool(function.broken.size),
        )


class _Reader:
    """Reads one body. Rows are the nodes, then the tensors, then the inputs that are no tensors."""

    def __init__(self, body: _Body, level: int, functions: Functions) -> None:
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
            _scopes_in_names(nodes.field_runs("name"), first),
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
        self._scope, self._texts = _noted_scopes(nodes, self._scope, texts)

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
                details=_Details(
                    join_rows([self._body.nodes.runs, self._body.tensors]), count, len(inputs), self._level
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
        roles = [_tensor_role(type) for type in self._types.all]
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
            type_of[names] = self._types.of(values.types, _read_type)
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
                body = _Body.of_graph(runs.take(np.array([number])))
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


def _tensor_role(type: TensorType) -> Role:
    is_setting = type.shape is not None and len(type.shape) <= 1 and (type.dtype in _SETTING_DTYPES or not type.shape)
    return Role.CONSTANT if is_setting else Role.PARAMETER


def types_of_values(encoded: bytes) -> dict[str, TensorType]:
    """Return the types that an encoded GraphProto gives of its values and outputs, by name."""
    graph = wire.decode(GRAPH, encoded)
    values: list[Message] = [*graph.get("value_info", []), *graph.get("output", [])]
    return {value["name"]: _read_type(wire.encode(TYPE, value["type"])) for value in values if "type" in value}


def _read_type(encoded: bytes) -> TensorType:
    message = wire.decode(TYPE, encoded)
    for field in ("tensor_type", "sparse_tensor_type"):
        if field in message:
            return _read_tensor_type(message[field])
    return TensorType(next(iter(message), "").removesuffix("_type"))


def _read_tensor_type(message: Message) -> TensorType:
    sizes: list[Message] | None = message["shape"].get("dim", []) if "shape" in message else None
    shape = None if sizes is None else tuple(int(size.get("dim_value", -1)) for size in sizes)
    return TensorType(dtype_name(int(message.get("elem_type", 0))), shape)


# ---- scopes ---------------------------------------------------------------------------------------------------------


def _scopes_in_names(names: ByteRanges, outputs: ByteRanges) -> ByteRanges:
    """Return the part of each name before the last ``/`` without the first one.

    A node without a name has the name of its first output.
    """
    has_name = names.stop > names.start
    names = ByteRanges(
        names.data, np.where(has_name, names.start, outputs.start), np.where(has_name, names.stop, outputs.stop)
    )
    start = names.start + (names.find(b"/") == names.start) * (names.stop > names.start)
    return ByteRanges(names.data, start, np.maximum(names.find(b"/", last=True), start))


def _noted_scopes(nodes: Messages, scope: Indices, texts: Texts) -> tuple[Indices, Texts]:
    """Return the scopes with those that PyTorch's exporter noted in place of others, and the texts with theirs."""
    row, entries = nodes.each_message("metadata_props")
    if not len(row):
        return scope, texts
    (key,), keys = number_runs(entries.field_runs("key"))
    is_namespace = np.array([text == "namespace" for text in keys.all], bool)[key]
    number, values = distinct_runs(entries.field_runs("value").take(is_namespace))
    paths = [_path_of_namespace(each.decode("utf-8", "backslashreplace")) for each in values]
    known = {text: number for number, text in enumerate(texts.all)}
    size = len(known)
    numbers = np.array([known.setdefault(path, len(known)) for path in paths], np.int32)
    scope = np.array(scope, np.int32)
    scope[row[is_namespace]] = numbers[number]
    return scope, texts.and_more(list(known)[size:])


def _path_of_namespace(namespace: str) -> str:
    """``: Net/layers: Sequential/layers.1: ReLU/relu: aten.relu`` is ``layers/1``; the last part is the node."""
    path, labels = "", list[str]()
    for part in namespace.split("/")[:-1]:
        name = part.partition(":")[0].strip()
        if name:
            labels.append(name.removeprefix(f"{path}.") if path else name)
            path = name
    return "/".join(labels)


# ---- attributes and values ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Details:
    """``runs`` are the nodes, then from ``tensors`` on the initializers; ``inputs`` are as many nodes more."""

    runs: ByteRanges
    tensors: int
    inputs: int
    level: int

    def attributes(self, node: int) -> Mapping[str, Any]:
        """Return the attributes with what the exporter noted, such as the lines of the source.

        Of several outputs their names are the attribute ``outputs``.
        """
        if node >= self.tensors:
            return {}
        message = wire.decode(NODE, self.runs.bytes_of(node))
        attributes: list[Message] = message.get("attribute", [])
        notes: list[Message] = message.get("metadata_props", [])
        found = {each.get("name", ""): self._value_of(each) for each in attributes}
        outputs: list[str] = message.get("output", [])
        several = {"outputs": outputs} if len(outputs) > 1 else {}
        return {**several, **found, **{each.get("key", ""): each.get("value", "") for each in notes}}

    def value(self, node: int) -> Any:
        """Return the value of a constant; weights are not read."""
        if node < self.tensors:
            return self.attributes(node).get("value")
        if node >= len(self.runs) or self.runs.stop[node] - self.runs.start[node] > _LARGEST_VALUE:
            return None
        (type,) = tensor_types(self.runs.take(np.array([node])))
        is_constant = _tensor_role(type) is Role.CONSTANT
        return decode_tensor(wire.decode(TENSOR, self.runs.bytes_of(node))) if is_constant else None

    def attribute_hashes(self, count: int) -> NDArray[np.uint64]:
        nodes = Messages(NODE, self.runs.take(np.arange(self.tensors)))
        row, attributes = nodes.each_run("attribute")
        each = mix(attributes.hashes())
        graphs = Messages(ATTRIBUTE_GRAPHS, attributes)
        for field in ("g", "graphs"):
            each[graphs.each_run(field)[0]] = 0  # their nodes are nodes of the graph
        hashes = np.zeros(count, np.uint64)
        hashes[: self.tensors] = sums_by_row(each, row, self.tensors)
        return hashes

    def _value_of(self, message: Message) -> Any:
        """Return an AttributeProto as a plain value: number, text, bytes, array, Graph or list."""
        if "g" in message:
            return self._graph(message["g"])
        if "graphs" in message:
            return [self._graph(each) for each in message["graphs"]]
        if "t" in message:
            return decode_tensor(message["t"])
        if "tensors" in message:
            return [decode_tensor(each) for each in message["tensors"]]
        if "tp" in message:
            return str(_read_type(wire.encode(TYPE, message["tp"])))
        for field in ("f", "i", "s", "floats", "ints", "strings", "ref_attr_name"):
            if field in message:
                return _plain(message[field])
        return []

    def _graph(self, message: Message) -> Graph | None:
        if self.level >= MOST_LEVELS:
            return None
        encoded = wire.encode(GRAPH, message)
        runs = ByteRanges(encoded, np.zeros(1, np.int64), np.full(1, len(encoded), np.int64))
        return _Reader(_Body.of_graph(runs), self.level + 1, NO_FUNCTIONS).read()


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(each) for each in value]  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            return value
    return value.item() if hasattr(value, "item") else value
