# SPDX-License-Identifier: Apache-2.0
"""What a collector adds to its recorder, turn by turn."""

from __future__ import annotations

import json
import logging
import numbers
from collections.abc import Callable
from typing import Any, cast

import torch
from torch import Tensor

from mindscope.capture import SummaryRecord
from mindscope.collector import tags
from mindscope.collector.arguments import CollectorArguments
from mindscope.collector.lineage import eval_message, train_message
from mindscope.collector.origin import describe_origin
from mindscope.collector.parameters import choose
from mindscope.collector.pipeline import dataset_message
from mindscope.collector.schedule import Due
from mindscope.torch.companions import graph_of
from mindscope.torch.datasets import dataset_node
from mindscope.torch.facts import eval_lineage, train_lineage
from mindscope.torch.feeding import split_label
from mindscope.torch.kept_values import discard_values, take_values
from mindscope.torch.loss import loss_of
from mindscope.torch.naming import plain_network, trained_parameters
from mindscope.torch.serialization import state_of, write_state

_LOG = logging.getLogger("mindscope")
_PACKAGES = ("torch", "mindscope")


class Collecting:
    """Adds what is due. A failure to find something out never disturbs the training: it is said in the log."""

    def __init__(self, arguments: CollectorArguments) -> None:
        self._arguments = arguments
        self._wanted = arguments.specified
        self._is_described = False
        """Whether the graphs and the user's lineage were recorded: once in the life of a collector."""
        self._is_without_pictures = False
        self._is_without_loss = False
        self._weights: dict[int, str] = {}
        """The checkpoints of a landscape, by step or epoch."""

    def step(self, record: SummaryRecord, params: Any, due: Due) -> None:
        """Record what is due at the end of a step, as one event."""
        if not self._is_described:
            self._is_described = True
            self._describe(record, params)
        if not (due.others or due.tensors):
            discard_values()
            return
        for plugin, name, value in take_values():
            if due.tensors if plugin == "tensor" else due.others:
                record.add_value(plugin, name, value)
        if due.others:
            self._add_loss(record, params)
            self._add_input(record, params)
            self._add_parameters(record, params)
        record.record(int(params["cur_step_num"]))

    def end_training(self, record: SummaryRecord, params: Any) -> None:
        """Record the lineage of a training that is over."""
        if self._wanted.collect_train_lineage:
            message = self._attempt("train lineage", lambda: train_message(train_lineage(params)))
            if message is not None:
                record.add_value("train_lineage", "train_lineage", message)
                record.record(0)
        if self._wanted.landscape is not None and self._weights:
            metadata = self._wanted.landscape.metadata(self._weights, params.get("batch_num") or 0)
            file = self._arguments.summary_dir / "ckpt_dir" / "train_metadata.json"
            self._attempt("metadata of the landscape", lambda: file.write_text(json.dumps(metadata), "utf-8"))

    def end_evaluation(self, record: SummaryRecord, params: Any, step: int | None) -> None:
        """Record what an evaluation gave; with a ``step``, that of the training around it, also as curves."""
        if self._wanted.collect_eval_lineage:
            message = self._attempt("evaluation lineage", lambda: eval_message(eval_lineage(params)))
            if message is not None:
                record.add_value("eval_lineage", "eval_lineage", message)
        if step is not None and self._wanted.collect_metric:
            results: dict[str, Any] = params.get("eval_results") or {}
            for name, value in results.items():
                number = _number(value)
                if number is not None:
                    record.add_value("scalar", tags.evaluation_tag(name), number)
        record.record(step or 0)

    def keep_weights(self, unit: str, number: int, params: Any) -> None:
        """Keep the weights for a landscape, if they are due after this step or epoch."""
        landscape, network = self._wanted.landscape, params.get("network")
        if landscape is None or network is None or not landscape.is_due(unit, number):
            return
        name = f"{type(plain_network(network)).__name__}_{number}_{unit}.ckpt"
        file = self._arguments.summary_dir / "ckpt_dir" / name

        def write() -> bool:
            write_state(state_of(network), file)
            return True

        if self._attempt("weights for the landscape", write):
            self._weights[number] = str(file)

    # ---- once

    def _describe(self, record: SummaryRecord, params: Any) -> None:
        wanted, network, dataset = self._wanted, params.get("network"), params.get("train_dataset")
        if wanted.collect_graph and network is not None:
            graph = self._attempt("graph", lambda: graph_of(plain_network(network), *_inputs(params)))
            if graph is not None:
                record.add_value("graph", "", graph)
        if wanted.collect_dataset_graph and dataset is not None:
            message = self._attempt("dataset graph", lambda: dataset_message(dataset_node(dataset)))
            if message is not None:
                record.add_value("dataset_graph", "dataset_graph", message)
        custom: dict[str, Any] = dict(self._arguments.custom_lineage_data)
        if wanted.collect_train_lineage:
            seed = int(torch.initial_seed())
            origin: dict[str, Any] = self._attempt("origin", lambda: describe_origin(_PACKAGES, seed)) or {}
            custom = origin | custom
        if custom:
            record.add_value("custom_lineage_data", "custom_lineage_data", custom)

    # ---- at collected steps

    def _add_loss(self, record: SummaryRecord, params: Any) -> None:
        if not self._wanted.collect_metric or self._is_without_loss:
            return
        loss = loss_of(params.get("net_outputs"))
        if loss is None:
            self._is_without_loss = True
            _LOG.warning("outputs are %s, no loss is collected", type(params.get("net_outputs")).__name__)
            return
        record.add_value("scalar", tags.LOSS, loss)

    def _add_input(self, record: SummaryRecord, params: Any) -> None:
        if not self._wanted.collect_input_data or self._is_without_pictures:
            return
        pictures = _first_column(params.get("train_dataset_element"))
        if not _are_pictures(pictures):
            self._is_without_pictures = True
            shape = tuple(getattr(pictures, "shape", ()))
            _LOG.warning("first column of the data is %s %s, no input is collected", type(pictures).__name__, shape)
            return
        record.add_value("image", tags.INPUT_DATA, pictures)

    def _add_parameters(self, record: SummaryRecord, params: Any) -> None:
        if not self._wanted.collect_histogram:
            return
        parameters = trained_parameters(params.get("network"), params.get("optimizer"))
        for name in choose(parameters, self._wanted.histogram_regular):
            record.add_value("histogram", tags.parameter_tag(name), parameters[name])

    def _attempt(self, subject: str, find: Callable[[], Any]) -> Any:
        """What ``find`` gives; None, with a warning, where it fails: no training ends for what is known of it."""
        try:
            return find()
        except Exception as error:
            _LOG.warning("%s was not collected: %s: %s", subject, type(error).__name__, error)
            return None


