# SPDX-License-Identifier: Apache-2.0
"""``mindscope.torch.common_landscapes``: the landscapes of several trainings of one network on one plane."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

from torch import nn

from mindscope.capture import SummaryRecord
from mindscope.collector.landscape import LEAST_SIZE, MOST_SIZE, check_whole
from mindscope.collector.landscape_file import DIRECTORY, read_landscape_file
from mindscope.landscape.computation import Progress
from mindscope.torch.landscapes.checkpoints import Checkpoints, choose_interval, of_run
from mindscope.torch.landscapes.landscape import path_tag
from mindscope.torch.landscapes.losses_factory import given_network
from mindscope.torch.landscapes.methods import choose_checkpoints
from mindscope.torch.landscapes.network_loss import LossFunction
from mindscope.torch.landscapes.options import Options
from mindscope.torch.landscapes.surface import Surfaces
from mindscope.types import Landscape

_MOST_NAMED = 3
_TAG_DIGITS = 8
Shapes = Mapping[str, tuple[int, ...]]


def common_landscapes(
    network: nn.Module | Callable[[], nn.Module],
    loss_fn: LossFunction | None,
    data: Iterable[Any],
    runs: Sequence[str | PathLike[str]],
    *,
    interval: int | None = None,
    size: int | None = None,
    num_samples: int | None = None,
    seed: int = 0,
    normalization: str = "re_estimated",
    dtype: str | None = None,
    evaluation: str = "auto",
    executor: Executor | None = None,
    full: bool = False,
    output: str | PathLike[str] | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> list[Landscape]:
    """Compute the losses on one plane through the checkpoints of several runs, and record a landscape in each run.

    The plane goes through the last checkpoint of the last run, along the directions in which the checkpoints of all
    runs differ most. All landscapes have the same losses, and each has the path of its run.

    Args:
        network: a network, or a function that returns one.
        loss_fn: called as ``loss_fn(prediction, label)``; None if the network returns its loss.
        data: batches, such as a DataLoader.
        runs: directories of at least two runs of one network, in which a collector kept weights.
        interval: the number of an interval of each run, from 1; None for all checkpoints.
        size: points along each axis, 3 to 256; None for the largest size of the collectors.
        num_samples: at most; None for the largest number of the collectors.
        seed: of the order of a shuffling loader.
        normalization: statistics of normalization layers. ``re_estimated``: at each point those of the batches.
            ``as_trained``: those of the last checkpoint of the last run, which other runs don't have.
        dtype: see ``landscape``.
        evaluation: see ``landscape``.
        executor: takes the points; None for this thread.
        full: compute every point; otherwise smooth parts are interpolated.
        output: directory for the event files, one directory below it for each run; None for the runs themselves.
        on_progress: called with points done, points in all, and seconds left.

    Returns:
        A landscape for each run; ``facts.plane_id`` is the same.

    Raises:
        TypeError, ValueError: arguments that can't be used, a run of another network.
        FileNotFoundError: a run has no checkpoints.
        LandscapeError: a loss can't be computed, or not as ``evaluation`` says.
    """
    directories = _distinct(runs)
    files = [read_landscape_file(directory) for directory in directories]
    paths = [of_run(file, choose_interval(file, interval)) for file in files]
    choose_checkpoints("pca", sum(len(path.checkpoints) for path in paths))
    _check_one_network(directories, paths)
    if size is None:
        size = max(file.settings.landscape_size for file in files)
    check_whole("size", size, LEAST_SIZE, MOST_SIZE)
    if num_samples is None:
        num_samples = max(file.settings.num_samples for file in files)
    options = Options(num_samples, seed, normalization, dtype, evaluation, executor, full)
    surfaces = Surfaces(partial(given_network, network, loss_fn), data, options)
    targets = event_directories(directories, output)
    parts = surfaces.compute_together("pca", paths, size, targets[0] / DIRECTORY, on_progress)
    return _record(targets, parts)


def common_tag(found: Landscape) -> str:
    """Return the tag in event files, with the plane.

    A run keeps landscapes on its own planes and on planes with other runs.
    """
    plane = found.facts.plane_id if found.facts else ""
    return f"{path_tag(found.path_intervals)}_common_{plane[:_TAG_DIGITS]}"


def event_directories(runs: Sequence[Path], output: str | PathLike[str] | None) -> list[Path]:
    """Return the directory of the event file of each run.

    Below ``output``, each has its path below the directory that all share.
    """
    if output is None:
        return list(runs)
    resolved = [run.resolve() for run in runs]
    shared = os.path.commonpath(resolved)
    return [Path(output) / each.relative_to(shared) for each in resolved]


def _distinct(runs: Sequence[str | PathLike[str]]) -> list[Path]:
    """Return the directories. Raises ValueError for fewer than two, or for one that is given twice."""
    directories = [Path(run) for run in runs]
    if len(directories) < 2:
        raise ValueError(f"{len(directories)} run, want at least 2; landscape() takes one")
    resolved = [directory.resolve() for directory in directories]
    twice = [str(each) for index, each in enumerate(directories) if resolved[index] in resolved[:index]]
    if twice:
        raise ValueError(f"run {twice[0]} is given twice")
    return directories


def _check_one_network(directories: Sequence[Path], paths: Sequence[Checkpoints]) -> None:
    """Raises ValueError for a run whose parameters have other names or shapes than those of the first."""
    first, *others = [_shapes(path) for path in paths]
    for directory, shapes in zip(directories[1:], others, strict=True):
        differences = _differences(shapes, first)
        if differences:
            more = f" and {len(differences) - _MOST_NAMED} more" if len(differences) > _MOST_NAMED else ""
            raise ValueError(
                f"run {directory} trains another network than {directories[0]}: "
                f"{', '.join(differences[:_MOST_NAMED])}{more}; a common plane needs runs of one network"
            )


def _shapes(path: Checkpoints) -> Shapes:
    """Return shapes by name in the last checkpoint, sorted by name."""
    return {name: tuple(tensor.shape) for name, tensor in sorted(path.checkpoints[-1].read().items())}


def _differences(shapes: Shapes, first: Shapes) -> list[str]:
    """Describe the differences of two networks in words."""
    return [
        *(f"it has no {name}" for name in first if name not in shapes),
        *(f"it also has {name}" for name in shapes if name not in first),
        *(
            f"{name} is {list(shape)} instead of {list(first[name])}"
            for name, shape in shapes.items() if first.get(name, shape) != shape
        ),
    ]  # fmt: skip


def _record(targets: Sequence[Path], parts: Iterator[list[Landscape]]) -> list[Landscape]:
    """Record the landscapes of each run when they come; returns the last ones. Raises OSError."""
    landscapes: list[Landscape] = []
    with ExitStack() as stack:
        records = [stack.enter_context(SummaryRecord(target, raise_exception=True)) for target in targets]
        for landscapes in parts:
            for record, landscape in zip(records, landscapes, strict=True):
                record.add_value("landscape", common_tag(landscape), landscape)
                record.record(0)
                record.flush()
    return landscapes
