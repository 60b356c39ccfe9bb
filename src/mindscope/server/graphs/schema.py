# SPDX-License-Identifier: Apache-2.0
"""Messages about computational graphs."""

from __future__ import annotations

from typing import Literal

from mindscope.server.http.columns import (
    CompactFloat64,
    CompactInt32,
    CompactUint8,
    CompactUint32,
    Int32,
    Uint8,
    Utf8Column,
)
from mindscope.server.http.schema import Answer, ReasonEntry

RoleName = Literal["operation", "parameter", "constant", "input", "unresolved"]


class GraphEntry(Answer):
    """One graph: ``name`` is unique in its run, ``version`` changes with its content.

    ``damage`` says which parts are missing, ``shape_problem`` why shapes of operators are.
    """

    name: str
    version: str
    operations: int
    edges: int
    parameters: int
    constants: int
    inputs: int
    scopes: int
    damage: ReasonEntry | None
    shape_problem: ReasonEntry | None


class GraphProblem(Answer):
    """A graph file that is not read: its path below the run, and why."""

    file: str
    problem: ReasonEntry


class GraphsAnswer(Answer):
    """The graphs of a run: those of event files from the oldest to the newest, then those of graph files."""

    run: str
    graphs: list[GraphEntry]
    problems: list[GraphProblem]


class SummaryAnswer(Answer):
    """A graph in one line.

    ``parameters`` are elements of weights, without those of ``unknown_parameters`` weights. ``flops`` are two for each
    multiplication with its addition in products of the forward part, as PyTorch's ``FlopCounterMode`` counts them,
    without ``unknown_flops`` operations. ``inputs`` and ``outputs`` are the first shapes of their counts, -1 for an
    unknown size. Without edges (``has_edges``) only the structure of modules is recorded. ``blocks`` are the repeated
    modules of the class ``block``.
    """

    name: str
    operations: int
    parameters: int
    unknown_parameters: int
    flops: float
    unknown_flops: int
    has_backward: bool
    has_edges: bool
    inputs: list[list[int] | None]
    input_count: int
    outputs: list[list[int] | None]
    output_count: int
    blocks: int
    block: str


class StructureHeader(Answer):
    """The JSON header of the n nodes, k scopes and m edges of a graph as ``application/vnd.mindscope.columns``.

    Nodes: ``label``, ``tensor``, ``type``, ``dtype``, ``shape`` and ``device`` are numbers of texts, ``tensor`` of the
    first output if it has a name of its own; ``scope`` is a scope; ``role``
    is 0 for operations, 1 parameters, 2 constants, 3 inputs, 4 unresolved names; ``parts`` has the bits 1 pass-through,
    2 gradient, 4 optimizer and 8 for a parameter that no gradient changes; ``bytes`` of the output,
    ``parameter_count`` and ``flops`` are NaN if unknown.

    Scopes: ``scope_label`` is a text; ``scope_name`` and ``scope_type`` are the name of a module in code and its
    class. The scope ``Default`` holds the backward pass and the optimizer, if a forward part is beside them;
    ``scope_parent`` is -1 for the root, which is the first; parents precede their children; ``scope_kind`` is 0 for
    modules, 1 for an operation with its bodies, 2 for a loop with its bodies, 3 for a body, 4 for a body that excludes
    those of kind 4 beside it; equal numbers above 0 in ``scope_class`` mean the same structure.

    Edges: ``source`` and ``target`` are nodes, ``output`` is the output of the source.
    """

    name: str
    is_of_pytorch: bool
    label: CompactInt32
    tensor: CompactInt32
    type: CompactInt32
    dtype: CompactInt32
    shape: CompactInt32
    device: CompactInt32
    scope: CompactInt32
    role: CompactUint8
    parts: CompactUint8
    bytes: CompactFloat64
    parameter_count: CompactFloat64
    flops: CompactFloat64
    scope_label: CompactInt32
    scope_name: CompactInt32
    scope_type: CompactInt32
    scope_parent: CompactInt32
    scope_kind: CompactUint8
    scope_class: CompactUint32
    source: CompactInt32
    target: CompactInt32
    is_control: CompactUint8
    output: CompactInt32
    texts: Utf8Column


class AttributesHeader(Answer):
    """The JSON header of the attributes of a graph as ``application/vnd.mindscope.columns``.

    Of each pair, ``node`` has the attribute with the text ``text``, ``name=value``; ``texts`` are distinct. ``is_cut``
    if there are more than 64 MiB of texts.
    """

    is_cut: bool
    node: Int32
    text: Int32
    texts: Utf8Column


class DiffTotals(Answer):
    """Numbers of nodes; ``fused`` and ``split`` count those of the graph that has one node in place of several."""

    same: int
    changed: int
    added: int
    removed: int
    fused: int
    split: int


class DiffHeader(Answer):
    """The JSON header of a difference as ``application/vnd.mindscope.columns``.

    It is between a graph with n nodes and m edges and one with k nodes and l edges.

    ``before_status`` (n) and ``after_status`` (k): 0 same, 1 changed, 2 removed, 3 added, 4 fused (several nodes
    before, one after), 5 split (one before, several after). ``after_of`` (n) and ``before_of`` (k): the matching node
    of the other graph, -1 without one; all fused nodes have the one in their place, whose own match is the last of
    them. ``changes`` (n) has the bits 1 type, 2 attributes, 4 shape, 8 dtype, 16 inputs and 32 name or scope; a node
    that differs only in the name is the same. ``edge_removed`` (m) and ``edge_added`` (l): edges that the other graph
    lacks.

    The differences as a list: ``entry_status``, ``entry_before``, ``entry_after``, -1 without a node; of fused and
    split nodes one entry with the last of several nodes.
    """

    counts: DiffTotals
    before_status: Uint8
    after_status: Uint8
    after_of: Int32
    before_of: Int32
    changes: Uint8
    edge_removed: Uint8
    edge_added: Uint8
    entry_status: Uint8
    entry_before: Int32
    entry_after: Int32


class Attribute(Answer):
    """One attribute, its value as text; ``is_cut`` if the text is longer than what is sent."""

    name: str
    value: str
    is_cut: bool


class NodeEnd(Answer):
    """A node at the other end of an edge."""

    node: int
    name: str
    output: int
    is_control: bool


class NodeAnswer(Answer):
    """The details of one node. ``inputs`` and ``consumers`` are the first ones of their counts.

    ``problem`` says why attributes are missing.
    """

    node: int
    name: str
    full_name: str
    op_type: str
    scope: str
    device: str
    role: RoleName
    dtype: str
    shape: str
    attributes: list[Attribute]
    value: Attribute | None
    inputs: list[NodeEnd]
    input_count: int
    consumers: list[NodeEnd]
    consumer_count: int
    problem: ReasonEntry | None


class PipelineOperation(Answer):
    """A transform or a sampler with its parameters."""

    name: str
    parameters: list[Attribute]


class PipelineStage(Answer):
    """One stage of a data pipeline; ``inputs`` are the stages that provide its data, several for zip and concat."""

    op_type: str
    parameters: list[Attribute]
    operations: list[PipelineOperation]
    sampler: PipelineOperation | None
    inputs: list[int]


class DatasetGraphAnswer(Answer):
    """The newest data pipeline of a run: stages from the sources to the last one; none if the run has no pipeline."""

    run: str
    stages: list[PipelineStage]
