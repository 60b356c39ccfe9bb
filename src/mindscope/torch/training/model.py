# SPDX-License-Identifier: Apache-2.0
"""Model: a network with what it takes to train it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import torch
from torch import nn
from torch.optim import Optimizer

from mindscope.log_settings import configure_log
from mindscope.torch.callbacks.callback import Callback
from mindscope.torch.callbacks.callback_runner import CallbackRunner, check_callbacks, entered
from mindscope.torch.callbacks.running_profilers import with_running_profilers
from mindscope.torch.core.arguments import check_flag
from mindscope.torch.core.batches import Batches, call, check_dataset
from mindscope.torch.core.context import running_data_settings
from mindscope.torch.core.devices import to_device
from mindscope.torch.core.run_context import CallbackParams
from mindscope.torch.dump.dump import training_dump
from mindscope.torch.running_data.running_data import RunningData
from mindscope.torch.summary.operator_hooks import isolated_values
from mindscope.torch.training.evaluation import Evaluation
from mindscope.torch.training.loop_state import evaluation_state, training_state
from mindscope.torch.training.model_arguments import check_boost_level, check_extent, check_frequency
from mindscope.torch.training.model_parts import LossFunction, ModelParts
from mindscope.torch.training.progress import Progress
from mindscope.torch.training.trainer import Trainer, train_epochs

Callbacks = Callback | Iterable[Callback] | None


class Model:
    """A network with its loss function, optimizer and metrics: trains, evaluates and predicts.

    Args:
        network: computes predictions from the data; without ``loss_fn`` it returns its loss for a whole batch.
        loss_fn: called as ``loss_fn(prediction, label)``.
        optimizer: of ``torch.optim``; needed to train.
        metrics: names (a set or list) or a dict of name to metric; see ``mindscope.torch.metrics``.
        eval_network: evaluates a whole batch; its outputs go to the metrics.
        eval_indexes: which outputs of ``eval_network`` are loss, prediction and label; all go to each metric if None.
        amp_level: O0 as the network is; O1 and auto with autocast; O2 in half precision except normalization layers;
            O3 in half precision. Weights stay what they are.
        boost_level: taken for scripts that say it; only O0.
        keep_batchnorm_fp32: at O2 and O3, whether normalization layers compute in float32; as the level says if None.
        device: where network and data are brought; if None what ``set_context`` says, else where the network is.
        is_compiled: run the network through ``torch.compile``.

    Raises:
        TypeError, ValueError: arguments that can't be used.
    """

    def __init__(
        self,
        network: nn.Module,
        loss_fn: LossFunction | None = None,
        optimizer: Optimizer | None = None,
        metrics: Mapping[str, Any] | Iterable[str] | None = None,
        eval_network: nn.Module | None = None,
        eval_indexes: list[int] | None = None,
        amp_level: str = "O0",
        boost_level: str = "O0",
        *,
        keep_batchnorm_fp32: bool | None = None,
        device: str | torch.device | None = None,
        is_compiled: bool = False,
    ) -> None:
        configure_log()
        check_boost_level(boost_level)
        self._parts = ModelParts(
            network, loss_fn, optimizer, metrics, eval_network, eval_indexes, amp_level, keep_batchnorm_fp32, device,
            is_compiled,
        )  # fmt: skip

    @property
    def train_network(self) -> nn.Module:
        """The network that is trained."""
        return self._parts.network

    @property
    def loss_fn(self) -> LossFunction | None:
        """The loss function; None if the network returns its loss."""
        return self._parts.loss_fn

    @property
    def eval_network(self) -> nn.Module:
        """The network that evaluates."""
        return self._parts.eval_network

    @property
    def predict_network(self) -> nn.Module:
        """The network that predicts."""
        return self._parts.network

    def train(
        self,
        epoch: int,
        train_dataset: Iterable[Any],
        callbacks: Callbacks = None,
        dataset_sink_mode: bool = False,
        sink_size: int = -1,
        initial_epoch: int = 0,
    ) -> None:
        """Train until ``epoch`` epochs are over, or a callback asks to end.

        Args:
            epoch: how many, those before ``initial_epoch`` counted.
            train_dataset: a DataLoader or any iterable of batches: (data, label), columns, or a dict.
            callbacks: are called in their order.
            dataset_sink_mode: the epoch is the unit: step callbacks are called once an epoch.
            sink_size: steps of an epoch in sink mode; -1 for the whole data set.
            initial_epoch: the number of epochs that are over already.

        Raises:
            TypeError, ValueError: arguments that can't be used, or a data set without batches.
        """
        self._train(epoch, train_dataset, callbacks, dataset_sink_mode, sink_size, initial_epoch, None)

    def fit(
        self,
        epoch: int,
        train_dataset: Iterable[Any],
        valid_dataset: Iterable[Any] | None = None,
        valid_frequency: int | list[int] = 1,
        callbacks: Callbacks = None,
        dataset_sink_mode: bool = False,
        valid_dataset_sink_mode: bool = False,
        sink_size: int = -1,
        initial_epoch: int = 0,
    ) -> None:
        """Train as ``train``, and evaluate ``valid_dataset`` after epochs: every ``valid_frequency``, or those it
        lists.

        The loss of an evaluation is the metric ``eval_loss`` for callbacks. Raises as ``train``.
        """
        is_due = check_frequency(valid_frequency)
        check_flag("valid_dataset_sink_mode", valid_dataset_sink_mode)
        if valid_dataset is not None:
            check_dataset("valid_dataset", valid_dataset)

        def evaluate(params: CallbackParams) -> None:
            if valid_dataset is not None and is_due(params["cur_epoch_num"]):
                evaluation = self._evaluated(valid_dataset, params["list_callback"])
                params["metrics"], params["eval_results"] = evaluation.results, evaluation.results_with_loss

        self._train(epoch, train_dataset, callbacks, dataset_sink_mode, sink_size, initial_epoch, evaluate)

    def eval(
        self, valid_dataset: Iterable[Any], callbacks: Callbacks = None, dataset_sink_mode: bool = False
    ) -> dict[str, Any]:
        """Return the metrics of the network over a data set, by their names.

        Raises:
            TypeError, ValueError: arguments that can't be used, a model without metrics, a data set without batches.
        """
        check_flag("dataset_sink_mode", dataset_sink_mode)
        if not self._parts.metrics:
            raise ValueError("model has no metrics, want some to evaluate; give metrics={'accuracy'} to Model")
        check_dataset("valid_dataset", valid_dataset)
        called = check_callbacks(callbacks)
        with entered(called):
            return self._evaluated(valid_dataset, called).results

    def predict(self, *predict_data: Any) -> Any:
        """Return the outputs of the network for one batch of data, in evaluation mode and without gradients."""
        parts = self._parts
        was_training = parts.network.training
        parts.network.eval()
        try:
            with torch.no_grad(), parts.precision.cast(), isolated_values():
                return call(parts.called, to_device(predict_data, parts.device))
        finally:
            parts.network.train(was_training)

    def _train(
        self,
        epoch: int,
        dataset: Iterable[Any],
        callbacks: Callbacks,
        is_sink: bool,
        sink_size: int,
        initial_epoch: int,
        evaluate: Callable[[CallbackParams], None] | None,
    ) -> None:
        check_extent(epoch, initial_epoch, is_sink, sink_size)
        parts, optimizer = self._parts, self._parts.optimizer
        if optimizer is None:
            raise ValueError("model has no optimizer, want one to train; give optimizer=torch.optim.SGD(...) to Model")
        batches = Batches(check_dataset("train_dataset", dataset), sink_size if is_sink else -1)
        called = check_callbacks(callbacks)
        listed = with_running_profilers(called)
        params = training_state(parts, listed, dataset, batches.batch_num, epoch, initial_epoch, is_sink, sink_size)
        running_data = RunningData(parts.network, params, running_data_settings())
        dumped = training_dump(parts.network)
        with running_data, entered(called), Progress(params) as progress, dumped as iteration:
            train_epochs(
                Trainer(parts, optimizer, iteration), CallbackRunner("train", params), batches, evaluate, progress
            )

    def _evaluated(self, dataset: Iterable[Any], callbacks: list[Callback]) -> Evaluation:
        evaluation = Evaluation(self._parts, evaluation_state(self._parts, callbacks, dataset))
        evaluation.run()
        return evaluation
