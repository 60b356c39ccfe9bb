# SPDX-License-Identifier: Apache-2.0
"""Products of vectors with the Hessian of a network's loss."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, cast

import torch
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel

from mindscope.torch.landscapes.batches import FixedBatches
from mindscope.torch.landscapes.groups.switches import plain_layers
from mindscope.torch.landscapes.memory import free_memory
from mindscope.torch.landscapes.network_loss import NetworkLoss, Tensors
from mindscope.torch.landscapes.plane_weights import unflatten


class Hessian:
    """Loss, gradient and Hessian of the mean loss over all batches, in evaluation mode; vectors have length d.

    Args:
        loss: of the network.
        weights: where they are taken; on the device of the network.
        buffers: statistics of normalization layers.
        batches: on the same device.
        seed: of ``draw``.
    """

    def __init__(
        self, loss: NetworkLoss, weights: Tensors, buffers: Tensors, batches: FixedBatches, seed: int = 0
    ) -> None:
        self._loss, self._buffers, self._batches, self._seed = loss, buffers, batches, seed
        self._weights = {name: weight.detach() for name, weight in weights.items()}
        self.num_samples = batches.num_samples
        self.dtype_name = str(loss.computation_dtype).removeprefix("torch.")
        self._dtype = torch.promote_types(torch.float32, loss.computation_dtype)

    @property
    def length(self) -> int:
        """Length of the vectors: the number of weights."""
        return sum(weight.numel() for weight in self._weights.values())

    def most_vectors(self, wanted: int) -> int:
        """Return vectors that a quarter of the free memory holds: at least 8, at most those wanted."""
        size = self.length * self._dtype.itemsize
        return min(wanted, max(8, int(free_memory(self._loss.device) / 4 / size)))

    def value(self, at: Tensor | None = None) -> float:
        """Return the loss, at a displacement."""
        weights = self._moved(at)
        total = 0.0
        with self._loss.evaluating():
            for element, length in self._weighted():
                total += float(self._loss.loss(weights, self._buffers, element)) * length
        return total

    def gradient(self) -> Tensor:
        """Return the gradient, shape (d,)."""
        total = torch.zeros(self.length, dtype=self._dtype, device=self._loss.device)
        with self._differentiable() as weights:
            for element, length in self._weighted():
                loss = self._loss.loss(weights, self._buffers, element)
                total += self._flat(_gradients(loss, list(weights.values()))) * length
        return total

    def multiply(self, vector: Tensor) -> Tensor:
        """Return the Hessian times a vector, of shape (d,); by a gradient of a gradient, so there is no matrix."""
        parts = [
            part.to(weight.dtype)
            for part, weight in zip(unflatten(vector, self._weights).values(), self._weights.values(), strict=True)
        ]
        total = torch.zeros_like(vector)
        with self._differentiable() as weights:
            states = list(weights.values())
            for element, length in self._weighted():
                loss = self._loss.loss(weights, self._buffers, element)
                slope = _gradients(loss, states, create_graph=True)
                along = sum((one * other).sum() for one, other in zip(slope, parts, strict=True))
                total += self._flat(_gradients(cast(Tensor, along), states)) * length
        return total

    def draw(self, number: int) -> Tensor:
        """Return a random vector of -1 and 1."""
        generator = torch.Generator().manual_seed(self._seed * 1_000_003 + number)
        signs = torch.randint(0, 2, (self.length,), generator=generator, dtype=torch.int8)
        return (signs.to(self._dtype) * 2 - 1).to(self._loss.device)

    def _moved(self, at: Tensor | None) -> Tensors:
        if at is None:
            return self._weights
        steps = unflatten(at, self._weights)
        return {name: weight + steps[name].to(weight.dtype) for name, weight in self._weights.items()}

    def _weighted(self) -> list[tuple[Any, float]]:
        count = self._batches.num_samples
        return [
            (element, length / count)
            for element, length in zip(self._batches.elements, self._batches.lengths, strict=True)
        ]

    def _flat(self, parts: list[Tensor]) -> Tensor:
        return torch.cat([part.reshape(-1).to(self._dtype) for part in parts])

    @contextmanager
    def _differentiable(self) -> Generator[Tensors]:
        """Yield the weights, with operators that have second derivatives."""
        weights = {name: weight.clone().requires_grad_() for name, weight in self._weights.items()}
        flags = torch.backends.cudnn.flags(enabled=False)
        with self._loss.evaluating(), torch.enable_grad(), plain_layers(), sdpa_kernel([SDPBackend.MATH]), flags:
            yield weights


def _gradients(value: Tensor, of: list[Tensor], create_graph: bool = False) -> list[Tensor]:
    """Return the gradients, which are zeros where the value doesn't depend on a tensor."""
    if not value.requires_grad:  # a loss that is linear in the weights has a constant gradient
        return [torch.zeros_like(each) for each in of]
    return list(torch.autograd.grad(value, of, create_graph=create_graph, materialize_grads=True))
