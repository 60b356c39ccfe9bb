# SPDX-License-Identifier: Apache-2.0
"""Graphs as TensorBoard's GraphDef: from the ``GraphProto`` that mindscope captures, and from ONNX."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from mindscope.formats import wire
from mindscope.formats.tensorboard_schemas import GRAPH
from mindscope.formats.tensorboard_values import shape_message
from mindscope.types import Message

_PRODUCER = 22  # the version of the format that other writers declare
_CONTROL = 1
_UNKNOWN_SIZE = -1


def graph_to_tensorboard(graph: Message) -> bytes:
    """Return the GraphDef of a ``GraphProto`` of MindSpore's format. Scopes are parts of the names of nodes."""
    names = _Names()
    parameters = [(each["name"], "Parameter", each.get("type", {})) for each in graph.get("parameters", ())]
    constants: list[tuple[str, str, Message]] = [(each["key"], "Const", {}) for each in graph.get("const_vals", ())]
    held = [_node(names.add(key, key), op, (), _type_attributes(kind)) for key, op, kind in parameters + constants]
    for node in graph.get("node", ()):
        names.add(node["name"], _full_name(node))
    nodes = [
        _node(
            names.of(node["name"]),
            node.get("op_type", ""),
            [("^" if each.get("type") == _CONTROL else "") + names.of(each["name"]) for each in node.get("input", ())],
            _type_attributes(node.get("output_type", {})),
        )
        for node in graph.get("node", ())
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
