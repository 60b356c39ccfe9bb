# SPDX-License-Identifier: Apache-2.0
"""SummaryRecord, the recorder for training loops."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from os import PathLike
from types import TracebackType
from typing import Any

from mindscope.capture import arguments, exit_hooks
from mindscope.capture.arguments import DEFAULT_QUEUE_TIMEOUT_S
from mindscope.capture.event_writer import Destination
from mindscope.capture.files.recorder import FileRecorder
from mindscope.capture.latest_step import LATEST
from mindscope.capture.network_graph import NetworkGraph
from mindscope.capture.pending import check_plugin, rejection
from mindscope.capture.scalars import FLOAT32_MAX, scalar_record
from mindscope.capture.submission import submit_step
from mindscope.capture.thread_values import ValuesByThread
from mindscope.capture.value_collector import ValueCollector
from mindscope.capture.writer import Writer, queue_full
from mindscope.capture.writer_owner import WriterOwner
from mindscope.errors import RecorderClosedError
from mindscope.log_settings import configure_log

_now = time.time


class SummaryRecord(WriterOwner):
    """Records values of a training into event files that mindscope, MindInsight and MindSpore's own classes read.

    ``add_value`` collects values; ``record(step)`` writes them as one event of that step. Both only copy and queue; a
    thread of the recorder does the rest and writes to the file within a fraction of a second. Files are created with
    the first value. All methods are thread-safe. A thread that calls ``record`` records the values that it added. The
    values of threads that never call ``record`` go into the next ``record`` of the thread that created the recorder.

    A value that can't be recorded, a full disk or a deleted directory never interrupt the training. The recorder counts
    lost values, warns once, and writes the scalar ``mindscope/dropped``. With ``raise_exception``, ``add_value`` raises
    for a bad value, and the next ``record``, ``flush`` or ``close`` raises for failures found later.

    After a fork, the recorder of the child writes to its own files.

    Args:
        log_dir: directory of the run; created if needed.
        file_prefix: start of the file names.
        file_suffix: end of the summary file's name; that of the lineage file is always ``_lineage``.
        num_process: maximal number of threads that encode images, histograms and tensors, at most one per processor.
        network: whose graph is recorded with the first ``record`` at which it has one: an object that offers
            ``get_func_graph_proto()``, such as MindSpore's cells, or the graph as message, bytes or dict.
        max_file_size: size limit of a file in bytes; one below 65,536 becomes that. A larger record gets its own file.
        raise_exception: raise errors instead of counting them.
        export_options: ``{"tensor_format": "npy"}`` also writes each tensor as ``export_*/tensor/TAG_STEP.npy``.
        queue_timeout: maximal seconds that a call blocks while more than 64 MiB are queued. After that, the recorder
            drops the images, histograms and tensors of this and further steps until the queue has space; it counts
            and logs them, and still records scalars. None means no limit.

    Raises:
        TypeError, ValueError: an invalid argument.
        OSError: ``log_dir`` can't be created.
    """

    def __init__(
        self,
        log_dir: str | PathLike[str],
        file_prefix: str = "events",
        file_suffix: str = "_MS",
        num_process: int = 32,
        network: Any = None,
        max_file_size: int | None = None,
        raise_exception: bool = False,
        export_options: dict[str, str | None] | None = None,
        *,
        queue_timeout: float | None = DEFAULT_QUEUE_TIMEOUT_S,
    ) -> None:
        configure_log()
        destination = Destination(
            prefix=arguments.check_name_part("file_prefix", file_prefix),
            suffix=arguments.check_suffix(file_suffix),
            max_file_size=arguments.check_max_file_size(max_file_size),
            is_npy_exported=arguments.check_export_options(export_options),
            directory=arguments.check_log_dir(log_dir),
        )
        self._raises = arguments.check_flag("raise_exception", raise_exception)
        self._graph = NetworkGraph(network)
        self._mode = "train"
        timeout_s = arguments.check_queue_timeout(queue_timeout)
        self._writer = Writer(destination, arguments.check_workers(num_process), timeout_s=timeout_s)
        self.files = FileRecorder(self._writer.directory, _rejecting(self._writer))
        """Keeps the files of the run."""
        self._begin()
        exit_hooks.reset_in_forks(self)

    def _begin(self) -> None:
        self._lock = self._writer.lock  # held by record()
        self._reset_values()

    def _reset_values(self) -> None:
        self._values_by_thread = ValuesByThread()
        self._value_collector = ValueCollector(self._writer, self._values_by_thread, self._raises)

    def reset_after_fork(self) -> None:
        """Discard the parent's values and files in a forked child."""
        self._writer.reset_after_fork()
        self._begin()

    def __enter__(self) -> SummaryRecord:
        if self._writer.is_closed:
            raise RecorderClosedError("recorder was closed, make a new SummaryRecord")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self, is_finalizing: Callable[[], bool] = sys.is_finalizing) -> None:
        super().__del__(is_finalizing)
        if not is_finalizing() and hasattr(self, "files"):
            self.files.request_close()

    @property
    def log_dir(self) -> str:
        """The full path of the newest summary file; before it exists, its planned name."""
        return str(self._writer.path)

    @property
    def mode(self) -> str:
        """``train`` or ``eval``; summary operators read it."""
        return self._mode

    def set_mode(self, mode: str) -> None:
        """Set the mode of the network: ``train`` or ``eval``. ``add_value`` records in both.

        Raises:
            ValueError: any other mode.
        """
        if mode not in ("train", "eval"):
            raise ValueError(f"mode is {mode!r}, want 'train' or 'eval'")
        self._mode = mode

    def add_value(self, plugin: str, name: str, value: Any) -> None:
        """Collect a value for the next ``record``. Copies it now; later changes have no effect.

        Args:
            plugin: the kind of value, such as scalar, image, tensor or histogram. docs/recording.md lists all kinds
                with the shapes that they take; the error for an unknown one names them too.
            name: the tag. The newest value of a plugin and tag replaces older ones. Graphs and lineage need no name.
            value: a number or array of NumPy, PyTorch, MindSpore, JAX, or any object with ``__array__`` or DLPack. A
                scalar is one real number, stored as float32, or as float64 if float32 is off by 1 or more. Landscapes,
                graphs and lineage are messages: a dict of the fields, their bytes, or an object with
                ``SerializeToString``. custom_lineage_data may also be a dict from text to text, numbers, bools and
                further dicts, whose entries get dotted names; one that can't be recorded doesn't affect the others.

        Raises:
            ValueError: an unknown plugin.
            TypeError: the name is not text, or empty.
            ValueRejectedError: with ``raise_exception``, a value that can't be recorded (also a TypeError if its type
                is wrong).
            RecorderClosedError: with ``raise_exception``, after ``close``.
        """
        # fast path for the usual case: a lock would double its cost
        if plugin == "scalar" and type(value) is float and -FLOAT32_MAX < value < FLOAT32_MAX:
            own = self._values_by_thread.local.own
            if own is not None and type(name) is str and name and name not in own.scalars:
                own.scalars[name] = value
                return
        self._value_collector.add(check_plugin(plugin), name, value)

    def record(self, step: int, train_network: Any = None, plugin_filter: Callable[[str], bool] | None = None) -> bool:
        """Write the collected values as the event of ``step``; returns at once.

        Blocks only while more than 64 MiB are queued, for at most ``queue_timeout``.

        Args:
            step: any int64.
            train_network: like ``network`` of the constructor, used if that has no graph yet.
            plugin_filter: called with the name of each plugin that has values; if it returns False, the values are
                discarded.

        Returns:
            True; False if the recorder is closed.

        Raises:
            TypeError, ValueError: not an integer, or beyond int64; or a network that can't provide a graph.
            Exception: with ``raise_exception``, the first failure since the last call.
        """
        if type(step) is not int or not -(1 << 63) <= step < 1 << 63:
            step = arguments.check_step(step)
        LATEST.step = step
        # call no foreign code under the lock: a logging handler or a filter may record too
        if self._writer.is_closed:
            self._writer.drops.warn_once("closed", "record", "record() after close() records nothing")
            return False
        if train_network is not None or self._graph.network is not None:
            graph = self._graph.find(train_network, self._writer.drops)
            if graph is not None:
                self._values_by_thread.current().messages.insert(0, graph)
        if plugin_filter is not None:
            with self._lock:
                collected = self._values_by_thread.collect()
            collected.filter(plugin_filter)
        dropped = 0
        with self._lock:
            scalars, values, messages = self._values_by_thread.collect().pop_all()
            if values or messages:
                dropped = submit_step(self._writer, step, scalars, list(values.values()), messages)
            elif scalars:
                data = scalar_record(step, _now(), scalars)
                if not self._writer.submit(data, len(data)):
                    dropped = len(scalars)
        if dropped:
            self._count_dropped(step, dropped)
        if self._raises:
            self._raise_error()
        return True

    def log_file(
        self, path: str | PathLike[str], name: str | None = None, step: int | None = None, *, link: bool = False
    ) -> None:
        """Keep a file in the run, or all files of a directory, such as a checkpoint. Never raises; returns at once.

        A thread copies it; ``close`` waits for that. Equal contents take their bytes once. A file that is written again
        before its copy is whole is left out, and the list of the run's files says so.

        Args:
            path: a file or a directory.
            name: in the run, with ``/`` between parts; by default the last part of the path.
            step: of the training. A file of the same name and step is replaced, one without a step too.
            link: make a hard link, which takes no bytes and changes with the file. Other file systems get a copy.
        """
        if self._writer.is_closed:
            self._writer.drops.warn_once("closed", "file", "log_file() after close() records nothing")
            return
        self.files.log(path, name, step, is_link=link)

    def record_beside(self, scalars: Mapping[str, float]) -> None:
        """Write scalars of the current step at once, beside those that wait for ``record``. Never raises.

        Args:
            scalars: finite or not, by tag; their step is the newest that this process recorded, 0 before any.
        """
        data = scalar_record(LATEST.step or 0, _now(), dict(scalars))
        with self._lock:
            if not self._writer.is_closed:
                self._writer.submit(data, len(data))

    def flush(self) -> None:
        """Wait until everything recorded so far is in the files. Does nothing after ``close``.

        Raises:
            Exception: with ``raise_exception``, the first failure since the last call.
        """
        self.files.flush()
        self._writer.flush()
        if self._raises:
            self._raise_error()

    def close(self) -> None:
        """Write everything, and mark the files as finished. Idempotent.

        Raises:
            Exception: with ``raise_exception``, the first failure since the last call.
        """
        self.files.close()
        self._writer.request_close()
        self._reset_values()  # so that add_value() leaves its fast path and finds the recorder closed
        self._writer.close()
        if self._raises:
            self._raise_error()

    def _count_dropped(self, step: int, count: int) -> None:
        self._writer.drops.drop(count, "queue", "", queue_full(f"{count} values of step {step}"))

    def _raise_error(self) -> None:
        error = self._writer.drops.pop_error()
        if error is not None:
            raise error


def _rejecting(writer: Writer) -> Callable[[str, Exception], None]:
    """Return what counts a file that is not kept. It does not hold the recorder, which may be abandoned."""
    return lambda name, error: writer.drops.drop(1, "file", name, rejection("file", name, error))
