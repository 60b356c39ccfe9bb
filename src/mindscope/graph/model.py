# SPDX-License-Identifier: Apache-2.0
"""The neutral model of a computational graph."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

Shape = tuple[int, ...]
"""Sizes by axis; -1 for an unknown size."""


class EdgeKind(str, Enum):
    """Whether an input carries a value or only an order."""

    DATA = "data"
    CONTROL = "control"

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True)
class Edge:
    """One input of a node. ``source`` names a node, parameter or constant; ``output`` is the index of its output."""

    source: str
    kind: EdgeKind = EdgeKind.DATA
    output: int = 0


@dataclass(frozen=True, slots=True)
class Node:
    """One operation.

    Inputs refer to nodes by ``name``. A node without a name in the file gets its number there, from 1, or
    ``nameless_`` and the number if another node has this name.
    ``scope`` is the path of the enclosing layers with ``/``, "" at the top. ``output_dtype`` is the numpy name in lower
    case, "" if unknown; ``output_shape`` is None if unknown.
    """

    name: str
    op_type: str
    scope: str
    inputs: tuple[Edge, ...] = ()
    attributes: Mapping[str, Any] = field(default_factory=dict[str, Any])
    output_dtype: str = ""
    output_shape: Shape | None = None
    full_name: str = ""
    device: str = ""


@dataclass(frozen=True, slots=True)
class Parameter:
    """A weight or an input of the graph; ``default`` is its initial value, None if the file has none."""

    name: str
    dtype: str = ""
    shape: Shape | None = None
    default: Any = None


@dataclass(frozen=True, slots=True)
class Constant:
    """A named value that nodes take as input; ``value`` is None if the file has only its type, or less."""

    name: str
    value: Any = None
    dtype: str = ""
    shape: Shape | None = None


@dataclass(frozen=True, slots=True)
class Output:
    """A result of the graph; ``name`` is the name of its node."""

    name: str
    dtype: str = ""
    shape: Shape | None = None


@dataclass(frozen=True, slots=True)
class Graph:
    """Nodes in file order. ``functions`` are graphs that nodes call by name."""

    name: str
    nodes: tuple[Node, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    constants: tuple[Constant, ...] = ()
    outputs: tuple[Output, ...] = ()
    functions: tuple[Graph, ...] = ()

    @property
    def edge_count(self) -> int:
        """Number of inputs of all nodes, without those of functions."""
        return sum(len(node.inputs) for node in self.nodes)
