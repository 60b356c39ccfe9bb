# SPDX-License-Identifier: Apache-2.0
"""Computes the landscapes of a training of MindSpore, one after the other."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from functools import partial

from mindscope.collector.landscape import LEAST_INTERVAL
from mindscope.collector.landscape_file import LandscapeFile
from mindscope.landscape.blocks import States, are_finite
from mindscope.landscape.computation import compute
from mindscope.landscape.grid import Grid, grid_around, grid_of_path
from mindscope.landscape.loss_cache import LossCache, content_key
from mindscope.landscape.plane import Plane
from mindscope.landscape.planes import path_plane
from mindscope.landscape.stored_states import stored_states
from mindscope.mindspore.landscape_directions import UnfinishedPlane, random_plane
from mindscope.mindspore.landscape_losses import ModelOnData, PlaneLosses
from mindscope.mindspore.landscape_weights import Checkpoint, read_checkpoint
from mindscope.types import Landscape, LandscapeFacts

_LOG = logging.getLogger("mindscope")


@dataclass(frozen=True, slots=True)
class Drawing:
    """The arguments that decide the landscapes of a training.

    They are those of ``SummaryLandscape.gen_landscapes_with_multi_process``.
    """

    file: LandscapeFile
    model: ModelOnData
    executor: Executor | None
    directions: str
    seed: int | None
    full: bool

    def landscapes(self) -> Iterator[tuple[str, Landscape]]:
        """Tag and landscape of each that is wanted; before a complete one partial ones with its tag."""
        file, settings = self.file, self.file.settings
        if file.missing:
            text = "%s %s were not kept; the landscapes are drawn from the others"
            _LOG.warning(text, settings.unit, file.missing)
        for interval in file.kept_intervals() if settings.create_train else ():
            yield from self._of_path(interval)
        if settings.create_result:
            yield from self._of_result(file.last_kept())

    def _of_path(self, interval: tuple[int, ...]) -> Iterator[tuple[str, Landscape]]:
        _LOG.info("drawing the landscape of %s %s to %s", self.file.settings.unit, interval[0], interval[-1])
        with stored_states(self._checkpoint(number).vector() for number in interval) as states:
            finite = are_finite(states)
            used = tuple(number for number, each in zip(interval, finite, strict=True) if each)
            if len(used) < len(interval):
                broken = sorted(set(interval) - set(used))
                text = "the weights of %s %s are NaN or Infinity; they are left out"
                _LOG.warning(text, self.file.settings.unit, broken)
            if len(used) >= LEAST_INTERVAL:
                yield from self._of_states(used, [state for state, kept in zip(states, finite, strict=True) if kept])

    def _of_states(self, interval: tuple[int, ...], states: States) -> Iterator[tuple[str, Landscape]]:
        last = self._checkpoint(interval[-1])
        plane = path_plane(states, last.shapes)
        seen = plane.project(states)
        grid = grid_of_path(seen.coordinates, interval, self.file.settings.landscape_size, plane.degenerate)
        facts = LandscapeFacts(
            method="pca", path_distances=seen.distances, path_lengths=seen.lengths,
            explained_variance=seen.explained_variance, degenerate=plane.degenerate,
        )  # fmt: skip
        key = content_key("pca", *states, *last.arrays.values(), self.model.key)
        tag = f"landscape_{[interval[0], interval[-1]]}"
        for landscape in self._computed(grid, last, plane, key, facts):
            yield tag, replace(landscape, decomposition="PCA")

    def _of_result(self, number: int) -> Iterator[tuple[str, Landscape]]:
        _LOG.info("drawing the landscape around %s %s", self.file.settings.unit, number)
        checkpoint = self._checkpoint(number)
        plane_key = content_key("random", self.directions, str(self.seed), *checkpoint.arrays.values())
        unfinished = UnfinishedPlane(self.file.path.parent, plane_key)
        plane = unfinished.plane(checkpoint, partial(random_plane, checkpoint, self.directions, self.seed))
        key = content_key(plane_key, plane.v, "" if plane.w is None else plane.w, self.model.key)
        facts = LandscapeFacts(method="random", seed=self.seed)
        grid = grid_around(self.file.settings.landscape_size)
        for landscape in self._computed(grid, checkpoint, plane, key, facts):
            yield f"landscape_{[number]}", replace(landscape, decomposition="Random")
        unfinished.remove()
        if self.seed is None:  # the next one has other directions
            LossCache(self.file.path.parent, key).path.unlink(missing_ok=True)

    def _computed(
        self, grid: Grid, checkpoint: Checkpoint, plane: Plane, key: str, facts: LandscapeFacts
    ) -> Iterator[Landscape]:
        samples = sum(len(columns[0]) if columns[0].ndim else 1 for columns in self.model.batches)
        weight_norm, products = plane.lengths()
        facts = replace(
            facts, normalization=self.model.normalization, num_samples=samples, evaluation="loop", dtype="float32",
            weight_norm=weight_norm, direction_products=products,
        )  # fmt: skip
        factory = PlaneLosses(self.model, checkpoint, plane)
        about = {"unit": self.file.settings.unit, "step_per_epoch": self.file.step_per_epoch}
        with LossCache(self.file.path.parent, key) as cache:
            points_per_task = 1 if self.executor is None else 4  # a stop loses no more than these
            for landscape in compute(
                grid,
                factory,
                executor=self.executor,
                cache=cache,
                full=self.full,
                facts=facts,
                points_per_task=points_per_task,
            ):
                yield replace(landscape, **about)

    def _checkpoint(self, number: int) -> Checkpoint:
        return read_checkpoint(self.file.checkpoint(number))
