# SPDX-License-Identifier: Apache-2.0
"""``mindscope.torch.landscape``: the loss landscape of a network."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

from torch import nn

from mindscope.capture import SummaryRecord
from mindscope.collector.landscape import LEAST_SIZE, MOST_SIZE, check_whole
from mindscope.collector.landscape_file import DIRECTORY
from mindscope.landscape.computation import Progress
from mindscope.torch.landscapes.checkpoints import Checkpoints, Given, find_checkpoints
from mindscope.torch.landscapes.losses_factory import given_network
from mindscope.torch.landscapes.methods import choose_checkpoints
from mindscope.torch.landscapes.network_loss import LossFunction
from mindscope.torch.landscapes.options import Options
from mindscope.torch.landscapes.surface import Surfaces
from mindscope.types import Landscape

NUM_SAMPLES = 2048


def landscape(
    network: nn.Module | Callable[[], nn.Module],
    loss_fn: LossFunction | None,
    data: Iterable[Any],
    checkpoints: Given | Sequence[Given] | None = None,
    *,
    method: str = "pca",
    interval: int | None = None,
    size: int = 40,
    num_samples: int | None = None,
    seed: int = 0,
    normalization: str = "as_trained",
    dtype: str | None = None,
    evaluation: str = "auto",
    executor: Executor | None = None,
    full: bool = False,
    output: str | PathLike[str] | None = None,
    on_progress: Callable[[Progress], None] | None = None,
) -> Landscape:
    """Compute the losses of a network on a plane in weight space, in evaluation mode, over the first samples.

    Args:
        network: a network, or a function that returns one; a function of a module for an executor of processes.
        loss_fn: called as ``loss_fn(prediction, label)``, the label is the last column of a batch. None if the network
            returns its loss. It has to be a mean over samples.
        data: batches, such as a DataLoader.
        checkpoints: a run directory in which a collector kept weights, or files or state dicts in the order of the
            training. None for the weights of the network, with ``random`` and ``hessian``.
        method: the plane. ``pca``: through the last checkpoint, along the directions in which the checkpoints differ
            most; at least 3. ``random``: around the last one, along random directions with the norm of each filter.
            ``hessian``: around it, along the eigenvectors of the two largest eigenvalues; a unit is a length of 1.
            ``three``: through the first, middle and last checkpoint. ``line``: from the first to the last.
        interval: of a run directory, the number of one of its intervals, from 1; None for all of its checkpoints.
        size: points along each axis, 3 to 256.
        num_samples: at most; that of the run directory, or 2,048, if None.
        seed: of the order of a shuffling loader, and of random directions.
        normalization: statistics of normalization layers. ``as_trained``: those of the last checkpoint at all points.
            ``re_estimated``: at each point those of the batches, as a training would average them.
        dtype: None for that of the network, ``float32``, ``float64``, ``bfloat16``, or ``auto``: bfloat16 if that is
            faster and its losses differ by less than 1 %. ``facts.dtype_error`` is the difference.
        evaluation: ``auto`` measures at the start which is fastest: ``loop``, ``channels_last``, ``grouped``, ``vmap``.
        executor: of ``concurrent.futures``, or of Ray, Dask and the like; takes the points. None for this thread.
        full: compute every point; otherwise smooth parts are interpolated.
        output: directory of an event file for the landscape, of which parts appear while it is computed; the run
            directory if one is given, else nothing is recorded. Losses are kept in its ``ckpt_dir``, so a computation
            that was killed continues.
        on_progress: called with points done, points in all, and seconds left.

    Returns:
        The landscape; ``facts`` says how it was computed.

    Raises:
        TypeError, ValueError: arguments that can't be used, a checkpoint of another network.
        FileNotFoundError: there are no checkpoints.
        LandscapeError: a loss can't be computed, or not as ``evaluation`` says.
    """
    check_whole("size", size, LEAST_SIZE, MOST_SIZE)
    source = partial(given_network, network, loss_fn)
    found = select_checkpoints(find_checkpoints(checkpoints, source()[0], interval), method)
    if num_samples is None:
        num_samples = found.num_samples or NUM_SAMPLES
    options = Options(num_samples, seed, normalization, dtype, evaluation, executor, full)
    surfaces = Surfaces(source, data, options)
    directory = found.run if output is None else Path(output)
    cache = None if directory is None else directory / DIRECTORY
    parts = surfaces.compute(method, found, size, cache, on_progress)
    if directory is None:
        *_, last = parts
        return last
    with SummaryRecord(directory, raise_exception=True) as record:
        return record_parts(record, tag_of(method, found), parts)


def select_checkpoints(found: Checkpoints, method: str) -> Checkpoints:
    """Return the checkpoints that the method uses. Raises ValueError where they are too few."""
    indexes = choose_checkpoints(method, len(found.checkpoints))
    chosen = tuple(found.checkpoints[index] for index in indexes)
    return Checkpoints(chosen, found.unit, found.step_per_epoch, found.run, found.num_samples)


def tag_of(method: str, checkpoints: Checkpoints) -> str:
    """Return the tag in event files; those of ``pca`` and ``random`` are MindSpore's."""
    numbers = list(checkpoints.numbers)
    if method == "pca":
        return path_tag(numbers)
    return f"landscape_{numbers}" + ("" if method == "random" else f"_{method}")


def path_tag(numbers: Sequence[int]) -> str:
    """Return the tag of a path with these steps or epochs."""
    return f"landscape_{[numbers[0], numbers[-1]]}"


def record_parts(record: SummaryRecord, tag: str, parts: Iterator[Landscape]) -> Landscape:
    """Record each landscape when it comes; returns the last one. Raises OSError."""
    last: Landscape | None = None
    for last in parts:
        record.add_value("landscape", tag, last)
        record.record(0)
        record.flush()
    assert last is not None
    return last
