# SPDX-License-Identifier: Apache-2.0
"""Holds what the hooks of a debugger share: the step that is collected, and how a failure ends in a count."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable
from typing import Any

import torch

from mindscope.torch.debugging.step_collector import StepCollector

_log = logging.getLogger(__name__)


class FollowedStep:
    """The state of a debugger that its hooks read at each call."""

    def __init__(self) -> None:
        self.collector: StepCollector | None = None
        """The collector of the step; None while it is not recorded."""
        self.is_quiet = False
        """Whether our own operators run."""
        self.failed_operator: tuple[int, dict[str, Any]] | None = None
        """The operator that raised an error in this step: id of the error, and facts."""
        self.reasons: Counter[str] = Counter()
        """Tensors that are not recorded, by reason."""
        self._logged: set[str] = set()

    def failed(self, where: str, error: Exception) -> None:
        """Count a failure of our own code, which must not end the training."""
        reason = f"{where}: {type(error).__name__}: {error}"[:200]
        self.reasons[reason] += 1
        if reason not in self._logged and len(self._logged) < 20:
            self._logged.add(reason)
            _log.warning("debugger can't record %s; the training continues", reason, exc_info=error)

    def guarded(self, where: str, call: Callable[[], Any]) -> None:
        """Call our own code, whose operators are not recorded."""
        was_quiet, self.is_quiet = self.is_quiet, True
        try:
            call()
        except Exception as error:
            self.failed(where, error)
        finally:
            self.is_quiet = was_quiet


def in_backward() -> bool:
    """Return whether autograd runs a backward pass on this thread."""
    return torch._C._current_graph_task_id() != -1  # pyright: ignore
