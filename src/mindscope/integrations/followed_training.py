# SPDX-License-Identifier: Apache-2.0
"""A callback that learns how a training ends, for trainers that report no failure to callbacks."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Any, TypeVar

from mindscope.capture import exit_hooks

_CELL_ENDS = "post_run_cell"
Own = TypeVar("Own", bound="FollowedTraining")


class FollowedTraining:
    """Calls ``_stop`` once for each ``_start``, with the error of the training.

    It learns of a failure by ``with callback: trainer.train()``, when the cell of a notebook ends, when another
    training begins, or when the process ends.
    """

    _is_training = False
    _earlier: BaseException | None = None

    def _start(self) -> None:
        """Begin to follow a training."""
        self._end(self._failure())
        self._is_training, self._earlier = True, _last_error()
        exit_hooks.close_at_exit(self)
        notebook = _notebook()
        if notebook is not None:
            notebook.events.register(_CELL_ENDS, self._end_cell)

    def _stop(self, error: BaseException | None) -> None:
        """End the observers, as the training is over or failed."""
        raise NotImplementedError

    def _end(self, error: BaseException | None) -> None:
        if not self._is_training:
            return
        self._is_training = False
        exit_hooks.forget(self)
        notebook = _notebook()
        if notebook is not None and self._end_cell in notebook.events.callbacks[_CELL_ENDS]:
            notebook.events.unregister(_CELL_ENDS, self._end_cell)
        self._stop(error)

    def _end_cell(self, result: Any) -> None:
        error = getattr(result, "error_in_exec", None)
        if error is not None:
            self._end(error)

    def __enter__(self: Own) -> Own:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end(error)

    def flush(self, timeout_s: float | None = None) -> bool:
        """Return True when the process is terminated: nothing is left to write."""
        return True

    def close(self) -> None:
        """End the training, as the process ends before it."""
        self._end(self._failure())

    def _new_error(self) -> BaseException | None:
        """Return the error that no code handled since the training began."""
        error = _last_error()
        return None if error is self._earlier else error

    def _failure(self) -> BaseException:
        """Return the error that ended a training, which no callback saw."""
        unreported = RuntimeError("the training ended by an error that the trainer reported to no callback")
        return self._new_error() or unreported


def _last_error() -> BaseException | None:
    """Return the last error that no code handled."""
    return getattr(sys, "last_value", None)


def _notebook() -> Any:
    """Return the shell of IPython; None outside of it."""
    module: Any = sys.modules.get("IPython")
    return None if module is None else module.get_ipython()
