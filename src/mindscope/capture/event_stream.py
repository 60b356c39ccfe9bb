# SPDX-License-Identifier: Apache-2.0
"""A recorder of TensorBoard's format: each value has its own step and wall time."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from os import PathLike
from pathlib import Path, PurePosixPath
from typing import Any

from mindscope.capture import arguments, exit_hooks
from mindscope.capture.array_conversion import to_item, to_scalar
from mindscope.capture.array_kind import ArrayKind
from mindscope.capture.encoded import LARGE_BYTES
from mindscope.capture.event_writer import Destination
from mindscope.capture.latest_step import LATEST
from mindscope.capture.limit_histograms import LIMIT_HISTOGRAM
from mindscope.capture.pending import PendingValue, prepare, prepare_array, rejection
from mindscope.capture.queued_step import MixedStep
from mindscope.capture.scalars import FLOAT32_MAX
from mindscope.capture.submission import submit_values
from mindscope.capture.tensorboard_tensors import TENSORBOARD_TENSOR
from mindscope.capture.writer import Writer, queue_full
from mindscope.capture.writer_owner import WriterOwner
from mindscope.errors import TypeRejectedError, ValueRejectedError
from mindscope.formats._event_batch import BATCH_BYTES, EventBatch
from mindscope.formats.tensorboard import session_start_events
from mindscope.log_settings import configure_log

SIMPLE, FLOAT32_TENSOR, FLOAT64_TENSOR = 0, 1, 2
"""Forms of a scalar: float32 in a field of its own, or a tensor."""
PLUGINS = ("scalar", "image", "video", "tensor", "histogram", "figure", "audio", "text", "pr_curve", "mesh", "hparams",
           "embedding", "table", "html")  # fmt: skip
"""Every kind that ``EventStream.add`` takes."""
_FIRST_BYTES = 4 << 10  # counted for a batch that has just begun
_OWN_ARRAYS = {"tensor": TENSORBOARD_TENSOR, "histogram": LIMIT_HISTOGRAM}


class EventStream(WriterOwner):
    """Records values into event files of TensorBoard's format, each with its own step and wall time.

    Queue, thread and promises are those of ``SummaryRecord``: a call copies and queues; a value that can't be recorded
    and a full disk are counted and logged, and never raise unless ``raise_exception``. All methods are thread-safe.
    After a fork, the child writes to its own files. After ``close``, the next value begins new files.

    Args:
        log_dir: directory of the run; created if needed.
        suffix: end of the file's name.
        purge_step: hide points at this step and later ones that older files have.
        raise_exception: raise errors instead of counting them.
        queue_timeout: as for ``SummaryRecord``.

    Raises:
        TypeError, ValueError: an invalid argument.
        OSError: ``log_dir`` can't be created.
    """

    def __init__(
        self,
        log_dir: str | PathLike[str],
        suffix: str = "",
        *,
        purge_step: int | None = None,
        raise_exception: bool = False,
        queue_timeout: float | None = arguments.DEFAULT_QUEUE_TIMEOUT_S,
    ) -> None:
        configure_log()
        self._destination = Destination(
            directory=arguments.check_log_dir(log_dir),
            prefix="events",
            suffix="_MS",
            max_file_size=None,
            is_npy_exported=False,
            is_tensorboard=True,
            tensorboard_suffix=suffix.replace("/", "_"),
        )
        self._raises = raise_exception
        self._timeout_s = arguments.check_queue_timeout(queue_timeout)
        self._opening = threading.RLock()
        self._begin()
        exit_hooks.reset_in_forks(self)
        if purge_step is not None:
            for payload in session_start_events(time.time(), arguments.check_step(purge_step)):
                self.add_event(payload, arguments.check_step(purge_step))

    _last_step: int | None = None

    def _begin(self) -> None:
        self._writer = Writer(self._destination, arguments.check_workers(32), timeout_s=self._timeout_s)
        self._reset()

    def _reset(self) -> None:
        self._last_step = self.last_step
        self._batches: dict[str, EventBatch] = {}
        self.batch = sealed_batch()
        """The batch that scalars of the run go to; its ``add`` is the fast path of ``add_scalar``."""

    def reset_after_fork(self) -> None:
        """Discard the parent's values and files in a forked child."""
        self._opening = threading.RLock()
        self._writer.reset_after_fork()
        self._reset()

    @property
    def directory(self) -> str:
        """The directory of the run."""
        return str(self._destination.directory)

    @property
    def path(self) -> str:
        """The newest event file of the run; its directory before there is one."""
        return str(self._writer.path)

    @property
    def last_step(self) -> int | None:
        """The step of the last scalar of the run, or else of the last value; None before one. Costs calls nothing."""
        batch: EventBatch | None = getattr(self, "batch", None)
        return batch.last_step if batch is not None and batch.count else self._last_step

    def add_scalar(
        self, tag: str, value: Any, step: Any = None, wall_time: float | None = None, form: int = SIMPLE,
        directory: str = "",
    ) -> None:  # fmt: skip
        """Record one real number.

        Args:
            tag: the name of the series.
            value: a number, or an array of one element of any framework.
            step: an integer, or None for 0.
            wall_time: seconds since 1970, or None for now.
            form: ``SIMPLE`` (float32), ``FLOAT32_TENSOR``, or ``FLOAT64_TENSOR``, which is exact.
            directory: a directory below that of the run, which becomes a run of its own.
        """
        if not directory and self.batch.add(tag, value, step, wall_time, form):
            return
        self._take("scalar", tag, lambda: self._add_unusual(tag, value, step, wall_time, form, directory))

    def add(
        self, plugin: str, tag: str, value: Any, step: Any = None, wall_time: float | None = None, directory: str = ""
    ) -> None:
        """Record a value of any kind of ``PLUGINS``, as ``SummaryRecord.add_value`` takes it, copied now.

        Raises ValueError for an unknown plugin; else as ``add_scalar``.
        """
        if plugin not in PLUGINS:
            raise ValueError(f"plugin is {plugin!r}, want one of {', '.join(PLUGINS)}")
        if plugin == "scalar":
            self.add_scalar(tag, value, step, wall_time, SIMPLE, directory)
        elif plugin in _OWN_ARRAYS:
            self.add_array(plugin, tag, value, _OWN_ARRAYS[plugin], step, wall_time, directory)
        else:
            self.add_prepared(
                plugin, tag, lambda: self.prepared(plugin, tag, value),
                step, wall_time, directory, size=_size(value),
            )  # fmt: skip

    def add_array(
        self, plugin: str, tag: str, value: Any, kind: ArrayKind, step: Any = None, wall_time: float | None = None,
        directory: str = "",
    ) -> None:  # fmt: skip
        """Record an array of ``kind``, whose options differ from those of ``plugin``."""
        self.add_prepared(
            plugin, tag, lambda: self.prepared_array(plugin, tag, value, kind),
            step, wall_time, directory, size=_size(value),
        )  # fmt: skip

    def add_prepared(
        self, plugin: str, tag: str, prepare_value: Callable[[], PendingValue], step: Any = None,
        wall_time: float | None = None, directory: str = "", size: int = 0,
    ) -> None:  # fmt: skip
        """Record what ``prepare_value`` returns; counts a value for which it raises.

        ``size`` is that of a value in bytes: a large one waits for room in the queue before it is copied.
        """

        def take() -> None:
            self._check_tag(plugin, tag)
            number, time_s = step_number(step), _wall_time(wall_time)
            writer = self._open_writer()
            if size >= LARGE_BYTES and not writer.has_room(size):
                raise queue_full("1 values")
            pending = prepare_value()
            with writer.lock:
                self._seal(directory)
                mixed = MixedStep(number, time_s, {}, [], [], _below(directory))
                if submit_values(writer, mixed, [pending]):
                    raise queue_full("1 values")
            LATEST.step = self._last_step = number

        self._take(plugin, tag, take)

    def add_event(self, payload: bytes, step: int = 0, directory: str = "", count: int = 1) -> None:
        """Record an encoded Event that holds ``count`` values."""
        self._take("event", "", lambda: self._append(directory, lambda batch: batch.append(payload, step, count)))

    def flush(self, timeout_s: float | None = None) -> bool:
        """Wait until everything recorded so far is in the files; returns False after ``timeout_s``."""
        is_written = self._writer.flush(timeout_s)
        self._raise_error()
        return is_written

    def close(self) -> None:
        """Write everything and close the files. Idempotent."""
        with self._writer.lock:
            self._seal_all()
            self._writer.request_close()
        self._writer.close()
        self._raise_error()

    def reject(self, plugin: str, tag: str, error: Exception) -> None:
        """Count a value that can't be recorded and log it once, or raise with ``raise_exception``."""
        failure = rejection(plugin, tag, error)
        if self._raises:
            raise failure from error
        self._writer.drops.drop(1, plugin, tag, failure)

    def warn_once(self, cause: str, subject: str, text: str) -> None:
        """Log a warning once for each cause and subject."""
        self._writer.drops.warn_once(cause, subject, text)

    def prepared(self, plugin: str, tag: str, value: Any) -> PendingValue:
        """Return a copy of a value of ``PLUGINS``, for ``add_prepared``. Raises ValueRejectedError."""
        return prepare(plugin, tag, value, self.warn_once, self._writer.buffers)

    def prepared_array(self, plugin: str, tag: str, value: Any, kind: ArrayKind) -> PendingValue:
        """Return a copy of an array of ``kind``, for ``add_prepared``. Raises ValueRejectedError."""
        return prepare_array(plugin, tag, value, kind, self.warn_once, self._writer.buffers)

    def number(self, tag: str, value: Any) -> float:
        """Return a scalar that float32 holds. Raises ValueRejectedError."""
        self._check_tag("scalar", tag)
        return self._narrow(tag, to_scalar(value))

    def when(self, step: Any, wall_time: Any) -> tuple[int, float]:
        """Return the step and the wall time of an event. Raises ValueRejectedError."""
        return step_number(step), _wall_time(wall_time)

    def leave_out_suffix(self, directory: str) -> None:
        """Give the files of a directory below that of the run no suffix. Call it before the first value there."""
        self._destination.directories_without_suffix.add(_below(directory))

    def run_files(self) -> dict[str, Path]:
        """Return the newest file of each directory below that of the run, by the full path of the directory."""
        return self._writer.event_writer.tensorboard_files()

    def _narrow(self, tag: str, number: float) -> float:
        if not FLOAT32_MAX <= abs(number) < math.inf:
            return number
        self.warn_once(
            "range", tag, f"scalar {tag!r} is {number}, beyond float32, and becomes infinite; double_precision=True "
            "keeps it",
        )  # fmt: skip
        return math.copysign(math.inf, number)

    def _take(self, plugin: str, tag: Any, take: Callable[[], None]) -> None:
        try:
            take()
        except Exception as error:  # whatever the objects of the caller raise
            self.reject(plugin, str(tag), error)

    def _raise_error(self) -> None:
        error = self._writer.drops.pop_error() if self._raises else None
        if error is not None:
            raise error

    def _check_tag(self, plugin: str, tag: Any) -> None:
        if not isinstance(tag, str) or not tag:
            raise TypeRejectedError(f"name of a {plugin} is {type(tag).__name__} {tag!r}, want text that is not empty")

    def _add_unusual(self, tag: Any, value: Any, step: Any, wall_time: Any, form: int, directory: str) -> None:
        """Record a scalar that the fast path does not take, or whose batch is full."""
        self._check_tag("scalar", tag)
        number, at, time_s = to_scalar(value), step_number(step), _wall_time(wall_time)
        if form != FLOAT64_TENSOR:
            number = self._narrow(tag, number)
        name = str(tag).encode("utf-8", "backslashreplace").decode()
        self._append(directory, lambda batch: batch.add(name, number, at, time_s, form))
        LATEST.step = at

    def _append(self, directory: str, write: Callable[[EventBatch], bool]) -> None:
        """Write to the batch of ``directory``; begins and queues a new one if that is full or in the writer."""
        key = _below(directory)
        writer = self._open_writer()
        with writer.lock:
            batch = self._batches.get(key)
            if batch is not None and write(batch):
                return
            size = BATCH_BYTES if batch is not None and batch.size else _FIRST_BYTES
            fresh = EventBatch(key)
            if not write(fresh):
                raise MemoryError("a batch of events has no memory")
            if not writer.submit(fresh, max(size, fresh.size)):
                raise queue_full(f"{fresh.count} values")
            self._batches[key] = fresh
            if not key:
                self.batch = fresh

    def _open_writer(self) -> Writer:
        """Return the writer; begins new files after ``close``."""
        if self._writer.is_closed:
            with self._opening:
                if self._writer.is_closed:
                    self._begin()
        return self._writer

    def _seal(self, directory: str) -> None:
        """Keep the order of events: what follows goes into a new batch."""
        batch = self._batches.pop(_below(directory), None)
        if batch is not None:
            batch.seal()

    def _seal_all(self) -> None:
        for batch in self._batches.values():
            batch.seal()
        self._reset()


