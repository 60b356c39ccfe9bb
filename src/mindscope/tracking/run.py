# SPDX-License-Identifier: Apache-2.0
"""One run: rows of values by step, its configuration, its summary and its end."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Any, cast

from mindscope.capture import exit_hooks
from mindscope.capture.array_conversion import to_scalar
from mindscope.capture.event_stream import FLOAT64_TENSOR, SIMPLE, EventStream, step_number
from mindscope.capture.files.recorder import FileRecorder
from mindscope.capture.files.story import record_story
from mindscope.capture.latest_step import LATEST
from mindscope.capture.system_samples import SystemSamples
from mindscope.errors import TypeRejectedError
from mindscope.formats.tensorboard import summary_event
from mindscope.formats.tensorboard_values import value_field
from mindscope.tensorboard.nowhere import Nowhere
from mindscope.tracking import session
from mindscope.tracking.config import Config
from mindscope.tracking.media import Media, close_figure, plugin_of
from mindscope.tracking.metrics import Metrics, Summary, definition
from mindscope.tracking.nested import flat, flat_config, parameter
from mindscope.types import Message

_LARGE, _SMALL = float(1 << 24), 1.2e-38
"""Between them, float32 keeps 7 digits of a number and its integers; others are recorded as float64."""


class TrackedRun:
    """A run that ``mindscope.init`` began.

    No method raises for a value that can't be recorded: it is logged once and counted in ``mindscope/dropped``. All
    methods are thread-safe. A forked child writes to files of its own in the same run.
    """

    def __init__(
        self, stream: EventStream, facts: session.Facts, first_step: int, has_system_metrics: bool, has_files: bool
    ) -> None:
        self._stream, self._facts = stream, facts
        self._files = FileRecorder(facts.directory, lambda name, error: stream.reject("file", name, error))
        self._lock = threading.RLock()
        self._metrics = Metrics()
        self._step = first_step
        self._has_rows = False  # of this process
        self._is_finished = False
        self.config = Config(self._record_config)
        """The parameters of the run, which the page shows in its table."""
        self.summary = Summary(self._metrics, self._record_summary)
        """The newest value of each metric, and what the script sets."""
        exit_hooks.reset_in_forks(self)
        for value in facts.start_messages(is_resumed=first_step > 0):
            self._add_message(value)
        self._samples = SystemSamples(stream, self._newest_step) if has_system_metrics else None
        if has_files:
            record_story(self._files)

    def reset_after_fork(self) -> None:
        """Give a forked child a lock of its own; the stream gives it files of its own."""
        self._lock = threading.RLock()

    @property
    def id(self) -> str:
        """The name of the directory."""
        return Path(self._facts.directory).name

    @property
    def name(self) -> str:
        """The name that ``init`` got, or else the id."""
        return self._facts.name or self.id

    @property
    def project(self) -> str | None:
        """The project that ``init`` got."""
        return self._facts.project

    @property
    def dir(self) -> str:
        """The directory of the run, which is kept below the one of its project."""
        return self._facts.directory

    @property
    def step(self) -> int:
        """The step that the next ``log`` without a step writes to."""
        return self._step

    @property
    def is_finished(self) -> bool:
        """Whether ``finish`` was called."""
        return self._is_finished

    def log(self, data: Mapping[str, Any], step: int | None = None, commit: bool | None = None) -> None:
        """Record a row of values.

        Without ``step``, the values belong to the open row, which is then closed: the next one has the next step. A
        ``step`` above that of the open row opens a new one; the same step adds to it; a smaller one is dropped, and the
        log says so once. The first row of a resumed run may have any step.

        Args:
            data: names to numbers, texts, arrays, figures, frames, media of this package, or dicts of them, whose names
                are joined with ``/``.
            step: an integer, or None for the open row.
            commit: whether the row is closed; by default if ``step`` is None.
        """
        try:
            with self._lock:
                if self._is_finished:
                    self._stream.warn_once("finished", "", f"run {self.id!r} is finished; log() records nothing")
                    return
                if step is not None and not self._go_to(step):
                    return
                self._add_row(data)
                if (step is None) if commit is None else commit:
                    self._step += 1
        except Exception as error:  # whatever the objects of the caller raise
            self._stream.reject("row", "", error)

    def _add_row(self, data: Mapping[str, Any]) -> None:
        if not isinstance(cast(Any, data), Mapping):
            raise TypeRejectedError(f"data of log() is {type(data).__name__}, want a dict from names to values")
        now, step, stream = time.time(), self._step, self._stream
        LATEST.step = step
        self._has_rows = True
        batch = stream.batch
        self._metrics.newest.update(data)
        for tag, value in data.items():
            # the fast path, by hand: most values are floats that float32 holds
            if (
                type(value) is float
                and (_SMALL < value < _LARGE or -_LARGE < value < -_SMALL or value == 0.0)
                and batch.add(tag, value, step, now)
            ):
                continue
            self._add_value(tag, value, step, now)
            batch = stream.batch
        if self._metrics.definitions:
            noted = {tag: self._metrics.newest[tag] for tag in data if tag in self._metrics.newest}
            for tag, value in self._metrics.step_metrics(noted).items():
                self._add_value(tag, value, step, now)

    def _add_value(self, tag: Any, value: Any, step: int, now: float) -> None:
        """Record any value; only numbers stay in memory."""
        if isinstance(value, (int, float)):
            self._stream.add_scalar(tag, value, step, now, _form(value))
            return
        self._metrics.newest.pop(tag, None)
        if isinstance(value, Mapping):
            self._add_row(flat({tag: value}, "/"))
        elif isinstance(value, Media):
            value.add(self._stream, tag, step)
        elif isinstance(value, (list, tuple)) and any(isinstance(item, Media) for item in cast("list[Any]", value)):
            for number, item in enumerate(cast("list[Any]", value)):
                self._add_value(f"{tag}/{number}", item, step, now)
        elif plugin := plugin_of(value):
            self._stream.add(plugin, tag, value, step, now)
            if plugin == "figure":
                close_figure(value)
        else:
            self._add_number(tag, value, step, now)

    def _add_number(self, tag: Any, value: Any, step: int, now: float) -> None:
        try:
            number = to_scalar(value)
        except Exception as error:  # whatever the objects of the caller raise
            self._stream.reject("scalar", str(tag), error)
            return
        self._metrics.newest[tag] = number
        self._stream.add_scalar(tag, number, step, now, _form(number))

    def _go_to(self, step: Any) -> bool:
        number = step_number(step)
        if number < self._step and self._has_rows:
            self._stream.warn_once(
                "step", "", f"log() got step {number} after step {self._step}; rows of smaller steps are dropped",
            )  # fmt: skip
            return False
        self._step = number
        return True

    def define_metric(
        self, name: str, step_metric: str | None = None, step_sync: bool | None = None, hidden: bool | None = None,
        summary: str | None = None, goal: str | None = None, overwrite: bool | None = None,
    ) -> None:  # fmt: skip
        """Say how metrics are meant.

        Args:
            name: a metric, or a pattern such as ``val/*``.
            step_metric: the metric that is the axis of these; its newest value is added to their rows.
            step_sync: accepted and ignored, as are ``hidden`` and ``overwrite``.
            hidden: ignored.
            overwrite: ignored.
            summary: some of min, max, mean, best, last, first and none, with commas; in ``summary`` as ``loss.min``.
            goal: minimize or maximize, for ``best``.

        Raises ValueError for another summary or goal.
        """
        with self._lock:
            self._metrics.define(definition(name, step_metric, summary, goal))

    def alert(self, title: str, text: str = "", level: Any = "INFO", wait_duration: Any = None) -> None:
        """Record a message of the training as the text ``alerts``, at the step of the open row."""
        name = str(getattr(level, "name", level)).upper()
        self._stream.add("text", "alerts", f"**{name}: {title}**\n\n{text}", self._step)

    def log_file(
        self, path: str | PathLike[str], name: str | None = None, step: int | None = None, *, link: bool = False
    ) -> None:
        """Keep a file in the run, or all files of a directory, such as a checkpoint; see ``SummaryRecord.log_file``.

        A thread copies it; ``finish`` waits for that.
        """
        if self._is_finished:
            self._stream.warn_once("finished", "file", f"run {self.id!r} is finished; log_file() records nothing")
        elif not isinstance(self._stream, Nowhere):
            self._files.log(path, name, step, is_link=link)

    def flush(self) -> None:
        """Wait until everything recorded so far is in the files."""
        self._files.flush()
        self._stream.flush()

    def finish(self, exit_code: int | None = None, quiet: bool | None = None) -> None:
        """Write everything and close the files. ``exit_code`` other than 0 marks the run as failed. Idempotent."""
        with self._lock:
            if self._is_finished:
                return
            self._record_summary(self._metrics.kept())
            self._is_finished = True
        if self._samples is not None:
            self._samples.stop()
        self._files.close()
        self._add_message(session.end_message(has_failed=bool(exit_code)))
        self._stream.close()

    def __enter__(self) -> TrackedRun:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.finish(0 if error is None else 1)

    def __repr__(self) -> str:
        return f"TrackedRun({self.dir!r}, step {self._step})"

    def _record_config(self, values: dict[str, Any]) -> None:
        try:
            plain = {name: parameter(value) for name, value in flat_config(values).items()}
            for message in session.parameter_messages(plain, self._facts.group):
                self._add_message(message)
        except Exception as error:  # whatever the objects of the caller raise
            self._stream.reject("config", "", error)

    def _record_summary(self, values: dict[str, Any]) -> None:
        try:
            texts: dict[str, Any] = {}
            for name, value in flat(values, ".").items():
                if isinstance(value, str):
                    texts[f"summary.{name}"] = value
                else:
                    number = to_scalar(value)
                    self._stream.add_scalar(f"summary/{name}", number, self._newest_step, None, _form(number))
            if texts:
                self._record_config(texts)
        except Exception as error:  # whatever the objects of the caller raise
            self._stream.reject("summary", "", error)

    @property
    def _newest_step(self) -> int:
        return max(self._step - 1, 0)

    def _add_message(self, value: Message) -> None:
        step = self._newest_step
        self._stream.add_event(summary_event(time.time(), step, value_field(value)), step)


def _form(value: Any) -> int:
    """Return the form of a scalar that keeps it: float64 beyond what float32 holds well, also for a large integer."""
    if not isinstance(value, (int, float)) or value == 0 or value != value:
        return SIMPLE
    return SIMPLE if _SMALL < abs(value) < _LARGE else FLOAT64_TENSOR
