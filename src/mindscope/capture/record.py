# SPDX-License-Identifier: Apache-2.0
"""SummaryRecord: what a training loop calls."""

from __future__ import annotations

import time
from collections.abc import Callable
from os import PathLike
from types import TracebackType
from typing import Any

from mindscope.capture import arguments, exit_hooks
from mindscope.capture.encoder_pool import ENCODED_BY_WRITER
from mindscope.capture.event_writer import Destination
from mindscope.capture.network_graph import NetworkGraph
from mindscope.capture.pending import PendingValue, check_plugin
from mindscope.capture.queued_step import EncodingValue, MixedStep
from mindscope.capture.scalars import FLOAT32_MAX, scalar_record
from mindscope.capture.thread_values import ValuesByThread
from mindscope.capture.value_collector import ValueCollector
from mindscope.capture.writer import Writer
from mindscope.errors import QueueFullError, RecorderClosedError
from mindscope.log import configure_log

_SCALAR_BYTES = 64  # what one counts in the queue, about

_now = time.time


class SummaryRecord:
    """Records values of a training into event files that mindscope, MindInsight and MindSpore's own classes read.

    ``add_value`` collects, ``record(step)`` writes what was collected as one event of that step. Both only copy and
    queue; a thread of the recorder does the rest, and has everything in the file within a fraction of a second. Files
    appear with the first value. All methods may be called from any thread. A thread that calls ``record`` records what
    it added itself; what threads add that never do goes with the next ``record`` of the thread that made the recorder.

    A value that can't be recorded, a full disk or a removed directory never disturb the training: what is lost is
    counted, warned about once, and written as the scalar ``mindscope/dropped``. With ``raise_exception`` a bad value
    raises in ``add_value`` instead, and a failure found later in the next ``record``, ``flush`` or ``close``.

    In the child of a fork the recorder goes on with files of its own.

    Args:
        log_dir: directory of the run; it is made.
        file_prefix: begins the file names.
        file_suffix: ends the name of the summary file; that of the lineage file is always ``_lineage``.
        num_process: at most so many threads encode pictures, histograms and tensors, and at most one a processor.
        network: whose graph is recorded with the first ``record`` at which it has one: an object that offers
            ``get_func_graph_proto()``, as MindSpore's cells do, or the graph as message, bytes or dict.
        max_file_size: bytes after which a next file begins; at least 65,536. A larger record gets a file for itself.
        raise_exception: raise instead of counting.
        export_options: ``{"tensor_format": "npy"}`` also writes each tensor as ``export_*/tensor/TAG_STEP.npy``.
        queue_timeout: seconds that a call of ``record`` waits at most while more than 64 MiB wait to be written. Then
            it drops the images, histograms and tensors of the step, and those of further steps until there is room;
            it counts and logs them, and goes on to record scalars. None waits as long as it takes.

    Raises:
        TypeError, ValueError: an argument that can't be used.
        OSError: ``log_dir`` can't be made.
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
        queue_timeout: float | None = None,
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
        self._begin()
        exit_hooks.reset_in_forks(self)

    def _begin(self) -> None:
        self._lock = self._writer.lock  # held by record()
        self._reset_values()

    def _reset_values(self) -> None:
        self._values_by_thread = ValuesByThread()
        self._value_collector = ValueCollector(self._writer, self._values_by_thread, self._raises)

    def reset_after_fork(self) -> None:
        """Forget the parent's values and files, in the child of a fork."""
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

    def __del__(self) -> None:
        if hasattr(self, "_writer"):
            self._writer.request_close()

    @property
    def log_dir(self) -> str:
        """The full path of the newest summary file; before there is one, the name that it should get."""
        return str(self._writer.path)

    @property
    def mode(self) -> str:
        """``train`` or ``eval``; collectors of a network's own values look at it."""
        return self._mode

    def set_mode(self, mode: str) -> None:
        """Say what the network is doing: ``train`` or ``eval``. What ``add_value`` adds is recorded in both.

        Raises:
            ValueError: another mode.
        """
        if mode not in ("train", "eval"):
            raise ValueError(f"mode is {mode!r}, want 'train' or 'eval'")
        self._mode = mode

    def add_value(self, plugin: str, name: str, value: Any) -> None:
        """Collect a value for the next ``record``. It is copied now; what changes afterwards is not seen.

        Args:
            plugin: what it is, one of scalar, image, tensor, histogram, landscape, graph, train_lineage, eval_lineage,
                dataset_graph, custom_lineage_data.
            name: the tag. Of one plugin and tag the newest value is kept. Graphs and lineage need none.
            value: a number or array of NumPy, PyTorch, MindSpore, JAX, of anything with ``__array__`` or DLPack. A
                scalar is one real number, kept as float32, or as float64 where float32 is off by 1 or more. An image is
                (H, W), (C, H, W), (H, W, C), (N, C, H, W) or (N, H, W, C) with C of 1, 3 or 4. A tensor keeps its
                dtype; complex numbers become ``name/real`` and ``name/imag``. A landscape is a
                ``mindscope.types.Landscape``. Landscapes, graphs and lineage are messages: a dict of the fields, their
                bytes, or an object with ``SerializeToString``. custom_lineage_data is also a dict of text to text,
                numbers and bools.

        Raises:
            ValueError: no such plugin.
            TypeError: the name is no text, or empty.
            ValueRejectedError: with ``raise_exception``, a value that can't be recorded (a TypeError too where its type
                is wrong).
            RecorderClosedError: with ``raise_exception``, after ``close``.
        """
        # the usual case, in as few steps as Python can: a lock would double its cost
        if plugin == "scalar" and type(value) is float and -FLOAT32_MAX < value < FLOAT32_MAX:
            own = self._values_by_thread.local.own
            if own is not None and type(name) is str and name and name not in own.scalars:
                own.scalars[name] = value
                return
        self._value_collector.add(check_plugin(plugin), name, value)

    def record(self, step: int, train_network: Any = None, plugin_filter: Callable[[str], bool] | None = None) -> bool:
        """Write what was collected as the event of ``step``; returns at once.

        It blocks only while more than 64 MiB wait to be written, and for ``queue_timeout`` at most.

        Args:
            step: any int64.
            train_network: as ``network`` of the constructor, used where that gave no graph yet.
            plugin_filter: called with the name of each plugin that has values; those of which it says False are
                thrown away.

        Returns:
            True; False if the recorder is closed.

        Raises:
            TypeError, ValueError: no whole number, or beyond int64; or a network that has no graph to offer.
            Exception: with ``raise_exception``, what went wrong since the last call.
        """
        if type(step) is not int or not -(1 << 63) <= step < 1 << 63:
            step = arguments.check_step(step)
        # no foreign code under the lock: a logging handler or a filter may record too
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
                dropped = self._submit_mixed(step, scalars, list(values.values()), messages)
            elif scalars:
                data = scalar_record(step, _now(), scalars)
                if not self._writer.submit(data, len(data)):
                    dropped = len(scalars)
        if dropped:
            self._count_dropped(step, dropped)
        if self._raises:
            self._raise_error()
        return True

    def flush(self) -> None:
        """Return when everything recorded so far is in the files. Does nothing after ``close``.

        Raises:
            Exception: with ``raise_exception``, what went wrong since the last call.
        """
        self._writer.flush()
        if self._raises:
            self._raise_error()

    def close(self) -> None:
        """Write everything, and mark the files as finished. Calling it again does nothing.

        Raises:
            Exception: with ``raise_exception``, what went wrong since the last call.
        """
        self._writer.request_close()
        self._reset_values()  # add_value() finds nothing begun and looks closer
        self._writer.close()
        if self._raises:
            self._raise_error()

    def _submit_mixed(
        self, step: int, scalars: dict[str, float], values: list[PendingValue], messages: list[PendingValue]
    ) -> int:
        """Queue the step; the pool encodes what is large. Returns how many values found no room. Hold the lock."""
        size = sum(pending.size for pending in values)
        dropped = 0
        if values and not self._writer.wait_for_room(size, is_small=False):
            dropped, values, size = len(values), [], 0
        ready: list[PendingValue | EncodingValue] = [*values]
        if size > ENCODED_BY_WRITER:
            ready = self._writer.encoder_pool.start_large(values)
        mixed = MixedStep(step, _now(), scalars, ready, messages)
        rest = len(scalars) * _SCALAR_BYTES + sum(pending.size for pending in messages)
        if (scalars or values or messages) and not self._writer.submit(mixed, size + rest, is_small=not values):
            dropped += len(scalars) + len(values) + len(messages)
        return dropped

    def _count_dropped(self, step: int, count: int) -> None:
        text = (
            f"{count} values of step {step} were dropped: writing fell behind for longer than queue_timeout; record "
            "less, or raise it"
        )
        self._writer.drops.drop(count, "queue", "", QueueFullError(text))

    def _raise_error(self) -> None:
        error = self._writer.drops.pop_error()
        if error is not None:
            raise error
