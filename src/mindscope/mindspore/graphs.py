# SPDX-License-Identifier: Apache-2.0
"""The computational graph of a MindSpore network."""

from __future__ import annotations

from typing import Any, cast

import mindspore
from mindspore import nn

from mindscope.collector.structure import Layer, Weight, structure_message
from mindscope.errors import ValueRejectedError
from mindscope.formats import wire
from mindscope.formats.mindspore_schemas import MODEL
from mindscope.types import Message

_CALL = "FuncGraph"
"""The type of a node that calls another graph, for which MindSpore writes an empty node."""


def graph_of(network: nn.Cell) -> Message | None:
    """Return the ``GraphProto`` of a network that was compiled; None before it was.

    In PyNative mode, where nothing is compiled, it is the structure of the cells; its name says so.
    """
    encoded = cast(Any, network).get_func_graph_proto()
    if encoded:
        return named_graph(wire.decode(MODEL, encoded)["graph"])
    if mindspore.get_context("mode") == mindspore.PYNATIVE_MODE:
        return structure_of(network)
    return None


def named_graph(graph: Message) -> Message:
    """Return the graph with a name and a type for the nodes that have none: those that call another graph.

    Nodes that read their result refer to them by their number, counted from 1.
    """
    nodes: list[Message] = graph.get("node", [])
    names = {node.get("name") for node in nodes}
    named: list[Message] = []
    for number, node in enumerate(nodes, start=1):
        is_free = not node.get("name") and str(number) not in names
        call = {"name": str(number), "op_type": _CALL, "scope": "Default", "full_name": f"Default/{_CALL}-op{number}"}
        named.append(call | {key: value for key, value in node.items() if value} if is_free else node)
    return graph | {"node": named} if nodes else graph


def structure_of(network: nn.Cell) -> Message:
    """Return a node for each cell without cells inside or with weights of its own."""
    layers = [
        Layer(path, type(cell).__name__, tuple(weight.name for _, weight in _own_weights(cell)))
        for path, cell in cast(Any, network).cells_and_names()
        if not cell.name_cells() or _own_weights(cell)
    ]
    weights = [
        Weight(str(weight.name), str(weight.dtype).upper(), tuple(weight.shape))
        for weight in cast(Any, network).get_parameters()
    ]
    name = f"{type(network).__name__} (cell structure; PyNative mode compiles no graph)"
    kinds = {path: type(cell).__name__ for path, cell in cast(Any, network).cells_and_names() if path}
    return structure_message(name, layers, weights, kinds)


def _own_weights(cell: Any) -> list[tuple[str, Any]]:
    return list(cell.parameters_and_names(expand=False))


class NetworkGraph:
    """A network whose graph the recorder requests later."""

    def __init__(self, network: nn.Cell) -> None:
        self._network = network

    def get_func_graph_proto(self) -> Message:
        """Return the ``GraphProto`` of the network. Raises ValueRejectedError before it was compiled."""
        graph = graph_of(self._network)
        if graph is None:
            name = type(cast(Any, self._network)).__name__
            raise ValueRejectedError(f"{name} was not compiled; it is when it was called once in graph mode")
        return graph
