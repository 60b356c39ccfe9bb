# SPDX-License-Identifier: Apache-2.0
"""The callbacks of scripts from before the collector: each adds to a recorder that the script made."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from mindscope.capture import SummaryRecord
from mindscope.collector.lineage import eval_message, train_message
from mindscope.torch.arguments import check_count
from mindscope.torch.callback import Callback
from mindscope.torch.facts import eval_lineage, train_lineage
from mindscope.torch.kept_values import discard_values, start_collecting, stop_collecting, take_values
from mindscope.torch.run_context import RunContext

_LOG = logging.getLogger("mindscope")


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
        for plugin, name, value in take_values():
            self._summary.add_value(plugin, name, value)
        self._summary.record(params["cur_step_num"])


class TrainLineage(_OnRecord):
    """Records the lineage of a training at its end. Raises TypeError if ``summary_record`` is no recorder."""

    def __init__(self, summary_record: SummaryRecord) -> None:
        super().__init__(summary_record)

    def on_train_end(self, run_context: RunContext) -> None:
        """Record."""
        _add(self._summary, "train_lineage", lambda: train_message(train_lineage(run_context.original_args())))


class EvalLineage(_OnRecord):
    """Records what an evaluation gave at its end. Raises TypeError if ``summary_record`` is no recorder."""

    def __init__(self, summary_record: SummaryRecord) -> None:
        super().__init__(summary_record)

    def on_eval_end(self, run_context: RunContext) -> None:
        """Record."""
        _add(self._summary, "eval_lineage", lambda: eval_message(eval_lineage(run_context.original_args())))


def _add(record: SummaryRecord, plugin: str, find: Callable[[], Any]) -> None:
    """Record what ``find`` gives; a failure is said, and the training goes on."""
    try:
        message = find()
    except Exception as error:
        _LOG.warning("%s was not collected: %s: %s", plugin, type(error).__name__, error)
        return
    record.add_value(plugin, plugin, message)
    record.record(0)
