# SPDX-License-Identifier: Apache-2.0
"""The columns of a graph: nodes, edges and scopes as arrays.

A text is a number into the texts of the graph, a node, an edge, a scope and a type an index into its own columns.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, IntEnum

import numpy as np
from numpy.typing import NDArray

Shape = tuple[int, ...]
"""Sizes by axis; -1 for an unknown size."""

Indices = NDArray[np.int32]


class Role(IntEnum):
    """The role of a node; the numbers are those of the HTTP interface."""

    OPERATION = 0
    PARAMETER = 1
    CONSTANT = 2
    INPUT = 3
    UNRESOLVED = 4
    """A name that nodes take as input, and that the file doesn't define."""


class ScopeKind(IntEnum):
    """What a scope is; the numbers are those of the HTTP interface."""

    MODULE = 0
    CALL = 1
    """An operation with its bodies, each of which runs once at most."""
    LOOP = 2
    """An operation that runs its bodies several times."""
    BODY = 3
    """A graph that the operation of the scope around it runs."""
    BRANCH = 4
    """A body of which only one runs, it or another one beside it."""


class EdgeKind(str, Enum):
    """Whether an input carries a value or only an order."""

    DATA = "data"
    CONTROL = "control"

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True)
class TensorType:
    """``dtype`` is the NumPy name in lower case, "" if unknown; ``shape`` is None if unknown."""

    dtype: str = ""
    shape: Shape | None = None


UNKNOWN_TYPE = TensorType()


@dataclass(frozen=True, slots=True)
class NodeColumns:
    """n nodes: operations in file order, then what they take and is no operation in the file.

    Those of bodies follow, body by body.
    """

    name: Indices  # (n,) text
    op_type: Indices  # (n,) text, "" for a node without a type
    full_name: Indices  # (n,) text
    device: Indices  # (n,) text
    scope: Indices  # (n,) scope
    type: Indices  # (n,) tensor type of the first output
    role: NDArray[np.uint8]  # (n,) Role

    def __len__(self) -> int:
        return self.name.size


@dataclass(frozen=True, slots=True)
class EdgeColumns:
    """m edges by target, those of one target in the order of its inputs."""

    source: Indices  # (m,) node
    target: Indices  # (m,) node
    output: Indices  # (m,) which output of the source
    is_control: NDArray[np.bool_]  # (m,)

    def __len__(self) -> int:
        return self.source.size


@dataclass(frozen=True, slots=True)
class ScopeColumns:
    """k scopes: the root is 0 and has the path "", each other one comes after its parent."""

    path: Indices  # (k,) text: the labels from the root on, joined by "/"
    parent: Indices  # (k,) scope, -1 for the root
    kind: NDArray[np.uint8]  # (k,) ScopeKind

    def __len__(self) -> int:
        return self.path.size
