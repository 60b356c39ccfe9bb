# SPDX-License-Identifier: Apache-2.0
"""Records statistics of all tensors of a training, step by step, without changing it."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from os import PathLike
from types import TracebackType
from typing import Any

from torch import Tensor, nn

from mindscope.capture.arguments import DEFAULT_QUEUE_TIMEOUT_S
from mindscope.capture.record import SummaryRecord
from mindscope.debug.watchpoints.watchpoint import Watchpoint
from mindscope.log_settings import configure_log
from mindscope.torch.callbacks.callback import Callback
from mindscope.torch.core.run_context import RunContext
from mindscope.torch.debugging.options import check_options
from mindscope.torch.debugging.recording import DebuggingSession

_log = logging.getLogger(__name__)


class Debugger(Callback):
    """Records statistics of all tensors of a training: counts of NaN and infinities, extremes, sums, a digest.

    For your own loop, in ``with`` and with ``step`` at the end of each step, or in ``callbacks`` of ``Model``;
    ``MindscopeCallback`` of ``mindscope.torch.integrations`` is for Lightning and Transformers. The statistics are
    computed on the device, never wait for it, and are written by another thread; losses stay equal bit by bit. What
    can't be summarized is counted in ``not_recorded``.

    Level ``module``: inputs and outputs of each module and their gradients, gradients of parameters, the parameters
    with the mean of their updates, and buffers while they have NaN or infinity; a parameter that has it before a step
    is recorded as it was then. Level ``operator``: inputs and outputs of every operator of ATen, forward, backward and
    in the optimizer, with the lines of your program that called it; gradients and parameters too. Code of
    ``torch.compile`` stays compiled: of a compiled module only the borders are seen, of a compiled function nothing.

    Args:
        run: directory of the run, or its ``SummaryRecord``. With several processes each records into its ``rank_N``.
        network: what is trained. ``Model`` and trainers give theirs.
        level: ``module`` or ``operator``.
        every: record each step of this many, beginning with the first.
        steps: record these steps instead: numbers, a range, or a function of the number.
        ring: keep this many of the recorded steps in memory, and write them only when the training raises, is
            terminated, its loss is not finite, or a watchpoint begins to hold; 0 writes all of them.
        watch: the watchpoints of a ring, such as ``tensor_too_large max_gt=1e4 @ encoder.*``, evaluated by another
            thread; None for the recommended ones. A hit writes the ring and the ``ring // 2`` steps after it.
        first_step: number of the first step of your own loop.
        queue_timeout: maximal seconds to wait where the disk is slower than the training; the statistics of a step are
            dropped then. None means no limit.

    Raises:
        TypeError, ValueError, WatchpointError: arguments that can't be used.
        OSError: the directory can't be created.
    """

    def __init__(
        self,
        run: str | PathLike[str] | SummaryRecord,
        network: nn.Module | None = None,
        *,
        level: str = "module",
        every: int = 1,
        steps: Any = None,
        ring: int = 0,
        watch: Iterable[str | Watchpoint] | None = None,
        first_step: int = 1,
        queue_timeout: float | None = DEFAULT_QUEUE_TIMEOUT_S,
    ) -> None:
        configure_log()
        if network is not None and not isinstance(network, nn.Module):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"network is {type(network).__name__}, want a torch.nn.Module")
        options = check_options(run, level, every, steps, ring, watch, first_step)
        self.recording = DebuggingSession(options, queue_timeout)
        """Follows the steps; for trainers of other packages."""
        self._network = network
        self._depth = 0  # how often it is entered
        self._is_in_loop = False  # a trainer says when steps begin

    @property
    def not_recorded(self) -> Mapping[str, int]:
        """The number of tensors that could not be summarized, by reason."""
        return dict(self.recording.followed.reasons)

    def __enter__(self) -> Debugger:
        self._depth += 1
        if self._depth == 1 and self._network is not None and not self._is_in_loop:
            self.recording.follow(self._network)
            self.recording.begin_step()
        return self

    def in_loop(self) -> Debugger:
        """Return the context manager of a loop, which says when its steps begin."""
        self._is_in_loop = True
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._depth -= 1
        if self._depth == 0:
            self._is_in_loop = False
            self.recording.end(error)

    def step(
        self, loss: Tensor | float | None = None, network: nn.Module | None = None, step: int | None = None
    ) -> None:
        """Signal the end of a step of your own loop; call it after the optimizer.

        Args:
            loss: of the step; with ``ring``, one that is not finite writes the ring.
            network: what is trained, if it was not given before; recorded from the next step on.
            step: the number of the step in the run; if None, one more than the last.
        """
        if self._depth == 0:
            _log.warning("debugger is not entered; step() has no effect: use it in a with statement")
            return
        self.recording.end_step(loss, step)
        if network is not None and network is not self._network:
            self._network = network
            self.recording.follow(network)
        if self._network is not None:
            self.recording.begin_step()

    def write_ring(self) -> None:
        """Write the steps that are in memory."""
        self.recording.write_ring("write_ring() was called")

    def on_train_begin(self, run_context: RunContext) -> None:
        """Follow the network of a training."""
        params = run_context.original_args()
        given = (self._network, params["train_network"], params["network"])
        self.recording.follow(next(each for each in given if each is not None), params["cur_step_num"])

    def on_train_step_begin(self, run_context: RunContext) -> None:
        """Begin a step."""
        self.recording.begin_step(int(run_context.original_args()["cur_step_num"]))

    def on_train_step_end(self, run_context: RunContext) -> None:
        """End a step."""
        params = run_context.original_args()
        self.recording.end_step(params["net_outputs"], int(params["cur_step_num"]))

    def on_eval_step_begin(self, run_context: RunContext) -> None:
        """Do nothing: evaluations are not recorded."""

    def on_eval_step_end(self, run_context: RunContext) -> None:
        """Do nothing: evaluations are not recorded."""
