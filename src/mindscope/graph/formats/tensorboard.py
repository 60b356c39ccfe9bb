# SPDX-License-Identifier: Apache-2.0
"""Reads a GraphDef of TensorFlow or PyTorch as columns, and attributes on request."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from mindscope.errors import FormatError
from mindscope.formats import wire
from mindscope.formats.message_columns import ByteRanges, Messages, Texts, distinct_runs, number_runs
from mindscope.formats.tensorboard_schemas import GRAPH, GRAPH_SCHEMAS
from mindscope.formats.tensorboard_tensors import decode_tensor
from mindscope.graph.data.columns import Indices, Role, Shape, TensorType
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
from mindscope.graph.formats.bodies import Body, Functions, Runnable, body_of_last_inputs, open_bodies
from mindscope.graph.graph import Graph
from mindscope.types import Message

_INPUTS = {"Placeholder", "PlaceholderV2", "PlaceholderWithDefault"}
_PARAMETERS = {"Variable", "VariableV2", "VarHandleOp"}
_ROLES = dict.fromkeys(_INPUTS, Role.INPUT) | dict.fromkeys(_PARAMETERS, Role.PARAMETER) | {"Const": Role.CONSTANT}
_GRAPH_OF_META_GRAPH = 2
_NODE = GRAPH_SCHEMAS["NodeDef"]
_ATTRIBUTE = GRAPH_SCHEMAS["AttrValue"]
_FUNCTIONS = wire.parse_schemas("""
Functions: 1 FunctionList list, 10 Name func
FunctionList: 9 repeated Name func
Name: 1 string name
""")["Functions"]
_DTYPES = (
    " float32 float64 int32 uint8 int16 int8 string complex64 int64 bool qint8 quint8 qint32 bfloat16 qint16 quint16 "
    "uint16 complex128 float16 resource variant uint32 uint64 float8_e5m2 float8_e4m3fn"
).split(" ")
_REFERENCE = 100  # adding this to a dtype number marks a reference type
_MOST_DIGITS = 9
_OUTPUT_SHAPES = ByteRanges(b"_output_shapes", np.zeros(1, np.int64), np.full(1, 14, np.int64)).hashes()[0]


def read_tensorboard_graph(encoded: bytes) -> Graph:
    """Return the graph of an encoded GraphDef; outputs are the data nodes that no other node takes as input."""
    graph = Messages.one(GRAPH, encoded)
    functions = graph.messages("library").each_message("function")[1]
    signatures = functions.messages("signature").field_runs("name")
    called = Functions(
        [signatures.text(row) for row in range(len(functions))],
        lambda row, called: _read_function(functions, row, called),
    )
    check_size(len(graph.each_run("node")[1]))
    nodes = graph.each_message("node")[1]
    return _read_graph("", nodes, called, defined=called.all, is_cut=bool(graph.broken.size))


def read_meta_graph(encoded: bytes) -> Graph:
    """Return the graph in the bytes of a MetaGraphDef; an empty graph if it has none. Raises FormatError."""
    for number, value, start, end in wire.split(encoded, 0, len(encoded)):
        if number == _GRAPH_OF_META_GRAPH and value is None:
            return read_tensorboard_graph(encoded[start:end])
    return read_tensorboard_graph(b"")


def _read_function(functions: Messages, row: int, called: Functions) -> Runnable:
    function = Messages(functions.schema, functions.runs.take(np.array([row])))
    signature = function.messages("signature")
    inputs = signature.each_message("input_arg")[1].field_runs("name")
    nodes = function.each_message("node_def")[1]
    is_cut = bool(function.broken.size)
    graph = _read_graph(signature.field_runs("name").text(0), nodes, called, inputs=inputs, is_cut=is_cut)
    returned = function.each_message("ret")[1]
    source, output, _ = _parse_inputs(returned.field_runs("value"))
    keys, names = returned.field_runs("key"), signature.each_message("output_arg")[1].field_runs("name")
    results = {
        keys.text(row): (graph.node_numbers.get(source.text(row), -1), int(output[row])) for row in range(len(returned))
    }
    found = [results.get(names.text(row), (-1, 0)) for row in range(len(names))]
    arguments = [graph.node_numbers.get(inputs.text(row), -1) for row in range(len(inputs))]
    return Runnable(graph, [result for result in found if result[0] >= 0], arguments)


def _read_graph(
    name: str,
    nodes: Messages,
    functions: Functions,
    *,
    inputs: ByteRanges | None = None,
    defined: Sequence[Graph] = (),
    is_cut: bool,
) -> Graph:
    """``inputs`` are the names of a function's arguments."""
    target, taken = nodes.each_run("input")
    check_size(len(nodes), len(taken))
    source, output, is_control = _parse_inputs(taken)
    names = nodes.field_runs("name")
    arguments = inputs or names.take(np.empty(0, np.int32))
    (own, op_type, device, scope, source_name, input_name), texts = number_runs(
        names, nodes.field_runs("op"), nodes.field_runs("device"), _scopes(names), source, arguments
    )
    own, texts = name_the_nameless(own, texts, lambda row, _: f"nameless_{row + 1}")
    types = TypeNumbers()
    feeds = np.zeros(len(texts), bool)
    feeds[source_name] = True
    graph = assemble(
        GraphParts(
            name=name,
            texts=texts,
            nodes=NamedNodes(own, op_type, own, device, scope, _types(nodes, types), _roles(op_type, texts)),
            inputs=NamedInputs(source_name, target, output, is_control),
            types=types.all,
            details=_Details(nodes.runs),
            output_names=own[np.isin(np.arange(len(nodes)), target) & ~feeds[own]],
            input_names=input_name,
            functions=defined,
            damaged=nodes.broken,
            is_cut=is_cut,
        )
    )
    return open_bodies(graph, _bodies(graph, nodes, functions, np.bincount(target[~is_control], minlength=len(nodes))))


