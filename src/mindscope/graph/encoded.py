# SPDX-License-Identifier: Apache-2.0
"""Reads the graphs of event files."""

from __future__ import annotations

from mindscope.errors import FormatError
from mindscope.graph.formats.keras import read_keras_model
from mindscope.graph.formats.mindspore import read_mindspore_graph
from mindscope.graph.formats.tensorboard import read_meta_graph, read_tensorboard_graph
from mindscope.graph.graph import Graph
from mindscope.types import EncodedGraph, GraphFormat, Message


def read_graph(encoded: EncodedGraph) -> Graph:
    """Raises FormatError for a graph without a readable node, ValueError for JSON that is no Keras model."""
    if encoded.format is GraphFormat.KERAS:
        return read_keras_model(encoded.data.decode("utf-8", "backslashreplace"))
    read = read_mindspore_graph if encoded.format is GraphFormat.MINDSPORE else read_tensorboard_graph
    graph = read(encoded.data)
    if graph.damage is not None and not len(graph.node_columns):
        raise FormatError(graph.damage)
    return graph


def read_meta_graph_message(message: Message) -> Graph:
    """Return the graph of a MetaGraphDef. Raises FormatError."""
    return read_meta_graph(message["meta_graph_def"])
