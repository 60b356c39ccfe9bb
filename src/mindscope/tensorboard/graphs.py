# SPDX-License-Identifier: Apache-2.0
"""Graphs of networks and of ONNX models as GraphDef."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any, cast

from mindscope.capture.messages import graph_bytes
from mindscope.errors import TypeRejectedError, ValueRejectedError
from mindscope.formats import wire
from mindscope.formats.graph_def import graph_to_tensorboard, onnx_to_tensorboard
from mindscope.formats.mindspore_schemas import GRAPH
from mindscope.formats.onnx_schemas import MODEL
from mindscope.formats.tensorboard_values import plugin_metadata, text_tensor
from mindscope.types import Message


def network_graph(model: Any, inputs: Any) -> bytes:
    """Return the GraphDef of a network of PyTorch, or of an object that offers ``get_func_graph_proto``.

    The network does not run: a forked process traces a copy. Raises TypeRejectedError.
    """
    if hasattr(model, "get_func_graph_proto") or hasattr(model, "SerializeToString"):
        return graph_to_tensorboard(wire.decode(GRAPH, graph_bytes(model)))
    if not hasattr(model, "state_dict") and not hasattr(model, "nodes"):
        raise TypeRejectedError(f"model is {type(model).__name__}, want a network of PyTorch or MindSpore")
    graphs = import_module("mindscope.torch.graphs")  # imports PyTorch, which the network has imported
    example = tuple(cast("list[Any]", inputs)) if isinstance(inputs, list) else inputs
    given: Any = model if inputs is None else (model, example)
    return graph_to_tensorboard(graphs.given_message(given, ""))


def is_keras(model: Any) -> bool:
    """Return whether a model is one of Keras, on any backend; it may be a module of PyTorch too."""
    return any(kind.__module__.partition(".")[0] == "keras" for kind in type(model).__mro__)


def keras_graph(model: Any) -> Message:
    """Return the Summary.Value of the layers of a model, as TensorFlow records it."""
    encoded = str(model.to_json()).encode("utf-8", "backslashreplace")
    return {"tag": "keras", "tensor": text_tensor([encoded], ()), "metadata": plugin_metadata("graph_keras_model")}


def onnx_graph(path: Any) -> bytes:
    """Return the GraphDef of an ONNX file. Raises OSError, ValueRejectedError."""
    try:
        model = wire.decode(MODEL, Path(path).read_bytes())
    except ValueError as error:
        raise ValueRejectedError(f"{path} is no ONNX model: {error}") from error
    if "graph" not in model:
        raise ValueRejectedError(f"{path} is no ONNX model: it has no graph")
    return onnx_to_tensorboard(model["graph"])
