# SPDX-License-Identifier: Apache-2.0
"""Loss landscapes of one network on one part of the data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.utils import _pytree as pytree

from mindscope.landscape.blocks import Vector
from mindscope.landscape.computation import Progress, compute
from mindscope.landscape.grid import Grid
from mindscope.landscape.loss_cache import LossCache, content_key
from mindscope.landscape.plane import Plane
from mindscope.torch.landscapes.batches import FixedBatches, fixed_batches
from mindscope.torch.landscapes.checkpoints import Checkpoints, StateReader
from mindscope.torch.landscapes.losses_factory import LossesFactory, NetworkSource
from mindscope.torch.landscapes.memory import kept_memory
from mindscope.torch.landscapes.methods import DECOMPOSITIONS, lay_out
from mindscope.torch.landscapes.network_loss import NetworkLoss, Tensors
from mindscope.torch.landscapes.options import DTYPES, Options
from mindscope.torch.landscapes.problem import Way
from mindscope.torch.landscapes.trial import choose_way, measure_dtype_error
from mindscope.torch.landscapes.ways import PlaneLosses
from mindscope.types import Landscape, LandscapeFacts

LARGEST_ERROR = 0.01
"""Relative error of losses up to which ``auto`` takes bfloat16."""


class Surfaces:
    """Computes landscapes of a network.

    Args:
        source: of the network and its loss function; called here, and in each worker of an executor.
        data: an iterable of batches.
        options: see there.

    Raises:
        TypeError, ValueError: what can't be computed.
    """

    def __init__(self, source: NetworkSource, data: Iterable[Any], options: Options) -> None:
        self._source, self._options = source, options
        network, loss_fn = source()
        self._loss = NetworkLoss(network, loss_fn, DTYPES[options.dtype])
        self._batches = fixed_batches(data, options.num_samples, options.seed)
        self.reader = StateReader(self._loss)

    @property
    def batches(self) -> FixedBatches:
        """The part of the data."""
        return self._batches

    def compute(
        self,
        method: str,
        checkpoints: Checkpoints,
        size: int,
        cache_directory: Path | None = None,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> Iterator[Landscape]:
        """Partial landscapes, then the complete one.

        Raises:
            ValueError: the method needs other checkpoints, or one is of another network.
            LandscapeError: a loss can't be computed.
        """
        with self.reader.vectors(checkpoints.checkpoints) as states, kept_memory(self._loss.device):
            buffers = self.reader.statistics(checkpoints.checkpoints[-1])
            layout = lay_out(
                method, states, checkpoints.numbers, size, self._options.seed, self._loss, self._on_device, buffers
            )
            factory, facts = self._prepare(layout.plane, layout.grid, buffers)
            facts = replace(
                facts, method=method, path_distances=layout.projection.distances,
                path_lengths=layout.projection.lengths, explained_variance=layout.projection.explained_variance,
                degenerate=layout.plane.degenerate,
            )  # fmt: skip
            points = max(16, factory.way.points)
            with self._cache(cache_directory, method, states, buffers) as cache:
                for each in compute(
                    layout.grid, self._evaluators(factory), executor=self._options.executor, cache=cache,
                    full=self._options.full, facts=facts, points_per_task=points, on_progress=on_progress,
                ):  # fmt: skip
                    yield replace(
                        each, decomposition=DECOMPOSITIONS[method], unit=checkpoints.unit,
                        step_per_epoch=checkpoints.step_per_epoch,
                    )  # fmt: skip

    @property
    def _on_device(self) -> FixedBatches:
        return self._batches.to(self._loss.device)

    def _evaluators(self, factory: LossesFactory) -> Callable[[], PlaneLosses]:
        """The factory for other processes; here the network is there already."""
        if self._options.executor is not None:
            return factory
        return lambda: PlaneLosses(factory.problem(self._in_dtype(factory.dtype)), factory.way)

    def _in_dtype(self, dtype: torch.dtype | None) -> NetworkLoss:
        loss = self._loss
        return loss if dtype == loss.dtype else NetworkLoss(loss.network, loss.loss_fn, dtype)

    def _prepare(self, plane: Plane, grid: Grid, buffers: Tensors) -> tuple[LossesFactory, LandscapeFacts]:
        """The way, and in half precision the error."""
        options = self._options
        on_cpu = {name: each.cpu() for name, each in buffers.items()}
        is_re_estimated = options.normalization == "re_estimated"
        loop = LossesFactory(
            self._source, plane, self._batches, on_cpu, is_re_estimated, self._loss.dtype, Way("loop")
        )  # fmt: skip
        points = _trial_points(grid)
        chosen = choose_way(loop.problem(self._loss), points, options.evaluation)
        dtype, error = self._loss.dtype, None
        if options.dtype in ("bfloat16", "auto"):
            exact, half = (loop.problem(self._in_dtype(each)) for each in (torch.float32, torch.bfloat16))
            error = measure_dtype_error(half, exact, points)
            if options.dtype == "auto":
                faster = choose_way(half, points, options.evaluation)
                is_taken = error <= LARGEST_ERROR and faster.seconds < chosen.seconds
                chosen, dtype, error = (faster, torch.bfloat16, error) if is_taken else (chosen, dtype, None)
        facts = LandscapeFacts(
            normalization=options.normalization, num_samples=self._batches.num_samples, seed=options.seed,
            evaluation=chosen.way.name, dtype=str(dtype or self._loss.computation_dtype).removeprefix("torch."),
            dtype_error=error,
        )  # fmt: skip
        return replace(loop, dtype=dtype, way=chosen.way), facts

    def _cache(
        self, directory: Path | None, method: str, states: list[Vector], buffers: Tensors
    ) -> AbstractContextManager[LossCache | None]:
        """Losses of everything that decides them."""
        if directory is None:
            return nullcontext()
        options, loss = self._options, self._loss
        text = repr(
            (method, options.seed, options.normalization, str(options.dtype), str(loss.network), _name(loss.loss_fn))
        )
        data = [_array(each) for element in self._batches.elements for each in pytree.tree_leaves(element)]
        fixed = [_array(each) for each in [*loss.constants.values(), *buffers.values()]]
        return LossCache(directory, content_key(text, *states, *data, *fixed))


def _trial_points(grid: Grid) -> NDArray[np.float64]:
    """The convergence point, and three points between it and the margin."""
    points = grid.points()
    middle = np.array([grid.convergence or points[len(points) // 2]])
    return np.concatenate([middle, (middle + points[[0, len(points) // 3, -1]]) / 2])


def _array(value: Any) -> Any:
    if not isinstance(value, Tensor):
        return repr(value)
    plain = value.detach().cpu()
    return plain.view(torch.int16).numpy() if plain.dtype == torch.bfloat16 else plain.numpy()


def _name(loss_fn: Any) -> str:
    return (
        str(loss_fn)
        if isinstance(loss_fn, torch.nn.Module)
        else getattr(loss_fn, "__qualname__", type(loss_fn).__name__)
    )
