# SPDX-License-Identifier: Apache-2.0
"""Reads MindSpore's GraphProto as columns, and its attributes and values on request."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.errors import FormatError
from mindscope.formats import wire
from mindscope.formats.message_columns import ByteRanges, Messages, join_rows, number_runs
from mindscope.formats.mindspore_schemas import GRAPH, INPUT, SCHEMAS, SOURCE
from mindscope.formats.mindspore_tensors import data_type_name, decode_tensor
from mindscope.graph.data.columns import Role, Shape, TensorType
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
from mindscope.graph.formats.bodies import MOST_LEVELS, Body, Runnable, body_of_last_inputs, open_bodies
from mindscope.graph.graph import Graph
from mindscope.reasons import Reason
from mindscope.types import Message

_CONTROL_EDGE = 1
_PLAIN_VALUES = (
    "bool_val int_val uint_val float_val double_val str_val "
    "bool_vals int_vals uint_vals float_vals double_vals str_vals"
).split()
_SOURCE = ByteRanges(SOURCE.encode(), np.zeros(1, np.int64), np.full(1, len(SOURCE), np.int64)).hashes()[0]
_INPUT_NAME = re.compile(
    r"(inputs?|x|y|data|labels?|targets?|args?|kwargs?|.*mask|tokens?|.*_ids?|batch|images?|img|src|tgt)_?\d*",
    re.IGNORECASE,
)
"""Names of inputs, which MindSpore lists among the parameters; a weight has the path of its module."""
_GRAPHS = wire.parse_schemas("Graphs: 9 bytes graph, 17 repeated bytes graphs")["Graphs"]
_ROLES = {"node": Role.OPERATION, "parameters": Role.PARAMETER, "const_vals": Role.CONSTANT}


def read_mindspore_graph(encoded: bytes) -> Graph:
    """Return the graph of an encoded GraphProto.

    MindSpore numbers nodes from 1 and omits the name of a call, but other nodes refer to it by its number: a node
    without a name gets its number, or ``nameless_`` and the number if another node has this name. Graphs in attributes,
    as mindscope records them of PyTorch's ``cond`` and ``while_loop``, are scopes of their nodes. MindSpore itself
    records no bodies. Raises FormatError if there are too many nodes.
    """
    return _read(ByteRanges(encoded, np.zeros(1, np.int64), np.full(1, len(encoded), np.int64)), 0)


def _read(run: ByteRanges, level: int) -> Graph:
    graph = Messages(GRAPH, run)
    check_size(sum(len(graph.each_run(field)[1]) for field in _ROLES))
    nodes, parameters, constants = elements = [graph.each_message(field)[1] for field in _ROLES]
    check_size(len(nodes), len(nodes.each_run("input")[1]))
    target, inputs = nodes.each_message("input")
    (name, op_type, scope, full_name, parameter_name, constant_name, source, output_name), texts = number_runs(
        *(nodes.field_runs(field) for field in ("name", "op_type", "scope", "full_name")),
        parameters.field_runs("name"),
        constants.field_runs("key"),
        inputs.field_runs("name"),
        graph.each_message("outputs")[1].field_runs("name"),
    )
    name, texts = name_the_nameless(name, texts, _free_name)
    types = TypeNumbers()
    counts = [len(each) for each in elements]
    blank = np.zeros(counts[1] + counts[2], np.int32)
    is_control = inputs.numbers("type") == _CONTROL_EDGE
    read = assemble(
        GraphParts(
            name=graph.field_runs("name").text(0),
            texts=texts,
            nodes=NamedNodes(
                name=np.concatenate([name, parameter_name, constant_name]),
                op_type=np.concatenate([op_type, blank]),
                full_name=np.concatenate([full_name, blank]),
                device=np.zeros(sum(counts), np.int32),
                scope=np.concatenate([scope, blank]),
                type=np.concatenate(
                    [
                        types.of(nodes.field_runs("output_type"), _type_of_output),
                        types.of(parameters.field_runs("type"), _type_of_output),
                        types.of(constants.field_runs("value"), _type_of_constant),
                    ]
                ),
                role=np.concatenate(
                    [
                        np.full(counts[0], Role.OPERATION, np.uint8),
                        _roles_of(parameters, [texts[number] for number in parameter_name.tolist()]),
                        np.full(counts[2], Role.CONSTANT, np.uint8),
                    ]
                ),
            ),
            inputs=NamedInputs(source, target, np.zeros(len(source), np.int32), is_control),
            types=types.all,
            details=_Details(join_rows([each.runs for each in elements]), counts[0], counts[0] + counts[1]),
            output_names=output_name,
            damaged=np.concatenate(
                [nodes.broken, target[inputs.broken], parameters.broken + counts[0], constants.broken + sum(counts[:2])]
            ),
            is_cut=bool(graph.broken.size),
        )
    )
    return open_bodies(read, _bodies(read, nodes, np.bincount(target[~is_control], minlength=counts[0]), level))


def _bodies(graph: Graph, nodes: Messages, inputs: NDArray[np.int64], level: int) -> list[Body]:
    """Return the graphs in attributes of nodes, of which ``inputs`` are the numbers of values that they take."""
    row, attributes = nodes.each_message("attribute")
    values = Messages(_GRAPHS, attributes.field_runs("value"))
    names, bodies = attributes.field_runs("name"), list[Body]()
    for field in ("graph", "graphs") if level < MOST_LEVELS else ():
        holders, runs = values.each_run(field)
        for number, holder in enumerate(holders.tolist()):
            body, node = _read(runs.take(np.array([number])), level + 1), int(row[holder])
            results = [(each, 0) for each in body.output_nodes.tolist()]
            run = Runnable(body, results, body.inputs.indices.tolist())
            bodies.append(body_of_last_inputs(graph, node, int(inputs[node]), names.text(holder), run))
    return sorted(bodies, key=lambda body: body.node)


def _roles_of(parameters: Messages, names: list[str]) -> NDArray[np.uint8]:
    """Return the roles of parameters: as the file says, else by their names."""
    part = parameters.numbers("part")
    is_input = part == INPUT if part.any() else [_INPUT_NAME.fullmatch(name) is not None for name in names]
    return np.where(np.array(is_input, bool), np.uint8(Role.INPUT), np.uint8(Role.PARAMETER))


def _free_name(row: int, taken: set[str]) -> str:
    number = str(row + 1)
    return f"nameless_{number}" if number in taken else number


# ---- types ----------------------------------------------------------------------------------------------------------


def _type_of_output(encoded: bytes) -> TensorType:
    return TensorType(*_read_type(wire.decode(SCHEMAS["TypeProto"], encoded)))


_TYPE_OF_VALUE = wire.parse_schemas("""
Value: 8 Tensor tensor_val
Tensor: 1 repeated int64 dims, 2 enum data_type
""")["Value"]


def _type_of_constant(encoded: bytes) -> TensorType:
    """Return the type of a tensor; other constants have none."""
    tensor: Message | None = wire.decode(_TYPE_OF_VALUE, encoded).get("tensor_val")
    if tensor is None:
        return TensorType()
    return TensorType(data_type_name(tensor.get("data_type", 0)), tuple(int(size) for size in tensor.get("dims", ())))


def _read_type(message: Message) -> tuple[str, Shape | None]:
    """Return the dtype and shape of a tensor type; for another type its name and None."""
    if "tensor_type" not in message:
        number = message.get("data_type", 0)
        return (data_type_name(number) if number else ""), None
    tensor: Message = message["tensor_type"]
    sizes: list[Message] = tensor.get("shape", {}).get("dim", [])
    return data_type_name(tensor.get("elem_type", 0)), tuple(int(dim.get("size", -1)) for dim in sizes)


# ---- attributes and values ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Details:
    """``runs`` are the nodes; parameters and constants begin at ``parameters`` and ``constants`` in them."""

    runs: ByteRanges
    parameters: int
    constants: int

    def attributes(self, node: int) -> Mapping[str, Any]:
        if node >= self.parameters:
            return {}
        attributes: list[Message] = self._message(node, "NodeProto").get("attribute", [])
        return {each.get("name", ""): _read_entry(each) for each in attributes}

    def value(self, node: int) -> Any:
        if not self.parameters <= node < len(self.runs):
            return None
        if node < self.constants:
            message = self._message(node, "ParameterProto")
            return _read_value(message["default_val"]) if "default_val" in message else None
        return _read_entry(self._message(node, "NamedValueProto"))

    def attribute_hashes(self, count: int) -> NDArray[np.uint64]:
        """Return hashes without the line of the program, which changes with the lines before it."""
        hashes = np.zeros(count, np.uint64)
        nodes = Messages(SCHEMAS["NodeProto"], self.runs.take(np.arange(self.parameters)))
        row, attributes = nodes.each_message("attribute")
        each = mix(attributes.runs.hashes())
        each[attributes.field_runs("name").hashes() == _SOURCE] = 0
        graphs = Messages(_GRAPHS, attributes.field_runs("value"))
        for field in ("graph", "graphs"):
            each[graphs.each_run(field)[0]] = 0  # their nodes are nodes of the graph
        hashes[: self.parameters] = sums_by_row(each, row, self.parameters)
        values = self.runs.take(np.arange(self.constants, len(self.runs)))
        constants = Messages(SCHEMAS["NamedValueProto"], values).field_runs("value").hashes()
        hashes[self.constants : len(self.runs)] = constants
        return hashes

    def _message(self, node: int, schema: str) -> Message:
        return wire.decode(SCHEMAS[schema], self.runs.bytes_of(node))


def _read_entry(message: Message) -> Any:
    return _read_value(message["value"]) if "value" in message else None


def _read_value(message: Message) -> Any:
    """Return a ValueProto as a plain value: number, text, list, dict, array, Graph, or type name; None if empty."""
    for field in _PLAIN_VALUES:
        if field in message:
            return message[field]
    if "tensor_val" in message:
        return _read_tensor(message["tensor_val"])
    if "tensor_vals" in message:
        return [_read_tensor(each) for each in message["tensor_vals"]]
    return _read_nested(message)


def _read_tensor(message: Message) -> NDArray[Any] | None:
    """Return the array; None if the message has only its type, as for the constants of a MindSpore graph."""
    return decode_tensor(message).value if message.keys() - {"dims", "data_type"} else None


def _read_nested(message: Message) -> Any:
    if "values" in message:
        return [_read_value(each) for each in message["values"]]
    if "dict_val" in message:
        return {each.get("key", ""): _read_entry(each) for each in message["dict_val"]}
    if "graph" in message:
        return read_mindspore_graph(wire.encode(GRAPH, message["graph"]))
    if "graphs" in message:
        return [read_mindspore_graph(wire.encode(GRAPH, each)) for each in message["graphs"]]
    return _read_type_name(message)


def _read_type_name(message: Message) -> str | None:
    if "type_val" in message:
        return _read_type(message["type_val"])[0]
    # A type constant such as Float32 has only a dtype.
    number = message.get("dtype", 0)
    if not isinstance(number, int):
        raise FormatError(Reason("graph_dtype", number=repr(number)))
    return data_type_name(number) if number else None
