# SPDX-License-Identifier: Apache-2.0
"""A computational graph as a viewer needs it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

Shape = tuple[int, ...]
"""Sizes by axis; -1 where a size is not known."""


class EdgeKind(str, Enum):
    """Whether an input carries a value or only an order."""

    DATA = "data"
    CONTROL = "control"

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True)
class Edge:
    """One input of a node. ``source`` names a node, parameter or constant; ``output`` says which of its outputs."""

    source: str
    kind: EdgeKind = EdgeKind.DATA
    output: int = 0


@dataclass(frozen=True, slots=True)
class Node:
    """One operation.

    ``name`` is what inputs refer to; a node that has none in the file is called by its number there, counted from 1, or
    ``nameless_`` and that number where another node has this name.
    ``scope`` is the path of the layers around it with ``/``, "" at the top. ``output_dtype`` is the numpy name in lower
    case, "" when not known; ``output_shape`` is None when not known.
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
    """A weight or an input of the graph; ``default`` is its initial value where the file has one, else None."""

    name: str
    dtype: str = ""
    shape: Shape | None = None
    default: Any = None


@dataclass(frozen=True, slots=True)
class Constant:
    """A named value that nodes take as input; ``value`` is None where the file only says its type, or not even that."""

    name: str
    value: Any = None
    dtype: str = ""
    shape: Shape | None = None


@dataclass(frozen=True, slots=True)
class Output:
    """What the graph returns; ``name`` is that of the node."""

    name: str
    dtype: str = ""
    shape: Shape | None = None


@dataclass(frozen=True, slots=True)
class Graph:
    """Nodes in the order of the file. ``functions`` are graphs that nodes call by name."""

    name: str
    nodes: tuple[Node, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    constants: tuple[Constant, ...] = ()
    outputs: tuple[Output, ...] = ()
    functions: tuple[Graph, ...] = ()

    @property
    def edge_count(self) -> int:
        """Number of inputs of all nodes, those of functions not among them."""
        return sum(len(node.inputs) for node in self.nodes)
