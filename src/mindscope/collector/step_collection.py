# SPDX-License-Identifier: Apache-2.0
"""Values that a collector adds to its recorder at each event, for any framework."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from mindscope.capture import SummaryRecord
from mindscope.capture.array_conversion import to_scalar
from mindscope.collector import tags
from mindscope.collector.arguments import CollectorArguments
from mindscope.collector.framework import Framework
from mindscope.collector.hyper_parameters import flat_parameters
from mindscope.collector.input_images import are_images, first_column
from mindscope.collector.landscape_checkpoints import LandscapeCheckpoints
from mindscope.collector.lineage import add_lineage, eval_message
from mindscope.collector.parameters import select_parameters
from mindscope.collector.pipeline import dataset_message
from mindscope.collector.run_facts import RunFacts
from mindscope.collector.schedule import Due
from mindscope.collector.train_lineage import LineageUpdates
from mindscope.errors import ValueRejectedError
from mindscope.types import Message

_LOG = logging.getLogger("mindscope")
_MOST_SECONDS = 2.0
"""Seconds to wait for facts at the end of a training."""

Values = list[tuple[str, str, Any]]
"""Plugin, tag and value of each value of a step."""
HandOver = Callable[[Values], Values]


def unchanged(values: Values) -> Values:
    """Return the values themselves, for frameworks whose values are in memory already."""
    return values


class StepCollection:
    """Adds the due values. A failure never disturbs the training: it is logged."""

    def __init__(self, arguments: CollectorArguments, framework: Framework, hand_over: HandOver = unchanged) -> None:
        self._arguments = arguments
        self._wanted = arguments.options
        self._framework = framework
        self._hand_over = hand_over
        self._parameters: Mapping[str, Any] = {}
        """Parameters of the last collected step, by name."""
        self._chosen: list[str] = []
        """Names of the parameters that are collected."""
        self._is_described = False
        """Whether the graphs and the user's lineage were recorded: once in the life of a collector."""
        self._warned: set[tuple[str, str]] = set()
        """Subject and error of the failures that were logged."""
        self._is_without_images = False
        self._image_form: Any = None
        """Shape and type of the last images."""
        self._is_without_loss = self._is_without_rates = self._is_without_logs = False
        landscape = self._wanted.landscape
        self._weights: LandscapeCheckpoints | None = None
        if landscape is not None:
            self._weights = LandscapeCheckpoints(arguments.summary_dir, landscape, framework, arguments.queue_timeout)
        self._lineage = LineageUpdates(framework, self._wanted.collect_dataset_size)
        self._facts = RunFacts(self._wanted.facts, self._attempt)

    def begin_training(self, params: Any) -> None:
        """Begin a training: remember the parts that change while it runs."""
        if self._weights is not None:
            self._weights.begin_training()
        self._attempt("learning rate", lambda: self._lineage.begin(params))
        self._facts.begin(self._attempt("facts", lambda: self._framework.facts(params)) or {})

    def step(self, record: SummaryRecord, params: Any, due: Due) -> None:
        """Record what is due at the end of a step, as one event."""
        custom: dict[str, Any] = {}
        if not self._is_described:
            self._is_described = True
            custom = self._describe(record, params)
        if not (due.others or due.tensors):
            self._framework.discard_values()
            return
        values = [
            take_value
            for take_value in self._framework.take_values()
            if (due.tensors if take_value[0] == "tensor" else due.others)
        ]
        if due.others:
            custom = self._facts.take() | custom
            values += self._loss(params) + self._learning_rates(params) + self._logged(params)
            values += self._input(params) + self._distributions(params)
        for plugin, name, value in self._attempt("values of the step", lambda: self._hand_over(values)) or ():
            record.add_value(plugin, name, value)
        _add_custom(record, custom)
        self._add_lineage(record, lambda: self._lineage.at_step(params))
        record.record(int(params["cur_step_num"]))

    def log(self, record: SummaryRecord, values: Mapping[str, Any], step: int) -> None:
        """Record the numbers among what a script logs, as curves of these names, if metrics are collected."""
        numbers = {name: _number(value) for name, value in values.items()} if self._wanted.collect_metric else {}
        known = {name: number for name, number in numbers.items() if number is not None}
        for name, number in known.items():
            record.add_value("scalar", name, number)
        if known:
            record.record(step)

    def end_epoch(self, record: SummaryRecord, params: Any) -> None:
        """Record the lineage if it has changed, as by a checkpoint of this epoch."""
        if self._add_lineage(record, lambda: self._lineage.at_change(params)):
            record.record(int(params["cur_step_num"]))

    def end_training(self, record: SummaryRecord, params: Any) -> None:
        """Record the lineage of a training that is over."""
        has_custom = _add_custom(record, self._facts.take(_MOST_SECONDS))
        if self._add_lineage(record, lambda: self._lineage.now(params)) or has_custom:
            record.record(int(params["cur_step_num"]))
        if self._weights is not None:
            self._weights.finish(params)

    def _add_lineage(self, record: SummaryRecord, find: Callable[[], Message | None]) -> bool:
        """Add the lineage of the training to the next event, if it is collected and ``find`` gives one."""
        return self._wanted.collect_train_lineage and add_lineage(record, "train_lineage", find)

    def end_evaluation(self, record: SummaryRecord, params: Any, step: int | None) -> None:
        """Record what an evaluation gave; with a ``step``, that of the training around it, also as curves."""
        if self._wanted.collect_eval_lineage:
            add_lineage(record, "eval_lineage", lambda: self._evaluation_message(params))
        if step is not None and self._wanted.collect_metric:
            curves: Mapping[str, Any] | None = params.get("eval_curves")
            if curves is None:
                curves = tags.evaluation_curves(params.get("eval_results") or {})
            for tag, value in curves.items():
                if (number := _number(value)) is not None:
                    record.add_value("scalar", tag, number)
        record.record(step or 0)

    def _evaluation_message(self, params: Any) -> Message:
        lineage = self._framework.eval_lineage(params)
        return eval_message(lineage if self._wanted.collect_dataset_size else replace(lineage, dataset_size=None))

    def keep_weights(self, unit: str, number: int, params: Any) -> None:
        """Keep the weights for a landscape, if they are due after this step or epoch."""
        if self._weights is not None:
            self._weights.keep(unit, number, params)

    def close(self) -> None:
        """Wait until what was kept is written."""
        if self._weights is not None:
            self._weights.close()

    # ---- once

    def _describe(self, record: SummaryRecord, params: Any) -> dict[str, Any]:
        """Record the graphs; returns the user's lineage."""
        wanted, framework = self._wanted, self._framework
        if wanted.collect_graph:
            graph = self._attempt("graph", lambda: framework.graph(params))
            if graph is not None:
                record.add_value("graph", "", graph)
        if wanted.collect_dataset_graph:
            message = self._attempt("dataset graph", lambda: _pipeline_message(framework, params))
            if message is not None:
                record.add_value("dataset_graph", "dataset_graph", message)
        parameters: dict[str, Any] = {}
        if wanted.collect_train_lineage:
            find: Callable[[], Mapping[str, Any]] = params.get("hyper_parameters") or dict[str, Any]
            parameters = self._attempt("hyperparameters", lambda: flat_parameters(find())) or {}
        return parameters | self._arguments.custom_lineage_data

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

    def _learning_rates(self, params: Any) -> Values:
        if not self._wanted.collect_metric or self._is_without_rates:
            return []
        rates: Mapping[str, Any] | None = self._attempt("learning rate", lambda: self._framework.learning_rates(params))
        self._is_without_rates = rates is None  # logged once
        return [("scalar", tag, rate) for tag, rate in (rates or {}).items() if rate is not None]

    def _logged(self, params: Any) -> Values:
        """Return values that the script itself logs in this step, if its trainer knows them."""
        find: Callable[[], Mapping[str, Any]] | None = params.get("logged_values")
        if find is None or not self._wanted.collect_metric or self._is_without_logs:
            return []
        logged: Mapping[str, Any] | None = self._attempt("what the training logs", find)
        self._is_without_logs = logged is None  # logged once
        return [("scalar", name, value) for name, value in (logged or {}).items()]

    def _input(self, params: Any) -> Values:
        if not self._wanted.collect_input_data or self._is_without_images:
            return []
        images = first_column(params.get("train_dataset_element"))
        form = (getattr(images, "shape", None), getattr(images, "dtype", None))
        if form != self._image_form and not are_images(images):
            self._is_without_images = True
            shape = tuple(getattr(images, "shape", ()))
            _LOG.warning("first column of the data is %s %s, no input is collected", type(images).__name__, shape)
            return []
        self._image_form = form
        some = self._attempt("input", lambda: self._framework.some_images(images))
        return [] if some is None else [("image", tags.INPUT_DATA, some)]

    def _distributions(self, params: Any) -> Values:
        if not self._wanted.collect_histogram:
            return []
        parameters: Mapping[str, Any] = self._attempt("parameters", lambda: self._framework.parameters(params)) or {}
        if parameters is not self._parameters:
            self._parameters, self._chosen = parameters, select_parameters(parameters, self._wanted.histogram_regular)
        return [("histogram", tags.parameter_tag(name), parameters[name]) for name in self._chosen]

    def _attempt(self, subject: str, find: Callable[[], Any]) -> Any:
        """Return the result of ``find``; None, with a warning, where it fails: collecting never ends a training."""
        try:
            return find()
        except Exception as error:
            key = (subject, type(error).__name__)
            if key not in self._warned:
                self._warned.add(key)
                _LOG.warning("%s was not collected: %s: %s (logged once)", *key, error)
            return None


def _add_custom(record: SummaryRecord, fields: Mapping[str, Any]) -> bool:
    """Add fields of the user-defined lineage to the next event, if there are any."""
    if fields:
        record.add_value("custom_lineage_data", "custom_lineage_data", fields)
    return bool(fields)


def _pipeline_message(framework: Framework, params: Any) -> Any:
    node = framework.dataset(params)
    return None if node is None else dataset_message(node)


def _number(value: Any) -> float | None:
    """Return a metric as one number, if it is one."""
    try:
        return to_scalar(value)
    except ValueRejectedError:
        return None
