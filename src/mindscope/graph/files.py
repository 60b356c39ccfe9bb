# SPDX-License-Identifier: Apache-2.0
"""Reads graph files (``*.pb``, ``*.onnx``) beside event files."""

from __future__ import annotations

import re
from pathlib import Path

from mindscope.errors import FormatError
from mindscope.formats.message_columns import Messages
from mindscope.formats.mindspore_schemas import MODEL
from mindscope.graph.formats.mindspore import read_mindspore_graph
from mindscope.graph.formats.onnx.files import MOST_BYTES, read_without_weights
from mindscope.graph.formats.onnx.model import read_onnx_model
from mindscope.graph.formats.onnx.shapes import inferred_types
from mindscope.graph.graph import Graph
from mindscope.reasons import Reason, reason_of

ONNX_SUFFIX = ".onnx"
_SUFFIXES = (".pb", ONNX_SUFFIX)
MAX_FILE_BYTES = MOST_BYTES
"""Largest size of other files than models of ONNX, of which the weights are not read."""
_OTHER_CONTENT = re.compile(r"memory_usage_\d+\.pb", re.ASCII)


def find_graph_files(directory: str | Path) -> tuple[Path, ...]:
    """The graph files directly in ``directory``, by name, without links. Raises OSError if it can't be listed."""
    candidates = (path for path in Path(directory).iterdir() if path.suffix in _SUFFIXES)
    return tuple(sorted(path for path in candidates if _is_graph_file(path)))


def _is_graph_file(path: Path) -> bool:
    return _OTHER_CONTENT.fullmatch(path.name) is None and not path.is_symlink() and path.is_file()


def read_graph_file(path: str | Path) -> Graph:
    """The graph in an ONNX model, in MindSpore's ModelProto, or in a bare GraphProto of older programs or the debugger.

    Raises FormatError if the file is none of them, or too large.
    """
    if Path(path).suffix == ONNX_SUFFIX:
        return _read_onnx(Path(path))
    size = Path(path).stat().st_size
    if size > MAX_FILE_BYTES:
        raise FormatError(Reason("graph_file_too_large", file=Path(path).name, size=size, most=MAX_FILE_BYTES))
    data = Path(path).read_bytes()
    try:
        graph = _read_model(data) or _read_bare(data)
    except FormatError as error:
        if reason_of(error).code == "graph_too_large":
            raise
        raise FormatError(f"{path}: neither a ModelProto nor a GraphProto: {error}") from error
    if graph is None:
        raise FormatError(f"{path}: no graph with nodes in it; is it a graph file of MindSpore?")
    return graph


def _read_model(data: bytes) -> Graph | None:
    """Read a model; None if the bytes are no ModelProto: fields 1 and 4 have other types in a GraphProto."""
    model = Messages.one(MODEL, data)
    if model.broken.size and not len(model.field_runs("graph").bytes_of(0)):
        return None
    graph = read_mindspore_graph(model.field_runs("graph").bytes_of(0))
    return graph if len(graph.operations) else None


def _read_bare(data: bytes) -> Graph | None:
    graph = read_mindspore_graph(data)
    return graph if len(graph.operations) else None


def _read_onnx(path: Path) -> Graph:
    graph = read_onnx_model(read_without_weights(path), inferred_types)
    if not len(graph.node_columns):
        raise FormatError(f"{path}: no graph with nodes in it; is it an ONNX model?")
    return graph
