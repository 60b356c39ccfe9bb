# SPDX-License-Identifier: Apache-2.0
"""Losses at several points at once, as groups of the same operators."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np
from torch import Tensor
from torch.utils import _pytree as pytree

from mindscope.landscape.plane import Points
from mindscope.torch.landscapes.groups.grouped import channels_last
from mindscope.torch.landscapes.groups.program import GroupProgram
from mindscope.torch.landscapes.loop import Loop
from mindscope.torch.landscapes.network_loss import Tensors
from mindscope.torch.landscapes.plane_weights import PlaneWeights
from mindscope.torch.landscapes.problem import LossProblem, Way, mean_loss, mean_statistics

Result = Callable[[Tensors, Any], Tensors]
"""Function of named weights and statistics, and an element."""

KEPT_BYTES = 1 << 28
"""Limit of the bytes of results that depend on the data alone and are kept."""


class GroupLosses:
    """``way.points`` points at once; a few that are left over one by one.

    Its methods raise what tracing raises, if the operators of the network depend on values or can't work on groups.
    """

    def __init__(self, problem: LossProblem, way: Way) -> None:
        self._problem, self._loss, self._size = problem, problem.loss, way.points
        self._batches = problem.batches_of(way).mapped(channels_last)
        self._weights = PlaneWeights(problem.plane, problem.loss.trainable)
        self._single = Loop(problem, Way("channels_last", 1, way.batch_size))
        self._programs: dict[Any, GroupProgram] = {}
        """Programs by what they compute, and the shapes of their data."""
        self._kept: dict[tuple[str, int], list[Any]] = {}
        """Kept results by what is computed, and the number of the batch."""
        self._space = KEPT_BYTES

    def losses(self, points: Points) -> list[float]:
        """Return the loss at each point."""
        parts = [points[start : start + self._size] for start in range(0, len(points), self._size)]
        return [loss for part in parts for loss in self._of_part(part)]

    def _of_part(self, part: Points) -> list[float]:
        if len(part) <= self._size // 4:
            return self._single.losses(part)
        filled = np.concatenate([part, np.repeat(part[-1:], self._size - len(part), axis=0)])
        return self._at(filled)[: len(part)]

    def _at(self, points: Points) -> list[float]:
        weights = self._weights.stacked(points)
        if self._problem.depends_on_batches:
            weights |= mean_statistics(self._results("statistics", self._loss.batch_statistics, weights))
        losses = (result["loss"] for result in self._results("loss", self._loss_alone, weights))
        found: list[float] = cast(Any, mean_loss(losses, self._batches.lengths)).tolist()
        return found

    def _loss_alone(self, weights: Tensors, element: Any) -> Tensors:
        return {"loss": self._loss.loss(weights, {**self._problem.buffers, **weights}, element)}

    def _results(self, kind: str, function: Result, weights: Tensors) -> list[Tensors]:
        """Return the result for each batch."""
        stacked = list(weights.values())
        prepared: dict[int, list[Any]] = {}
        results: list[Tensors] = []
        for index, element in enumerate(self._batches.elements):
            program, data = self._program(kind, function, weights, element)
            if id(program) not in prepared:
                prepared[id(program)] = program.prepare(stacked)
            results.append(program.compute(prepared[id(program)], self._digested((kind, index), program, data)))
        return results

    def _digested(self, key: tuple[str, int], program: GroupProgram, data: list[Tensor]) -> list[Any]:
        """Return the results that depend on a batch alone.

        They are kept for the next points as long as there is space.
        """
        if key in self._kept:
            return self._kept[key]
        digested = program.digest(data)
        size = sum(each.nbytes for each in digested if isinstance(each, Tensor))
        if size <= self._space:
            self._space -= size
            self._kept[key] = digested
        return digested

    def _program(
        self, kind: str, function: Result, weights: Tensors, element: Any
    ) -> tuple[GroupProgram, list[Tensor]]:
        leaves, structure = pytree.tree_flatten(element)
        data = [leaf for leaf in leaves if isinstance(leaf, Tensor)]
        form = [(leaf.shape, leaf.dtype) if isinstance(leaf, Tensor) else leaf for leaf in leaves]
        key = (kind, structure, tuple(form))
        if key not in self._programs:
            names = list(weights)

            def flat(states: Sequence[Tensor], tensors: Sequence[Tensor]) -> Tensors:
                rest = iter(tensors)
                filled = [next(rest) if isinstance(leaf, Tensor) else leaf for leaf in leaves]
                return function(dict(zip(names, states, strict=True)), pytree.tree_unflatten(filled, structure))

            self._programs[key] = GroupProgram(flat, [weight[0] for weight in weights.values()], data, self._size)
        return self._programs[key], data
