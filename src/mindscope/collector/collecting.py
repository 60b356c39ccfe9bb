# SPDX-License-Identifier: Apache-2.0
"""What a collector adds to its recorder, turn by turn, for any framework."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from mindscope.capture import SummaryRecord
from mindscope.capture.values import to_scalar
from mindscope.collector import tags
from mindscope.collector.arguments import CollectorArguments
from mindscope.collector.framework import Framework
from mindscope.collector.lineage import eval_message, train_message
from mindscope.collector.parameters import choose
from mindscope.collector.pictures import are_pictures, first_column
from mindscope.collector.pipeline import dataset_message
from mindscope.collector.schedule import Due
from mindscope.errors import ValueRejectedError

_LOG = logging.getLogger("mindscope")

Values = list[tuple[str, str, Any]]
"""Of a step: plugin, tag and value of each."""
HandOver = Callable[[Values], Values]


def as_they_are(values: Values) -> Values:
    """The values themselves, for frameworks whose values are in memory already."""
    return values


class Collecting:
    """Adds what is due. A failure to find something out never disturbs the training: it is said in the log."""

    def __init__(self, arguments: CollectorArguments, framework: Framework, hand_over: HandOver = as_they_are) -> None:
        self._arguments = arguments
        self._wanted = arguments.specified
        self._framework = framework
        self._hand_over = hand_over
        self._parameters: Mapping[str, Any] = {}
        """Those of the last collected step."""
        self._chosen: list[str] = []
        """Which of them are collected."""
        self._is_described = False
        """Whether the graphs and the user's lineage were recorded: once in the life of a collector."""
        self._is_without_pictures = False
        self._picture_form: Any = None
        """Shape and type of the last pictures."""
        self._is_without_loss = False
        self._weights: dict[int, str] = {}
        """The checkpoints of a landscape, by step or epoch."""

    def step(self, record: SummaryRecord, params: Any, due: Due) -> None:
        """Record what is due at the end of a step, as one event."""
        if not self._is_described:
            self._is_described = True
            self._describe(record, params)
        if not (due.others or due.tensors):
            self._framework.discard_values()
            return
        values = [
            each for each in self._framework.take_values() if (due.tensors if each[0] == "tensor" else due.others)
        ]
        if due.others:
            values += self._loss(params) + self._input(params) + self._distributions(params)
        for plugin, name, value in self._attempt("values of the step", lambda: self._hand_over(values)) or ():
            record.add_value(plugin, name, value)
        record.record(int(params["cur_step_num"]))

    def end_training(self, record: SummaryRecord, params: Any) -> None:
        """Record the lineage of a training that is over."""
        if self._wanted.collect_train_lineage:
            message = self._attempt("train lineage", lambda: train_message(self._framework.train_lineage(params)))
            if message is not None:
                record.add_value("train_lineage", "train_lineage", message)
                record.record(0)
        if self._wanted.landscape is not None and self._weights:
            metadata = self._wanted.landscape.metadata(self._weights, params.get("batch_num") or 0)
            file = self._checkpoints / "train_metadata.json"
            self._attempt("metadata of the landscape", lambda: file.write_text(json.dumps(metadata), "utf-8"))

    def end_evaluation(self, record: SummaryRecord, params: Any, step: int | None) -> None:
        """Record what an evaluation gave; with a ``step``, that of the training around it, also as curves."""
        if self._wanted.collect_eval_lineage:
            message = self._attempt("evaluation lineage", lambda: eval_message(self._framework.eval_lineage(params)))
            if message is not None:
                record.add_value("eval_lineage", "eval_lineage", message)
        if step is not None and self._wanted.collect_metric:
            results: Mapping[str, Any] = params.get("eval_results") or {}
            for name, value in results.items():
                number = _number(value)
                if number is not None:
                    record.add_value("scalar", tags.evaluation_tag(name), number)
        record.record(step or 0)

    def keep_weights(self, unit: str, number: int, params: Any) -> None:
        """Keep the weights for a landscape, if they are due after this step or epoch."""
        landscape = self._wanted.landscape
        if landscape is None or not landscape.is_due(unit, number):
            return
        name = self._framework.network_name(params)
        if name is None:
            return
        file = self._checkpoints / f"{name}_{number}_{unit}.ckpt"

        def write() -> bool:
            file.parent.mkdir(parents=True, exist_ok=True)
            self._framework.write_weights(params, file)
            return True

        if self._attempt("weights for the landscape", write):
            self._weights[number] = str(file)

    @property
    def _checkpoints(self) -> Path:
        return self._arguments.summary_dir / "ckpt_dir"

    # ---- once

    def _describe(self, record: SummaryRecord, params: Any) -> None:
        wanted, framework = self._wanted, self._framework
        if wanted.collect_graph:
            graph = self._attempt("graph", lambda: framework.graph(params))
            if graph is not None:
                record.add_value("graph", "", graph)
        if wanted.collect_dataset_graph:
            message = self._attempt("dataset graph", lambda: _pipeline_message(framework, params))
            if message is not None:
                record.add_value("dataset_graph", "dataset_graph", message)
        custom: dict[str, Any] = dict(self._arguments.custom_lineage_data)
        if wanted.collect_train_lineage:
            custom = dict(self._attempt("origin", framework.origin) or {}) | custom
        if custom:
            record.add_value("custom_lineage_data", "custom_lineage_data", custom)

    # ---- at collected steps

    def _loss(self, params: Any) -> Values:
        if not self._wanted.collect_metric or self._is_without_loss:
            return []
        loss = self._attempt("loss", lambda: self._framework.loss(params))
        if loss is None:
            self._is_without_loss = True
            _LOG.warning("outputs are %s, no loss is collected", type(params.get("net_outputs")).__name__)
            return []
        return [("scalar", tags.LOSS, loss)]

    def _input(self, params: Any) -> Values:
        if not self._wanted.collect_input_data or self._is_without_pictures:
            return []
        pictures = first_column(params.get("train_dataset_element"))
        form = (getattr(pictures, "shape", None), getattr(pictures, "dtype", None))
        if form != self._picture_form and not are_pictures(pictures):
            self._is_without_pictures = True
            shape = tuple(getattr(pictures, "shape", ()))
            _LOG.warning("first column of the data is %s %s, no input is collected", type(pictures).__name__, shape)
            return []
        self._picture_form = form
        return [("image", tags.INPUT_DATA, self._framework.some_pictures(pictures))]

    def _distributions(self, params: Any) -> Values:
        if not self._wanted.collect_histogram:
            return []
        parameters: Mapping[str, Any] = self._attempt("parameters", lambda: self._framework.parameters(params)) or {}
        if parameters is not self._parameters:
            self._parameters, self._chosen = parameters, choose(parameters, self._wanted.histogram_regular)
        return [("histogram", tags.parameter_tag(name), parameters[name]) for name in self._chosen]

    def _attempt(self, subject: str, find: Callable[[], Any]) -> Any:
        """What ``find`` gives; None, with a warning, where it fails: no training ends for what is known of it."""
        try:
            return find()
        except Exception as error:
            _LOG.warning("%s was not collected: %s: %s", subject, type(error).__name__, error)
            return None


def _pipeline_message(framework: Framework, params: Any) -> Any:
    node = framework.dataset(params)
    return None if node is None else dataset_message(node)


def _number(value: Any) -> float | None:
    """A metric as one number, if it is one."""
    try:
        return to_scalar(value)
    except ValueRejectedError:
        return None
