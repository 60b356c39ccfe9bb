# SPDX-License-Identifier: Apache-2.0
"""The callbacks of scripts from before the collector: each adds to a recorder that the script made."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mindscope.capture import SummaryRecord
from mindscope.collector.lineage import add_lineage, eval_message
from mindscope.collector.train_lineage import LineageUpdates
from mindscope.torch.callbacks.callback import Callback
from mindscope.torch.core.arguments import check_count
from mindscope.torch.core.run_context import RunContext
from mindscope.torch.summary.framework import TorchFramework
from mindscope.torch.summary.lineage import eval_lineage
from mindscope.torch.summary.operator_hooks import isolated_values
from mindscope.torch.summary.summary_buffer import discard_values, recordable_values, start_collecting, stop_collecting
from mindscope.types import Message


class _OnRecord(Callback):
    def __init__(self, summary: SummaryRecord) -> None:
        if not isinstance(summary, SummaryRecord):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"summary is {type(summary).__name__}, want a SummaryRecord")
        self._summary = summary


class SummaryStep(_OnRecord):
    """Records what summary operators keep, each ``flush_step`` steps; in dataset sink mode at the end of an epoch.

    Args:
        summary: the recorder.
        flush_step: at least 1.

    Raises:
        TypeError, ValueError: arguments that can't be used.
    """

    def __init__(self, summary: SummaryRecord, flush_step: int = 10) -> None:
        super().__init__(summary)
        self._flush_step = check_count("flush_step", flush_step, 1)

    @property
    def summary_file_name(self) -> str:
        """The path of the recorder's file."""
        return self._summary.log_dir

    def __enter__(self) -> SummaryStep:
        start_collecting()
        return self

    def __exit__(self, *error: Any) -> None:
        stop_collecting()

    def on_train_step_end(self, run_context: RunContext) -> None:
        """Record, if this step is due."""
        params = run_context.original_args()
        if not params["dataset_sink_mode"] and params["cur_step_num"] % self._flush_step:
            discard_values()
            return
        for plugin, name, value in recordable_values():
            self._summary.add_value(plugin, name, value)
        self._summary.record(params["cur_step_num"])


class TrainLineage(_OnRecord):
    """Records the lineage of a training: at its first step, with each new checkpoint, and at its end.

    Raises TypeError if ``summary_record`` is no recorder.
    """

    def __init__(self, summary_record: SummaryRecord) -> None:
        super().__init__(summary_record)
        self._lineage = LineageUpdates(TorchFramework())

    def on_train_begin(self, run_context: RunContext) -> None:
        """Remember the initial learning rate."""
        self._lineage.begin(run_context.original_args())

    def on_train_step_end(self, run_context: RunContext) -> None:
        """Record, if anything has changed."""
        params = run_context.original_args()
        _record(self._summary, "train_lineage", lambda: self._lineage.at_change(params), params["cur_step_num"])

    def on_train_end(self, run_context: RunContext) -> None:
        """Record the lineage at the end of the training."""
        params = run_context.original_args()
        _record(self._summary, "train_lineage", lambda: self._lineage.now(params), params["cur_step_num"])


class EvalLineage(_OnRecord):
    """Records what an evaluation gave at its end. Raises TypeError if ``summary_record`` is no recorder."""

    def __init__(self, summary_record: SummaryRecord) -> None:
        super().__init__(summary_record)

    def on_eval_end(self, run_context: RunContext) -> None:
        """Record the results of the evaluation."""
        _record(self._summary, "eval_lineage", lambda: eval_message(eval_lineage(run_context.original_args())), 0)


def _record(record: SummaryRecord, plugin: str, find: Callable[[], Message | None], step: int) -> None:
    """Record a lineage; what operators were given is recorded by SummaryStep, or not at this step."""
    if add_lineage(record, plugin, find):
        with isolated_values():
            record.record(step)
