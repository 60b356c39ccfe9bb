# SPDX-License-Identifier: Apache-2.0
"""Reads computational and dataset graphs of all frameworks into one neutral model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mindscope.lazy_names import lazy_names

if TYPE_CHECKING:
    from mindscope.graph.algorithms.drawing import to_svg as to_svg
    from mindscope.graph.algorithms.output import to_dot as to_dot
    from mindscope.graph.algorithms.output import to_json as to_json
    from mindscope.graph.algorithms.summary import GraphSummary
    from mindscope.graph.compare.diff import Change, DiffCounts, GraphDiff, NodeDiff, Status
    from mindscope.graph.data.columns import EdgeKind, Role, TensorType
    from mindscope.graph.data.dataset import DatasetNode, DatasetOperation, read_dataset_graph
    from mindscope.graph.data.graph_data import Input, Node, Nodes, Scope
    from mindscope.graph.encoded import read_graph
    from mindscope.graph.files import ONNX_SUFFIX, find_graph_files, read_graph_file
    from mindscope.graph.formats.keras import read_keras_model
    from mindscope.graph.formats.mindspore import read_mindspore_graph
    from mindscope.graph.formats.onnx.model import read_onnx_model
    from mindscope.graph.formats.tensorboard import read_meta_graph, read_tensorboard_graph
    from mindscope.graph.graph import Graph

__all__ = [
    "ONNX_SUFFIX",
    "Change",
    "DatasetNode",
    "DatasetOperation",
    "DiffCounts",
    "EdgeKind",
    "Graph",
    "GraphDiff",
    "GraphSummary",
    "Input",
    "Node",
    "NodeDiff",
    "Nodes",
    "Role",
    "Scope",
    "Status",
    "TensorType",
    "find_graph_files",
    "read_dataset_graph",
    "read_graph",
    "read_graph_file",
    "read_keras_model",
    "read_meta_graph",
    "read_mindspore_graph",
    "read_onnx_model",
    "read_tensorboard_graph",
]

__getattr__ = lazy_names(
    __name__,
    {
        "mindscope.graph.algorithms.drawing": "to_svg",
        "mindscope.graph.algorithms.output": "to_dot to_json",
        "mindscope.graph.algorithms.summary": "GraphSummary",
        "mindscope.graph.compare.diff": "Change DiffCounts GraphDiff NodeDiff Status",
        "mindscope.graph.data.columns": "EdgeKind Role TensorType",
        "mindscope.graph.data.dataset": "DatasetNode DatasetOperation read_dataset_graph",
        "mindscope.graph.data.graph_data": "Input Node Nodes Scope",
        "mindscope.graph.encoded": "read_graph",
        "mindscope.graph.files": "ONNX_SUFFIX find_graph_files read_graph_file",
        "mindscope.graph.formats.keras": "read_keras_model",
        "mindscope.graph.formats.mindspore": "read_mindspore_graph",
        "mindscope.graph.formats.onnx.model": "read_onnx_model",
        "mindscope.graph.formats.tensorboard": "read_meta_graph read_tensorboard_graph",
        "mindscope.graph.graph": "Graph",
    },
)
