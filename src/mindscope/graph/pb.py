# SPDX-License-Identifier: Apache-2.0
"""Reads graph files (``*.pb``) beside event files."""

from __future__ import annotations

import re
from pathlib import Path

from mindscope.errors import FormatError
from mindscope.formats import wire
from mindscope.formats.mindspore_schemas import GRAPH, MODEL
from mindscope.graph.mindspore import read_mindspore_graph
from mindscope.graph.model import Graph

_OTHER_CONTENT = re.compile(r"memory_usage_\d+\.pb", re.ASCII)


def find_graph_files(directory: str | Path) -> tuple[Path, ...]:
    """The graph files directly in ``directory``, by name, without links. Raises OSError if it can't be listed."""
    candidates = (path for path in Path(directory).iterdir() if path.suffix == ".pb")
    return tuple(sorted(path for path in candidates if _is_graph_file(path)))


def _is_graph_file(path: Path) -> bool:
    return _OTHER_CONTENT.fullmatch(path.name) is None and not path.is_symlink() and path.is_file()


def read_graph_file(path: str | Path) -> Graph:
    """The graph in a ModelProto, or in a bare GraphProto from older programs and the debugger.

    A graph without a name gets the file's name. Raises FormatError if the file is neither.
    """
    data = Path(path).read_bytes()
    try:
        graph = _read_model(data) or _read_bare(data)
    except FormatError as error:
        raise FormatError(f"{path}: neither a ModelProto nor a GraphProto: {error}") from error
    if graph is None:
        raise FormatError(f"{path}: no graph with nodes in it; is it a graph file of MindSpore?")
    return graph


def _read_model(data: bytes) -> Graph | None:
    """None if the bytes are not a ModelProto: fields 1 and 4 have other types in a GraphProto."""
    try:
        message = wire.decode(MODEL, data)
    except FormatError:
        return None
    return read_mindspore_graph(message["graph"]) if message.get("graph", {}).get("node") else None


def _read_bare(data: bytes) -> Graph | None:
    message = wire.decode(GRAPH, data)
    return read_mindspore_graph(message) if message.get("node") else None
