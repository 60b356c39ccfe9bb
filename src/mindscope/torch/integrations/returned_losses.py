# SPDX-License-Identifier: Apache-2.0
"""The losses that a model returns in the steps of a training."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.hooks import RemovableHandle

from mindscope.torch.core.call_hooks import Hook


class ReturnedLosses:
    """The losses that a model in training returns, left on their device, and what it was called with last.

    A model that gets ``num_items_in_batch`` returns its share of the loss of the step, which is their sum times
    ``processes`` if those items are of all processes; others return the mean of a batch.
    """

    def __init__(self, model: nn.Module, processes: int) -> None:
        self.has_losses = False
        """Whether the model ever returned one."""
        self.is_step = False
        """Whether a step runs; else the model is called for an evaluation or for its graph."""
        self._losses: list[Tensor] = []  # of the batches of this step
        self._inputs: Any = None
        self._processes = processes
        self._are_shares = False
        self._handle: RemovableHandle = model.register_forward_hook(Hook(self._see, is_compiled=True), with_kwargs=True)

    def take(self) -> tuple[Tensor | None, Any]:
        """Return the loss of the step, and the inputs of its last batch."""
        losses, inputs = self._losses, self._inputs
        self._losses, self._inputs, self.is_step = [], None, False
        if not losses:
            return None, inputs
        stacked = torch.stack(losses)
        return (stacked.sum() * self._processes if self._are_shares else stacked.mean()), inputs

    def stop(self) -> None:
        """See no more."""
        self._handle.remove()

    def _see(self, model: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any], outputs: Any) -> None:
        if not self.is_step:
            return
        self._inputs = kwargs or args
        loss = getattr(outputs, "loss", None)
        if isinstance(loss, Tensor):
            self.has_losses = True
            self._are_shares = kwargs.get("num_items_in_batch") is not None
            self._losses.append(loss.detach().float().mean())
