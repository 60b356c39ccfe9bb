# SPDX-License-Identifier: Apache-2.0
"""Converts MindSpore's GraphProto to a Graph."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from mindscope.errors import FormatError
from mindscope.formats.mindspore_tensors import data_type_name, decode_tensor
from mindscope.graph.model import Constant, Edge, EdgeKind, Graph, Node, Output, Parameter, Shape
from mindscope.reasons import Reason
from mindscope.types import Message

_CONTROL_EDGE = 1
_PLAIN_VALUES = (
    "bool_val int_val uint_val float_val double_val str_val "
    "bool_vals int_vals uint_vals float_vals double_vals str_vals"
).split()


def read_mindspore_graph(message: Message) -> Graph:
    """The graph of a decoded GraphProto. Raises FormatError if a tensor in it contradicts its shape."""
    return Graph(
        name=message.get("name", ""),
        nodes=_read_nodes(message.get("node", [])),
        parameters=tuple(_read_parameter(each) for each in message.get("parameters", [])),
        constants=tuple(_read_constant(each) for each in message.get("const_vals", [])),
        outputs=tuple(_read_output(each) for each in message.get("outputs", [])),
    )


def _read_nodes(messages: list[Message]) -> tuple[Node, ...]:
    """MindSpore numbers nodes from 1 and omits the name of a call, but other nodes refer to it by its number."""
    taken = {node.get("name") for node in messages}
    names = (node.get("name") or _free_name(number, taken) for number, node in enumerate(messages, start=1))
    return tuple(_read_node(node, name) for node, name in zip(messages, names, strict=True))


def _free_name(number: int, taken: set[str | None]) -> str:
    return f"nameless_{number}" if str(number) in taken else str(number)


def _read_node(node: Message, name: str) -> Node:
    dtype, shape = _read_type(node.get("output_type", {}))
    return Node(
        name=name,
        op_type=node.get("op_type", ""),
        scope=node.get("scope", ""),
        inputs=tuple(_read_edge(each) for each in node.get("input", [])),
        attributes={each.get("name", ""): _read_entry(each) for each in node.get("attribute", [])},
        output_dtype=dtype,
        output_shape=shape,
        full_name=node.get("full_name", ""),
    )


def _read_edge(message: Message) -> Edge:
    kind = EdgeKind.CONTROL if message.get("type", 0) == _CONTROL_EDGE else EdgeKind.DATA
    return Edge(message.get("name", ""), kind)


def _read_parameter(message: Message) -> Parameter:
    default = _read_value(message["default_val"]) if "default_val" in message else None
    return Parameter(message.get("name", ""), *_read_type(message.get("type", {})), default)


def _read_constant(message: Message) -> Constant:
    value: Message = message.get("value", {})
    tensor: Message | None = value.get("tensor_val")
    if tensor is None:
        return Constant(message.get("key", ""), _read_value(value))
    shape = tuple(int(size) for size in tensor.get("dims", ()))
    return Constant(message.get("key", ""), _read_tensor(tensor), data_type_name(tensor.get("data_type", 0)), shape)


def _read_output(message: Message) -> Output:
    return Output(message.get("name", ""), *_read_type(message.get("type", {})))


def _read_type(message: Message) -> tuple[str, Shape | None]:
    """The dtype and shape of a tensor type; for another type its name and None."""
    if "tensor_type" not in message:
        number = message.get("data_type", 0)
        return (data_type_name(number) if number else ""), None
    tensor: Message = message["tensor_type"]
    sizes: list[Message] = tensor.get("shape", {}).get("dim", [])
    return data_type_name(tensor.get("elem_type", 0)), tuple(int(dim.get("size", -1)) for dim in sizes)


def _read_entry(message: Message) -> Any:
    return _read_value(message["value"]) if "value" in message else None


def _read_value(message: Message) -> Any:
    """A ValueProto as a plain value: number, text, list, dict, array, Graph, or type name; None if empty."""
    for field in _PLAIN_VALUES:
        if field in message:
            return message[field]
    if "tensor_val" in message:
        return _read_tensor(message["tensor_val"])
    if "tensor_vals" in message:
        return [_read_tensor(each) for each in message["tensor_vals"]]
    return _read_nested(message)


def _read_tensor(message: Message) -> NDArray[Any] | None:
    """The array; None if the message has only its type, as for the constants of a MindSpore graph."""
    return decode_tensor(message).value if message.keys() - {"dims", "data_type"} else None


def _read_nested(message: Message) -> Any:
    if "values" in message:
        return [_read_value(each) for each in message["values"]]
    if "dict_val" in message:
        return {each.get("key", ""): _read_entry(each) for each in message["dict_val"]}
    if "graph" in message:
        return read_mindspore_graph(message["graph"])
    if "graphs" in message:
        return [read_mindspore_graph(each) for each in message["graphs"]]
    return _read_type_name(message)


def _read_type_name(message: Message) -> str | None:
    if "type_val" in message:
        return _read_type(message["type_val"])[0]
    # A type constant such as Float32 has only a dtype.
    number = message.get("dtype", 0)
    if not isinstance(number, int):
        raise FormatError(Reason("graph_dtype", number=repr(number)))
    return data_type_name(number) if number else None
