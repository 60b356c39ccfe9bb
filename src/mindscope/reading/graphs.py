# SPDX-License-Identifier: Apache-2.0
"""The graphs of a run, from event files and graph files of any framework."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator, MutableMapping
from pathlib import Path
from typing import NamedTuple

from mindscope.graph import ONNX_SUFFIX, Graph, find_graph_files, read_graph, read_graph_file
from mindscope.graph.encoded import read_meta_graph_message
from mindscope.ingest.file_names import readable
from mindscope.reading.dumps import dumped_graph_files
from mindscope.reading.whole_values import WholeValues
from mindscope.reasons import UNCODED, Reason, reason_of
from mindscope.store import RunStore
from mindscope.store.encoded_value import EncodedValue
from mindscope.types import Kind

NAMELESS = "graph"


class GraphReaders(NamedTuple):
    """The functions that read graphs; by default they run in this process."""

    file: Callable[[Path], Graph] = read_graph_file
    value: Callable[[EncodedValue], Graph | None] | None = None
    """Reads a graph in an event file; None for one that is to be read in this process."""


def read_graphs(
    store: RunStore,
    values: WholeValues,
    readers: GraphReaders,
    problems: MutableMapping[str, Reason] | None = None,
) -> dict[str, Graph]:
    """Return the graphs of event files by their names, then those of graph files, also of dumps, by the paths of the
    files.

    A MetaGraphDef is used only if the event files have no other graph. Equal names get a number: ``net``, ``net (2)``.
    ``problems`` takes the graph files that are not read, and why.
    """
    graphs = values.all_of(Kind.GRAPH, read_graph, readers.value)
    graphs = graphs or values.all_of(Kind.META_GRAPH, read_meta_graph_message, readers.value)
    named = [(graph.name or NAMELESS, graph) for graph in graphs]
    return dict(_distinct_names([*named, *_graphs_of_files(store, readers.file, {} if problems is None else problems)]))


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
    store: RunStore, read_file: Callable[[Path], Graph], problems: MutableMapping[str, Reason]
) -> Iterator[tuple[str, Graph]]:
    for path in graph_files(store):
        name = readable(os.path.relpath(path, store.path))
        try:
            yield name, read_file(path)
        except Exception as error:
            if _is_problem(path, error):
                problems[name] = reason_of(error)


def _is_problem(path: Path, error: Exception) -> bool:
    """Return whether an error of a file is reported. Other programs use ``.pb`` too, so other files are no problem."""
    return isinstance(error, OSError) or path.suffix == ONNX_SUFFIX or reason_of(error).code != UNCODED


def graph_files(store: RunStore) -> tuple[Path, ...]:
    """Return the paths of the graph files of a run, those of its dumps last; without what is gone or not readable."""
    paths: list[Path] = []
    with contextlib.suppress(OSError):
        paths += find_graph_files(store.path)
    with contextlib.suppress(OSError):
        paths += dumped_graph_files(store)
    return tuple(paths)
