# SPDX-License-Identifier: Apache-2.0
"""SummaryLandscape for MindSpore."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, cast

from mindscope.capture import SummaryRecord
from mindscope.capture.arguments import check_log_dir
from mindscope.collector.landscape_file import DIRECTORY, LandscapeFile, read_landscape_file
from mindscope.landscape.plane import landscape_of_path, landscape_of_result
from mindscope.log import configure_log
from mindscope.mindspore.landscape_losses import CallbackFn, Losses
from mindscope.mindspore.landscape_weights import path_plane, random_plane, read_checkpoint
from mindscope.types import Landscape

_LOG = logging.getLogger("mindscope")


class SummaryLandscape:
    """Draws the loss landscapes of a training out of the weights that a SummaryCollector kept.

    Args:
        summary_dir: that of the collector.

    Raises:
        TypeError: it is no path.
        OSError: the directory can't be made.
    """

    def __init__(self, summary_dir: str | PathLike[str]) -> None:
        configure_log()
        self._summary_dir = check_log_dir(summary_dir)

    def clean_ckpt(self) -> None:
        """Remove the weights that were kept."""
        shutil.rmtree(self._summary_dir / DIRECTORY, ignore_errors=True)

    def gen_landscapes_with_multi_process(
        self,
        callback_fn: CallbackFn,
        collect_landscape: dict[str, Any] | None = None,
        device_ids: list[int] | None = None,
        output: str | PathLike[str] | None = None,
    ) -> None:
        """Compute the landscapes and record them in an event file.

        One for each interval, along the directions in which the weights moved most, and one around the result, along
        random directions. Where the training was shorter than the intervals of its collector, what was kept is drawn.

        Args:
            callback_fn: called without arguments for a model (network and loss function, without optimizer), its
                network, a data set and metrics, of which ``Loss`` is used. With several devices it is called in another
                process, so it has to be a function of a module.
            collect_landscape: landscape_size, create_landscape, num_samples, intervals, where they are to be others
                than those of the collector; they are kept in its file.
            device_ids: a process for each of these devices; None or one for this process.
            output: directory of the event file, if not that of the collector.

        Raises:
            TypeError, ValueError: an argument that can't be used; nothing was kept of all intervals, or not all of
                those that are given here.
            FileNotFoundError: no weights were kept.
        """
        devices = _check_devices(device_ids)
        kept = read_landscape_file(self._summary_dir)
        file = kept.replace(collect_landscape)
        if file != kept:
            file.write()
        directory = self._summary_dir if output is None else Path(output)
        with (
            Losses(callback_fn, file.settings.num_samples, devices) as losses,
            SummaryRecord(directory, raise_exception=True) as record,
        ):
            for tag, landscape in _landscapes(file, losses):
                record.add_value("landscape", tag, landscape)
                record.record(0)
                record.flush()


def _landscapes(file: LandscapeFile, losses: Losses) -> Iterator[tuple[str, Landscape]]:
    """Tag and landscape of each that is wanted."""
    settings = file.settings
    about = {"unit": settings.unit, "step_per_epoch": file.step_per_epoch}
    if file.missing:
        _LOG.warning("%s %s were not kept; the landscapes are drawn from the others", settings.unit, file.missing)
    for interval in file.kept_intervals() if settings.create_train else ():
        checkpoints = [read_checkpoint(file.checkpoint(number)) for number in interval]
        plane, path = path_plane(checkpoints)
        _LOG.info("drawing the landscape of %s %s to %s", settings.unit, interval[0], interval[-1])
        evaluate = partial(losses.at, checkpoints[-1], plane)
        drawn = landscape_of_path(path, interval, settings.landscape_size, evaluate)
        yield f"landscape_{[interval[0], interval[-1]]}", replace(drawn, **about)
    if settings.create_result:
        last = file.last_kept()
        checkpoint = read_checkpoint(file.checkpoint(last))
        _LOG.info("drawing the landscape around %s %s", settings.unit, last)
        evaluate = partial(losses.at, checkpoint, random_plane(checkpoint))
        yield f"landscape_{[last]}", replace(landscape_of_result(settings.landscape_size, evaluate), **about)


def _check_devices(device_ids: Any) -> list[int]:
    accepted = "want a list of whole numbers from 0, or None"
    if device_ids is None:
        return []
    devices: list[Any] = [*cast("list[Any]", device_ids)] if isinstance(device_ids, (list, tuple)) else [None]
    if any(type(each) is not int for each in devices):
        raise TypeError(f"device_ids is {type(cast(Any, device_ids)).__name__} {device_ids!r}, {accepted}")
    if any(device < 0 for device in devices):
        raise ValueError(f"device_ids is {devices}, {accepted}")
    return devices
