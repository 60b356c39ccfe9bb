# SPDX-License-Identifier: Apache-2.0
"""The graphs of a run, from event files and graph files of any framework."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from mindscope.graph import Graph, find_graph_files, read_graph, read_graph_file, read_meta_graph, size_problem
from mindscope.ingest.file_names import readable
from mindscope.reading.dumps import dumped_graph_files
from mindscope.reasons import Reason
from mindscope.store import RunStore
from mindscope.types import Kind, Message

NAMELESS = "graph"


def read_graphs(store: RunStore, read_all: Callable[[Kind, Callable[[Any], Graph]], list[Graph]]) -> dict[str, Graph]:
    """Graphs of event files by their names, then those of graph files, also of dumps, by the paths of the files.

    A MetaGraphDef is used only if the event files have no other graph. Equal names get a number: ``net``, ``net (2)``.
    """
    graphs = read_all(Kind.GRAPH, read_graph) or read_all(Kind.META_GRAPH, _read_meta_graph)
    named = [(graph.name or NAMELESS, graph) for graph in graphs]
    return dict(_distinct_names([*named, *_graphs_of_files(store)]))


def _read_meta_graph(message: Message) -> Graph:
    return read_meta_graph(message["meta_graph_def"])


def _distinct_names(graphs: Iterable[tuple[str, Graph]]) -> Iterator[tuple[str, Graph]]:
    taken: set[str] = set()
    for name, graph in graphs:
        number, distinct = 1, name
        while distinct in taken:
            number += 1
            distinct = f"{name} ({number})"
        taken.add(distinct)
        yield distinct, graph


def _graphs_of_files(store: RunStore) -> Iterator[tuple[str, Graph]]:
    for path in graph_files(store):
        # Other programs use this suffix too: ignore files that are not graphs.
        with contextlib.suppress(Exception):
            yield readable(os.path.relpath(path, store.path)), read_graph_file(path)


def graph_file_problems(store: RunStore) -> Iterator[tuple[str, Reason]]:
    """The graph files of a run that are too large to be read, and why."""
    for path in graph_files(store):
        with contextlib.suppress(OSError):
            if (reason := size_problem(path)) is not None:
                yield readable(os.path.relpath(path, store.path)), reason


def graph_files(store: RunStore) -> tuple[Path, ...]:
    """Paths of the graph files of a run, those of its dumps last; without what is gone or not readable."""
    found: list[Path] = []
    with contextlib.suppress(OSError):
        found += find_graph_files(store.path)
    with contextlib.suppress(OSError):
        found += dumped_graph_files(store)
    return tuple(found)
