# SPDX-License-Identifier: Apache-2.0
"""What a graph is in one line: parameters, operations of a forward pass, shapes at both ends, repeated blocks."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mindscope.graph.algorithms.code_names import ROOT, CodeName, scope_names
from mindscope.graph.algorithms.costs import node_flops, parameter_counts, total
from mindscope.graph.algorithms.parts import NodePart, node_parts
from mindscope.graph.data.columns import Indices, Role, ScopeKind
from mindscope.graph.data.graph_data import GraphData

MOST_SHAPES = 8
_CONTAINERS = frozenset("Sequential ModuleList ModuleDict SequentialCell CellList CellDict".split())
_LEAST_SHARE = 1 / 3
"""Blocks contain at least this part of all operations."""
_CONSTRUCT = re.compile(r"_construct(_\w*)?$")
_WRAPPER = re.compile(r"(Cell|Loss\w*|Wrapper)$")
"""Classes of MindSpore around the network: ``TrainOneStepCell``, ``WithLossCell``."""
_NO_NAMES = frozenset(("", "graph", "main", "main_graph", "torch_jit", "torch-jit-export", "model"))
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class GraphSummary:
    """The facts of a graph; what is not recorded is counted, and never taken as 0.

    ``parameters`` are elements of weights, without those of ``unknown_parameters`` weights. ``flops`` are those of the
    forward part, as ``node_flops`` counts them, without those of ``unknown_flops`` operations; of the branches of a
    condition the one with the most counts. Shapes are sizes by axis, with -1 for an unknown size; None is an unknown
    shape.
    """

    name: str
    operations: int
    parameters: int
    unknown_parameters: int
    flops: float
    unknown_flops: int
    has_backward: bool
    has_edges: bool
    """Whether an operation reads another one: the mere structure of modules has no such edges."""
    inputs: list[tuple[int, ...] | None]
    input_count: int
    outputs: list[tuple[int, ...] | None]
    output_count: int
    blocks: int
    """Repeated modules of one class, the outermost that contain a third of all operations; 0 without any."""
    block: str
    """Their class; "" if only their names are known."""


def summarize(graph: GraphData) -> GraphSummary:
    """Return the summary of a graph."""
    role, parts = graph.node_columns.role, node_parts(graph)
    is_backward = (parts & (NodePart.GRADIENT | NodePart.OPTIMIZER)) != 0
    is_forward = (role == Role.OPERATION) & ~is_backward
    weights = parameter_counts(graph)[(role == Role.PARAMETER) & (parts & NodePart.FIXED == 0)]
    flops = np.where(is_forward, node_flops(graph), 0.0)
    edges = graph.edge_columns
    is_read = np.zeros(len(role), bool)
    is_read[edges.source[(is_forward | (role == Role.INPUT))[edges.target]]] = True
    inputs = graph.inputs.indices
    inputs = inputs[is_read[inputs]]
    blocks, block = _blocks(graph)
    return GraphSummary(
        name=_network_name(graph),
        operations=int(np.count_nonzero(role == Role.OPERATION)),
        parameters=int(np.nansum(weights)),
        unknown_parameters=int(np.count_nonzero(np.isnan(weights))),
        flops=total(graph, flops),
        unknown_flops=int(np.count_nonzero(np.isnan(flops))),
        has_backward=bool(is_backward.any()),
        has_edges=bool((role[edges.source] == Role.OPERATION).any()) or int(is_forward.sum()) < 2,
        inputs=_shapes(graph, inputs),
        input_count=len(inputs),
        outputs=_shapes(graph, graph.output_nodes),
        output_count=len(graph.output_nodes),
        blocks=blocks,
        block=block,
    )


def _network_name(graph: GraphData) -> str:
    """Return the class of the network; "" if the graph has only the name that an exporter gives to all."""
    name = graph.name.partition(" (")[0]
    if _CONSTRUCT.search(name) is None:
        return "" if name.lower() in _NO_NAMES else name
    names, parents, sizes = scope_names(graph), graph.scope_columns.parent.tolist(), graph.scope_sizes.tolist()
    inside: dict[int, list[int]] = defaultdict(list)
    for scope in range(1, len(names)):
        inside[parents[scope]].append(scope)
    scope = graph.scope_numbers.get(ROOT, 0)
    while modules := [each for each in inside[scope] if names[each].kind and names[each].name != "optimizer"]:
        scope = max(modules, key=lambda each: sizes[each])
        if not _WRAPPER.search(names[scope].kind):
            return names[scope].kind
    return ""


def _shapes(graph: GraphData, nodes: Indices) -> list[tuple[int, ...] | None]:
    return [graph.types[number].shape for number in graph.node_columns.type[nodes[:MOST_SHAPES]].tolist()]


def _blocks(graph: GraphData) -> tuple[int, str]:
    """Return how many scopes of one kind repeat, and their class.

    A kind is a class, or a name with another number. Of nested kinds with equally many operations the outer one counts.
    """
    sizes, parents = graph.scope_sizes.tolist(), graph.scope_columns.parent.tolist()
    names = scope_names(graph)
    containers = _containers(names, parents)
    kinds, scope_kinds = [_kind(name) for name in names], graph.scope_columns.kind.tolist()
    members: dict[str, list[int]] = defaultdict(list)
    whole = sizes[0]
    inside: list[frozenset[str]] = [frozenset()] * len(names)
    for scope in range(1, len(names)):
        around, kind = parents[scope], kinds[scope]
        if around == 0 and names[scope].name.lower().startswith("gradient"):
            inside[scope] = frozenset({""})  # nothing below is a block
            whole -= sizes[scope]
            continue
        inside[scope] = inside[around]
        is_module = scope_kinds[scope] == ScopeKind.MODULE
        if kind and is_module and sizes[scope] > 1 and scope not in containers and not inside[around] & {kind, ""}:
            members[kind].append(scope)
            inside[scope] = inside[around] | {kind}
    repeated = {kind: scopes for kind, scopes in members.items() if len(scopes) > 1}
    if not repeated:
        return 0, ""
    covered = {kind: sum(sizes[scope] for scope in scopes) for kind, scopes in repeated.items()}
    best = max(repeated, key=lambda kind: covered[kind])  # of equal ones the outer, which comes first
    if covered[best] < whole * _LEAST_SHARE:
        return 0, ""
    return len(repeated[best]), names[repeated[best][0]].kind


def _containers(names: Sequence[CodeName], parents: Sequence[int]) -> set[int]:
    """Return the scopes that contain nothing but numbered scopes, as a list of modules does."""
    inside: dict[int, list[str]] = defaultdict(list)
    for scope in range(1, len(names)):
        inside[parents[scope]].append(names[scope].name)
    return {scope for scope, labels in inside.items() if not names[scope].kind and all(map(str.isdigit, labels))}


def _kind(name: CodeName) -> str:
    """Return what repeated modules have in common; "" for containers and single names."""
    if name.kind:
        return "" if name.kind in _CONTAINERS else name.kind
    return _DIGITS.sub("#", name.name) if _DIGITS.search(name.name) else ""
