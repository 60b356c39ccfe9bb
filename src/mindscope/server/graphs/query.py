# SPDX-License-Identifier: Apache-2.0
"""Graphs as messages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, fields
from hashlib import blake2b
from typing import Any, TypeVar, cast

from mindscope.graph import DatasetNode, DatasetOperation, Graph, Node, Role
from mindscope.graph.algorithms.attribute_texts import attribute_texts, value_text
from mindscope.graph.algorithms.structure import shape_text, structure_of
from mindscope.reasons import reason_of
from mindscope.server.graphs.cache import RunGraphs
from mindscope.server.graphs.schema import (
    Attribute,
    AttributesHeader,
    DiffHeader,
    DiffTotals,
    GraphEntry,
    GraphProblem,
    NodeAnswer,
    NodeEnd,
    PipelineOperation,
    PipelineStage,
    RoleName,
    StructureHeader,
    SummaryAnswer,
)
from mindscope.server.http.columns import Packed, Utf8Column, pack
from mindscope.server.http.schema import ReasonEntry

COLUMNS_REVISION = 4
DIFF_COLUMNS = (
    "before_status", "after_status", "after_of", "before_of", "changes", "edge_removed", "edge_added",
)  # fmt: skip
MOST_ENDS = 200
MOST_LETTERS = 2000

T = TypeVar("T")


def graph_entries(found: RunGraphs) -> list[GraphEntry]:
    """Return the graphs of a run with their sizes."""
    return [_entry(name, graph, graph_version(found, name)) for name, graph in found.graphs.items()]


def graph_problems(found: RunGraphs) -> list[GraphProblem]:
    """Return the graph files of a run that are not read."""
    return [GraphProblem(file=file, problem=ReasonEntry.of(reason)) for file, reason in found.problems.items()]


def graph_version(found: RunGraphs, name: str) -> str:
    """Changes with the content of the graph, and with the columns of the messages, which browsers keep by it."""
    return blake2b(
        f"{COLUMNS_REVISION}\0{found.version}\0{name}".encode("utf-8", "surrogatepass"), digest_size=12
    ).hexdigest()


def _entry(name: str, graph: Graph, version: str) -> GraphEntry:
    return GraphEntry(
        name=name,
        version=version,
        operations=len(graph.operations),
        edges=graph.edge_count,
        parameters=len(graph.parameters),
        constants=len(graph.constants),
        inputs=len(graph.inputs),
        scopes=len(graph.scope_columns) - 1,
        damage=None if graph.damage is None else ReasonEntry.of(graph.damage),
        shape_problem=None if graph.shape_problem is None else ReasonEntry.of(graph.shape_problem),
    )


def pack_structure(name: str, graph: Graph) -> Packed:
    """Return the structure of a graph as columns."""
    structure = structure_of(graph)
    columns = {field.name: getattr(structure, field.name) for field in fields(structure) if field.name != "texts"}
    return pack(StructureHeader(name=name, texts=Utf8Column.of(structure.texts), **columns))


def summary_answer(graph: Graph) -> SummaryAnswer:
    """Return the facts of a graph in one line."""
    return SummaryAnswer.model_validate(asdict(graph.summary))


def pack_attributes(graph: Graph) -> Packed:
    """Return the attributes of all nodes as texts."""
    found = attribute_texts(graph)
    texts = Utf8Column.of(found.texts)
    return pack(AttributesHeader(is_cut=found.is_cut, node=found.node, text=found.text, texts=texts))


def pack_diff(before: Graph, after: Graph) -> Packed:
    """Return the difference between two graphs as columns."""
    diff = before.diff(after)
    status, entry_before, entry_after = diff.entries
    columns = {name: getattr(diff, name) for name in DIFF_COLUMNS}
    header = DiffHeader(
        counts=DiffTotals(**diff.counts._asdict()),
        entry_status=status,
        entry_before=entry_before,
        entry_after=entry_after,
        **columns,
    )
    return pack(header)


def describe_node(node: Node) -> NodeAnswer:
    """Return the details of a node. Attributes that can't be read are a problem, not an error."""
    inputs, consumers = node.inputs, node.consumers
    try:
        attributes, value, problem = dict(node.attributes), node.value, None
    except Exception as error:
        attributes, value, problem = dict[str, Any](), None, ReasonEntry.of(reason_of(error))
    return NodeAnswer(
        node=node.index,
        name=node.name,
        full_name=node.full_name,
        op_type=node.op_type,
        scope=node.scope,
        device=node.device,
        role=cast(RoleName, node.role.name.lower()),
        dtype=node.dtype,
        shape=shape_text(node.shape),
        attributes=[_attribute(name, attribute) for name, attribute in attributes.items()],
        value=None if value is None or node.role is Role.OPERATION else _attribute("value", value),
        inputs=_first(inputs, lambda each: _end(each.node, each.output, str(each.kind) == "control")),
        input_count=len(inputs),
        consumers=_first(consumers, lambda each: _end(each, 0, False)),
        consumer_count=len(consumers),
        problem=problem,
    )


def pipeline_stages(last: DatasetNode | None) -> list[PipelineStage]:
    """Return the stages of a data pipeline, each after its inputs."""
    stages: list[PipelineStage] = []
    open_inputs: list[list[int]] = [[]]  # of the stages that are not complete, the outermost first
    waiting: list[tuple[DatasetNode, bool]] = [] if last is None else [(last, False)]
    while waiting:
        node, is_complete = waiting.pop()
        if is_complete:
            stages.append(_stage(node, open_inputs.pop()))
            open_inputs[-1].append(len(stages) - 1)
        else:
            open_inputs.append([])
            waiting.append((node, True))
            waiting += [(child, False) for child in reversed(node.children)]
    return stages


def _stage(node: DatasetNode, inputs: list[int]) -> PipelineStage:
    return PipelineStage(
        op_type=node.op_type,
        parameters=[_attribute(name, value) for name, value in node.parameters.items()],
        operations=[_pipeline_operation(operation) for operation in node.operations],
        sampler=None if node.sampler is None else _pipeline_operation(node.sampler),
        inputs=inputs,
    )


def _pipeline_operation(operation: DatasetOperation) -> PipelineOperation:
    more = {"size": list(operation.size), "weights": list(operation.weights)}
    settings = {**operation.parameters, **{name: value for name, value in more.items() if value}}
    return PipelineOperation(
        name=operation.name, parameters=[_attribute(name, value) for name, value in settings.items()]
    )


def _first(items: Sequence[T], convert: Callable[[T], NodeEnd]) -> list[NodeEnd]:
    return [convert(item) for item in items[:MOST_ENDS]]


def _end(node: Node, output: int, is_control: bool) -> NodeEnd:
    return NodeEnd(node=node.index, name=node.full_name or node.name, output=output, is_control=is_control)


def _attribute(name: str, value: Any) -> Attribute:
    text = value_text(value)
    return Attribute(name=name, value=text[:MOST_LETTERS], is_cut=len(text) > MOST_LETTERS)
