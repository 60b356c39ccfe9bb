# SPDX-License-Identifier: Apache-2.0
"""SummaryCollector for MindSpore."""

from __future__ import annotations

from os import PathLike
from typing import Any

from mindspore.train import Callback
from mindspore.train import SummaryCollector as OwnCollector

from mindscope.capture import SummaryRecord
from mindscope.collector.arguments import check_arguments
from mindscope.collector.landscape import LandscapeSettings
from mindscope.collector.session import Session
from mindscope.mindspore.framework import MindSporeFramework

DEFAULT_LANDSCAPE = LandscapeSettings(num_samples=2048)
"""What MindSpore 2.10 keeps of a training's first steps unless it is told not to."""


class SummaryCollector(Callback):
    """Records a training: in ``callbacks`` of ``Model.train``, ``eval`` and ``fit``, at most one a list.

    It records loss, input pictures, distributions of parameters, the values of summary operators, graphs and lineage;
    arguments, tags, steps and files are those of MindSpore's own.

    The first step is collected and then each that ``collect_freq`` divides; in dataset sink mode the epochs.

    Args:
        summary_dir: directory of the run; it is made.
        collect_freq: steps (epochs in dataset sink mode) between two that are collected.
        num_process: at most so many threads encode.
        collect_specified_data: what to collect, beside or instead of the default: ``collect_metric`` (the loss; in
            ``fit`` the metrics of evaluations too), ``collect_graph``, ``collect_train_lineage``,
            ``collect_eval_lineage``, ``collect_input_data`` (pictures: the first column), ``collect_dataset_graph``:
            True or False; ``histogram_regular``: an expression for the names of parameters, None for the first five;
            ``collect_landscape``: a dict of landscape_size, unit, create_landscape, num_samples, intervals, or None;
            by default the weights of the steps 1 to 19 are kept.
        keep_default_action: whether what ``collect_specified_data`` doesn't name is collected too.
        custom_lineage_data: text keys to texts, numbers and bools.
        collect_tensor_freq: as ``collect_freq`` for tensor operators; None for at most 20 steps.
        max_file_size: bytes after which a next file begins.
        export_options: ``{"tensor_format": "npy"}`` writes tensors as files too.

    Raises:
        TypeError, ValueError: an argument that can't be used; the text names it, its value and what is accepted.
        OSError: the directory can't be made.
        FrameworkError: this MindSpore hands the values of operators over in another way than 2.7 to 2.10.
    """

    def __init__(
        self,
        summary_dir: str | PathLike[str],
        collect_freq: int = 10,
        num_process: int = 32,
        collect_specified_data: dict[str, Any] | None = None,
        keep_default_action: bool = True,
        custom_lineage_data: dict[str, Any] | None = None,
        collect_tensor_freq: int | None = None,
        max_file_size: int | None = None,
        export_options: dict[str, str | None] | None = None,
    ) -> None:
        super().__init__()
        self._arguments = check_arguments(
            summary_dir, collect_freq, num_process, collect_specified_data, keep_default_action, custom_lineage_data,
            collect_tensor_freq, max_file_size, export_options, default_landscape=DEFAULT_LANDSCAPE,
        )  # fmt: skip
        self._framework = MindSporeFramework()
        self._session = Session(self._arguments, self._framework, self._open)

    def _open(self) -> SummaryRecord:
        arguments = self._arguments
        return SummaryRecord(
            arguments.summary_dir, num_process=arguments.num_process, max_file_size=arguments.max_file_size,
            export_options=arguments.export_options,
        )  # fmt: skip

    @property
    def record(self) -> SummaryRecord:
        """The recorder, to add values of your own to a step. Raises RecorderClosedError while not entered."""
        return self._session.record

    def __enter__(self) -> SummaryCollector:
        self._session.enter()
        return self

    def __exit__(self, *err: Any) -> None:
        record = self._session.leave()
        if record is not None:
            record.close()

    def begin(self, run_context: Any) -> None:
        """Begin a training or an evaluation."""
        params = run_context.original_args()
        if not self._is_inside_fit(params):
            self._session.begin(params, (SummaryCollector, OwnCollector))

    def epoch_begin(self, run_context: Any) -> None:
        """Forget what operators kept in the evaluation after the last epoch."""
        if run_context.original_args()["mode"] == "train":
            self._framework.discard_values()

    def step_end(self, run_context: Any) -> None:
        """Collect, if this step is due."""
        params = run_context.original_args()
        if params["mode"] != "train":
            return
        if not params["dataset_sink_mode"]:
            self._session.collect(params)
        self._session.keep_weights("step", params)

    def epoch_end(self, run_context: Any) -> None:
        """Collect, if this epoch of a sunk data set is due; record the evaluation of ``fit``."""
        params = run_context.original_args()
        if params["mode"] != "train":
            return
        if params["dataset_sink_mode"]:
            self._session.collect(params)
        self._session.keep_weights("epoch", params)
        if "eval_results" in params:
            self._session.end_evaluation(params, int(params["cur_step_num"]))

    def end(self, run_context: Any) -> None:
        """Record the lineage."""
        params = run_context.original_args()
        if not self._is_inside_fit(params):
            self._session.end(params)

    def _is_inside_fit(self, params: Any) -> bool:
        """Whether this is the evaluation of a ``fit``, which runs in the state of the training."""
        return params["mode"] == "eval" and params is self._session.training
