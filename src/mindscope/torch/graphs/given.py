# SPDX-License-Identifier: Apache-2.0
"""The graph of what a script gives the recorder: an exported program, a ``torch.fx`` graph, a network."""

from __future__ import annotations

from typing import Any, cast

import torch
from torch import fx, nn

from mindscope.torch.core.naming import plain_network
from mindscope.torch.graphs.capture import exported_message, graph_of, traced_message
from mindscope.torch.graphs.message import graph_message
from mindscope.types import Message


def is_graph(value: Any) -> bool:
    """Return whether ``given_message`` accepts a value."""
    return isinstance(_network_of(value), (torch.export.ExportedProgram, fx.Graph, nn.Module))


def given_message(value: Any, name: str) -> Message:
    """Return the ``GraphProto`` of an exported program, a graph of ``torch.fx``, or a network.

    ``name`` is that of a program or a graph; by default it is the class.

    A pair of a network and example inputs (a tuple, or a single value) is traced as the collector does. A network
    alone is traced without shapes; the graph is the structure of its modules if that fails.
    """
    network = _network_of(value)
    if isinstance(network, torch.export.ExportedProgram):
        return exported_message(network, name or type(network).__name__)
    if isinstance(network, fx.Graph):
        return graph_message(network, name or type(network).__name__, network.owning_module)
    if isinstance(network, fx.GraphModule) and network is value:
        return graph_message(network.graph, name or type(network).__name__, network)
    module = plain_network(network)
    return traced_message(module) if network is value else graph_of(module, value[1])


def _network_of(value: Any) -> Any:
    """Return the first of a pair whose first is a network; else the value."""
    if isinstance(value, tuple):
        pair = cast("tuple[Any, ...]", value)
        if len(pair) == 2 and isinstance(pair[0], nn.Module):
            return pair[0]
    return cast(Any, value)
