# SPDX-License-Identifier: Apache-2.0
"""Attributes of nodes and values of constants of an ONNX model, read on request."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.formats import wire
from mindscope.formats.message_columns import ByteRanges, Messages
from mindscope.formats.onnx_schemas import ATTRIBUTE_GRAPHS, GRAPH, NODE, TENSOR, TYPE
from mindscope.graph.data.columns import Role
from mindscope.graph.data.hashes import mix, sums_by_row
from mindscope.graph.formats.bodies import MOST_LEVELS
from mindscope.graph.formats.onnx.tensors import decode_tensor, tensor_types
from mindscope.graph.formats.onnx.value_types import read_type, tensor_role
from mindscope.graph.graph import Graph
from mindscope.types import Message

_LARGEST_VALUE = 1 << 20  # bytes of a constant that are read


@dataclass(frozen=True, slots=True)
class OnnxDetails:
    """``runs`` are the nodes, then from ``tensors`` on the initializers; ``inputs`` are as many nodes more."""

    runs: ByteRanges
    tensors: int
    inputs: int
    level: int
    read_graph: Callable[[ByteRanges, int], Graph]
    """Reads a subgraph below a number of others."""

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
        is_constant = tensor_role(type) is Role.CONSTANT
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
            return str(read_type(wire.encode(TYPE, message["tp"])))
        for field in ("f", "i", "s", "floats", "ints", "strings", "ref_attr_name"):
            if field in message:
                return _plain(message[field])
        return []

    def _graph(self, message: Message) -> Graph | None:
        if self.level >= MOST_LEVELS:
            return None
        encoded = wire.encode(GRAPH, message)
        runs = ByteRanges(encoded, np.zeros(1, np.int64), np.full(1, len(encoded), np.int64))
        return self.read_graph(runs, self.level + 1)


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return [_plain(each) for each in value]  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, bytes):
        try:
            return value.decode()
        except UnicodeDecodeError:
            return value
    return value.item() if hasattr(value, "item") else value
