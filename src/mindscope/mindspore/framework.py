# SPDX-License-Identifier: Apache-2.0
"""MindSpore as a ``Framework`` of the collector."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from mindscope.collector.framework import CheckpointFormat, WeightCopy
from mindscope.collector.run_facts import Facts
from mindscope.graph.data.dataset import DatasetNode
from mindscope.lineage.model import EvalLineage, TrainLineage
from mindscope.mindspore.checkpoint_copy import CheckpointCopy
from mindscope.mindspore.datasets import dataset_node
from mindscope.mindspore.graphs import graph_of
from mindscope.mindspore.learning_rate import rates_of
from mindscope.mindspore.lineage import eval_lineage, learning_rate, train_lineage
from mindscope.mindspore.loss import loss_of
from mindscope.mindspore.naming import optimizer_of, plain_network
from mindscope.mindspore.operator_values import OperatorValues
from mindscope.types import Message


class MindSporeFramework:
    """The ``Framework`` of MindSpore: it compiled the graph, serializes its pipelines, and keeps operators' values."""

    checkpoint_format = CheckpointFormat(".ckpt", is_listed_by_absolute_path=True)

    def __init__(self) -> None:
        self._values = OperatorValues()
        self._optimizer: Any = None
        self._parameters: dict[str, Any] = {}
        """Parameters of that optimizer, by name."""

    def graph(self, params: Any) -> Message | None:
        """Return the graph of the network that trains."""
        return graph_of(params["train_network"])

    def dataset(self, params: Any) -> DatasetNode | None:
        """Return the stages of the training's data."""
        return dataset_node(params["train_dataset"])

    def facts(self, params: Any) -> Facts:
        """Return no facts: the user's lineage holds what MindSpore's own collector writes."""
        return {}

    def train_lineage(self, params: Any) -> TrainLineage:
        """Return the parts and the results of the training until now."""
        return train_lineage(params)

    def learning_rate(self, params: Any) -> float | None:
        """Return the initial learning rate of the first parameters."""
        return learning_rate(params)

    def learning_rates(self, params: Any) -> Mapping[str, Any]:
        """Return the rates with which the optimizer made the step; a schedule is computed."""
        optimizer = optimizer_of(params)
        return {} if optimizer is None else rates_of(optimizer)

    def eval_lineage(self, params: Any) -> EvalLineage:
        """Return the results of the evaluation."""
        return eval_lineage(params)

    def loss(self, params: Any) -> float | None:
        """Return the mean of the first output."""
        return loss_of(params.get("net_outputs"))

    def some_images(self, batch: Any) -> Any:
        """Return all images, as MindSpore's own collector does: taking some would be an operation on the device."""
        return batch

    def parameters(self, params: Any) -> Mapping[str, Any]:
        """Return the parameters of the optimizer, in its order."""
        optimizer: Any = optimizer_of(params)
        if optimizer is not self._optimizer:
            self._optimizer = optimizer
            self._parameters = (
                {} if optimizer is None else {parameter.name: parameter for parameter in optimizer.parameters}
            )
        return self._parameters

    def take_values(self) -> Iterable[tuple[str, str, Any]]:
        """Return the step's values of summary operators."""
        return self._values.take()

    def discard_values(self) -> None:
        """Discard the values of summary operators."""
        self._values.discard()

    def network_name(self, params: Any) -> str | None:
        """Return the class of the network that its author wrote."""
        return type(plain_network(params["train_network"])).__name__

    def copy_weights(self, params: Any, spare: WeightCopy | None) -> WeightCopy:
        """Copy the trained parameters of the network, and its moving means and variances."""
        return CheckpointCopy(plain_network(params["train_network"]))
