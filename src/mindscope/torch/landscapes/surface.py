# SPDX-License-Identifier: Apache-2.0
"""Loss landscapes of one network on one part of the data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.utils import _pytree as pytree

from mindscope.landscape.blocks import States, are_finite
from mindscope.landscape.computation import Progress, compute
from mindscope.landscape.grid import Grid
from mindscope.landscape.loss_cache import LossCache, content_key
from mindscope.landscape.plane import Plane, Projection
from mindscope.torch.landscapes.batches import FixedBatches, fixed_batches
from mindscope.torch.landscapes.checkpoints import Checkpoint, Checkpoints, StateReader
from mindscope.torch.landscapes.losses_factory import LossesFactory, NetworkSource
from mindscope.torch.landscapes.memory import kept_memory
from mindscope.torch.landscapes.methods import DECOMPOSITIONS, Layout, lay_out
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
        """Yield partial landscapes, then the complete one.

        Raises:
            ValueError: the method needs other checkpoints, or one is of another network.
            LandscapeError: a loss can't be computed.
        """
        for (each,) in self.compute_together(method, [checkpoints], size, cache_directory, on_progress):
            yield each

    def compute_together(
        self,
        method: str,
        paths: Sequence[Checkpoints],
        size: int,
        cache_directory: Path | None = None,
        on_progress: Callable[[Progress], None] | None = None,
    ) -> Iterator[list[Landscape]]:
        """Compute the landscape of several trainings on one plane, each with its path.

        The losses are computed once. Statistics ``as_trained`` are those of the last checkpoint of the last path.
        """
        checkpoints = [checkpoint for path in paths for checkpoint in path.checkpoints]
        with self.reader.vectors(checkpoints) as states, kept_memory(self._loss.device):
            _check_finite(checkpoints, states)
            buffers = self.reader.statistics(checkpoints[-1])
            numbers = [checkpoint.number for checkpoint in checkpoints]
            layout = lay_out(method, states, numbers, size, self._options.seed, self._loss, self._on_device, buffers)
            parts = _parts(paths, layout, states)
            factory, facts = self._prepare(layout.plane, layout.grid, buffers)
            key = content_key(*states)
            weight_norm, products = layout.plane.lengths()
            facts = replace(
                facts, method=method, degenerate=layout.plane.degenerate, plane_id=self._plane_id(method, layout, key),
                weight_norm=weight_norm, direction_products=products,
            )  # fmt: skip
            points = max(16, factory.way.points)
            with self._cache(cache_directory, method, key, buffers) as cache:
                for each in compute(
                    layout.grid, self._evaluators(factory), executor=self._options.executor, cache=cache,
                    full=self._options.full, facts=facts, points_per_task=points, on_progress=on_progress,
                ):  # fmt: skip
                    whole = replace(each, decomposition=DECOMPOSITIONS[method])
                    yield [part.of(whole) for part in parts]

    @property
    def _on_device(self) -> FixedBatches:
        return self._batches.to(self._loss.device)

    def _evaluators(self, factory: LossesFactory) -> Callable[[], PlaneLosses]:
        """Return the factory for other processes; here the network is there already."""
        if self._options.executor is not None:
            return factory
        return lambda: PlaneLosses(factory.problem(self._in_dtype(factory.dtype)), factory.way)

    def _in_dtype(self, dtype: torch.dtype | None) -> NetworkLoss:
        loss = self._loss
        return loss if dtype == loss.dtype else NetworkLoss(loss.network, loss.loss_fn, dtype)

    def _prepare(self, plane: Plane, grid: Grid, buffers: Tensors) -> tuple[LossesFactory, LandscapeFacts]:
        """Return the way, and in half precision the error."""
        options = self._options
        on_cpu = {name: buffer.cpu() for name, buffer in buffers.items()}
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

    def _plane_id(self, method: str, layout: Layout, states: str) -> str:
        """Return a hash of what decides the plane. That of its vectors would differ by the rounding of a machine."""
        is_random = method in ("random", "hessian") or layout.plane.degenerate
        seed = str(self._options.seed) if is_random else ""
        losses = content_key(self._losses_text(method), *self._data()) if method == "hessian" else ""
        return content_key(method, seed, losses, states)[:16]

    def _cache(
        self, directory: Path | None, method: str, states: str, buffers: Tensors
    ) -> AbstractContextManager[LossCache | None]:
        """Return the cache of the losses, whose key is everything that decides them."""
        if directory is None:
            return nullcontext()
        fixed = [_array(constant) for constant in [*self._loss.constants.values(), *buffers.values()]]
        return LossCache(directory, content_key(self._losses_text(method), states, *self._data(), *fixed))

    def _losses_text(self, method: str) -> str:
        options, loss = self._options, self._loss
        return repr(
            (method, options.seed, options.normalization, str(options.dtype), str(loss.network), _name(loss.loss_fn))
        )

    def _data(self) -> list[Any]:
        return [_array(tree_leaf) for element in self._batches.elements for tree_leaf in pytree.tree_leaves(element)]


@dataclass(frozen=True, slots=True)
class _Part:
    """The path of one training among those of a plane."""

    checkpoints: Checkpoints
    rows: slice
    """Rows of its checkpoints in the whole path."""
    projection: Projection

    def of(self, whole: Landscape) -> Landscape:
        """Return the landscape with this path only."""
        facts = replace(
            whole.facts or LandscapeFacts(), path_distances=self.projection.distances,
            path_lengths=self.projection.lengths, explained_variance=self.projection.explained_variance,
        )  # fmt: skip
        own = replace(whole, unit=self.checkpoints.unit, step_per_epoch=self.checkpoints.step_per_epoch, facts=facts)
        if whole.path_x is None or whole.path_y is None or whole.path_z is None:
            return own
        x, y, z = (each[self.rows] for each in (whole.path_x, whole.path_y, whole.path_z))
        return replace(
            own, path_intervals=whole.path_intervals[self.rows], path_x=x, path_y=y, path_z=z,
            convergence_point=(float(x[-1]), float(y[-1]), float(z[-1])),
        )  # fmt: skip


def _parts(paths: Sequence[Checkpoints], layout: Layout, states: States) -> list[_Part]:
    if len(paths) == 1:
        return [_Part(paths[0], slice(0, len(states)), layout.projection)]
    ends = [0, *accumulate(len(path.checkpoints) for path in paths)]
    rows = [slice(start, stop) for start, stop in pairwise(ends)]
    return [
        _Part(path, part, layout.plane.project(states[part])) for path, part in zip(paths, rows, strict=True)
    ]  # fmt: skip


def _check_finite(checkpoints: Sequence[Checkpoint], states: States) -> None:
    """Raises ValueError for weights with NaN or Infinity: they have no point on a plane."""
    broken = [
        checkpoint.name for checkpoint, is_finite in zip(checkpoints, are_finite(states), strict=True) if not is_finite
    ]
    if broken:
        more = f" and {len(broken) - 3} more" if len(broken) > 3 else ""
        raise ValueError(f"{', '.join(broken[:3])}{more}: weights have NaN or Infinity; leave these checkpoints out")


def _trial_points(grid: Grid) -> NDArray[np.float64]:
    """Return the convergence point, and three points between it and the margin."""
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