def sealed_batch() -> EventBatch:
    """Return a batch that takes nothing."""
    batch = EventBatch()
    batch.seal()
    return batch


def _below(directory: str) -> str:
    """Return ``directory`` as a path that stays below that of the run."""
    if not directory:
        return ""
    parts = PurePosixPath(directory.lstrip("/")).parts
    return "/".join("__" if part == ".." else part for part in parts)


def step_number(step: Any) -> int:
    """Return an int64; 0 for None. Raises ValueRejectedError."""
    if step is None:
        return 0
    if type(step) is not int:
        number = to_item(step)
        if isinstance(number, (str, bytes, complex)) or number != number or abs(number) == math.inf:
            raise TypeRejectedError(f"global_step is {type(step).__name__} {step!r}, want a whole number")
        step = int(number)
    if not -(1 << 63) <= step < 1 << 63:
        raise ValueRejectedError(f"global_step is {step}, want one between -2**63 and 2**63 - 1")
    return step


def _wall_time(wall_time: Any) -> float:
    return time.time() if wall_time is None else to_scalar(wall_time)


def _size(value: Any) -> int:
    """Return the bytes of an array of any framework; 0 where it does not say."""
    try:
        return int(value.nbytes)
    except Exception:  # no array, or a sparse one
        return 0
