# SPDX-License-Identifier: Apache-2.0
"""Chooses the way to compute losses: it depends on network and machine, so it is measured before the start."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch

from mindscope.errors import LandscapeError
from mindscope.landscape.plane import Points
from mindscope.torch.landscapes.batches import FixedBatches
from mindscope.torch.landscapes.memory import free_memory
from mindscope.torch.landscapes.problem import LOOP, LossProblem, Way
from mindscope.torch.landscapes.ways import WAYS, PlaneLosses

_LOG = logging.getLogger("mindscope")

SAMPLES = (64, 256)
"""Fewest and most samples on which ways are measured."""
SECONDS = 0.02
"""Seconds of the loop for one point on the samples of the trial, if these numbers of samples allow it."""
BATCH_SIZES = (32, 64)
GROUPS = (4, 8, 16)
"""Numbers of points that are computed at once."""
SLOWEST_SAMPLE = 0.01
"""Seconds per sample: operators of slower networks use the processor well, and groups of them need much memory."""
_TOLERANCES = {torch.float64: 1e-9, torch.bfloat16: 3e-2, torch.float16: 3e-2}
"""Largest relative difference to the loop; 1e-4 in other dtypes."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A way, and its seconds for one point; of the processor for the CPU, else of the clock."""

    way: Way
    seconds: float


def choose_way(problem: LossProblem, points: Points, evaluation: str = "auto") -> Measured:
    """Return the fastest way that gives the losses of the loop at ``points``; ``evaluation`` is its name, or ``auto``.

    Raises:
        ValueError: no way has this name.
        LandscapeError: the network can't be computed in this way.
        Exception: what the network raises in the loop.
    """
    if evaluation not in ("auto", *WAYS):
        raise ValueError(f"evaluation is {evaluation!r}, want auto, {', '.join(WAYS)}")
    if evaluation == "loop":
        return Measured(LOOP, 0.0)
    small = _smaller(problem, points)
    loop = PlaneLosses(small, LOOP)
    want = np.array(loop(points))
    found = [Measured(LOOP, _seconds(loop, points[:1], small.loss.device))] if evaluation == "auto" else []
    refused = "no loss is finite" if not np.isfinite(want).any() else ""
    for way in () if refused else _candidates(small, points, want, evaluation, found):
        try:
            found.append(_measure(small, way, points, want))
        except Exception as error:
            refused = f"{type(error).__name__}: {str(error).strip().splitlines()[0] if str(error) else ''}"
            _LOG.debug("%s can't be used: %s", way, refused)
    if not found:
        raise LandscapeError(f"evaluation is {evaluation!r}, but the network can't be computed so: {refused}")
    chosen = min(found, key=lambda each: each.seconds)
    _LOG.debug("losses are computed by %s; %s", chosen.way, found)
    return chosen


def measure_dtype_error(problem: LossProblem, exact: LossProblem, points: Points) -> float:
    """Return the largest relative difference of losses to those of ``exact``, which has another dtype."""
    got, want = (np.array(PlaneLosses(each, LOOP)(points)) for each in (problem, exact))
    differences = np.abs(got - want) / np.abs(want)
    return float(np.max(differences[np.isfinite(want)], initial=0.0))


def _smaller(problem: LossProblem, points: Points) -> LossProblem:
    """Return fewer samples: whole batches where they can't be cut, or where statistics depend on them."""
    batches = problem.batches
    if problem.depends_on_batches or not batches.can_be_split:
        lengths = np.cumsum(batches.lengths)
        count = int(np.searchsorted(lengths, SAMPLES[1])) + 1
        return replace(problem, batches=FixedBatches(batches.elements[:count], batches.lengths[:count]))
    first = replace(problem, batches=batches.split(batches.lengths[0], SAMPLES[0]))
    loop = PlaneLosses(first, LOOP)
    loop(points[:1])
    seconds = _seconds(loop, points[:1], problem.loss.device)
    count = int(np.clip(SAMPLES[0] * SECONDS / max(seconds, 1e-9), *SAMPLES))
    return replace(problem, batches=batches.split(batches.lengths[0], count))


def _candidates(
    problem: LossProblem, points: Points, want: Any, evaluation: str, found: list[Measured]
) -> Iterator[Way]:
    """Yield ways to try, the cheapest first; larger groups only if smaller ones are worth it."""
    is_cpu, most = problem.loss.device.type == "cpu", _most_points(problem)
    sizes: list[int | None] = _batch_sizes(problem, points, want) if is_cpu else [None]
    if evaluation in ("auto", "channels_last"):
        yield from (Way("channels_last", 1, size) for size in {None, sizes[-1]})
    is_slow = bool(found) and found[0].seconds / problem.batches.num_samples > SLOWEST_SAMPLE
    if evaluation == "grouped" or (evaluation == "auto" and not (is_cpu and is_slow)):
        yield from _groups(sizes, most, found)
    if evaluation == "vmap" or (evaluation == "auto" and not is_cpu):
        yield from (Way("vmap", count) for count in (8, 16, 32, 64) if count <= most)


def _batch_sizes(problem: LossProblem, points: Points, want: Any) -> list[int | None]:
    """Return sizes that stay in the cache, if the network has the same losses with such batches."""
    if problem.depends_on_batches or not problem.batches.can_be_split:
        return [None]
    losses = PlaneLosses(problem, replace(LOOP, batch_size=BATCH_SIZES[0]))(points)
    return [*BATCH_SIZES] if _is_close(problem, losses, want) else [None]


def _groups(sizes: list[int | None], most: int, found: list[Measured]) -> Iterator[Way]:
    """Groups of 4, then larger ones; if these are expensive to try, only as long as they get faster."""
    for way in (Way("grouped", count, sizes[0]) for count in GROUPS if count <= most):
        before = list(found)
        yield way
        if len(found) == len(before):  # it can't be grouped
            return
        is_cheap = found[0].seconds < 2 * SECONDS
        if not is_cheap and any(found[-1].seconds > 1.2 * each.seconds for each in before):
            return
    if len(sizes) > 1:
        yield Way("grouped", min(most, GROUPS[-1]), sizes[-1])


def _most_points(problem: LossProblem) -> int:
    """Return points whose weights take an eighth of the free memory: grouping copies them once."""
    size = sum(each.numel() * each.element_size() for each in problem.loss.trainable.values())
    return max(1, int(free_memory(problem.loss.device) / 8 / max(size, 1)))


def _measure(problem: LossProblem, way: Way, points: Points, want: Any) -> Measured:
    """Raises LandscapeError where the losses are others."""
    losses = PlaneLosses(problem, way)
    count = max(way.points, 1)
    repeated = np.resize(points, (max(count, len(points)), 2))
    got = np.array(losses(repeated))
    expected = np.resize(want, len(repeated))
    if not _is_close(problem, got, expected):
        raise LandscapeError(f"losses are {got[: len(want)]}, but {want} in a loop")
    return Measured(way, _seconds(losses, repeated[:count], problem.loss.device) / count)


def _is_close(problem: LossProblem, got: Any, want: Any) -> bool:
    tolerance = _TOLERANCES.get(problem.loss.computation_dtype, 1e-4)
    return np.allclose(got, want, rtol=tolerance, atol=tolerance * 1e-2, equal_nan=True)


def _seconds(losses: Callable[[Points], Any], points: Points, device: torch.device) -> float:
    """Return the fastest of three runs; a first one was before."""
    clock = time.process_time if device.type == "cpu" else time.perf_counter
    fastest = math.inf
    for _ in range(3):
        start = clock()
        losses(points)  # waits for the device: losses are numbers
        fastest = min(fastest, clock() - start)
    return fastest
