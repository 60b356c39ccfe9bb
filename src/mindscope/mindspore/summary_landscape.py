# SPDX-License-Identifier: Apache-2.0
"""SummaryLandscape for MindSpore."""

from __future__ import annotations

from concurrent.futures import Executor
from contextlib import ExitStack
from os import PathLike
from pathlib import Path
from typing import Any

from mindscope.capture import SummaryRecord
from mindscope.collector.saved_landscapes import SavedLandscapes
from mindscope.landscape.executors import check_device_ids
from mindscope.mindspore.landscape_directions import SCALES
from mindscope.mindspore.landscape_drawing import Drawing
from mindscope.mindspore.landscape_losses import NORMALIZATIONS, CallbackFn, prepare, processes_of


class SummaryLandscape(SavedLandscapes):
    """Draws the loss landscapes of a training out of the weights that a SummaryCollector kept.

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
        directions: str = "parameter",
        seed: int | None = None,
        full: bool = False,
    ) -> None:
        """Compute the landscapes and record them in an event file.

        One for each interval, along the directions in which the weights moved most, and one around the result, along
        random directions. Where the training was shorter than the intervals of its collector, what was kept is drawn.
        While a landscape is computed, partial ones are recorded under its tag. Losses are kept beside the checkpoints,
        so a second call continues where the first one was stopped.

        Args:
            callback_fn: called without arguments for a model (network and loss function, without optimizer), its
                network, a data set and metrics, of which ``Loss`` is used. With several devices or an executor it is
                also called in other processes, so it has to be a function of a module.
            collect_landscape: landscape_size, create_landscape, num_samples, intervals, where they are to be others
                than those of the collector; they are kept in its file.
            device_ids: a process for each of these devices; None or one for this process.
            output: directory of the event file, if not that of the collector.
            executor: computes the losses instead of ``device_ids``; any of ``concurrent.futures``, that of Dask, or
                ``mindscope.landscape.executors.RayExecutor``.
            normalization: ``as_trained`` uses the moving statistics of the checkpoint; ``re_estimated`` uses those of
                each batch, as MindSpore's own class does, which computes in training mode.
            directions: random directions have the norms of each ``parameter``, as in MindSpore, or of each ``filter``;
                the latter do not move biases and normalization.
            seed: of the random directions; None for the generator that ``mindspore.set_seed`` sets.
            full: compute every point. Otherwise points where a surface is smooth are interpolated: within 1 % of the
                range of the losses.

        Raises:
            TypeError, ValueError: an argument that can't be used; nothing was kept of all intervals, or not all of
                those that are given here.
            FileNotFoundError: no weights were kept.
            LandscapeError: the loss of a point can't be computed; the losses until then are kept.
        """
        devices = check_device_ids(device_ids)
        _check_choice("normalization", normalization, NORMALIZATIONS)
        _check_choice("directions", directions, SCALES)
        file = self._changed_file(collect_landscape)
        model = prepare(callback_fn, normalization, file.settings.num_samples)
        with ExitStack() as open_things:
            record = SummaryRecord(self._summary_dir if output is None else Path(output), raise_exception=True)
            open_things.enter_context(record)
            if executor is None and len(devices) > 1:
                executor = open_things.enter_context(processes_of(devices))
            drawing = Drawing(file, model, executor, directions, seed, full)
            for tag, landscape in drawing.landscapes():
                record.add_value("landscape", tag, landscape)
                record.record(0)
                record.flush()


def _check_choice(name: str, value: Any, choices: tuple[str, ...]) -> None:
    if value not in choices:
        error = ValueError if isinstance(value, str) else TypeError
        raise error(f"{name} is {value!r}, want {' or '.join(map(repr, choices))}")
