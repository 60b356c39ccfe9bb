# SPDX-License-Identifier: Apache-2.0
"""SummaryCollector: records a training by itself."""

from __future__ import annotations

from os import PathLike
from types import TracebackType
from typing import Any

from torch import nn
from torch.optim import Optimizer

from mindscope.capture import SummaryRecord
from mindscope.collector.arguments import check_arguments
from mindscope.collector.schedule import Schedule
from mindscope.errors import RecorderClosedError
from mindscope.torch import distributed
from mindscope.torch.callback import Callback
from mindscope.torch.collecting import Collecting
from mindscope.torch.kept_values import discard_values, start_collecting, stop_collecting
from mindscope.torch.loss import loss_of
from mindscope.torch.run_context import CallbackParams, RunContext


class SummaryCollector(Callback):
    """Records loss, input pictures, distributions of parameters, graphs and lineage of a training.

    In ``callbacks`` of a ``Model``, at most one a list. In a loop of your own it is a context manager, and ``step`` is
    called once a step. What summary operators keep is recorded with it.

    The first step is collected and then each that ``collect_freq`` divides; in dataset sink mode the epochs.

    Args:
        summary_dir: directory of the run; it is made.
        collect_freq: steps (epochs in dataset sink mode) between two that are collected.
        num_process: at most so many threads encode.
        collect_specified_data: what to collect, beside or instead of the default: ``collect_metric`` (the loss;
            metrics of evaluations while training), ``collect_graph``, ``collect_train_lineage``,
            ``collect_eval_lineage``, ``collect_input_data`` (pictures: the first column), ``collect_dataset_graph``:
            True or False; ``histogram_regular``: an expression for the names of parameters, None for the first five;
            ``collect_landscape``: a dict of landscape_size, unit, create_landscape, num_samples, intervals, or None.
        keep_default_action: whether what ``collect_specified_data`` doesn't name is collected too.
        custom_lineage_data: text keys to texts, numbers and bools.
        collect_tensor_freq: as ``collect_freq`` for tensor operators; None for at most 20 steps.
        max_file_size: bytes after which a next file begins.
        export_options: ``{"tensor_format": "npy"}`` writes tensors as files too.

    Raises:
        TypeError, ValueError: an argument that can't be used; the text names it, its value and what is accepted.
        OSError: the directory can't be made.
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
        self._arguments = check_arguments(
            summary_dir, collect_freq, num_process, collect_specified_data, keep_default_action, custom_lineage_data,
            collect_tensor_freq, max_file_size, export_options,
        )  # fmt: skip
        self._collecting = Collecting(self._arguments)
        self._record: SummaryRecord | None = None
        self._depth = 0  # how often it is entered: by a loop, and by its user around it
        self._schedule: Schedule | None = None
        self._training: Any = None
        """The state of the training that runs, None outside of one."""
        self._own: CallbackParams | None = None
        """The state of a loop of the user's own, since its first ``step``."""

    @property
    def record(self) -> SummaryRecord:
        """The recorder, to add values of your own to a step. Raises RecorderClosedError while not entered."""
        if self._record is None:
            raise RecorderClosedError("collector is not entered; use 'with collector:' or put it into callbacks")
        return self._record

    def __enter__(self) -> SummaryCollector:
        if self._depth == 0:
            arguments = self._arguments
            self._record = SummaryRecord(
                arguments.summary_dir, num_process=arguments.num_process, max_file_size=arguments.max_file_size,
                export_options=arguments.export_options,
            )  # fmt: skip
            start_collecting()
        self._depth += 1
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._depth -= 1
        if self._depth == 0 and self._record is not None:
            if self._own is not None and error is None:
                self._collecting.end_training(self._record, self._own)
            self._own = self._training = None
            record, self._record = self._record, None
            stop_collecting()
            record.close()

    # ---- as callback

    def begin(self, run_context: RunContext) -> None:
        """Begin a training or an evaluation, which may be inside of a training."""
        params = run_context.original_args()
        self._check_alone(params["list_callback"])
        self.record.set_mode(params["mode"])
        if params["mode"] == "train":
            discard_values()
            self._begin_training(params)

    def step_end(self, run_context: RunContext) -> None:
        """Collect, if this step is due."""
        params = run_context.original_args()
        if params["mode"] == "train":
            self._collect(params)

    def epoch_end(self, run_context: RunContext) -> None:
        """Keep the weights for a landscape, if they are due."""
        params = run_context.original_args()
        if params["mode"] == "train":
            self._collecting.keep_weights("epoch", params["cur_epoch_num"], params)

    def end(self, run_context: RunContext) -> None:
        """Record the lineage."""
        params = run_context.original_args()
        if params["mode"] == "train":
            self._collecting.end_training(self.record, params)
            self._training = None
            return
        step = None if self._training is None else int(self._training["cur_step_num"])
        self._collecting.end_evaluation(self.record, params, step)
        if self._training is not None:
            self.record.set_mode("train")

    # ---- in a loop of the user's own

    def step(
        self,
        loss: Any = None,
        *,
        network: nn.Module | None = None,
        optimizer: Optimizer | None = None,
        loss_fn: Any = None,
        input_data: Any = None,
        train_dataset: Any = None,
        step: int | None = None,
        epoch: int | None = None,
    ) -> None:
        """Say that a step is over. What is given once is known from then on, but for loss, input and numbers.

        Args:
            loss: of this step, a number or tensor; of more than one element the mean.
            network: whose parameters and graph are collected.
            optimizer: its parameters are those that are collected, its learning rate goes into the lineage.
            loss_fn: for the lineage.
            input_data: of the network; the first column is collected where it is pictures.
            train_dataset: for the lineage and the graph of the data.
            step: the number of the step; one more than the last, from 1, if None.
            epoch: the number of the epoch, from 1.

        Raises:
            RecorderClosedError: outside of ``with``.
        """
        record = self.record
        given = {"network": network, "train_network": network, "optimizer": optimizer, "loss_fn": loss_fn}
        given |= {"train_dataset": train_dataset, "cur_epoch_num": epoch, "epoch_num": epoch}
        if self._own is None:
            self._own = CallbackParams(
                mode="train", list_callback=[self], batch_num=None, cur_step_num=0, dataset_sink_mode=False,
                is_own_loop=True,
                parallel_mode=distributed.parallel_mode(), device_number=distributed.device_count(),
            )  # fmt: skip
            record.set_mode("train")
            self._begin_training(self._own)
        params = self._own
        params.update({name: value for name, value in given.items() if value is not None})
        params.update(net_outputs=loss_of(loss), train_dataset_element=input_data)
        params["cur_step_num"] = params["cur_step_num"] + 1 if step is None else step
        self._collect(params)

    # ---- both

    def _begin_training(self, params: Any) -> None:
        self._training = params
        epochs, batches = params.get("epoch_num"), params.get("batch_num")
        total = epochs if params["dataset_sink_mode"] else epochs * batches if epochs and batches else None
        self._schedule = Schedule(self._arguments.collect_freq, self._arguments.collect_tensor_freq, total)

    def _collect(self, params: Any) -> None:
        number = int(params["cur_epoch_num"] if params["dataset_sink_mode"] else params["cur_step_num"])
        if self._schedule is not None:
            self._collecting.step(self.record, params, self._schedule.next(number))
        self._collecting.keep_weights("step", int(params["cur_step_num"]), params)

    def _check_alone(self, callbacks: list[Callback]) -> None:
        count = sum(isinstance(each, SummaryCollector) for each in callbacks)
        if count > 1:
            raise ValueError(f"callbacks hold {count} SummaryCollectors, want one; one records all that is collected")
