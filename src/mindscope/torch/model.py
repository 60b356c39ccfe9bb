# SPDX-License-Identifier: Apache-2.0
"""Model: a network with what it takes to train it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import torch
from torch import nn
from torch.optim import Optimizer

from mindscope.debug.log import configure_log
from mindscope.torch import distributed
from mindscope.torch.arguments import check_flag
from mindscope.torch.callback import Callback
from mindscope.torch.calling import Loop, check_callbacks, entered
from mindscope.torch.companions import set_aside
from mindscope.torch.context import CONTEXT, running_data_settings
from mindscope.torch.evaluation import Evaluation
from mindscope.torch.feeding import Feed, call, check_dataset, count_batches
from mindscope.torch.metrics.collection import Metrics, check_metrics
from mindscope.torch.model_arguments import check_extent, check_frequency, check_parts
from mindscope.torch.placement import device_of, to_device
from mindscope.torch.precision import Precision
from mindscope.torch.progress import Progress
from mindscope.torch.run_context import CallbackParams
from mindscope.torch.running_data import RunningData
from mindscope.torch.training import LossFunction, Trainer, train_epochs

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
        amp_level: O0 as the network is; O1 and auto with autocast; O2 in half precision but for normalisation layers;
            O3 in half precision. Weights stay what they are.
        boost_level: taken for scripts that say it; only O0.
        keep_batchnorm_fp32: at O2 and O3, whether normalisation layers compute in float32; as the level says if None.
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
        check_parts(network, loss_fn, optimizer, boost_level)
        self._network, self._optimizer, self._loss_fn = network, optimizer, loss_fn
        self._eval_network = eval_network
        wanted = CONTEXT.device if device is None else torch.device(device)
        self._device = device_of(network) if wanted is None else wanted
        for each in (network, eval_network, loss_fn):
            if wanted is not None and isinstance(each, nn.Module):
                each.to(self._device)
        self._metrics = Metrics(check_metrics(metrics), eval_indexes, self._device)
        self._precision = Precision(amp_level, self._device.type, keep_batchnorm_fp32)
        self._called: Callable[..., Any] = self._precision.wrap(network)
        if check_flag("is_compiled", is_compiled):
            self._called = torch.compile(self._called)

    @property
    def train_network(self) -> nn.Module:
        """The network that is trained."""
        return self._network

    @property
    def eval_network(self) -> nn.Module:
        """The network that evaluates."""
        return self._eval_network or self._network

    @property
    def predict_network(self) -> nn.Module:
        """The network that predicts."""
        return self._network

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
            sink_size: in sink mode an epoch has so many steps; -1 for all of the data set.
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
        """As ``train``, and evaluate ``valid_dataset`` after epochs: every ``valid_frequency``, or those it lists.

        The loss of an evaluation is the metric ``eval_loss`` for callbacks. Raises as ``train``.
        """
        is_due = check_frequency(valid_frequency)
        check_flag("valid_dataset_sink_mode", valid_dataset_sink_mode)
        if valid_dataset is not None:
            check_dataset("valid_dataset", valid_dataset)

        def evaluate(params: CallbackParams) -> None:
            if valid_dataset is not None and is_due(params["cur_epoch_num"]):
                evaluation = self._evaluation(valid_dataset, params["list_callback"])
                evaluation.run()
                params["metrics"], params["eval_results"] = evaluation.results, evaluation.results_with_loss

        self._train(epoch, train_dataset, callbacks, dataset_sink_mode, sink_size, initial_epoch, evaluate)

    def eval(
        self, valid_dataset: Iterable[Any], callbacks: Callbacks = None, dataset_sink_mode: bool = False
    ) -> dict[str, Any]:
        """The metrics of the network over a data set, by their names.

        Raises:
            TypeError, ValueError: arguments that can't be used, a model without metrics, a data set without batches.
        """
        check_flag("dataset_sink_mode", dataset_sink_mode)
        if not self._metrics:
            raise ValueError("model has no metrics, want some to evaluate; give metrics={'accuracy'} to Model")
        check_dataset("valid_dataset", valid_dataset)
        called = check_callbacks(callbacks)
        evaluation = self._evaluation(valid_dataset, called)
        with entered(called):
            evaluation.run()
        return evaluation.results

    def predict(self, *predict_data: Any) -> Any:
        """What the network gives for one batch of data, in evaluation mode and without gradients."""
        was_training = self._network.training
        self._network.eval()
        try:
            with torch.no_grad(), self._precision.cast(), set_aside():
                return call(self._called, to_device(predict_data, self._device))
        finally:
            self._network.train(was_training)

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
        if self._optimizer is None:
            raise ValueError("model has no optimizer, want one to train; give optimizer=torch.optim.SGD(...) to Model")
        feed = Feed(check_dataset("train_dataset", dataset), sink_size if is_sink else -1)
        called = check_callbacks(callbacks)
        params = self._shared("train", called)
        params.update(
            train_network=self._network, train_dataset=dataset, train_dataset_element=None,
            epoch_num=epoch - initial_epoch, cur_epoch_num=initial_epoch, initial_epoch=initial_epoch,
            batch_num=feed.batch_num, dataset_sink_mode=is_sink, sink_size=sink_size,
            last_save_ckpt_step=None, latest_ckpt_file=None,
        )  # fmt: skip
        trainer = Trainer(self._called, self._network, self._loss_fn, self._optimizer, self._precision, self._device)
        running_data = RunningData(self._network, params, running_data_settings())
        with running_data, entered(called), Progress(params) as progress:
            train_epochs(trainer, Loop("train", params), feed, evaluate, progress)

    def _evaluation(self, dataset: Iterable[Any], callbacks: list[Callback]) -> Evaluation:
        params = self._shared("eval", callbacks)
        params.update(
            eval_network=self.eval_network, valid_dataset=dataset, eval_dataset_element=None,
            batch_num=count_batches(dataset), dataset_sink_mode=False,
        )  # fmt: skip
        called = self._eval_network or self._called
        is_whole = self._eval_network is not None
        return Evaluation(
            called, self.eval_network, None if is_whole else self._loss_fn, self._metrics, self._precision, params
        )

    def _shared(self, mode: str, callbacks: list[Callback]) -> CallbackParams:
        return CallbackParams(
            mode=mode, network=self._network, loss_fn=self._loss_fn, optimizer=self._optimizer,
            list_callback=callbacks, parallel_mode=distributed.parallel_mode(),
            device_number=distributed.get_group_size(), net_outputs=None, cur_step_num=0,
        )  # fmt: skip
