# SPDX-License-Identifier: Apache-2.0
"""``Accelerator(log_with="mindscope")`` of Accelerate: importing this module adds the name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from os import PathLike
from pathlib import Path
from typing import Any, cast

from accelerate import tracking
from accelerate.tracking import GeneralTracker

from mindscope.integrations.recording import TrainingRun, guarded
from mindscope.tensorboard import SummaryWriter

_TRACKERS: dict[str, Any] = cast("dict[str, Any]", tracking.LOGGER_TYPE_TO_CLASS)
on_main_process: Callable[[Callable[..., None]], Callable[..., None]] = cast(Any, tracking).on_main_process


class MindscopeTracker(GeneralTracker):
    """Records what ``accelerator.log`` gets, in ``logging_dir/run_name``; only the main process does.

    Numbers become scalars, texts texts; nested dicts become ``outer/inner``. The configuration may be nested too: its
    values are hyperparameters ``outer.inner``. Further arguments are those of ``mindscope.SummaryWriter``.
    """

    name = "mindscope"
    requires_logging_directory = True

    def __init__(self, run_name: str, logging_dir: str | PathLike[str] = "runs", **options: Any) -> None:
        super().__init__()
        self._run = TrainingRun(Path(logging_dir) / run_name, **options)
        self._is_started = False

    @property
    def tracker(self) -> SummaryWriter:
        """The writer of the run; one that records nothing before ``start``, as in other processes."""
        return self._run.writer if self._is_started else SummaryWriter(write_to_disk=False)

    @on_main_process
    def start(self) -> None:
        """Begin the run."""
        if not self._is_started:
            self._is_started = True
            self._run.start()

    @on_main_process
    def store_init_configuration(self, values: Mapping[str, Any]) -> None:
        """Record the configuration as hyperparameters."""
        if self._is_started:
            self._run.writer.add_settings(values)

    @on_main_process
    def log(self, values: Mapping[str, Any], step: int | None = None, **kwargs: Any) -> None:
        """Record values at a step."""
        if self._is_started:
            self._run.log(values, step)

    @on_main_process
    @guarded
    def log_images(self, values: Mapping[str, Any], step: int | None = None, **kwargs: Any) -> None:
        """Record batches of images, with the axes NHWC unless ``dataformats`` says otherwise."""
        options: dict[str, Any] = {"dataformats": "NHWC", **kwargs}
        for name, images in values.items():
            self.tracker.add_images(str(name), images, step, **options)

    @on_main_process
    def finish(self) -> None:
        """Write everything."""
        self._run.end()
        self._is_started = False


_TRACKERS[MindscopeTracker.name] = MindscopeTracker
