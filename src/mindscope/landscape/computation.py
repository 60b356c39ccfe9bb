# SPDX-License-Identifier: Apache-2.0
"""Computes a landscape: a coarse surface first, then its details, resumable, by any executor.

    factory = partial(make_evaluator, plane, ...)        # see workers: called once in each worker for an evaluator
    key = content_key(*states, "pca", data, "as_trained", "float32")
    with LossCache(directory, key) as cache:
        for landscape in compute(grid, factory, executor=executor, cache=cache, facts=facts):
            show(landscape)                              # partial; the last one is complete

A partial landscape has interpolated losses where none is computed yet: ``facts.evaluated`` is False there.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mindscope.errors import LandscapeError
from mindscope.landscape.grid import Grid
from mindscope.landscape.interpolation import Mask, Surface, interpolate
from mindscope.landscape.loss_cache import LossCache
from mindscope.landscape.plane import Points
from mindscope.landscape.refinement import Refinement, coarse_points
from mindscope.landscape.workers import EvaluatorFactory, Workers
from mindscope.types import Landscape, LandscapeFacts

PARTIALS = 16
"""Partial landscapes at most: one each time that this share of the points is computed."""
SMALL = 64
"""A grid of up to this many points is computed whole: there is little to save."""
_USUAL = 5
"""Ratio of all points to computed ones on an average surface; the others are interpolated."""
SECONDS_BETWEEN = 1.0
"""Least time before a partial landscape, since the one before or since the beginning."""


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a computation; ``seconds_left`` is None before the first loss."""

    points_done: int
    points_total: int
    """Expected: it grows if a surface needs more points than the average one."""
    seconds_left: float | None


def compute(
    grid: Grid,
    factory: EvaluatorFactory,
    *,
    executor: Executor | None = None,
    cache: LossCache | None = None,
    full: bool = False,
    facts: LandscapeFacts | None = None,
    points_per_task: int = 16,
    on_progress: Callable[[Progress], None] | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[Landscape]:
    """Compute the losses of a grid; yields partial landscapes, then the complete one.

    Args:
        grid: the points.
        factory: makes an evaluator, see ``workers``; not called if the cache knows all losses.
        executor: takes the tasks; None for this thread.
        cache: open; losses that it knows are not computed again.
        full: compute every point. Otherwise points where the surface is smooth are interpolated, see ``refinement``.
        facts: what the caller knows; those of the computation are filled in.
        points_per_task: at most.
        on_progress: called after each task.
        clock: seconds; a test can give its own.

    Raises:
        LandscapeError: a point failed or a worker died. All losses until then are in the cache, and in the partial
            landscape that is yielded before, whose facts have the ``failure``. So it is after KeyboardInterrupt.
        Exception: what the factory raises.
    """
    run = _Computation(grid, facts or LandscapeFacts(), cache, full, on_progress, clock)
    with Workers(factory, executor, points_per_task, cache.path.parent if cache else None) as workers:
        try:
            while len(batch := run.next_batch()):
                for indexes, losses in workers.losses(run.points[batch]):
                    run.take(batch[indexes], losses)
                    if run.is_due():
                        yield run.landscape()
        except (LandscapeError, KeyboardInterrupt) as error:
            if run.has_surface():
                yield run.landscape(failure=str(error) or "interrupted; the same command continues")
            raise
    yield run.landscape(complete=True)


class _Computation:
    """The losses of a grid and of the marks beside it, and when they are reported."""

    def __init__(
        self,
        grid: Grid,
        facts: LandscapeFacts,
        cache: LossCache | None,
        full: bool,
        on_progress: Callable[[Progress], None] | None,
        clock: Callable[[], float],
    ) -> None:
        self._grid, self._facts, self._cache = grid, facts, cache
        self._full = full or math.prod(grid.shape) <= SMALL
        self._refinement = Refinement(grid.shape, self._full)
        self._on_progress, self._clock = on_progress, clock
        self.points: Points = np.concatenate([grid.points(), grid.marks()])
        """The grid row by row, then the marks."""
        self._size = math.prod(grid.shape)
        self._known = np.zeros(len(self.points), np.bool_)
        self._losses = np.full(len(self.points), np.nan)
        if cache is not None:
            self._known, self._losses = cache.known(self.points)
        self._cached = int(self._known.sum())
        self._batch_left = 0
        self._started = clock()
        self._reported = self._started
        self._done_at_report = -len(self.points)  # the first one is due as soon as there is a surface

    def next_batch(self) -> NDArray[np.int64]:
        """Return the indexes of the points to compute next: at first the marks too."""
        z, known = self._surface()
        marks = np.flatnonzero(~self._known[self._size :]) + self._size
        batch = np.concatenate([marks, self._refinement.next_points(z, known)])
        self._batch_left = len(batch)
        return batch

    def take(self, indexes: NDArray[np.int64], losses: list[float]) -> None:
        """Keep losses, and report the progress."""
        self._known[indexes], self._losses[indexes] = True, losses
        self._batch_left -= len(losses)
        if self._cache is not None:
            self._cache.add(self.points[indexes], losses)
        if self._on_progress is not None:
            self._on_progress(self._progress())

    def has_surface(self) -> bool:
        """Return whether the coarse grid and the marks are computed."""
        return bool(self._known[self._size :].all() and self._surface()[1][coarse_points(self._grid.shape)].all())

    def is_due(self) -> bool:
        """Return whether to yield a partial landscape now."""
        new = int(self._known.sum()) - self._done_at_report
        now = self._clock()
        if new < len(self.points) / PARTIALS or self._known.all() or not self.has_surface():
            return False
        if now - self._reported < SECONDS_BETWEEN:
            return False
        self._reported, self._done_at_report = now, int(self._known.sum())
        return True

    def landscape(self, complete: bool = False, failure: str = "") -> Landscape:
        """Return the landscape with the losses until now, the rest interpolated.

        ``failure`` says why no more is computed.
        """
        grid, progress = self._grid, self._progress()
        z, known = self._surface()
        marks: NDArray[np.float64] = self._losses[self._size :]
        path = None if grid.path is None else grid.path
        facts = replace(
            self._facts,
            evaluated=None if known.all() else known.copy(),
            seconds=self._facts.seconds + self._clock() - self._started,
            points_done=progress.points_done,
            points_total=progress.points_done if complete else max(progress.points_total, progress.points_done + 1),
            seconds_left=None if complete or failure else progress.seconds_left,
            failure=failure,
        )
        return Landscape(
            x=grid.x, y=grid.y, z=interpolate(z, known, order=3 if complete else 2),
            path_intervals=grid.numbers,
            path_x=None if path is None else path[:, 0],
            path_y=None if path is None else path[:, 1],
            path_z=None if path is None else np.array(marks[: len(path)]),
            convergence_point=None if grid.convergence is None else (*grid.convergence, float(marks[-1])),
            facts=facts,
        )  # fmt: skip

    def _surface(self) -> tuple[Surface, Mask]:
        """Return the losses of the grid and which of them are known."""
        shape = self._grid.shape
        return self._losses[: self._size].reshape(shape), self._known[: self._size].reshape(shape)

    def _progress(self) -> Progress:
        done = int(self._known.sum())
        expected = self._size if self._full else self._size // _USUAL
        total = max(done + self._batch_left, expected + len(self.points) - self._size)
        new = done - self._cached
        left = (self._clock() - self._started) / new * (total - done) if new else None
        return Progress(done, total, left)
