# SPDX-License-Identifier: Apache-2.0
"""SummaryWriter: a drop-in for those of ``torch.utils.tensorboard`` and tensorboardX."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from os import PathLike
from types import TracebackType
from typing import Any

from mindscope.capture.arguments import DEFAULT_QUEUE_TIMEOUT_S
from mindscope.capture.event_stream import FLOAT32_TENSOR, FLOAT64_TENSOR, SIMPLE, EventStream
from mindscope.capture.files import story
from mindscope.capture.files.recorder import FileRecorder
from mindscope.capture.hparams import hparams_values
from mindscope.capture.system_samples import SystemSamples
from mindscope.formats.tensorboard import graph_event, summary_event
from mindscope.formats.tensorboard_values import value_field
from mindscope.tensorboard import layouts
from mindscope.tensorboard.directories import default_directory, series_directory, session_directory
from mindscope.tensorboard.graphs import is_keras, keras_graph, network_graph, onnx_graph
from mindscope.tensorboard.nowhere import Nowhere
from mindscope.tensorboard.recorded_scalars import write_scalars
from mindscope.tensorboard.values import ValueMethods
from mindscope.types import Message


class SummaryWriter(ValueMethods):
    """Writes event files that TensorBoard, mindscope and other readers of TensorBoard's format open.

    The methods and their arguments are those of PyTorch's and tensorboardX's writers; docs/recording.md lists the
    differences. A call copies and queues; a thread writes within a fraction of a second. Values that can't be recorded
    are logged and counted in the scalar ``mindscope/dropped``, as are those that a full disk takes no more: no method
    but the constructor raises, unless ``raise_exception``. All methods are thread-safe. A forked child writes to its
    own files.

    Args:
        log_dir: directory of the run; by default ``runs/`` with time, host and ``comment``. ``logdir`` is the same.
        comment: end of the default directory's name.
        purge_step: hide the points at this step and later ones that older files of the directory have.
        max_queue, flush_secs, comet_config: accepted and ignored; values are written within a fraction of a second.
        filename_suffix: end of the files' names, also of those of ``add_scalars``, not of ``add_hparams``.
        write_to_disk: False to record nothing.
        raise_exception: raise errors instead of counting them.
        queue_timeout: maximal seconds that a call waits while more than 64 MiB are queued; see event-files.md.
        system_metrics: record processors, memory, disk, network and GPUs every 10 seconds, from the first value on.
        files: keep the command line, script, settings files, installed packages and changes since the commit of git,
            without secrets.

    Raises:
        TypeError, ValueError: an invalid argument.
        OSError: the directory can't be created.
    """

    def __init__(
        self,
        log_dir: str | PathLike[str] | None = None,
        comment: str = "",
        purge_step: int | None = None,
        max_queue: int = 10,
        flush_secs: float = 120,
        filename_suffix: str = "",
        write_to_disk: bool = True,
        comet_config: Any = None,
        *,
        logdir: str | PathLike[str] | None = None,
        raise_exception: bool = False,
        queue_timeout: float | None = DEFAULT_QUEUE_TIMEOUT_S,
        system_metrics: bool = True,
        files: bool = False,
    ) -> None:
        self.log_dir = str(log_dir or logdir or default_directory(comment))
        self.logdir = self.log_dir
        if write_to_disk:
            self._stream: EventStream = EventStream(
                self.log_dir, str(filename_suffix), purge_step=purge_step, raise_exception=raise_exception,
                queue_timeout=queue_timeout,
            )  # fmt: skip
        else:
            self._stream = Nowhere()
        self._samples = SystemSamples(self._stream) if system_metrics and write_to_disk else None
        self._writes = write_to_disk
        stream = self._stream
        self._files = FileRecorder(self.log_dir, lambda name, error: stream.reject("file", name, error))
        if files and write_to_disk and story.is_wanted():
            story.record_story(self._files)
        self._defaults: tuple[Any, Any] | None = None  # step and wall time, within use_metadata()

    def __enter__(self) -> SummaryWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def get_logdir(self) -> str:
        """Return the directory of the run, as the constructor got it."""
        return self.log_dir

    def flush(self) -> None:
        """Wait until everything recorded so far is in the files."""
        self._files.flush()
        self._stream.flush()

    def log_file(
        self, path: str | PathLike[str], name: str | None = None, step: int | None = None, *, link: bool = False
    ) -> None:
        """Keep a file or a directory in the run, such as a checkpoint; see ``SummaryRecord.log_file``."""
        if self._writes:
            self._files.log(path, name, step, is_link=link)

    def close(self) -> None:
        """Write everything and close the files. A later value begins new files."""
        if self._samples is not None:
            self._samples.stop()
        self._files.close()
        self._stream.close()

    @contextmanager
    def use_metadata(self, *, global_step: Any = None, walltime: float | None = None) -> Generator[SummaryWriter]:
        """Use ``global_step`` and ``walltime`` for calls in this context that give none."""
        before, self._defaults = self._defaults, (global_step, walltime)
        try:
            yield self
        finally:
            self._defaults = before

    def add_scalar(
        self,
        tag: str,
        scalar_value: Any,
        global_step: Any = None,
        walltime: float | None = None,
        new_style: bool | str = False,
        double_precision: bool | str = False,
        display_name: str = "",
        summary_description: str = "",
    ) -> None:
        """Record one real number.

        Args:
            tag: the name of the series.
            scalar_value: a number, or an array of one element of any framework.
            global_step: an integer; None is step 0.
            walltime: seconds since 1970; None is now.
            new_style: write a tensor instead of TensorBoard's older field.
            double_precision: keep float64 exactly, in a tensor.
            display_name: the title that TensorBoard shows. tensorboardX has it in the fifth position, where this
                method takes a text for it.
            summary_description: the description that TensorBoard shows; a text in the sixth position is one too.
        """
        if not (new_style or double_precision or display_name or summary_description) and self._defaults is None:
            if not self._stream.batch.add(tag, scalar_value, global_step, walltime):
                self._stream.add_scalar(tag, scalar_value, global_step, walltime)
            return
        if isinstance(new_style, str):
            new_style, display_name = False, new_style
        if isinstance(double_precision, str):
            double_precision, summary_description = False, double_precision
        step, time_s = self._when(global_step, walltime)
        if display_name or summary_description:
            self._add_described(tag, scalar_value, step, time_s, (display_name, summary_description))
            return
        form = FLOAT64_TENSOR if double_precision else FLOAT32_TENSOR if new_style else SIMPLE
        self._stream.add_scalar(tag, scalar_value, step, time_s, form)

    def add_scalars(
        self, main_tag: str, tag_scalar_dict: Mapping[str, Any], global_step: Any = None, walltime: float | None = None
    ) -> None:
        """Record several numbers of one tag, each in a run of its own below this one: ``{main_tag}_{key}``."""
        step, time_s = self._when(global_step, time.time() if walltime is None else walltime)

        def add() -> None:
            for key, value in dict(tag_scalar_dict).items():
                self._stream.add_scalar(main_tag, value, step, time_s, SIMPLE, series_directory(main_tag, str(key)))

        self._guard("scalars", main_tag, add)

    def add_hparams(
        self,
        hparam_dict: Mapping[str, Any],
        metric_dict: Mapping[str, Any],
        hparam_domain_discrete: Mapping[str, list[Any]] | None = None,
        run_name: str | None = None,
        global_step: Any = None,
        *,
        name: str | None = None,
    ) -> None:
        """Record hyperparameters and the metrics that they led to, as a session in a run below this one.

        Args:
            hparam_dict: names to texts, numbers or bools; None is left out.
            metric_dict: tags to numbers.
            hparam_domain_discrete: names to the values that they can have.
            run_name: directory of the session; the time by default.
            global_step: step of the metrics.
            name: the same as ``run_name``.
        """
        step, _ = self._when(global_step, None)

        def add() -> None:
            directory = session_directory(run_name or name)
            self._stream.leave_out_suffix(directory)  # as PyTorch's writer
            metrics = dict(metric_dict)
            for value in hparams_values(hparam_dict, metrics, hparam_domain_discrete):
                self._add_message(value, step, None, directory)
            for tag, number in metrics.items():
                self._stream.add_scalar(tag, number, step, None, SIMPLE, directory)

        self._guard("hparams", "", add)

    def add_custom_scalars(self, layout: Mapping[str, Mapping[str, Any]]) -> None:
        """Record which scalars TensorBoard shows together: ``{category: {title: ["Multiline", tags]}}``, or ``Margin``
        with the tags of a value, a lower and an upper bound.
        """
        self._guard("layout", "", lambda: self._add_message(layouts.layout_to_value(layout), 0, None))

    def add_custom_scalars_multilinechart(
        self, tags: list[str], category: str = "default", title: str = "untitled"
    ) -> None:
        """Record that TensorBoard shows the scalars ``tags`` in one chart."""
        self.add_custom_scalars({category: {title: [layouts.MULTILINE, tags]}})

    def add_custom_scalars_marginchart(
        self, tags: list[str], category: str = "default", title: str = "untitled"
    ) -> None:
        """Record a chart of a value with bounds: ``tags`` are those of the value, the lower and the upper bound."""
        self.add_custom_scalars({category: {title: [layouts.MARGIN, tags]}})

    def add_graph(
        self, model: Any, input_to_model: Any = None, verbose: bool = False, use_strict_trace: bool = True
    ) -> None:
        """Record the graph of a network. The network does not run: a forked process traces a copy of it.

        ``input_to_model`` is a tensor, or a tuple or list of them. ``verbose`` prints nothing, and ``use_strict_trace``
        has no effect. A model of Keras is recorded by its layers.
        """
        if is_keras(model):
            self._guard("graph", "", lambda: self._add_message(keras_graph(model), 0, None))
            return
        self._add_graph("graph", lambda: network_graph(model, input_to_model))

    def add_onnx_graph(self, prototxt: Any = None, *, onnx_model_file: Any = None) -> None:
        """Record the graph of an ONNX file."""
        path = prototxt if onnx_model_file is None else onnx_model_file
        self._add_graph("onnx_graph", lambda: onnx_graph(path))

    def add_openvino_graph(self, xmlname: Any) -> None:
        """Do nothing, and say so once: convert the model to ONNX and call ``add_onnx_graph``."""
        self._stream.warn_once(
            "openvino", "", "add_openvino_graph() records nothing; use add_onnx_graph() with an ONNX file"
        )

    def export_scalars_to_json(self, path: str | PathLike[str]) -> None:
        """Write what ``add_scalars`` recorded to a JSON file: directory to a list of [wall time, step, value]."""
        self._stream.flush()
        self._guard("json", "", lambda: write_scalars(self._stream.run_files(), path))

    def _when(self, step: Any, wall_time: Any) -> tuple[Any, Any]:
        if self._defaults is None:
            return step, wall_time
        return (
            self._defaults[0] if step is None else step,
            self._defaults[1] if wall_time is None else wall_time,
        )

    def _guard(self, plugin: str, tag: str, add: Callable[[], None]) -> None:
        try:
            add()
        except Exception as error:  # whatever the objects of the caller raise
            self._stream.reject(plugin, str(tag), error)

    def _add_described(self, tag: str, value: Any, step: Any, wall_time: Any, texts: tuple[str, str]) -> None:
        def add() -> None:
            names = ("display_name", "summary_description")
            described = {name: text for name, text in zip(names, texts, strict=True) if text}
            message: Message = {"tag": tag, "simple_value": self._stream.number(tag, value), "metadata": described}
            self._add_message(message, step, wall_time)

        self._guard("scalar", tag, add)

    def _add_message(self, value: Message, step: Any, wall_time: Any, directory: str = "") -> None:
        number, time_s = self._stream.when(step, wall_time)
        self._stream.add_event(summary_event(time_s, number, value_field(value)), number, directory)

    def _add_graph(self, plugin: str, make: Callable[[], bytes]) -> None:
        self._guard(plugin, "", lambda: self._stream.add_event(graph_event(time.time(), make())))
