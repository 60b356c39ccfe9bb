# SPDX-License-Identifier: Apache-2.0
"""SummaryCollector for MindSpore."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

from mindspore.train import Callback
from mindspore.train import SummaryCollector as OwnCollector

from mindscope.collector.arguments import CollectorArguments
from mindscope.collector.collector import Collector
from mindscope.collector.landscape import LandscapeSettings
from mindscope.collector.session import Session
from mindscope.mindspore.framework import MindSporeFramework
from mindscope.rank import directory_of_rank, launch_of

DEFAULT_LANDSCAPE = LandscapeSettings(num_samples=2048)
"""Steps whose weights MindSpore 2.10 keeps by default."""


class SummaryCollector(Collector, Callback):
    """Records a training: in ``callbacks`` of ``Model.train``, ``eval`` and ``fit``, at most one a list.

    It records loss, input pictures, distributions of parameters, the values of summary operators, graphs and lineage;
    arguments, tags, steps and files are those of MindSpore's own. By default the weights of the steps 1 to 19 are kept
    for landscapes. Arguments and what they raise: ``Collector.__init__``, and FrameworkError where this MindSpore hands
    the values of operators over in another way than 2.7 to 2.10.
    """

    default_landscape = DEFAULT_LANDSCAPE

    def _set_up(self, arguments: CollectorArguments) -> None:
        self._framework = MindSporeFramework()
        directory = directory_of_rank(arguments.summary_dir, launch_of(os.environ))
        self._session = Session(replace(arguments, summary_dir=directory), self._framework)

    def __enter__(self) -> SummaryCollector:
        self._session.enter()
        return self

    def __exit__(self, *err: Any) -> None:
        record = self._session.leave(err[1] if len(err) > 1 else None)
        if record is not None:
            record.close()

    def begin(self, run_context: Any) -> None:
        """Begin a training or an evaluation."""
        params = run_context.original_args()
        if not self._is_inside_fit(params):
            self._session.begin(params, (SummaryCollector, OwnCollector))

    def epoch_begin(self, run_context: Any) -> None:
        """Forget what operators kept in the evaluation after the last epoch."""
        if run_context.original_args()["mode"] == "train":
            self._framework.discard_values()

    def step_end(self, run_context: Any) -> None:
        """Collect, if this step is due."""
        params = run_context.original_args()
        if params["mode"] != "train":
            return
        if not params["dataset_sink_mode"]:
            self._session.collect(params)
        self._session.keep_weights("step", params)

    def epoch_end(self, run_context: Any) -> None:
        """Collect, if this epoch of a sunk data set is due; record the evaluation of ``fit``."""
        params = run_context.original_args()
        if params["mode"] != "train":
            return
        if params["dataset_sink_mode"]:
            self._session.collect(params)
        self._session.end_epoch(params)
        if "eval_results" in params:
            self._session.end_evaluation(params, int(params["cur_step_num"]))

    def end(self, run_context: Any) -> None:
        """Record the lineage."""
        params = run_context.original_args()
        if not self._is_inside_fit(params):
            self._session.end(params)

    def _is_inside_fit(self, params: Any) -> bool:
        """Return whether this is the evaluation of a ``fit``, which runs in the state of the training."""
        return params["mode"] == "eval" and params is self._session.training
