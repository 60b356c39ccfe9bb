# SPDX-License-Identifier: Apache-2.0
"""The loop of an evaluation."""

from __future__ import annotations

from typing import Any, cast

import torch
from torch import Tensor

from mindscope.torch.callbacks.callback_runner import CallbackRunner
from mindscope.torch.core.batches import Batches, call, first_output, split_label
from mindscope.torch.core.devices import device_of, to_device
from mindscope.torch.core.evaluation_mode import evaluating
from mindscope.torch.core.run_context import CallbackParams
from mindscope.torch.summary.operator_hooks import discard_stale_values, isolated_values
from mindscope.torch.training.model_parts import ModelParts


class Evaluation:
    """One evaluation of what ``parts`` has for it: ``run`` it, then read ``results``."""

    def __init__(self, parts: ModelParts, params: CallbackParams) -> None:
        self._params, self._network = params, parts.eval_network
        self._metrics, self._precision = parts.metrics, parts.precision
        self._called = parts.own_eval_network or parts.called
        self._loss_fn = parts.loss_fn if parts.own_eval_network is None else None
        self.results: dict[str, Any] = {}
        """The metrics by name."""
        self.results_with_loss: dict[str, Any] = {}
        """The metrics, and the mean loss as ``eval_loss`` where the network or ``loss_fn`` gives one."""

    def run(self) -> None:
        """Evaluate the data set, and call the callbacks at each turn."""
        loop = CallbackRunner("eval", self._params)
        self._metrics.clear()
        losses: list[Tensor] = []
        with evaluating(self._network), isolated_values():
            loop.call("begin")
            loop.call("epoch_begin")
            for element in Batches(self._params["valid_dataset"]).epoch():
                self._step(loop, element, losses)
            loop.call("epoch_end")
            self.results = self._metrics.eval()
            mean = {"eval_loss": float(torch.stack(losses).float().mean())} if losses else {}
            self.results_with_loss = self.results | mean
            self._params["metrics"], self._params["eval_results"] = self.results, self.results_with_loss
            loop.call("end")

    def _step(self, loop: CallbackRunner, element: Any, losses: list[Tensor]) -> None:
        params = self._params
        params["cur_step_num"] += 1
        params["eval_dataset_element"] = element = to_device(element, device_of(self._network))
        loop.call("step_begin")
        discard_stale_values()
        with torch.no_grad(), self._precision.cast():
            outputs = self._outputs(element)
        params["net_outputs"] = outputs
        self._metrics.update(outputs, is_ours=self._loss_fn is not None)
        losses.extend(self._losses(outputs))
        loop.call("step_end")

    def _outputs(self, element: Any) -> Any:
        """Return loss, prediction and label with a loss function; else what the network gives for the whole element."""
        if self._loss_fn is None:
            return call(self._called, element)
        inputs, label = split_label(element)
        prediction = self._called(inputs) if isinstance(inputs, Tensor) else call(self._called, inputs)
        return self._loss_fn(prediction, label), prediction, label

    def _losses(self, outputs: Any) -> list[Tensor]:
        """Return the loss among the outputs.

        A network that is no known kind has one if it gives a single number.
        """
        first: Any = outputs
        if isinstance(outputs, (list, tuple)) and outputs:
            first = cast("list[Any]", outputs)[0]
        is_loss = isinstance(first, Tensor) and (self._loss_fn is not None or first.ndim == 0)
        return [first_output(first).detach()] if is_loss else []
