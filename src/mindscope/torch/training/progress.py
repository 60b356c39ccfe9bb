# SPDX-License-Identifier: Apache-2.0
"""A progress bar on long trainings."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

LONG_S = 5.0
"""A training that takes longer is shown."""


class Progress:
    """Shows on a terminal how far a training is, once it has taken ``LONG_S`` seconds.

    It writes to the error stream, and nothing where that is no terminal. ``params`` is the state of the loop.
    """

    def __init__(self, params: Any, console: Console | None = None, long_s: float = LONG_S) -> None:
        self._params = params
        self._console = console or Console(file=sys.stderr)
        self._show_at_s = time.monotonic() + long_s
        self._is_wanted = self._console.is_terminal
        self._bar: Bar | None = None

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def show(self) -> None:
        """Show that a step was done."""
        if not self._is_wanted or time.monotonic() < self._show_at_s:
            return
        params = self._params
        if self._bar is None:
            columns = TextColumn("epoch {task.fields[epoch]}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
            self._bar = Bar(*columns, console=self._console, transient=True)
            self._bar.start()
            self._bar.add_task("", total=None, epoch=0)
        batches = params.get("batch_num")
        self._bar.update(
            self._bar.task_ids[0],
            completed=params["cur_step_num"],
            total=batches * params["epoch_num"] if batches else None,
            epoch=params["cur_epoch_num"],
        )
