# SPDX-License-Identifier: Apache-2.0
"""The graph of aten operators of a function of tensors."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from threading import Lock
from typing import Any

import torch
from torch import Tensor
from torch.fx import GraphModule
from torch.fx.experimental.proxy_tensor import make_fx
from torch.nn.attention import SDPBackend, sdpa_kernel

from mindscope.torch.landscapes.groups.switches import plain_layers, silent_tracing

_TRACING = Lock()
"""torch.fx and the choice of kernels have switches of the whole process, which two threads would leave on."""
_CHANGES_NOTHING = (torch.ops.aten.empty.memory_format,)


def trace(function: Callable[..., Any], arguments: Sequence[Tensor]) -> GraphModule:
    """Return the operators that ``function`` calls for tensors of these shapes; the placeholders are in their order.

    Nothing is computed. Raises what tracing raises: a function whose operators depend on values has no such graph.
    """
    on_cpu = all(argument.device.type == "cpu" for argument in arguments)
    kernels = [SDPBackend.MATH, SDPBackend.FLASH_ATTENTION] if on_cpu else [SDPBackend.MATH]
    with _TRACING, torch.no_grad(), plain_layers(), sdpa_kernel(kernels), silent_tracing():
        graph_module = make_fx(torch.func.functionalize(function), tracing_mode="fake", _allow_non_fake_inputs=True)(
            *arguments
        )
    for node in reversed(graph_module.graph.nodes):
        if not node.users and (node.target in _CHANGES_NOTHING or node.target is operator.getitem):
            graph_module.graph.erase_node(node)
    graph_module.graph.eliminate_dead_code()
    graph_module.recompile()
    return graph_module
