# SPDX-License-Identifier: Apache-2.0
"""Losses point by point."""

from __future__ import annotations

from collections.abc import Callable

from torch import Tensor

from mindscope.landscape.plane import Points
from mindscope.torch.landscapes.groups.grouped import channels_last
from mindscope.torch.landscapes.plane_weights import PlaneWeights
from mindscope.torch.landscapes.problem import LossProblem, Way, mean_loss, mean_statistics


class Loop:
    """Point by point; ``channels_last`` with data and weights in that memory format."""

    def __init__(self, problem: LossProblem, way: Way) -> None:
        change: Callable[[Tensor], Tensor] | None = None if way.name == "loop" else channels_last
        self._problem, self._loss = problem, problem.loss
        batches = problem.batches_of(way)
        self._batches = batches.mapped(change) if change else batches
        self._weights = PlaneWeights(problem.plane, problem.loss.trainable, change)

    def losses(self, points: Points) -> list[float]:
        """Return the loss at each point."""
        return [self._at(a, b) for a, b in points.tolist()]

    def _at(self, a: float, b: float) -> float:
        weights, buffers = self._weights.at(a, b), self._problem.buffers
        if self._problem.depends_on_batches:
            found = (self._loss.batch_statistics(weights, element) for element in self._batches.elements)
            buffers = {**buffers, **mean_statistics(found)}
        losses = (self._loss.loss(weights, buffers, element) for element in self._batches.elements)
        return float(mean_loss(losses, self._batches.lengths))
