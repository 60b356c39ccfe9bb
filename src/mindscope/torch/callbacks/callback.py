# SPDX-License-Identifier: Apache-2.0
"""The callback that all others subclass."""

from __future__ import annotations

from types import TracebackType

from mindscope.torch.core.run_context import RunContext


class Callback:
    """Base class of the actions at the events of a training and an evaluation. Override the methods that you need.

    A loop calls the ``on_train_*`` methods in training and the ``on_eval_*`` methods in evaluation. Each of them calls
    the method of the short name (``begin``, ``epoch_begin``, ``step_begin``, ``step_end``, ``epoch_end``, ``end``) if
    it is not overridden, so a callback that only knows the short names acts in both; ``run_context.original_args()``
    shows by ``mode`` which it is.

    A callback is entered as context manager before the loop begins and left after it, also when it fails.
    """

    def __enter__(self) -> Callback:
        """Called before ``begin``."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Called after ``end``, and when the loop failed with ``error``."""

    def in_loop(self) -> Callback:
        """Return the context manager that a loop enters and leaves: this callback."""
        return self

    def begin(self, run_context: RunContext) -> None:
        """Called before the first epoch."""

    def epoch_begin(self, run_context: RunContext) -> None:
        """Called before each epoch."""

    def step_begin(self, run_context: RunContext) -> None:
        """Called before each step; in dataset sink mode before the steps of an epoch."""

    def step_end(self, run_context: RunContext) -> None:
        """Act after each step; in dataset sink mode, after the steps of an epoch."""

    def epoch_end(self, run_context: RunContext) -> None:
        """Called after each epoch."""

    def end(self, run_context: RunContext) -> None:
        """Act after the last epoch, or the one in which a stop was requested."""

    def on_train_begin(self, run_context: RunContext) -> None:
        """Call ``begin`` for a training."""
        self.begin(run_context)

    def on_train_epoch_begin(self, run_context: RunContext) -> None:
        """Called as ``epoch_begin`` of a training."""
        self.epoch_begin(run_context)

    def on_train_step_begin(self, run_context: RunContext) -> None:
        """Called as ``step_begin`` of a training."""
        self.step_begin(run_context)

    def on_train_step_end(self, run_context: RunContext) -> None:
        """Called as ``step_end`` of a training."""
        self.step_end(run_context)

    def on_train_epoch_end(self, run_context: RunContext) -> None:
        """Called as ``epoch_end`` of a training."""
        self.epoch_end(run_context)

    def on_train_end(self, run_context: RunContext) -> None:
        """Call ``end`` for a training."""
        self.end(run_context)

    def on_eval_begin(self, run_context: RunContext) -> None:
        """Call ``begin`` for an evaluation."""
        self.begin(run_context)

    def on_eval_epoch_begin(self, run_context: RunContext) -> None:
        """Called as ``epoch_begin`` of an evaluation."""
        self.epoch_begin(run_context)

    def on_eval_step_begin(self, run_context: RunContext) -> None:
        """Called as ``step_begin`` of an evaluation."""
        self.step_begin(run_context)

    def on_eval_step_end(self, run_context: RunContext) -> None:
        """Called as ``step_end`` of an evaluation."""
        self.step_end(run_context)

    def on_eval_epoch_end(self, run_context: RunContext) -> None:
        """Called as ``epoch_end`` of an evaluation."""
        self.epoch_end(run_context)

    def on_eval_end(self, run_context: RunContext) -> None:
        """Call ``end`` for an evaluation."""
        self.end(run_context)
