# SPDX-License-Identifier: Apache-2.0
"""LandscapeCollector: keeps the weights of a training for loss landscapes, and records nothing else."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import partial
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Any

from torch import nn

from mindscope.capture.arguments import DEFAULT_QUEUE_TIMEOUT_S, check_log_dir, check_queue_timeout
from mindscope.collector.landscape import DEFAULT_KEEP, LandscapeSettings, complete
from mindscope.collector.landscape_checkpoints import LandscapeCheckpoints
from mindscope.errors import RecorderClosedError
from mindscope.log_settings import configure_log
from mindscope.torch.callbacks.callback import Callback
from mindscope.torch.core import distributed
from mindscope.torch.core.run_context import CallbackParams, RunContext
from mindscope.torch.summary.framework import TorchFramework


class LandscapeCollector(Callback):
    """Keeps the weights at the steps or epochs of ``intervals``, as ``collect_landscape`` of a SummaryCollector does.

    In ``callbacks`` of a ``Model``; in a loop of your own it is a context manager, and ``step`` is called once a step;
    for Lightning and Transformers their ``MindscopeCallback`` takes it. Beside a SummaryCollector it writes into the
    same directory; only one of both keeps weights there.
    """

    def __init__(
        self,
        summary_dir: str | PathLike[str],
        landscape_size: int = 40,
        unit: str = "step",
        create_landscape: Mapping[str, bool] | None = None,
        num_samples: int = 128,
        intervals: Sequence[Sequence[int]] | None = None,
        keep: int | None = DEFAULT_KEEP,
        *,
        queue_timeout: float | None = DEFAULT_QUEUE_TIMEOUT_S,
    ) -> None:
        """Check the arguments and make the directory.

        Args:
            summary_dir: directory of the run; it is made. The weights are written to ``summary_dir/ckpt_dir``.
            landscape_size: points of each side of the landscape, 3 to 256.
            unit: what ``intervals`` count: ``step`` or ``epoch``.
            create_landscape: ``{"train": True, "result": True}``: a landscape of each interval, and one around the
                last weights.
            num_samples: of the data, to compute the losses with.
            intervals: for each landscape the steps or epochs whose weights are kept, at least three; steps 1 to 9 and
                10 to 19 if None.
            keep: the most bytes that all checkpoints take on disk; where they take more, some between are removed.
                None for no limit.
            queue_timeout: seconds that a step waits at most while writing is slow, before its checkpoint is skipped;
                None waits as long as it takes.

        Raises:
            TypeError, ValueError: an argument that can't be used; the text names it, its value and what is accepted.
            OSError: the directory can't be made.
        """
        configure_log()
        given: dict[str, Any] = {
            "landscape_size": landscape_size, "unit": unit, "create_landscape": create_landscape or {},
            "num_samples": num_samples, "keep": keep,
        }  # fmt: skip
        if intervals is not None:
            given["intervals"] = intervals
        self._given = (summary_dir, landscape_size, unit, create_landscape, num_samples, intervals, keep)
        self._settings = complete(given, LandscapeSettings(), owner=None)
        self._queue_timeout = check_queue_timeout(queue_timeout)
        self._process = os.getpid()
        self._depth = 0
        self._own = CallbackParams(batch_num=None, cur_step_num=0, cur_epoch_num=0)  # of a loop of the user's own
        self._set_up(check_log_dir(summary_dir, "summary_dir"))

    def _set_up(self, directory: Path) -> None:
        self.landscape_directory = directory
        """Directory of the run."""
        self._checkpoints = LandscapeCheckpoints(directory, self._settings, TorchFramework(), self._queue_timeout)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle it for another process, which trains together with others: it keeps weights in ``rank_N``."""
        return partial(type(self), queue_timeout=self._queue_timeout), self._given, {"_process": self._process}

    def __enter__(self) -> LandscapeCollector:
        directory = distributed.own_directory(self.landscape_directory)
        is_elsewhere = self._depth == 0 and directory != self.landscape_directory
        if is_elsewhere or self._process != os.getpid():
            self._process = os.getpid()
            self._set_up(directory)
        self._depth += 1
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._depth -= 1
        if self._depth == 0:
            self._checkpoints.close()
            self._own = CallbackParams(batch_num=None, cur_step_num=0, cur_epoch_num=0)

    # ---- as callback

    def begin(self, run_context: RunContext) -> None:
        """Begin a training. Raises ValueError where another of the callbacks keeps weights in the same directory."""
        params = run_context.original_args()
        if params["mode"] != "train":
            return
        for param in params["list_callback"]:
            if param is not self and getattr(param, "landscape_directory", None) == self.landscape_directory:
                raise ValueError(
                    f"a {type(param).__name__} beside this LandscapeCollector keeps weights in "
                    f"{self.landscape_directory} too, want one; leave out its collect_landscape"
                )
        self._checkpoints.begin_training()

    def step_end(self, run_context: RunContext) -> None:
        """Keep the weights, if this step is due."""
        params = run_context.original_args()
        if params["mode"] == "train":
            self._checkpoints.keep("step", params["cur_step_num"], params)

    def epoch_end(self, run_context: RunContext) -> None:
        """Keep the weights, if this epoch is due."""
        params = run_context.original_args()
        if params["mode"] == "train":
            self._checkpoints.keep("epoch", params["cur_epoch_num"], params)

    def end(self, run_context: RunContext) -> None:
        """List what was kept."""
        params = run_context.original_args()
        if params["mode"] == "train":
            self._checkpoints.finish(params)

    # ---- in a loop of the user's own

    def step(self, network: nn.Module | None = None, *, step: int | None = None) -> None:
        """Signal the end of a step.

        Args:
            network: whose weights are kept; that of the last call if None.
            step: the number of the step; one more than the last, from 1, if None.

        Raises:
            RecorderClosedError: outside of ``with``.
            ValueError: no call gave a network yet.
        """
        self._turn("step", network, step)

    def end_epoch(self, network: nn.Module | None = None, *, epoch: int | None = None) -> None:
        """Signal the end of an epoch; arguments and what it raises as ``step``."""
        self._turn("epoch", network, epoch)

    def _turn(self, unit: str, network: nn.Module | None, number: int | None) -> None:
        if self._depth == 0:
            raise RecorderClosedError("collector is not entered; use 'with collector:' or put it into callbacks")
        params, key = self._own, f"cur_{unit}_num"
        if network is not None:
            params["network"] = network
        if "network" not in params:
            raise ValueError("network is not known; give it to the first call of step or end_epoch")
        params[key] = params[key] + 1 if number is None else number
        self._checkpoints.keep(unit, params[key], params)

    # ---- what an adapter of a trainer calls

    def log(self, values: Mapping[str, Any], *, step: int | None = None) -> None:
        """Do nothing: only weights are kept."""

    def evaluated(self, metrics: Mapping[str, Any], **given: Any) -> None:
        """Do nothing: only weights are kept."""