def _inputs(params: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """What the network was called with at this step: by position, and by name."""
    element = params.get("train_dataset_element")
    is_labelled = params.get("loss_fn") is not None and not params.get("is_own_loop")
    if is_labelled and isinstance(element, (list, tuple, dict)):
        element, _ = split_label(element)
    if isinstance(element, dict):
        return (), cast("dict[str, Any]", element)
    return tuple(cast("list[Any]", element)) if isinstance(element, (list, tuple)) else (element,), {}


def _first_column(element: Any) -> Any:
    if isinstance(element, (list, tuple)) and element:
        return cast("list[Any]", element)[0]
    if isinstance(element, dict) and element:
        return next(iter(cast("dict[Any, Any]", element).values()))
    return cast(Any, element)


def _are_pictures(data: Any) -> bool:
    """Shape (N, C, H, W) or (N, H, W, C), real, of 1, 3 or 4 channels."""
    shape = tuple(getattr(data, "shape", ()))
    is_complex = isinstance(data, Tensor) and data.is_complex()
    return len(shape) == 4 and all(shape) and not is_complex and (shape[1] in (1, 3, 4) or shape[3] in (1, 3, 4))


def _number(value: Any) -> float | None:
    """A metric as one number, if it is one."""
    if isinstance(value, numbers.Real):
        return float(value)
    is_one = getattr(value, "size", None) == 1 or (isinstance(value, Tensor) and value.numel() == 1)
    return float(value) if is_one else None
