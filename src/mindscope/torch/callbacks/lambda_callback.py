# SPDX-License-Identifier: Apache-2.0
"""Callbacks out of plain functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mindscope.torch.callbacks.callback import Callback
from mindscope.torch.core.run_context import RunContext

Action = Callable[[RunContext], Any]


class LambdaCallback(Callback):
    """Calls one function a turn, with the run context. Turns without a function do nothing."""

    def __init__(
        self,
        on_train_epoch_begin: Action | None = None,
        on_train_epoch_end: Action | None = None,
        on_train_step_begin: Action | None = None,
        on_train_step_end: Action | None = None,
        on_train_begin: Action | None = None,
        on_train_end: Action | None = None,
        on_eval_epoch_begin: Action | None = None,
        on_eval_epoch_end: Action | None = None,
        on_eval_step_begin: Action | None = None,
        on_eval_step_end: Action | None = None,
        on_eval_begin: Action | None = None,
        on_eval_end: Action | None = None,
    ) -> None:
        given = {name: action for name, action in locals().items() if name.startswith("on_") and action is not None}
        for name, action in given.items():
            if not callable(action):
                raise TypeError(f"{name} is {type(action).__name__}, want a function of the run context")
            setattr(self, name, action)