def _bodies(graph: Graph, nodes: Messages, functions: Functions, inputs: NDArray[np.int64]) -> list[Body]:
    """Return the functions that nodes call, in attributes or by their type.

    ``inputs`` are the numbers of values that nodes take.
    """
    if not functions.names:
        return []
    bodies = list[Body]()
    for node, label, name in _calls(nodes):
        called = functions.call(name)
        if called is not None:
            bodies.append(body_of_last_inputs(graph, node, int(inputs[node]), label, called))
    return bodies


def _calls(nodes: Messages) -> Iterator[tuple[int, str, str]]:
    """Yield nodes, labels and names of the functions that they call."""
    op_types = nodes.field_runs("op")
    row, entries = nodes.each_message("attr")
    values, keys = Messages(_FUNCTIONS, entries.field_runs("value")), entries.field_runs("key")
    several = values.messages("list")
    of_node: dict[int, list[tuple[str, str]]] = {}
    for holder, (list_holder, functions) in (
        (False, values.each_message("func")),
        (True, several.each_message("func")),
    ):
        names = functions.field_runs("name")
        rows: list[int] = list_holder.tolist()
        for number, entry in enumerate(rows):
            label = keys.text(entry) + (f"_{number - int(np.searchsorted(list_holder, entry))}" if holder else "")
            of_node.setdefault(int(row[entry]), []).append((label, names.text(number)))
    for node in range(len(nodes)):
        name = op_types.text(node)
        yield from ((node, label, called) for label, called in of_node.get(node, [(name, name)]))


def _scopes(names: ByteRanges) -> ByteRanges:
    """Return the part of each name before the last ``/``."""
    return ByteRanges(names.data, names.start, np.maximum(names.find(b"/", last=True), names.start))


def _roles(op_type: Indices, texts: Texts) -> NDArray[np.uint8]:
    by_text = np.zeros(len(texts), np.uint8)
    for number in np.unique(op_type):
        by_text[number] = _ROLES.get(texts[int(number)], Role.OPERATION)
    return by_text[op_type]


# ---- inputs ---------------------------------------------------------------------------------------------------------


def _parse_inputs(inputs: ByteRanges) -> tuple[ByteRanges, Indices, NDArray[np.bool_]]:
    """Return the name of each source, its output, and whether the input only orders.

    An input is ``node``, ``node:2`` for its third output, ``node:port:2`` in functions, or ``^node``.
    """
    data = np.frombuffer(inputs.data, np.uint8)
    is_control = np.zeros(len(inputs), bool)
    full = inputs.stop > inputs.start
    is_control[full] = data[inputs.start[full]] == ord("^")
    first, last = inputs.find(b":"), inputs.find(b":", last=True)
    output, has_output = _numbers_after(data, last, inputs.stop)
    has_output &= ~is_control
    stop = np.where(has_output, first, inputs.stop)
    return ByteRanges(inputs.data, inputs.start + is_control, stop), np.where(has_output, output, 0), is_control


def _numbers_after(
    data: NDArray[np.uint8], colon: NDArray[np.int64], stop: NDArray[np.int64]
) -> tuple[Indices, NDArray[np.bool_]]:
    """Return the decimal number between each colon and stop, and whether there is one."""
    digits = np.where(colon < 0, 0, stop - colon - 1)
    is_number = (digits > 0) & (digits <= _MOST_DIGITS)
    numbers = np.zeros(colon.size, np.int32)
    for position in range(int(digits[is_number].max(initial=0))):
        rows = np.flatnonzero(is_number & (digits > position))
        digit = data[colon[rows] + 1 + position].astype(np.int32) - ord("0")
        is_number[rows[(digit < 0) | (digit > 9)]] = False
        numbers[rows] = numbers[rows] * 10 + digit
    return numbers, is_number


