# SPDX-License-Identifier: Apache-2.0
"""Calling the callbacks of a loop, in the order of the list."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from contextlib import ExitStack, contextmanager
from typing import Any, cast

from mindscope.torch.callbacks.callback import Callback
from mindscope.torch.core.run_context import CallbackParams, RunContext


def check_callbacks(callbacks: Any) -> list[Callback]:
    """Return the callbacks as a list: from one, from several in order, or from None.

    Raises TypeError for what is no callback.
    """
    if callbacks is None:
        return []
    if isinstance(callbacks, Callback):
        return [callbacks]
    if not isinstance(callbacks, Iterable):
        raise TypeError(f"callbacks is {type(callbacks).__name__}, want a Callback or a list of them")
    checked = list(cast("Iterable[Any]", callbacks))
    for index, callback in enumerate(checked):
        if not isinstance(callback, Callback):
            raise TypeError(f"callbacks[{index}] is {type(callback).__name__}, want an object that subclasses Callback")
    return checked


class CallbackRunner:
    """One training or evaluation, as its callbacks see it: ``params`` is its state."""

    def __init__(self, mode: str, params: CallbackParams) -> None:
        self.params = params
        self._prefix = f"on_{mode}_"
        self._context = RunContext(params)

    @property
    def is_stopping(self) -> bool:
        """Whether a callback asked to end."""
        return self._context.get_stop_requested()

    def call(self, turn: str) -> None:
        """Call every callback at the event ``turn``: begin, epoch_begin, step_begin, step_end, ..."""
        for callback in self.params["list_callback"]:
            getattr(callback, self._prefix + turn)(self._context)


@contextmanager
def entered(callbacks: list[Callback]) -> Generator[None]:
    """Hold the callbacks entered; leave them in reverse order, with the error if there is one.

    Their own errors don't replace the error of the loop.
    """
    with ExitStack() as stack:
        for callback in callbacks:
            stack.enter_context(cast(Any, callback.in_loop()))
        yield
