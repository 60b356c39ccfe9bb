# SPDX-License-Identifier: Apache-2.0
"""The callbacks of scripts from before the collector: each adds to a recorder that the script made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mindspore.train import Callback

from mindscope.capture import SummaryRecord
from mindscope.collector.arguments import check_positive
from mindscope.collector.lineage import add_lineage, eval_message
from mindscope.collector.train_lineage import LineageUpdates
from mindscope.mindspore.framework import MindSporeFramework
from mindscope.mindspore.lineage import eval_lineage
from mindscope.mindspore.operator_values import OperatorValues
from mindscope.types import Message


class _OnRecord(Callback):
    def __init__(self, name: str, summary: SummaryRecord) -> None:
        super().__init__()
        if not isinstance(summary, SummaryRecord):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"{name} is {type(summary).__name__}, want a SummaryRecord")
        self._summary = summary

    def _record(self, plugin: str, find: Callable[[], Message | None], step: int) -> None:
        """Record a lineage; what operators were given is recorded by SummaryStep, or not at this step."""
        if not add_lineage(self._summary, plugin, find):
            return
        mode = self._summary.mode
        self._summary.set_mode("eval")  # in which a recorder takes nothing from operators
        self._summary.record(step)
        self._summary.set_mode(mode)


class SummaryStep(_OnRecord):
    """Records what summary operators are given, each ``flush_step`` steps; in dataset sink mode at the end of an epoch.

    Args:
        summary: the recorder.
        flush_step: at least 1.

    Raises:
        TypeError, ValueError: arguments that can't be used.
        FrameworkError: this MindSpore hands the values of operators over in another way than 2.7 to 2.10.
    """

    def __init__(self, summary: SummaryRecord, flush_step: int = 10) -> None:
        super().__init__("summary", summary)
        self._flush_step = check_positive("flush_step", flush_step)
        self._values = OperatorValues()

    @property
    def summary_file_name(self) -> str:
        """The path of the recorder's file."""
        return self._summary.log_dir

    def on_train_begin(self, run_context: Any) -> None:
        """Forget what operators were given before."""
        self._values.discard()

    def on_train_step_end(self, run_context: Any) -> None:
        """Record, if this step is due."""
        params = run_context.original_args()
        step = int(params["cur_step_num"])
        if not params["dataset_sink_mode"] and step % self._flush_step:
            self._values.discard()
            return
        for plugin, name, value in self._values.take():
            self._summary.add_value(plugin, name, value)
        self._summary.record(step, params["train_network"])  # the network itself is compiled only as a part of it


class TrainLineage(_OnRecord):
    """Records the lineage of a training: at its first step, with each new checkpoint, and at its end.

    Raises TypeError if ``summary_record`` is no recorder.
    """

    def __init__(self, summary_record: SummaryRecord) -> None:
        super().__init__("summary_record", summary_record)
        self._lineage = LineageUpdates(MindSporeFramework())

    def on_train_begin(self, run_context: Any) -> None:
        """Remember the initial learning rate."""
        self._lineage.begin(run_context.original_args())

    def on_train_step_end(self, run_context: Any) -> None:
        """Record, if anything has changed."""
        params = run_context.original_args()
        self._record("train_lineage", lambda: self._lineage.at_change(params), int(params["cur_step_num"]))

    def on_train_end(self, run_context: Any) -> None:
        """Record the lineage at the end of the training."""
        params = run_context.original_args()
        self._record("train_lineage", lambda: self._lineage.now(params), int(params["cur_step_num"]))


class EvalLineage(_OnRecord):
    """Records the results of an evaluation at its end. Raises TypeError if ``summary_record`` is no recorder."""

    def __init__(self, summary_record: SummaryRecord) -> None:
        super().__init__("summary_record", summary_record)

    def on_eval_end(self, run_context: Any) -> None:
        """Record the results of the evaluation."""
        self._record("eval_lineage", lambda: eval_message(eval_lineage(run_context.original_args())), 0)
