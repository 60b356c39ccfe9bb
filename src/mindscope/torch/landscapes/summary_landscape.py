# SPDX-License-Identifier: Apache-2.0
"""SummaryLandscape for PyTorch."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, cast

from torch import nn

from mindscope.capture import SummaryRecord
from mindscope.collector.landscape_file import DIRECTORY, LandscapeFile
from mindscope.collector.saved_landscapes import SavedLandscapes
from mindscope.landscape.executors import check_device_ids
from mindscope.torch.landscapes.checkpoints import Checkpoints, of_run
from mindscope.torch.landscapes.landscape import record_parts, tag_of
from mindscope.torch.landscapes.losses_factory import device_processes
from mindscope.torch.landscapes.network_loss import LossFunction
from mindscope.torch.landscapes.options import Options
from mindscope.torch.landscapes.surface import Surfaces

_LOG = logging.getLogger("mindscope")

CallbackFn = Callable[[], tuple[Any, Any, Any, Any]]
"""Returns a new model, its network, a data set and metrics."""


class SummaryLandscape(SavedLandscapes):
    """Computes the loss landscapes of a training from the weights that a SummaryCollector kept.

    Args:
        summary_dir: that of the collector.

    Raises:
        TypeError: it is no path.
        OSError: the directory can't be made.
    """

    def gen_landscapes_with_multi_process(
        self,
        callback_fn: CallbackFn,
        collect_landscape: dict[str, Any] | None = None,
        device_ids: list[int] | None = None,
        output: str | PathLike[str] | None = None,
        *,
        executor: Executor | None = None,
        normalization: str = "as_trained",
        dtype: str | None = None,
        evaluation: str = "auto",
        seed: int = 0,
        full: bool = False,
    ) -> None:
        """Compute the landscapes and record them in an event file.

        One for each interval, along the directions in which the weights moved most, and one around the result, along
        random directions. If the training was shorter than the intervals of its collector, what was kept is used.
        Computed losses are kept in ``ckpt_dir``, so a computation that was killed continues.

        Args:
            callback_fn: called without arguments for a ``mindscope.torch.Model`` (network and loss function, without
                optimizer), its network, a data set and metrics, which are not used: the loss is that of the model.
                With several devices or an executor it is called in each process, so it has to be a
                module's function.
            collect_landscape: landscape_size, create_landscape, num_samples, intervals, if they are to be others
                than those of the collector; they are kept in its file.
            device_ids: a process for each of these devices, or of the processors if there is no CUDA; None or one for
                this process.
            output: directory of the event file, if not that of the collector.
            executor: takes the points instead of ``device_ids``.
            normalization: see ``mindscope.torch.landscape``, as for those below.
            dtype: None for that of the network.
            evaluation: the way to compute losses.
            seed: of a shuffling loader, and of random directions.
            full: compute every point.

        Raises:
            TypeError, ValueError: an argument that can't be used; nothing was kept of all intervals, or not all of
                those that are given here; a checkpoint of another network.
            FileNotFoundError: no weights were kept.
            LandscapeError: a loss can't be computed.
        """
        devices = check_device_ids(device_ids)
        file = self._changed_file(collect_landscape)
        directory = self._summary_dir if output is None else Path(output)
        with _executor(executor, devices) as workers, SummaryRecord(directory, raise_exception=True) as record:
            options = Options(file.settings.num_samples, seed, normalization, dtype, evaluation, workers, full)
            surfaces = Surfaces(partial(_network_of, callback_fn), _called(callback_fn)[2], options)
            for method, checkpoints in _wanted(file):
                tag = tag_of(method, checkpoints)
                _LOG.info("computing %s", tag)
                parts = surfaces.compute(
                    method, checkpoints, file.settings.landscape_size, self._summary_dir / DIRECTORY
                )
                record_parts(record, tag, parts)


def _called(callback_fn: CallbackFn) -> tuple[Any, nn.Module, Any, Any]:
    """Return the checked result of ``callback_fn``. Raises TypeError where it is something else."""
    returned: Any = callback_fn()
    if not isinstance(returned, tuple) or len(cast("tuple[Any, ...]", returned)) != 4:
        kind = type(cast(Any, returned)).__name__
        raise TypeError(f"callback_fn returned {kind}, want (model, network, data set, metrics)")
    model, network, _, _ = found = cast("tuple[Any, Any, Any, Any]", returned)
    if not hasattr(model, "loss_fn") or not isinstance(network, nn.Module):
        kinds = f"{type(model).__name__} and {type(network).__name__}"
        raise TypeError(f"callback_fn returned {kinds}, want a mindscope.torch.Model and its network")
    return found


def _network_of(callback_fn: CallbackFn) -> tuple[nn.Module, LossFunction | None]:
    model, network, _, _ = _called(callback_fn)
    return network, model.loss_fn


def _wanted(file: LandscapeFile) -> Iterator[tuple[str, Checkpoints]]:
    """Yield the method and checkpoints of each landscape."""
    settings = file.settings
    if file.missing:
        _LOG.warning("%s %s were not kept; the landscapes are computed from the others", settings.unit, file.missing)
    for interval in file.kept_intervals() if settings.create_train else ():
        yield "pca", of_run(file, interval)
    if settings.create_result:
        yield "random", of_run(file, [file.last_kept()])


def _executor(given: Executor | None, devices: list[int]) -> AbstractContextManager[Executor | None]:
    if given is not None or len(devices) < 2:
        return nullcontext(given)
    return device_processes(devices)
