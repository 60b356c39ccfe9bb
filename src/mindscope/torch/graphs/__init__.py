# SPDX-License-Identifier: Apache-2.0
"""The computational graph of a network as MindSpore's ``GraphProto``."""

from __future__ import annotations

from mindscope.torch.graphs.capture import graph_of
from mindscope.torch.graphs.given import given_message, is_graph
from mindscope.torch.graphs.message import graph_message

__all__ = ["given_message", "graph_message", "graph_of", "is_graph"]
