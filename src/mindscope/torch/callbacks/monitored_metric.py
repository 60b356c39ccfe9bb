# SPDX-License-Identifier: Apache-2.0
"""Watching one number over the epochs: where it is, and when it got better."""

from __future__ import annotations

import logging
import math
from typing import Any

from mindscope.torch.core.arguments import check_choice, check_number, check_text
from mindscope.torch.core.loss import loss_number

_LOG = logging.getLogger("mindscope")
_SMALLER_IS_BETTER = frozenset(
    "loss eval_loss mae mse perplexity hausdorff_distance mean_surface_distance root_mean_square_distance".split()
)


class MonitoredMetric:
    """The best value of a number so far.

    Args:
        monitor: ``loss``, or in ``Model.fit`` also ``eval_loss`` and the names of the metrics.
        mode: ``min``, ``max``, or ``auto``: smaller is better for losses, errors and distances, else larger.
        min_delta: a change of at most this is none.

    Raises:
        TypeError, ValueError: arguments of another type, or another mode.
    """

    def __init__(self, monitor: Any, mode: Any, min_delta: Any) -> None:
        self.monitor = check_text("monitor", monitor)
        check_choice("mode", mode, ("auto", "min", "max"))
        self._min_delta = abs(check_number("min_delta", min_delta))
        self._is_smaller_better = mode == "min" or (mode == "auto" and monitor in _SMALLER_IS_BETTER)
        self.begin()

    def begin(self) -> None:
        """Forget the best value."""
        self.best = math.inf if self._is_smaller_better else -math.inf

    def is_better(self, value: float, than: float) -> bool:
        """Return whether ``value`` beats ``than`` by more than ``min_delta``; NaN beats nothing."""
        if self._is_smaller_better:
            return value < than - self._min_delta
        return value > than + self._min_delta

    def read(self, params: Any, subject: str) -> float | None:
        """Return the number at the end of this epoch; None, with a warning, if it is missing."""
        offered: dict[str, Any] = {"loss": params.get("net_outputs")} | (params.get("eval_results") or {})
        if self.monitor not in offered:
            names = ", ".join(sorted(offered))
            _LOG.warning("%s watches %r, which this epoch did not give; it gave %s", subject, self.monitor, names)
            return None
        value = offered[self.monitor]
        try:
            return loss_number(value) if self.monitor == "loss" else float(value)
        except (TypeError, ValueError) as error:
            kind = type(value).__name__
            raise ValueError(
                f"{subject} watches {self.monitor!r}, which is {kind} {value!r}, want one number"
            ) from error
