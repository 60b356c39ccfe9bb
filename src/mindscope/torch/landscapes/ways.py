# SPDX-License-Identifier: Apache-2.0
"""The ways to compute losses at points, by name."""

from __future__ import annotations

from typing import Any

from mindscope.landscape.plane import Points
from mindscope.torch.landscapes.group_losses import GroupLosses
from mindscope.torch.landscapes.loop import Loop
from mindscope.torch.landscapes.problem import LossProblem, Way
from mindscope.torch.landscapes.vmapped import VMapped

WAYS: dict[str, Any] = {"loop": Loop, "channels_last": Loop, "vmap": VMapped, "grouped": GroupLosses}


class PlaneLosses:
    """The losses of a problem at points, in one way; what it prepares for a point stays for the next ones."""

    def __init__(self, problem: LossProblem, way: Way) -> None:
        self._problem = problem
        self._way = WAYS[way.name](problem, way)

    def __call__(self, points: Points) -> list[float]:
        """Return the loss at each point, NaN and Infinity too. Raises what the network raises."""
        with self._problem.loss.evaluating():
            return self._way.losses(points)
