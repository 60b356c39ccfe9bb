# SPDX-License-Identifier: Apache-2.0
"""The graphs of a run, from event files and graph files of any framework."""

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
    """Graphs of event files, then of graph files; a MetaGraphDef is used only if there is no other graph."""
    graphs = read_all(Kind.GRAPH, _read_graph) or read_all(Kind.META_GRAPH, _read_meta_graph)
    return (*graphs, *_graphs_of_files(directory))


def _read_meta_graph(message: Message) -> Graph:
    return read_meta_graph(message["meta_graph_def"])


def _read_graph(message: Message) -> Graph:
    """Both dialects name a node's inputs ``input``; only TensorFlow has the fields ``op`` and ``versions``.

    A Keras model is JSON text.
    """
    if "keras_model" in message:
        return read_keras_model(message["keras_model"])
    nodes: list[Message] = message.get("node", [])
    is_tensorboard = "versions" in message or "library" in message or any("op" in node for node in nodes)
    return read_tensorboard_graph(message) if is_tensorboard else read_mindspore_graph(message)


def _graphs_of_files(directory: Path) -> Iterator[Graph]:
    for path in _graph_files(directory):
        # Other programs use this suffix too: ignore files that are not graphs.
        with contextlib.suppress(Exception):
            yield read_graph_file(path)


def _graph_files(directory: Path) -> tuple[Path, ...]:
    """Paths of the graph files; empty if the directory is gone or not readable."""
    try:
        return find_graph_files(directory)
    except OSError:
        return ()
