# SPDX-License-Identifier: Apache-2.0
"""SummaryCollector: records a training by itself."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Any

from torch import Tensor, nn
from torch.optim import Optimizer

from mindscope.capture import SummaryRecord
from mindscope.collector.arguments import CollectorArguments
from mindscope.collector.collector import Collector
from mindscope.collector.session import Session
from mindscope.torch.callbacks.callback import Callback
from mindscope.torch.core import distributed
from mindscope.torch.core.loss import loss_of
from mindscope.torch.core.run_context import CallbackParams, RunContext
from mindscope.torch.core.weight_files import require_safetensors
from mindscope.torch.summary.framework import TorchFramework
from mindscope.torch.summary.graph_probe import OutputTypes
from mindscope.torch.summary.host_copy import HandOver
from mindscope.torch.summary.summary_buffer import discard_values, start_collecting, stop_collecting


class SummaryCollector(Collector, Callback):
    """Records loss, input pictures, distributions of parameters, graphs and lineage of a training.

    In ``callbacks`` of a ``Model``, at most one a list. In a loop of your own it is a context manager, and ``step`` is
    called once a step. What summary operators keep is recorded with it.

    Of several processes that train together, each records into ``summary_dir/rank_N``, unless the path names its rank
    already. Arguments and what they raise: ``Collector.__init__``.
    """

    def _set_up(self, arguments: CollectorArguments) -> None:
        self._process = os.getpid()
        """Id of the process that made it: an object that goes from there to others is shared by all of them."""
        self._arguments = arguments
        is_gathering = arguments.options.collect_whole_parameters
        self._session = Session(arguments, TorchFramework(is_gathering), HandOver(is_gathering))
        self._keeps_weights = arguments.options.landscape is not None
        if self._keeps_weights:
            require_safetensors()
        self._own: CallbackParams | None = None
        """The state of a loop of the user's own, since its first ``step``."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle it for another process: a collector with the same arguments that was not entered."""
        make = partial(type(self), queue_timeout=self._queue_timeout)
        return make, self._given, {"_process": self._process}

    @property
    def landscape_directory(self) -> Path | None:
        """Directory of the run, if weights for landscapes are kept in it."""
        return self._arguments.summary_dir if self._keeps_weights else None

    def __enter__(self) -> SummaryCollector:
        directory = distributed.own_directory(self._arguments.summary_dir)
        is_elsewhere = self._session.depth == 0 and directory != self._arguments.summary_dir
        if is_elsewhere or self._process != os.getpid():
            self._set_up(replace(self._arguments, summary_dir=directory))
        if self._session.enter():
            start_collecting()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        is_over = self._session.depth == 1
        if is_over and self._own is not None and error is None:
            self._session.end_training(self._own)
        record = self._session.leave(error)
        if record is not None:
            self._own = None
            stop_collecting()
            record.close()

    # ---- as callback

    def begin(self, run_context: RunContext) -> None:
        """Begin a training or an evaluation, which may be inside of a training."""
        params = run_context.original_args()
        if params["mode"] == "train" and params.get("network") is not None and "graph_probe" not in params:
            params["output_types"] = OutputTypes(params["network"])
        self._session.begin(params, SummaryCollector)

    def step_end(self, run_context: RunContext) -> None:
        """Collect, if this step is due."""
        params = run_context.original_args()
        if params["mode"] == "train":
            types = params.get("output_types")
            if types is not None:
                types.stop()
            self._session.collect(params)
            params["output_types"] = None
            if self._keeps_weights:
                self._session.keep_weights("step", params)

    def epoch_end(self, run_context: RunContext) -> None:
        """Keep the weights for a landscape, if they are due; record a checkpoint of this epoch in the lineage."""
        params = run_context.original_args()
        if params["mode"] == "train":
            self._session.end_epoch(params)

    def end(self, run_context: RunContext) -> None:
        """Record the lineage."""
        self._session.end(run_context.original_args())

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
        scheduler: Any = None,
        step: int | None = None,
        epoch: int | None = None,
    ) -> None:
        """Signal the end of a step. Later steps reuse every argument except loss, input and numbers.

        Args:
            loss: of this step, a number or tensor; of more than one element the mean.
            network: whose parameters and graph are collected.
            optimizer: its parameters are those that are collected, its learning rate goes into the lineage.
            loss_fn: for the lineage.
            input_data: of the network; the first column is collected where it is pictures.
            train_dataset: for the lineage and the graph of the data.
            scheduler: of the learning rate, or a list of them; for the lineage.
            step: the number of the step; one more than the last, from 1, if None.
            epoch: the number of the epoch, from 1.

        Raises:
            RecorderClosedError: outside of ``with``.
        """
        params = self._own
        if params is None:
            params = self._begin_own(self.record)
        if network is not None:
            params["network"] = params["train_network"] = network
        if optimizer is not None:
            params["optimizer"] = optimizer
        if loss_fn is not None:
            params["loss_fn"] = loss_fn
        if train_dataset is not None:
            params["train_dataset"] = train_dataset
        if scheduler is not None:
            params["scheduler"] = scheduler
        if epoch is not None:
            params["cur_epoch_num"] = params["epoch_num"] = epoch
        if isinstance(loss, Tensor):
            params["net_outputs"] = loss.detach()  # a loss that is held holds the graph of its step
        else:
            params["net_outputs"] = loss if loss is None or isinstance(loss, (float, int)) else loss_of(loss)
        params["train_dataset_element"] = input_data
        params["cur_step_num"] = params["cur_step_num"] + 1 if step is None else step
        self._session.collect(params)
        if self._keeps_weights:
            self._session.keep_weights("step", params)

    def end_epoch(self, epoch: int | None = None) -> None:
        """Signal the end of an epoch, after its last ``step``: keep the weights for a landscape, if they are due.

        Args:
            epoch: its number, from 1; that of the last ``step`` if None.

        Raises:
            RecorderClosedError: outside of ``with``.
            ValueError: no ``step`` had an ``epoch``, and none is given.
        """
        params = self._own or self._begin_own(self.record)
        if epoch is not None:
            params["cur_epoch_num"] = params["epoch_num"] = epoch
        if "cur_epoch_num" not in params:
            raise ValueError("number of the epoch is not known; give epoch to step or to end_epoch")
        self._session.end_epoch(params)

    def log(self, values: Mapping[str, Any], *, step: int | None = None) -> None:
        """Record numbers of your own as curves of these names, at a step; what is no number is left out.

        Args:
            values: by name.
            step: the last step if None.

        Raises:
            RecorderClosedError: outside of ``with``.
        """
        self._session.log(values, self._session.last_step if step is None else step)

    def evaluated(
        self, metrics: Mapping[str, Any], *, valid_dataset: Any = None, curves: Mapping[str, Any] | None = None
    ) -> None:
        """Say what an evaluation gave: for the lineage, and inside of a training as curves at its last step.

        Args:
            metrics: by name.
            valid_dataset: for the lineage.
            curves: values by the tag of their curve; if None, each metric becomes ``eval_NAME/auto``.

        Raises:
            RecorderClosedError: outside of ``with``.
        """
        params = CallbackParams(
            mode="eval", list_callback=[self], valid_dataset=valid_dataset, eval_dataset_element=None,
            metrics=dict(metrics), eval_results=dict(metrics), eval_curves=curves,
        )  # fmt: skip
        discard_values()
        self._session.begin(params, SummaryCollector)
        self._session.end(params)

    def _begin_own(self, record: SummaryRecord) -> CallbackParams:
        self._own = CallbackParams(
            mode="train", list_callback=[self], batch_num=None, cur_step_num=0, dataset_sink_mode=False,
            is_own_loop=True, parallel_mode=distributed.parallel_mode(), device_number=distributed.get_group_size(),
        )  # fmt: skip
        record.set_mode("train")
        self._session.begin_training(self._own)
        return self._own
