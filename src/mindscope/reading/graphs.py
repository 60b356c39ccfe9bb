# SPDX-License-Identifier: Apache-2.0
"""The graphs of a run, whoever wrote them and wherever they stand."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

from mindscope.graph import (
    Graph,
    find_graph_files,
    read_graph_file,
    read_keras_model,
    read_meta_graph,
    read_mindspore_graph,
    read_tensorboard_graph,
)
from mindscope.types import Kind, Message


def read_graphs(
    directory: Path, read_all: Callable[[Kind, Callable[[Message], Graph]], list[Graph]]
) -> tuple[Graph, ...]:
    """Graphs of event files, then of graph files; a MetaGraphDef counts only where there is no other graph."""
    graphs = read_all(Kind.GRAPH, _read_graph) or read_all(Kind.META_GRAPH, _read_meta_graph)
    return (*graphs, *_graphs_of_files(directory))


def _read_meta_graph(message: Message) -> Graph:
    return read_meta_graph(message["meta_graph_def"])


def _read_graph(message: Message) -> Graph:
    """Both dialects call a node's inputs ``input``; only TensorFlow calls its type ``op`` and gives versions.

    A Keras model is a text.
    """
    if "keras_model" in message:
        return read_keras_model(message["keras_model"])
    nodes: list[Message] = message.get("node", [])
    is_tensorboard = "versions" in message or "library" in message or any("op" in node for node in nodes)
    return read_tensorboard_graph(message) if is_tensorboard else read_mindspore_graph(message)


def _graphs_of_files(directory: Path) -> Iterator[Graph]:
    for path in _graph_files(directory):
        # Other programs use the suffix too: what is no graph is no graph of the run.
        with contextlib.suppress(Exception):
            yield read_graph_file(path)


def _graph_files(directory: Path) -> tuple[Path, ...]:
    """None where the directory is closed to us, or gone."""
    try:
        return find_graph_files(directory)
    except OSError:
        return ()
