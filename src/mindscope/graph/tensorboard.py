# SPDX-License-Identifier: Apache-2.0
"""Converts a GraphDef of TensorFlow or PyTorch to a Graph."""

from __future__ import annotations

from typing import Any

from mindscope.formats import wire
from mindscope.formats.tensorboard_schemas import GRAPH
from mindscope.formats.tensorboard_tensors import decode_tensor
from mindscope.graph.model import Constant, Edge, EdgeKind, Graph, Node, Output, Parameter, Shape
from mindscope.types import Message

_PARAMETERS = {"Placeholder", "PlaceholderV2", "PlaceholderWithDefault", "Variable", "VariableV2", "VarHandleOp"}
_GRAPH_OF_META_GRAPH = 2
_DTYPES = (
    " float32 float64 int32 uint8 int16 int8 string complex64 int64 bool qint8 quint8 qint32 bfloat16 qint16 quint16 "
    "uint16 complex128 float16 resource variant uint32 uint64 float8_e5m2 float8_e4m3fn"
).split(" ")
_REFERENCE = 100  # adding this to a dtype number marks a reference type


def read_tensorboard_graph(message: Message) -> Graph:
    """The graph of a decoded GraphDef.

    Placeholders, variables and constants are nodes, and also in lists of their own; outputs are the data nodes that
    no other node takes as input. Raises FormatError if a tensor in it contradicts its shape.
    """
    functions: list[Message] = message.get("library", {}).get("function", [])
    return _read_graph("", message.get("node", []), tuple(_read_function(each) for each in functions))


def read_meta_graph(encoded: bytes) -> Graph:
    """The graph in the bytes of a MetaGraphDef; an empty graph if it has none. Raises FormatError."""
    for number, value, start, end in wire.split(encoded, 0, len(encoded)):
        if number == _GRAPH_OF_META_GRAPH and value is None:
            return read_tensorboard_graph(wire.decode(GRAPH, encoded[start:end]))
    return Graph("")


def _read_function(message: Message) -> Graph:
    return _read_graph(message.get("signature", {}).get("name", ""), message.get("node_def", []), ())


def _read_graph(name: str, messages: list[Message], functions: tuple[Graph, ...]) -> Graph:
    nodes = tuple(_read_node(each, number) for number, each in enumerate(messages, start=1))
    taken = {edge.source for node in nodes for edge in node.inputs}
    return Graph(
        name=name,
        nodes=nodes,
        parameters=tuple(_as_parameter(node) for node in nodes if node.op_type in _PARAMETERS),
        constants=tuple(_as_constant(node) for node in nodes if node.op_type == "Const"),
        outputs=tuple(_as_output(node) for node in nodes if node.inputs and node.name not in taken),
        functions=functions,
    )


def _read_node(message: Message, number: int) -> Node:
    name: str = message.get("name") or f"nameless_{number}"
    attributes = {key: _read_attribute(value) for key, value in message.get("attr", {}).items()}
    dtype, shape = _output_type(message.get("attr", {}))
    return Node(
        name=name,
        op_type=message.get("op", ""),
        scope=name.rpartition("/")[0],
        inputs=tuple(_read_edge(text) for text in message.get("input", [])),
        attributes=attributes,
        output_dtype=dtype,
        output_shape=shape,
        full_name=name,
        device=message.get("device", ""),
    )


def _read_edge(text: str) -> Edge:
    """An input is ``node``, ``node:2`` for its third output, ``node:port:2`` in functions, or ``^node``."""
    if text.startswith("^"):
        return Edge(text[1:], EdgeKind.CONTROL)
    source, _, rest = text.partition(":")
    output = rest.rpartition(":")[2]
    return Edge(source, EdgeKind.DATA, int(output)) if output.isdecimal() else Edge(text)


def _output_type(attributes: dict[str, Message]) -> tuple[str, Shape | None]:
    dtype = next((attributes[key]["type"] for key in ("dtype", "T") if "type" in attributes.get(key, {})), 0)
    shapes: list[Message] = attributes.get("_output_shapes", {}).get("list", {}).get("shape", [])
    own = attributes.get("shape", {}).get("shape")
    shape = shapes[0] if shapes else own
    return dtype_name(dtype), None if shape is None else _read_shape(shape)


def _read_shape(message: Message) -> Shape | None:
    if message.get("unknown_rank"):
        return None
    return tuple(int(dim.get("size", 0)) for dim in message.get("dim", []))


def dtype_name(number: int) -> str:
    """The name of a TensorFlow DataType; "" for 0 and unknown numbers."""
    number = number - _REFERENCE if number > _REFERENCE else number
    return _DTYPES[number] if 0 <= number < len(_DTYPES) else ""


def _read_attribute(message: Message) -> Any:
    """An AttrValue as a plain value: number, text, bytes, shape, dtype name, array or list."""
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


def _as_parameter(node: Node) -> Parameter:
    return Parameter(node.name, node.output_dtype, node.output_shape)


def _as_constant(node: Node) -> Constant:
    return Constant(node.name, node.attributes.get("value"), node.output_dtype, node.output_shape)


def _as_output(node: Node) -> Output:
    return Output(node.name, node.output_dtype, node.output_shape)
