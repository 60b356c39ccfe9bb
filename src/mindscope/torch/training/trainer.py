# SPDX-License-Identifier: Apache-2.0
"""The loop of a training."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from torch import Tensor
from torch.optim import Optimizer

from mindscope.torch.callbacks.callback_runner import CallbackRunner
from mindscope.torch.core.batches import Batches, call, first_output, split_label
from mindscope.torch.core.devices import to_device
from mindscope.torch.core.naming import plain_network
from mindscope.torch.core.run_context import CallbackParams
from mindscope.torch.summary.operator_hooks import discard_stale_values, save_stages
from mindscope.torch.training.model_parts import ModelParts
from mindscope.torch.training.progress import Progress


class Trainer:
    """Trains the network of ``parts``, one step after another; none of it waits for the device.

    Args:
        parts: network, loss function and precision.
        optimizer: changes the weights.
        iteration: entered around each step.
    """

    def __init__(
        self,
        parts: ModelParts,
        optimizer: Optimizer,
        iteration: Callable[[], AbstractContextManager[Any]] = nullcontext,
    ) -> None:
        self.parts, self._iteration = parts, iteration
        self._optimizer, self._precision = optimizer, parts.precision
        self._called, self._loss_fn = parts.called, parts.loss_fn
        self._is_begun = False

    def step(self, element: Any) -> Tensor:
        """Change the weights by one batch; returns its loss, detached."""
        if not self._is_begun:
            self._is_begun = True
            self._save_graphs(element)
        with self._iteration():
            return self._step(element)

    def _step(self, element: Any) -> Tensor:
        self._optimizer.zero_grad()  # first, so that callbacks find the gradients at the end of the step
        with self._precision.cast():
            loss = self._loss(element)
        self._precision.backward(loss)
        self._precision.step(self._optimizer)
        return loss.detach()

    def _loss(self, element: Any) -> Tensor:
        if self._loss_fn is None:
            return first_output(call(self._called, element))
        inputs, label = split_label(element)
        prediction = self._called(inputs) if isinstance(inputs, Tensor) else call(self._called, inputs)
        return first_output(self._loss_fn(prediction, label), "loss_fn")

    def _save_graphs(self, element: Any) -> None:
        network = plain_network(self.parts.network)
        if self._loss_fn is None:
            save_stages(network, element, first_output)
        else:
            inputs, label = split_label(element)
            save_stages(network, inputs, self._loss_fn, (label,))


def train_epochs(
    trainer: Trainer,
    loop: CallbackRunner,
    batches: Batches,
    evaluate: Callable[[CallbackParams], None] | None,
    progress: Progress,
) -> None:
    """Train ``loop.params["epoch_num"]`` epochs, and call the callbacks at each event."""
    params = loop.params
    trainer.parts.network.train()
    loop.call("begin")
    for _ in range(params["epoch_num"]):
        params["cur_epoch_num"] += 1
        params["cur_step_in_epoch"] = 0
        loop.call("epoch_begin")
        (_sunk_epoch if params["dataset_sink_mode"] else _epoch)(trainer, loop, batches, progress)
        if params["batch_num"] is None and not loop.is_stopping:
            params["batch_num"] = params["cur_step_in_epoch"]
        if evaluate is not None:
            evaluate(params)
            trainer.parts.network.train()
        loop.call("epoch_end")
        params.pop("metrics", None)
        params.pop("eval_results", None)
        if loop.is_stopping:
            break
    loop.call("end")


def _epoch(trainer: Trainer, loop: CallbackRunner, batches: Batches, progress: Progress) -> None:
    for element in batches.epoch():
        _take(trainer, loop.params, element)
        loop.call("step_begin")
        loop.params["net_outputs"] = trainer.step(loop.params["train_dataset_element"])
        loop.call("step_end")
        progress.show()
        if loop.is_stopping:
            return


def _sunk_epoch(trainer: Trainer, loop: CallbackRunner, batches: Batches, progress: Progress) -> None:
    """Run the steps of an epoch as if they were one for the callbacks."""
    loop.call("step_begin")
    for element in batches.epoch():
        _take(trainer, loop.params, element)
        discard_stale_values()
        loop.params["net_outputs"] = trainer.step(loop.params["train_dataset_element"])
        progress.show()
    loop.call("step_end")


def _take(trainer: Trainer, params: CallbackParams, element: Any) -> None:
    params["cur_step_num"] += 1
    params["cur_step_in_epoch"] += 1
    params["train_dataset_element"] = to_device(element, trainer.parts.device)
