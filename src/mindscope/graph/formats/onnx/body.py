# SPDX-License-Identifier: Apache-2.0
"""Finds the graphs and functions of an ONNX model in its bytes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mindscope.formats.message_columns import ByteRanges, Messages
from mindscope.formats.onnx_schemas import GRAPH, MODEL
from mindscope.graph.formats.assemble import check_size
from mindscope.graph.formats.onnx.files import field_content, number_after

_GRAPH_OF_MODEL = next(field.number for field in MODEL.fields if field.name == "graph")


def cut_graph(model: Messages) -> ByteRanges:
    """Return the graph of a model that breaks off: what is there of it if it has no end."""
    runs = model.field_runs("graph")
    data, size = runs.data, len(runs.data)
    if runs.stop[0] > runs.start[0]:
        return runs
    whole = number_after(data, 0, size)
    while whole is not None:
        tag, at = whole
        content = field_content(data, tag, at, size)
        if content is None:
            break
        if tag >> 3 == _GRAPH_OF_MODEL:
            return ByteRanges(data, np.array([content[0]]), np.array([content[1]]))
        whole = number_after(data, content[1], size)
    return runs


@dataclass(frozen=True, slots=True)
class NamedValues:
    """Names of values with the encoded types."""

    names: ByteRanges
    types: ByteRanges

    @classmethod
    def of(cls, messages: Messages) -> NamedValues:
        return cls(messages.field_runs("name"), messages.field_runs("type"))

    @classmethod
    def untyped(cls, names: ByteRanges) -> NamedValues:
        nothing = np.zeros(len(names), np.int64)
        return cls(names, ByteRanges(names.data, nothing, nothing))


@dataclass(frozen=True, slots=True)
class GraphBody:
    """The facts that a graph and a function have in common; only a graph has ``tensors``."""

    name: str
    nodes: Messages
    tensors: ByteRanges
    inputs: NamedValues
    outputs: NamedValues
    infos: NamedValues
    is_broken: bool

    @classmethod
    def of_graph(cls, runs: ByteRanges) -> GraphBody:
        graph = Messages(GRAPH, runs)
        check_size(sum(len(graph.each_run(field)[1]) for field in ("node", "initializer", "input", "value_info")))
        return cls(
            graph.field_runs("name").text(0),
            graph.each_message("node")[1],
            graph.each_run("initializer")[1],
            NamedValues.of(graph.each_message("input")[1]),
            NamedValues.of(graph.each_message("output")[1]),
            NamedValues.of(graph.each_message("value_info")[1]),
            bool(graph.broken.size),
        )

    @classmethod
    def of_function(cls, functions: Messages, row: int) -> GraphBody:
        function = Messages(functions.schema, functions.runs.take(np.array([row])))
        return cls(
            function.field_runs("name").text(0),
            function.each_message("node")[1],
            function.runs.take(np.empty(0, np.int32)),
            NamedValues.untyped(function.each_run("input")[1]),
            NamedValues.untyped(function.each_run("output")[1]),
            NamedValues.of(function.each_message("value_info")[1]),
            bool(function.broken.size),
        )
