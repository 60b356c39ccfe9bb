# SPDX-License-Identifier: Apache-2.0
"""What callbacks of trainers record: the run of a training with its parameters, its values and its end."""

from __future__ import annotations

import functools
import logging
import time
from collections.abc import Callable, Mapping
from os import PathLike, fspath
from typing import Any, ParamSpec, cast

from mindscope.capture.hparams import hparams_values
from mindscope.collector.hyper_parameters import flat_parameters
from mindscope.formats.kinds.tensorboard_plugins import FAILURE, RUNNING, SUCCESS, session_end
from mindscope.integrations.followed_training import FollowedTraining
from mindscope.tensorboard import SummaryWriter
from mindscope.training.observer import Training, TrainingObserver

logger = logging.getLogger(__name__)
Given = ParamSpec("Given")


def guarded(method: Callable[Given, None]) -> Callable[Given, None]:
    """Log what a callback raises instead, each error once: a training continues whatever its values are."""

    @functools.wraps(method)
    def call(*args: Given.args, **options: Given.kwargs) -> None:
        try:
            method(*args, **options)
        except Exception as error:
            _log_once(method.__qualname__, type(error), str(error))

    return call


@functools.lru_cache(maxsize=256)
def _log_once(name: str, kind: type[Exception], text: str) -> None:
    logger.exception("%s failed, and the training continues without what it records", name)


class TrainingWriter(SummaryWriter):
    """The writer of a training, whose settings are parameters of the run and whose end says whether it failed."""

    @guarded
    def add_settings(self, settings: Mapping[Any, Any]) -> None:
        """Record settings as hyperparameters of this run: nested ones as ``outer.inner``, objects as their text."""
        given: dict[str, Any] = {}
        for name, value in settings.items():
            self._guard("hparams", str(name), functools.partial(_add_setting, given, name, value))
        self._guard("hparams", "", lambda: self._add_session(given))

    @guarded
    def add_values(self, values: Mapping[Any, Any], step: Any = None) -> None:
        """Record numbers as scalars, texts as texts, values of nested dicts as ``outer/inner``; leave out None."""
        for name, value in values.items():
            if isinstance(value, Mapping):
                nested = cast("Mapping[Any, Any]", value)
                self.add_values({f"{name}/{inner}": nested[inner] for inner in nested}, step)
            elif isinstance(value, str):
                self.add_text(str(name), value, step)
            elif value is not None:
                self.add_scalar(str(name), value, step)

    @guarded
    def begin(self, settings: Mapping[Any, Any]) -> None:
        """Record that a training begins, with its settings: an earlier one of the run may have ended."""
        self._add_message(session_end(RUNNING), self._stream.last_step, None)
        self.add_settings(settings)

    def add_table(self, tag: str, table: Any, step: Any = None) -> None:
        """Record a table, of the types that ``SummaryRecord.add_value`` takes."""
        self._stream.add("table", tag, table, step)

    @guarded
    def end(self, error: BaseException | None = None) -> None:
        """Record that the training is over, or failed by ``error``, and write everything."""
        self._add_message(session_end(SUCCESS if error is None else FAILURE), self._stream.last_step, None)
        self.close()

    def _add_session(self, parameters: Mapping[str, Any]) -> None:
        for message in hparams_values(parameters, start_time_s=time.time())[:2]:  # without the end
            self._add_message(message, self._stream.last_step, None)


class TrainingRun(FollowedTraining, TrainingObserver):
    """The run of a training: parameters when it begins, what the trainer logs, and whether it failed.

    No method raises. If the directory can't be created, the log says so once, and nothing is recorded. A training that
    does not end ends with the process, as failed if an exception ended it, or if ``has_end``.

    Args:
        log_dir: directory of the run.
        has_end: whether the trainer reports the end of each training that did not fail.
        options: further arguments of ``SummaryWriter``.
    """

    needs_losses = False
    needs_metrics = True

    def __init__(self, log_dir: str | PathLike[str], has_end: bool = True, **options: Any) -> None:
        self._directory, self._has_end, self._options = fspath(log_dir), has_end, options
        self._writer: TrainingWriter | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Return what another process needs, where the run begins anew."""
        return {"_directory": self._directory, "_has_end": self._has_end, "_options": self._options, "_writer": None}

    @property
    def writer(self) -> TrainingWriter:
        """The writer of the run, which begins with its first use; one that records nothing if it can't."""
        if self._writer is None:
            self._start()
            self._writer = _writer(self._directory, self._options)
        return self._writer

    @property
    def is_running(self) -> bool:
        """Whether a training began and did not end."""
        return self._is_training

    def begin(self, training: Training) -> None:
        """Begin the run, with the hyperparameters of the training."""
        self.start(lambda: training.facts().get("hyper_parameters", dict[str, Any])())

    @guarded
    def start(self, parameters: Callable[[], Mapping[Any, Any]] = dict[str, Any]) -> None:
        """Begin the run, and end one before it. What ``parameters`` raises is logged."""
        self.close()
        self.writer.begin(parameters())

    def log(self, values: Mapping[Any, Any], step: Any) -> None:
        """Record numbers, texts, and dicts of them by their names."""
        self.writer.add_values(values, step)

    def end(self) -> None:
        self._end(None)

    def error(self, error: BaseException) -> None:
        self._end(error)

    def close(self) -> None:
        """End the training, as the process or another training ends it."""
        self._end(self._failure() if self._has_end else self._new_error())

    def _stop(self, error: BaseException | None) -> None:
        writer, self._writer = self._writer, None
        if writer is not None:
            writer.end(error)


def _add_setting(given: dict[str, Any], name: Any, value: Any) -> None:
    given |= {key: plain for key, plain in flat_parameters({name: value}).items() if plain != "None"}


def _writer(directory: str, options: Mapping[str, Any]) -> TrainingWriter:
    try:
        return TrainingWriter(directory, **options)
    except Exception as error:
        _log_once(f"the recording of {directory}", type(error), str(error))
        return TrainingWriter(write_to_disk=False)
