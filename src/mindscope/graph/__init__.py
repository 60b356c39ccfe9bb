# SPDX-License-Identifier: Apache-2.0
"""Reads computational and dataset graphs of all frameworks into one neutral model."""

from __future__ import annotations

from mindscope.graph.dataset import DatasetNode, DatasetOperation, read_dataset_graph
from mindscope.graph.keras import read_keras_model
from mindscope.graph.mindspore import read_mindspore_graph
from mindscope.graph.model import Constant, Edge, EdgeKind, Graph, Node, Output, Parameter
from mindscope.graph.pb import find_graph_files, read_graph_file
from mindscope.graph.tensorboard import read_meta_graph, read_tensorboard_graph

__all__ = [
    "Constant",
    "DatasetNode",
    "DatasetOperation",
    "Edge",
    "EdgeKind",
    "Graph",
    "Node",
    "Output",
    "Parameter",
    "find_graph_files",
    "read_dataset_graph",
    "read_graph_file",
    "read_keras_model",
    "read_meta_graph",
    "read_mindspore_graph",
    "read_tensorboard_graph",
]
