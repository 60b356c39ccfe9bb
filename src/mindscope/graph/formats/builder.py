# SPDX-License-Identifier: Apache-2.0
"""Builds a graph from nodes that are objects, for small graphs that aren't protobuf."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindscope.formats.message_columns import Texts
from mindscope.graph.data.columns import UNKNOWN_TYPE, Role, TensorType
from mindscope.graph.formats.assemble import GraphParts, NamedInputs, NamedNodes, TypeNumbers, assemble
from mindscope.graph.graph import Graph


@dataclass(frozen=True, slots=True)
class NewInput:
    """Output ``output`` of the node called ``source``."""

    source: str
    output: int = 0
    is_control: bool = False


@dataclass(frozen=True, slots=True)
class NewNode:
    """A node to be; ``scope`` is the path of the enclosing layers with ``/``."""

    name: str
    op_type: str
    scope: str = ""
    inputs: tuple[NewInput, ...] = ()
    attributes: Mapping[str, Any] = field(default_factory=dict[str, Any])
    type: TensorType = UNKNOWN_TYPE
    role: Role = Role.OPERATION


@dataclass(frozen=True, slots=True)
class _Details:
    nodes: Sequence[NewNode]

    def attributes(self, node: int) -> Mapping[str, Any]:
        return self.nodes[node].attributes if node < len(self.nodes) else {}

    def value(self, node: int) -> Any:
        return self.attributes(node).get("value")

    def attribute_hashes(self, count: int) -> NDArray[np.uint64]:
        hashes = np.zeros(count, np.uint64)
        for row, node in enumerate(self.nodes):
            if node.attributes:
                text = repr(sorted(node.attributes.items(), key=lambda item: item[0]))
                hashes[row] = int.from_bytes(
                    blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little"
                )
        return hashes


def build_graph(name: str, nodes: Sequence[NewNode], outputs: Sequence[str] = ()) -> Graph:
    """Return the graph of ``nodes``; ``outputs`` are the names of those that give results."""
    inputs = [(target, each) for target, node in enumerate(nodes) for each in node.inputs]
    used = chain(
        [""],
        (text for node in nodes for text in (node.name, node.op_type, node.scope)),
        (each.source for _, each in inputs),
        outputs,
    )
    numbers = {text: number for number, text in enumerate(dict.fromkeys(used))}
    types = TypeNumbers()

    def indices(values: Sequence[int]) -> np.ndarray[Any, np.dtype[np.int32]]:
        return np.array(values, np.int32)

    return assemble(
        GraphParts(
            name=name,
            texts=Texts.of(list(numbers)),
            nodes=NamedNodes(
                name=indices([numbers[node.name] for node in nodes]),
                op_type=indices([numbers[node.op_type] for node in nodes]),
                full_name=indices([numbers[node.name] for node in nodes]),
                device=np.zeros(len(nodes), np.int32),
                scope=indices([numbers[node.scope] for node in nodes]),
                type=indices([types.number(node.type) for node in nodes]),
                role=np.array([node.role for node in nodes], np.uint8),
            ),
            inputs=NamedInputs(
                source=indices([numbers[each.source] for _, each in inputs]),
                target=indices([target for target, _ in inputs]),
                output=indices([each.output for _, each in inputs]),
                is_control=np.array([each.is_control for _, each in inputs], bool),
            ),
            types=types.all,
            details=_Details(tuple(nodes)),
            output_names=indices([numbers[each] for each in outputs]),
        )
    )
