# SPDX-License-Identifier: Apache-2.0
"""Forward and backward of a network in one graph, as AOTAutograd makes it. It keeps no scopes of modules."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch._functorch.aot_autograd import aot_export_module
from torch.utils import _pytree as pytree

from mindscope.torch.core.batches import first_output
from mindscope.torch.graphs.message import graph_message
from mindscope.types import Message

Loss = Callable[..., Any]


class _WithLoss(nn.Module):
    def __init__(self, network: nn.Module, loss: Loss, input_count: int) -> None:
        super().__init__()
        self.network, self._count = network, input_count
        self._loss = (loss,)  # a module of its own

    def forward(self, *inputs: Any) -> tuple[Any]:
        """Return the loss, as the tuple that AOTAutograd wants."""
        (loss,) = self._loss
        return (first_output(loss(self.network(*inputs[: self._count]), *inputs[self._count :]), "loss_fn"),)


def joint_message(
    module: nn.Module, inputs: tuple[Any, ...], name: str, loss: Loss | None = None, labels: tuple[Any, ...] = ()
) -> Message:
    """Return the ``GraphProto`` of the loss and of its gradients for all trainable parameters.

    ``loss`` makes of what the network returns and of ``labels`` what a training takes as loss; without one it is the
    sum of all floating elements.

    Raises whatever AOTAutograd raises, e.g. for a network without trainable parameters.
    """
    export: Any = aot_export_module
    with_loss = _WithLoss(module, loss or _sum, len(inputs))
    traced, signature = export(with_loss, (*inputs, *labels), trace_joint=True, output_loss_index=0)
    constants = {key: f"constant:{target}" for key, target in signature.inputs_to_buffers.items()}
    given = {**signature.inputs_to_parameters, **constants}
    return graph_message(traced.graph, name, names={key: _inside(target) for key, target in given.items()})


def _inside(target: str) -> str:
    """Return the name inside the network, without the module around it."""
    return target.replace("network.", "", 1)


def _sum(outputs: Any) -> torch.Tensor:
    leaves: list[Any] = [leaf for leaf in pytree.tree_leaves(outputs) if isinstance(leaf, torch.Tensor)]
    return torch.stack([leaf.sum() for leaf in leaves if leaf.is_floating_point()]).sum()
