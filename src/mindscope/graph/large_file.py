# SPDX-License-Identifier: Apache-2.0
"""Reads a large graph file in a process with limited memory, which leaves the graph in a file."""

from __future__ import annotations

from pathlib import Path

from mindscope.graph.files import read_graph_file
from mindscope.graph.model import Graph
from mindscope.limited_process import Report, is_large, result_folder, run_limited
from mindscope.store.object_file import open_object, save_object

_MOST_SECONDS = 300.0
_RESULT = "graph"


def read_graph_file_apart(path: Path, memory_bytes: int, folder: Path | None) -> Graph:
    """Read as ``read_graph_file``, a large file in a process that may have this much memory.

    The graph is mapped from a file in ``folder``, else from a temporary one. Raises as ``run_limited`` too.
    """
    if not is_large(path.stat().st_size, memory_bytes, is_dense=True):
        return read_graph_file(path)
    with result_folder(folder) as made:
        arguments = {"path": str(path), "result": str(made / _RESULT)}
        run_limited(_read_into, arguments, file=path.name, memory_bytes=memory_bytes, most_seconds=_MOST_SECONDS)
        return open_object(made / _RESULT)


def _read_into(path: str, result: str, report: Report) -> None:
    save_object(Path(result), read_graph_file(path))
