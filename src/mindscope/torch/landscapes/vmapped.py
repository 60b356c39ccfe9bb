# SPDX-License-Identifier: Apache-2.0
"""Losses at several points at once, by ``torch.vmap``."""

from __future__ import annotations

from typing import Any, cast

import torch

from mindscope.landscape.plane import Points
from mindscope.torch.landscapes.groups.switches import no_loops_over_groups, plain_layers
from mindscope.torch.landscapes.plane_weights import PlaneWeights
from mindscope.torch.landscapes.problem import LossProblem, Way, mean_loss, mean_statistics


class VMapped:
    """Several points at once, as ``torch.vmap`` maps the operators."""

    def __init__(self, problem: LossProblem, way: Way) -> None:
        self._problem, self._loss, self._points = problem, problem.loss, way.points
        self._batches = problem.batches_of(way)
        self._weights = PlaneWeights(problem.plane, problem.loss.trainable)

    def losses(self, points: Points) -> list[float]:
        """Return the loss at each point."""
        parts = [points[start : start + self._points] for start in range(0, len(points), self._points)]
        with plain_layers(), no_loops_over_groups():
            return [loss for part in parts for loss in self._at(part)]

    def _at(self, points: Points) -> list[float]:
        weights = self._weights.stacked(points)
        buffers = dict(self._problem.buffers)
        mapped: dict[str, int | None] = dict.fromkeys(buffers, None)
        if self._problem.depends_on_batches:
            statistics = torch.vmap(self._loss.batch_statistics, in_dims=(0, None))
            estimated = mean_statistics(statistics(weights, element) for element in self._batches.elements)
            buffers |= estimated
            mapped |= dict.fromkeys(estimated, 0)
        loss = torch.vmap(self._loss.loss, in_dims=(0, mapped if buffers else None, None))
        losses = (loss(weights, buffers, element) for element in self._batches.elements)
        found: list[float] = cast(Any, mean_loss(losses, self._batches.lengths)).tolist()
        return found
