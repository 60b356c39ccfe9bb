# SPDX-License-Identifier: Apache-2.0
"""Puts together what all readers of graphs have in common: the tree of scopes, and edges from names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from mindscope.errors import FormatError
from mindscope.formats.message_columns import ByteRanges, Texts, distinct_runs
from mindscope.graph.data.columns import EdgeColumns, Indices, NodeColumns, Role, ScopeColumns, TensorType
from mindscope.graph.data.graph_data import Details
from mindscope.graph.graph import Graph
from mindscope.reasons import Reason

MOST_LEVELS = 256  # a scope costs the length of its path


MOST_NODES, MOST_INPUTS = 1 << 21, 1 << 22
"""Twice what the page is made for. A node takes two bytes of a file, and a hundred times that in memory."""


def check_size(nodes: int, inputs: int = 0) -> None:
    """Call it before what takes memory for all of them. Raises FormatError if there are too many."""
    for count, most in ((nodes, MOST_NODES), (inputs, MOST_INPUTS)):
        if count > most:
            raise FormatError(Reason("graph_too_large", count=count, most=most))


@dataclass(frozen=True, slots=True)
class NamedInputs:
    """m inputs of nodes; each names its source."""

    source: Indices  # (m,) text
    target: Indices  # (m,) node
    output: Indices  # (m,)
    is_control: NDArray[np.bool_]  # (m,)


@dataclass(frozen=True, slots=True)
class NamedNodes:
    """n nodes; all columns but ``type`` and ``role`` are texts, of which the first is "". ``scope`` is a path."""

    name: Indices
    op_type: Indices
    full_name: Indices
    device: Indices
    scope: Indices
    type: Indices
    role: NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class GraphParts:
    """The parts of a graph that a reader found. ``output_names`` and ``input_names`` are texts, ``damaged`` nodes."""

    name: str
    texts: Texts
    nodes: NamedNodes
    inputs: NamedInputs
    types: Sequence[TensorType]
    details: Details
    output_names: Indices
    functions: Sequence[Graph] = ()
    damaged: Indices = field(default_factory=lambda: np.empty(0, np.int32))
    is_cut: bool = False
    input_names: Indices = field(default_factory=lambda: np.empty(0, np.int32))


class TypeNumbers:
    """Numbers distinct types; type 0 is the unknown one."""

    def __init__(self) -> None:
        self._numbers = {TensorType(): 0}

    @property
    def all(self) -> tuple[TensorType, ...]:
        return tuple(self._numbers)

    def number(self, type: TensorType) -> int:
        return self._numbers.setdefault(type, len(self._numbers))

    def of(self, runs: ByteRanges, read: Callable[[bytes], TensorType]) -> Indices:
        """Return the number of the type in each run; a type that can't be read is unknown.

        Distinct runs are read once.
        """
        number, encoded = distinct_runs(runs)
        return np.array([self._number(read, each) for each in encoded], np.int32)[number] if encoded else number

    def _number(self, read: Callable[[bytes], TensorType], encoded: bytes) -> int:
        try:
            return self.number(read(encoded))
        except FormatError:
            return 0


def assemble(parts: GraphParts) -> Graph:
    """Return the graph of ``parts``.

    A source that no node has as its name becomes a node: an input or an unresolved one.
    """
    by_name = _first_with(parts.nodes.name, len(parts.texts))
    given_on = parts.output_names[np.isin(parts.output_names, parts.input_names)]
    taken = np.concatenate([parts.inputs.source, given_on])
    unknown = _distinct(taken[by_name[taken] < 0])
    by_name[unknown] = np.arange(len(unknown)) + len(parts.nodes.name)
    role = np.where(np.isin(unknown, parts.input_names), Role.INPUT, Role.UNRESOLVED)
    nodes = _with_unknown(parts.nodes, unknown, role.astype(np.uint8))
    texts, scopes, scope = scope_tree(parts.texts, nodes.scope)
    order = np.argsort(parts.inputs.target, kind="stable")
    return Graph(
        parts.name,
        texts,
        NodeColumns(nodes.name, nodes.op_type, nodes.full_name, nodes.device, scope, nodes.type, nodes.role),
        EdgeColumns(
            by_name[parts.inputs.source[order]],
            parts.inputs.target[order],
            parts.inputs.output[order],
            parts.inputs.is_control[order],
        ),
        scopes,
        parts.types,
        parts.details,
        outputs=_known(by_name[parts.output_names]),
        functions=parts.functions,
        damaged=np.unique(parts.damaged),
        is_cut=parts.is_cut,
    )


def name_the_nameless(name: Indices, texts: Texts, name_of: Callable[[int, set[str]], str]) -> tuple[Indices, Texts]:
    """Return names for nodes that have none (text 0): the names of all nodes, and the texts with the new ones.

    ``name_of(row, taken)`` is the name for a node, if ``taken`` are the names of all.
    """
    nameless = np.flatnonzero(name == 0)
    if not nameless.size:
        return name, texts
    taken = {texts[int(number)] for number in np.unique(name)}
    numbers = {text: number for number, text in enumerate(texts.all)}
    known = len(numbers)
    name = np.array(name, np.int32)
    for row in nameless.tolist():
        name[row] = numbers.setdefault(name_of(row, taken), len(numbers))
    return name, texts.and_more(list(numbers)[known:])


def scope_tree(texts: Texts, paths: Indices) -> tuple[Texts, ScopeColumns, Indices]:
    """Return the scopes at ``paths`` (texts) and all around them: the texts with theirs, the tree, the scope of each
    path.
    """
    distinct, inverse = np.unique(paths, return_inverse=True)
    tree = ScopeTree()
    numbers = np.array([tree.add(texts[int(text)]) for text in distinct], np.int32)
    known = {texts[int(text)]: int(text) for text in distinct}
    new = [path for path in tree.numbers if path not in known]
    known |= {path: len(texts) + index for index, path in enumerate(new)}
    columns = ScopeColumns(
        np.array([known[path] for path in tree.numbers], np.int32),
        np.array(tree.parents, np.int32),
        np.zeros(len(tree.parents), np.uint8),
    )
    return texts.and_more(new), columns, numbers[inverse.reshape(-1)] if numbers.size else paths


class ScopeTree:
    """Scopes by path; ``paths`` are there from the beginning."""

    def __init__(self, paths: Sequence[str] = ("",), parents: Sequence[int] = (-1,)) -> None:
        self.numbers = {path: number for number, path in enumerate(paths)}
        self.parents = list(parents)

    def add(self, path: str) -> int:
        """Return the number of the scope at ``path``; adds it and the scopes around it, outer ones first."""
        missing: list[str] = []
        while path not in self.numbers:
            missing.append(path)
            path = _enclosing(path)
        number = self.numbers[path]
        for each in reversed(missing):
            self.parents.append(number)
            number = self.numbers[each] = len(self.numbers)
        return number


def _enclosing(path: str) -> str:
    """Return the path of the scope around.

    A path with more than ``MOST_LEVELS`` labels has the rest in its last one.
    """
    if path.count("/") < MOST_LEVELS:
        return path.rpartition("/")[0]
    return "/".join(path.split("/", MOST_LEVELS)[:MOST_LEVELS])


def _first_with(numbers: Indices, count: int) -> Indices:
    """Return the index of the first element with each number, -1 for none, shape (count,)."""
    first = np.full(count, -1, np.int32)
    first[numbers[::-1]] = np.arange(len(numbers) - 1, -1, -1, dtype=np.int32)
    return first


def _distinct(numbers: Indices) -> Indices:
    """Return the distinct numbers in the order of first occurrence."""
    _, first = np.unique(numbers, return_index=True)
    return numbers[np.sort(first)]


def _known(indices: Indices) -> Indices:
    return indices[indices >= 0]


def _with_unknown(nodes: NamedNodes, names: Indices, role: NDArray[np.uint8]) -> NamedNodes:
    blank = np.zeros(len(names), np.int32)  # text 0 is "", type 0 the unknown one
    return NamedNodes(
        np.concatenate([nodes.name, names]),
        np.concatenate([nodes.op_type, blank]),
        np.concatenate([nodes.full_name, blank]),
        np.concatenate([nodes.device, blank]),
        np.concatenate([nodes.scope, blank]),
        np.concatenate([nodes.type, blank]),
        np.concatenate([nodes.role, role]),
    )
