# SPDX-License-Identifier: Apache-2.0
"""Adapter of the collector to PyTorch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

from torch import Tensor

from mindscope.capture.framework_tensors import local_part
from mindscope.collector.command_line import command_line_fields
from mindscope.collector.environment import versions
from mindscope.collector.framework import CheckpointFormat, WeightCopy
from mindscope.collector.git import git_facts
from mindscope.collector.input_images import MOST_IMAGES
from mindscope.collector.run_facts import BackgroundFind, Facts
from mindscope.graph.data.dataset import DatasetNode
from mindscope.lineage.model import EvalLineage, TrainLineage
from mindscope.torch.callbacks.learning_rate import rates_of
from mindscope.torch.core import distributed
from mindscope.torch.core.batches import split_label
from mindscope.torch.core.datasets import dataset_node
from mindscope.torch.core.loss import loss_of
from mindscope.torch.core.naming import network_type, plain_network, trained_parameters
from mindscope.torch.core.weight_files import SUFFIX
from mindscope.torch.summary import run_facts
from mindscope.torch.summary.host_copy import as_array
from mindscope.torch.summary.lineage import eval_lineage, learning_rate, train_lineage
from mindscope.torch.summary.operator_hooks import graph_of
from mindscope.torch.summary.summary_buffer import BUFFER, recordable_values
from mindscope.torch.summary.weight_copy import TensorCopy, copy_weights


class TorchFramework:
    """The ``Framework`` of PyTorch: graphs are traced, values of operators are in the buffer of the process."""

    checkpoint_format = CheckpointFormat(SUFFIX, is_listed_by_absolute_path=False)

    def __init__(self, is_gathering: bool = False) -> None:
        self._is_gathering = is_gathering
        """Whether histograms are those of whole parameters, gathered from all processes."""
        self.discard_values = BUFFER.discard
        """Throws the step's values of summary operators away; called at every step that is not collected."""
        self._form: tuple[Any, ...] | None = None
        """Network, optimizer, and for each of its parameters whether it is trained: as ``_parameters`` was made of."""
        self._parameters: dict[str, Any] = {}
        self._owners: list[Any] = []
        """The object whose ``id`` is in ``_form``: keeps it alive, so that no other object gets that id."""
        self._git = BackgroundFind(git_facts)

    def graph(self, params: Any) -> Any:
        """Return the graph of the network as it was called: as an adapter saw it, or with this step's data."""
        if params.get("network") is None:
            return None
        seen = params.get("graph_probe")
        if seen is not None:
            network = plain_network(seen.network)
            return graph_of(network, seen.args, seen.kwargs, seen.types_in(network))
        network, types = plain_network(params["network"]), params.get("output_types")
        return graph_of(network, *_inputs(params), None if types is None else types.types_in(network))

    def dataset(self, params: Any) -> DatasetNode | None:
        """Return the batches of transformed samples, as far as a DataLoader describes them."""
        dataset = params.get("train_dataset")
        return None if dataset is None else dataset_node(dataset)

    def facts(self, params: Any) -> Facts:
        """Return functions for the facts of torch and this process; git is called on a thread."""
        return {
            "seed": lambda: run_facts.seed_fields(params),
            "world_size": run_facts.world_size_fields,
            "precision": lambda: run_facts.precision_fields(params),
            "parameter_count": lambda: self._parameter_fields(params),
            "optimizer": lambda: run_facts.optimizer_fields(params),
            "scheduler": lambda: run_facts.scheduler_fields(params),
            "command_line": command_line_fields,
            "environment": lambda: run_facts.environment_fields(params),
            "versions": versions,
            "git": self._git,
        }

    def _parameter_fields(self, params: Any) -> dict[str, Any]:
        return run_facts.parameter_count_fields(params) | run_facts.histogram_fields(params, self._is_gathering)

    def train_lineage(self, params: Any) -> TrainLineage:
        """Return the parts and the results of the training until now."""
        return train_lineage(params)

    def learning_rate(self, params: Any) -> float | None:
        """Return the initial learning rate of the first parameters."""
        return learning_rate(params)

    def learning_rates(self, params: Any) -> Mapping[str, Any]:
        """Return the rates at the end of the step, unless the loop says with which rates it made the step."""
        given = params.get("learning_rates")
        return rates_of(params.get("optimizer")) if given is None else given

    def eval_lineage(self, params: Any) -> EvalLineage:
        """Return the results of the evaluation."""
        return eval_lineage(params)

    def loss(self, params: Any) -> Tensor | None:
        """Return the mean of the first output."""
        return loss_of(params.get("net_outputs"))

    def some_images(self, batch: Any) -> Any:
        """Return a row; taking it is a view."""
        return as_array(local_part(batch))[:MOST_IMAGES]

    def parameters(self, params: Any) -> Mapping[str, Any]:
        """Return the trained parameters in the order of the network; the same mapping while they are the same."""
        network, optimizer = params.get("network"), params.get("optimizer")
        if optimizer is None:
            return trained_parameters(network, None)
        owned = [each for group in optimizer.param_groups for each in group["params"]]
        form = (id(network), id(optimizer), [(id(each), each.requires_grad) for each in owned])
        if form != self._form:
            self._parameters = trained_parameters(network, optimizer)
            self._form, self._owners = form, [network, optimizer, *owned]
        return self._parameters

    def take_values(self) -> Iterable[tuple[str, str, Any]]:
        """Return the step's values of summary operators, those of a device on their way."""
        return recordable_values()

    def network_name(self, params: Any) -> str | None:
        """Return the class of the network that its author wrote."""
        network = params.get("network")
        return None if network is None else network_type(network)

    def copy_weights(self, params: Any, spare: WeightCopy | None) -> WeightCopy | None:
        """Copy the weights of the first process; with data parallelism all have the same."""
        if distributed.get_rank() != 0:
            return None
        return copy_weights(params["network"], spare if isinstance(spare, TensorCopy) else None)


def _inputs(params: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the arguments of the network at this step: by position, and by name."""
    element = params.get("train_dataset_element")
    is_labelled = params.get("loss_fn") is not None and not params.get("is_own_loop")
    if is_labelled and isinstance(element, (list, tuple, dict)):
        element, _ = split_label(element)
    if isinstance(element, dict):
        return (), cast("dict[str, Any]", element)
    return tuple(cast("list[Any]", element)) if isinstance(element, (list, tuple)) else (element,), {}
