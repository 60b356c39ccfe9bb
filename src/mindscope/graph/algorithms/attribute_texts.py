# SPDX-License-Identifier: Apache-2.0
"""The attributes of all nodes as texts to search in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from mindscope.errors import MindscopeError
from mindscope.graph.algorithms.structure import shape_text
from mindscope.graph.data.columns import Indices
from mindscope.graph.data.graph_data import GraphData

MOST_LETTERS = 2000
"""Letters of a value that are searched."""
MOST_BYTES = 64 << 20
"""Limit of the bytes of all texts together."""


@dataclass(frozen=True, slots=True)
class AttributeTexts:
    """The distinct texts ``name=value``, and m pairs of a node and a text; ``is_cut`` if there are more."""

    texts: tuple[str, ...]
    node: Indices  # (m,) ascending
    text: Indices  # (m,)
    is_cut: bool

    def nodes_with(self, matches: Callable[[str], bool]) -> Indices:
        """Return the nodes with an attribute that matches, ascending."""
        found = np.array([matches(each) for each in self.texts], bool)
        return np.unique(self.node[found[self.text]]) if self.texts else self.node


def attribute_texts(graph: GraphData, most_bytes: int = MOST_BYTES) -> AttributeTexts:
    """Return the attributes of all nodes, and the values of constants; nodes that can't be read have none."""
    numbers: dict[str, int] = {}
    nodes: list[int] = []
    texts: list[int] = []
    size = 0
    for node in range(len(graph.node_columns)):
        for line in _lines(graph, node):
            number = numbers.get(line)
            if number is None:
                size += len(line)
                if size > most_bytes:
                    return _joined(numbers, nodes, texts, is_cut=True)
                number = numbers[line] = len(numbers)
            nodes.append(node)
            texts.append(number)
    return _joined(numbers, nodes, texts, is_cut=False)


def _joined(numbers: dict[str, int], nodes: list[int], texts: list[int], is_cut: bool) -> AttributeTexts:
    return AttributeTexts(tuple(numbers), np.array(nodes, np.int32), np.array(texts, np.int32), is_cut)


def _lines(graph: GraphData, node: int) -> list[str]:
    try:
        return [f"{name}={value_text(value)[:MOST_LETTERS]}" for name, value in graph.details.attributes(node).items()]
    except MindscopeError:
        return []


def value_text(value: Any) -> str:
    """Return a value of an attribute in words."""
    if isinstance(value, np.ndarray):
        array = cast("NDArray[Any]", value)
        shown = np.array2string(array, threshold=100, edgeitems=3, separator=", ")
        return f"{shown} ({array.dtype}, {shape_text(array.shape)})"
    if isinstance(value, GraphData):
        return f"{value.name} ({len(value.operations)} operations)"
    return value if isinstance(value, str) else repr(value)