# ---- types ----------------------------------------------------------------------------------------------------------


def _types(nodes: Messages, types: TypeNumbers) -> Indices:
    """Return the type of the first output of each node, from its attributes."""
    row, entries = nodes.each_message("attr")
    (key,), keys = number_runs(entries.field_runs("key"))
    values = entries.field_runs("value")

    def distinct(*names: str) -> tuple[Indices, list[bytes]]:
        """Return the value of an attribute of each node as its number among the distinct ones.

        A later name goes first.
        """
        start, stop = np.zeros(len(nodes), np.int64), np.zeros(len(nodes), np.int64)
        for number in (keys.all.index(name) for name in names if name in keys.all):
            start[row[key == number]], stop[row[key == number]] = (
                values.start[key == number],
                values.stop[key == number],
            )
        return distinct_runs(ByteRanges(values.data, start, stop))

    dtype, dtypes = distinct("T", "dtype")
    shape, shapes = distinct("shape", "_output_shapes")
    dtype_names = [_tolerant(_read_dtype, each) or "" for each in dtypes]
    sizes = [_tolerant(_read_sizes, each) for each in shapes]
    pairs, inverse = np.unique(dtype.astype(np.int64) * len(shapes) + shape, return_inverse=True)
    distinct_pairs: list[int] = pairs.tolist()
    numbers = [
        types.number(TensorType(dtype_names[pair // len(shapes)], sizes[pair % len(shapes)])) for pair in distinct_pairs
    ]
    return np.array(numbers, np.int32)[inverse.reshape(-1)]


T = TypeVar("T")


def _tolerant(read: Callable[[Message], T], encoded: bytes) -> T | None:
    try:
        return read(wire.decode(_ATTRIBUTE, encoded))
    except FormatError:
        return None


def _read_dtype(attribute: Message) -> str:
    return dtype_name(int(attribute.get("type", 0)))


def _read_sizes(attribute: Message) -> Shape | None:
    """Read the shape of the first output."""
    shapes: list[Message] = attribute.get("list", {}).get("shape", [])
    shape: Message | None = shapes[0] if shapes else attribute.get("shape")
    return None if shape is None else _read_shape(shape)


def _read_shape(message: Message) -> Shape | None:
    if message.get("unknown_rank"):
        return None
    return tuple(int(dim.get("size", 0)) for dim in message.get("dim", []))


def dtype_name(number: int) -> str:
    """Return the name of a TensorFlow DataType; "" for 0 and unknown numbers."""
    number = number - _REFERENCE if number > _REFERENCE else number
    return _DTYPES[number] if 0 <= number < len(_DTYPES) else ""


# ---- attributes and values ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Details:
    runs: ByteRanges

    def attributes(self, node: int) -> Mapping[str, Any]:
        if node >= len(self.runs):
            return {}
        attributes: Mapping[str, Message] = wire.decode(_NODE, self.runs.bytes_of(node)).get("attr", {})
        return {key: _read_attribute(value) for key, value in attributes.items()}

    def value(self, node: int) -> Any:
        return self.attributes(node).get("value")

    def attribute_hashes(self, count: int) -> NDArray[np.uint64]:
        """Return hashes without the shapes of outputs and the names of functions, which are no settings."""
        row, entries = Messages(_NODE, self.runs).each_message("attr")
        key, values = entries.field_runs("key").hashes(), entries.field_runs("value")
        hashes = mix(key ^ mix(values.hashes()))
        hashes[key == _OUTPUT_SHAPES] = 0
        hashes[Messages(_FUNCTIONS, values).each_message("func")[0]] = 0  # their nodes are nodes of the graph
        result = np.zeros(count, np.uint64)
        result[: len(self.runs)] = sums_by_row(hashes, row, len(self.runs))
        return result


def _read_attribute(message: Message) -> Any:
    """Return an AttrValue as a plain value: number, text, bytes, shape, dtype name, array or list."""
    field, value = next(iter(message.items()), ("placeholder", None))
    return _read_field(field, value)


def _read_field(field: str, value: Any) -> Any:
    if field == "list":
        return [_read_field(inner, each) for inner, values in value.items() for each in values]
    if field == "s":
        return _text_or_bytes(value)
    if field == "type":
        return dtype_name(int(value))
    if field == "shape":
        return _read_shape(value)
    if field == "tensor":
        return decode_tensor(value) if value.get("dtype") else None
    if field == "func":
        return value.get("name", "")
    return value.item() if hasattr(value, "item") else value


def _text_or_bytes(value: bytes) -> str | bytes:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return value
