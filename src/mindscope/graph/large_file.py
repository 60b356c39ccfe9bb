# SPDX-License-Identifier: Apache-2.0
"""Reads large graphs in a process with limited memory, which leaves the graph in a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from mindscope.formats import dialects
from mindscope.graph.encoded import read_graph, read_meta_graph_message
from mindscope.graph.files import read_graph_file
from mindscope.graph.graph import Graph
from mindscope.limited_process import Report, is_large, result_folder, run_limited
from mindscope.store.encoded_value import EncodedValue, read_encoded
from mindscope.store.object_file import open_object, save_object
from mindscope.types import DialectName, Kind

_MOST_SECONDS = 300.0
_RESULT = "graph"


def read_graph_file_apart(path: Path, memory_bytes: int, folder: Path | None) -> Graph:
    """Read as ``read_graph_file``, a large file in a process that may have this much memory.

    The graph is mapped from a file in ``folder``, else from a temporary one. Raises as ``run_limited`` too.
    """
    if not is_large(path.stat().st_size, memory_bytes, is_dense=True):
        return read_graph_file(path)
    return _read_apart(_read_file_into, {"path": str(path)}, path, memory_bytes, folder)


def read_graph_value_apart(value: EncodedValue, memory_bytes: int, folder: Path | None) -> Graph | None:
    """Return the graph of an event file, as ``read_graph_file_apart``; None for one that is not large."""
    if not is_large(value.length, memory_bytes, is_dense=True):
        return None
    arguments = {**value._asdict(), "path": str(value.path)}
    return _read_apart(_read_value_into, arguments, value.path, memory_bytes, folder)


def _read_apart(
    read_into: Callable[..., None], arguments: Mapping[str, Any], path: Path, memory_bytes: int, folder: Path | None
) -> Graph:
    with result_folder(folder) as made:
        run_limited(
            read_into, {**arguments, "result": str(made / _RESULT)}, file=path.name, memory_bytes=memory_bytes,
            most_seconds=_MOST_SECONDS,
        )  # fmt: skip
        return open_object(made / _RESULT)


def _read_file_into(path: str, result: str, report: Report) -> None:
    save_object(Path(result), read_graph_file(path))


def _read_value_into(
    path: str, dialect: str, kind: str, offset: int, length: int, result: str, report: Report
) -> None:  # fmt: skip
    value = dialects.decode(DialectName(dialect), Kind(kind), read_encoded(path, offset, length))
    read = read_graph if Kind(kind) is Kind.GRAPH else read_meta_graph_message
    save_object(Path(result), read(value))
