# SPDX-License-Identifier: Apache-2.0
"""The graphs of a run, from event files and graph files of any framework."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, MutableMapping
from pathlib import Path
from typing import Any

from mindscope.graph import ONNX_SUFFIX, Graph, find_graph_files, read_graph, read_graph_file, read_meta_graph
from mindscope.ingest.file_names import readable
from mindscope.reading.dumps import dumped_graph_files
from mindscope.reasons import UNCODED, Reason, reason_of
from mindscope.store import RunStore
from mindscope.types import Kind, Message

NAMELESS = "graph"

ReadFile = Callable[[Path], Graph]


def read_graphs(
    store: RunStore,
    read_all: Callable[[Kind, Callable[[Any], Graph]], list[Graph]],
    read_file: ReadFile = read_graph_file,
    problems: MutableMapping[str, Reason] | None = None,
) -> dict[str, Graph]:
    """Graphs of event files by their names, then those of graph files, also of dumps, by the paths of the files.

    A MetaGraphDef is used only if the event files have no other graph. Equal names get a number: ``net``, ``net (2)``.
    ``problems`` takes the graph files that are not read, and why.
    """
    graphs = read_all(Kind.GRAPH, read_graph) or read_all(Kind.META_GRAPH, _read_meta_graph)
    named = [(graph.name or NAMELESS, graph) for graph in graphs]
    return dict(_distinct_names([*named, *_graphs_of_files(store, read_file, {} if problems is None else problems)]))


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


def _graphs_of_files(
    store: RunStore, read_file: ReadFile, problems: MutableMapping[str, Reason]
) -> Iterator[tuple[str, Graph]]:
    for path in graph_files(store):
        name = readable(os.path.relpath(path, store.path))
        try:
            yield name, read_file(path)
        except Exception as error:
            if _is_problem(path, error):
                problems[name] = reason_of(error)


def _is_problem(path: Path, error: Exception) -> bool:
    """Other programs use ``.pb`` too: what is no graph goes without a word."""
    return isinstance(error, OSError) or path.suffix == ONNX_SUFFIX or reason_of(error).code != UNCODED


def graph_files(store: RunStore) -> tuple[Path, ...]:
    """Paths of the graph files of a run, those of its dumps last; without what is gone or not readable."""
    found: list[Path] = []
    with contextlib.suppress(OSError):
        found += find_graph_files(store.path)
    with contextlib.suppress(OSError):
        found += dumped_graph_files(store)
    return tuple(found)
