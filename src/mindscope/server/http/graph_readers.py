# SPDX-License-Identifier: Apache-2.0
"""Reads the graphs of a viewer, large ones in a process with limited memory."""

from __future__ import annotations

from functools import partial

from mindscope.graph.large_file import read_graph_file_apart, read_graph_value_apart
from mindscope.reading.graphs import GraphReaders
from mindscope.server.http.context import Viewer


def graph_readers(viewer: Viewer) -> GraphReaders:
    """Return the readers for graph files and for graphs in event files."""
    limits = {"memory_bytes": viewer.settings.reader_memory, "folder": viewer.catalog.cache_folder}
    return GraphReaders(partial(read_graph_file_apart, **limits), partial(read_graph_value_apart, **limits))
