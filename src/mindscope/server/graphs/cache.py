# SPDX-License-Identifier: Apache-2.0
"""The graphs of the runs that were used last."""

from __future__ import annotations

from dataclasses import dataclass

from mindscope.artifacts.opened import OpenArtifacts
from mindscope.graph import Graph
from mindscope.reading import Run
from mindscope.reading.graphs import GraphReaders, graph_files
from mindscope.reasons import Reason
from mindscope.server.http.context import Viewer
from mindscope.server.http.graph_readers import graph_readers
from mindscope.store import RunStore
from mindscope.types import Kind

MAX_RUNS = 4
_KINDS = (Kind.GRAPH, Kind.META_GRAPH)


@dataclass(frozen=True, slots=True)
class RunGraphs:
    """The graphs of a run by name; ``version`` changes with any of them."""

    version: str
    graphs: dict[str, Graph]
    problems: dict[str, Reason]
    """The files whose graphs are not read, by their paths, and why."""


class GraphCache:
    """Reads graphs again after event files have new ones, or a graph file has changed. For any thread."""

    def __init__(self, readers: GraphReaders) -> None:
        self._readers = readers
        self._runs: OpenArtifacts[str, RunGraphs] = OpenArtifacts(MAX_RUNS)

    def get(self, store: RunStore) -> RunGraphs:
        """Return the graphs of a run."""
        version = _version(store)
        return self._runs.get(store.id, version, lambda _: _read(store, self._readers, version))


def _read(store: RunStore, readers: GraphReaders, version: str) -> RunGraphs:
    problems: dict[str, Reason] = {}
    run = Run(store, lambda: False)
    graphs = run.graphs(readers, problems)
    return RunGraphs(version, graphs, problems | _unread_values(run, graphs))


def _unread_values(run: Run, graphs: dict[str, Graph]) -> dict[str, Reason]:
    """Return the event files with a graph that is not read, and why; a graph that is read in part says it itself."""
    said = [graph.damage for graph in graphs.values()]
    damages = run.damages[len(run.store.damages) :]
    return {
        damage.file: damage.detail
        for damage in damages
        if isinstance(damage.detail, Reason) and damage.detail not in said
    }


def graphs_of(viewer: Viewer, run: str) -> RunGraphs:
    """Return the graphs of a run of a viewer. Raises RunNotFoundError."""
    return viewer.shared(GraphCache, lambda: GraphCache(graph_readers(viewer))).get(viewer.catalog.run(run))


def _version(store: RunStore) -> str:
    values = [f"{tag}:{series.version}" for (kind, tag), series in store.series.items() if kind in _KINDS]
    return "|".join([str(id(store)), *values, *_graph_files(store)])


def _graph_files(store: RunStore) -> list[str]:
    """Return the path, size and times of each graph file."""
    try:
        files = [(path, path.stat()) for path in graph_files(store)]
    except OSError:
        return []
    return [f"{path}:{status.st_size}:{status.st_mtime_ns}:{status.st_ctime_ns}" for path, status in files]
