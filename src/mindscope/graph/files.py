# SPDX-License-Identifier: Apache-2.0
"""Reads graph files (``*.pb``, ``*.onnx``) beside event files."""

from __future__ import annotations

import re
from pathlib import Path

from mindscope.artifacts.format import Artifact, Format, Progress, no_progress
from mindscope.artifacts.formats import Formats
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
MAX_FILE_BYTES = MOST_BYTES
"""Largest size of other files than models of ONNX, of which the weights are not read."""
_OTHER_CONTENT = re.compile(r"memory_usage_\d+\.pb", re.ASCII)


def find_graph_files(directory: str | Path) -> tuple[Path, ...]:
    """The graph files directly in ``directory``, by name, without links. Raises OSError if it can't be listed."""
    return tuple(each.path for each in FORMATS.find(directory))


def read_graph_file(path: str | Path) -> Graph:
    """The graph in an ONNX model, in MindSpore's ModelProto, or in a bare GraphProto of older programs or the debugger.

    Raises FormatError if the file is none of them, or too large.
    """
    file = FORMATS.recognize(Path(path)) or Artifact(Path(path), MINDSPORE)  # whatever its name is
    return file.format.read(file.path, no_progress)


def _is_onnx(path: Path) -> bool:
    return path.suffix == ONNX_SUFFIX and path.is_file()


def _is_mindspore(path: Path) -> bool:
    return path.suffix == ".pb" and _OTHER_CONTENT.fullmatch(path.name) is None and path.is_file()


def _read_mindspore(path: Path, on_progress: Progress) -> Graph:
    size = path.stat().st_size
    if size > MAX_FILE_BYTES:
        raise FormatError(Reason("graph_file_too_large", file=path.name, size=size, most=MAX_FILE_BYTES))
    data = path.read_bytes()
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


def _read_onnx(path: Path, on_progress: Progress) -> Graph:
    graph = read_onnx_model(read_without_weights(path), inferred_types)
    if not len(graph.node_columns):
        raise FormatError(f"{path}: no graph with nodes in it; is it an ONNX model?")
    return graph


MINDSPORE = Format("mindspore_graph", "graph of MindSpore", _is_mindspore, _read_mindspore)
FORMATS: Formats[Graph] = Formats(
    (Format("onnx", "ONNX model", _is_onnx, _read_onnx), MINDSPORE), depth=1,
)  # fmt: skip
"""Files directly in a directory."""
