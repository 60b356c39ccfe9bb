# SPDX-License-Identifier: Apache-2.0
"""Graphs as TensorBoard's GraphDef: from the ``GraphProto`` that mindscope captures, and from ONNX."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, cast

import numpy as np

from mindscope.formats import wire
from mindscope.formats.mindspore_tensors import data_type_name
from mindscope.formats.tensorboard_schemas import GRAPH
from mindscope.formats.tensorboard_values import shape_message
from mindscope.types import Message

_PRODUCER = 22  # the version of the format that other writers declare
_CONTROL = 1
_UNKNOWN_SIZE = -1
_NOT_PLAIN = ("tensor_val", "tensor_vals", "dict_val", "type_val")


def graph_to_tensorboard(graph: Message) -> bytes:
    """Return the GraphDef of a ``GraphProto`` of MindSpore's format. Scopes are parts of the names of nodes.

    MindSpore omits the name of a call, to which other nodes refer by its number, from 1.
    """
    names = _Names()
    operations: list[Message] = [
        {**node, "name": node.get("name") or str(number)} for number, node in enumerate(graph.get("node", ()), 1)
    ]
    parameters = [(each["name"], "Parameter", each.get("type", {})) for each in graph.get("parameters", ())]
    constants: list[tuple[str, str, Message]] = [(each["key"], "Const", {}) for each in graph.get("const_vals", ())]
    held = [_node(names.add(key, key), op, (), _type_attributes(kind)) for key, op, kind in parameters + constants]
    for node in operations:
        names.add(node["name"], _full_name(node))
    nodes = [
        _node(
            names.of(node["name"]),
            node.get("op_type", ""),
            [
                ("^" if source.get("type") == _CONTROL else "") + names.of(source.get("name", ""))
                for source in node.get("input", ())
            ],
            _attributes(node.get("attribute", ())) | _type_attributes(node.get("output_type", {})),
        )
        for node in operations
    ]
    return _encode([*held, *nodes])


def onnx_to_tensorboard(graph: Message) -> bytes:
    """Return the GraphDef of the ``GraphProto`` of an ONNX model. Nodes have the names of their first outputs."""
    ends = [*graph.get("input", ()), *graph.get("output", ())]
    held = [_node(each["name"], "Variable", (), _onnx_type(each)) for each in ends]
    nodes = [
        _node(node["output"][0], node.get("op_type", ""), [name for name in node.get("input", ()) if name], {})
        for node in graph.get("node", ())
        if node.get("output")
    ]
    return _encode([*held, *nodes])


class _Names:
    """Unique names of nodes, by what the graph calls them."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}
        self._used: set[str] = set()

    def add(self, key: str, wanted: str) -> str:
        name, number = wanted, 1
        while name in self._used:
            name = f"{wanted}_{number}"
            number += 1
        self._used.add(name)
        self._names[key] = name
        return name

    def of(self, key: str) -> str:
        return self._names.get(key, key)


def _full_name(node: Message) -> str:
    """Return the name with the scope before it."""
    full = node.get("full_name") or node["name"]
    scope = node.get("scope", "")
    return full if not scope or full.startswith(scope) else f"{scope}/{full}"


def _node(name: str, op: str, inputs: Iterable[str], attributes: Message) -> Message:
    return {"name": name, "op": op, "input": list(inputs), "attr": attributes}


def _attributes(attributes: Iterable[Message]) -> Message:
    """Return the attributes of a node by name, without graphs and the elements of tensors."""
    plain = {entry.get("name", ""): _plain(entry.get("value", {})) for entry in attributes}
    return {name: _attribute(value) for name, value in plain.items() if value is not None}


def _plain(value: Message) -> Any:
    """Return a ``ValueProto`` as a number, a bool, a text, a list or a dict; None for what has no short form."""
    for field, content in value.items():
        if field.endswith(("_val", "_vals")) and field not in _NOT_PLAIN:
            return content
    if "values" in value:
        return [_plain(item) for item in value["values"]]
    if "dict_val" in value:
        return {entry.get("key", ""): _plain(entry.get("value", {})) for entry in value["dict_val"]}
    if "tensor_val" in value:
        tensor = value["tensor_val"]
        return f"{data_type_name(tensor.get('data_type', 0))}{[int(size) for size in tensor.get('dims', ())]}"
    type_number = value.get("type_val", {}).get("data_type", value.get("dtype", 0))
    return data_type_name(type_number) if type_number and value.keys() <= {"dtype", "type_val"} else None


def _attribute(value: Any) -> Message:
    """Return the ``AttrValue``: of a text for what a GraphDef has no type for."""
    if name := _attribute_field(value):
        return {name: value.encode("utf-8", "backslashreplace") if name == "s" else value}
    items = cast("list[Any]", value) if isinstance(value, list) else []
    fields = {_attribute_field(item) for item in items}
    if len(fields) == 1 and (name := fields.pop()):
        return {"list": {name: [item.encode("utf-8", "backslashreplace") if name == "s" else item for item in items]}}
    return {"s": str(cast("object", value)).encode("utf-8", "backslashreplace")}


def _attribute_field(value: Any) -> str:
    """Return the field of an ``AttrValue`` that holds a value exactly; "" if there is none."""
    if isinstance(value, bool):
        return "b"
    if isinstance(value, int):
        return "i" if -(1 << 63) <= value < 1 << 63 else ""
    if isinstance(value, float):
        return "f" if value != value or float(np.float32(value)) == value else ""
    return "s" if isinstance(value, str) else ""


def _type_attributes(kind: Message) -> Message:
    shapes = list(_shapes(kind))
    return {"_output_shapes": {"list": {"shape": shapes}}} if shapes else {}


def _shapes(kind: Message) -> Iterator[Message]:
    """Yield the shapes of a type: one of a tensor, several of a tuple."""
    tensor = kind.get("tensor_type")
    if tensor is not None:
        yield _dims(tensor.get("shape", {}).get("dim", ()), lambda dim: dim.get("size", 0))
    for element in kind.get("sequence_type", {}).get("elem_types", ()):
        yield from _shapes(element)


def _dims(dims: Iterable[Any], size: Callable[[Any], int]) -> Message:
    return shape_message([size(dim) for dim in dims])


def _onnx_type(value: Message) -> Message:
    tensor = value.get("type", {}).get("tensor_type", {})
    shape = _dims(tensor.get("shape", {}).get("dim", ()), lambda dim: dim.get("dim_value", _UNKNOWN_SIZE))
    return {"dtype": {"type": tensor.get("elem_type", 0)}, "shape": {"shape": shape}}


def _encode(nodes: list[Message]) -> bytes:
    return wire.encode(GRAPH, {"node": nodes, "versions": {"producer": _PRODUCER}})
