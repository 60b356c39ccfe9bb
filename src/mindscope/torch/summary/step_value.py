# SPDX-License-Identifier: Apache-2.0
"""Reduces the values of one summary operator name within a step to the recorded one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

NEWEST, LAST, MEAN, EACH = "", "last", "mean", "each"
REDUCTIONS = (LAST, MEAN, EACH)
"""Allowed values of ``reduce`` of an operator. ``NEWEST`` is ``LAST`` by default, which warns."""
MOST_EACH = 100
"""Values that ``each`` keeps of a name in a step."""


class StepValue:
    """The values of one plugin and name in a step. The store's lock guards it.

    Args:
        reduce: ``NEWEST`` or one of ``REDUCTIONS``.
        is_backward: whether a backward pass gave the first value.
    """

    def __init__(self, reduce: str, is_backward: bool) -> None:
        self.is_backward = is_backward
        self.is_replaced = reduce == NEWEST
        """Whether a problem that ``add`` reports is an older value that a newer one replaces."""
        self._reduce = reduce
        self._tensors: list[torch.Tensor] = []  # one, except for ``each``
        self._count = 0  # values in the sum, which ``mean`` keeps as the only tensor

    def add(self, value: torch.Tensor) -> str | None:
        """Merge a clone of a value. Returns what is wrong where a value is lost, None where none is."""
        if not self._tensors or self._reduce in (NEWEST, LAST):
            is_repeated = bool(self._tensors)
            self._tensors, self._count = [value], 1
            return _REPEATED if is_repeated and self._reduce == NEWEST else None
        if self._reduce == MEAN:
            return self._add_to_mean(value)
        if len(self._tensors) == MOST_EACH:
            return f"has more than {MOST_EACH} values in one step; only the first {MOST_EACH} are recorded"
        self._tensors.append(value)
        return None

    def _add_to_mean(self, value: torch.Tensor) -> str | None:
        (total,) = self._tensors
        if total.shape != value.shape or total.device != value.device:
            return (
                f"has shape {tuple(value.shape)} on {value.device} after {tuple(total.shape)} on {total.device} in one "
                "step, want values of one shape for reduce='mean'"
            )
        self._tensors = [total.to(_wide(total)) + value]
        self._count += 1
        return None

    def tensors(self, name: str) -> Iterator[tuple[str, torch.Tensor]]:
        """Yield the tags to record and their values."""
        if self._reduce == EACH:
            yield from ((f"{name}/{number}", tensor) for number, tensor in enumerate(self._tensors))
        else:
            yield from ((name, tensor / self._count if self._count > 1 else tensor) for tensor in self._tensors)


_REPEATED = (
    "has several values in one step; the newest is recorded. Pass reduce='last' to the operator to accept this, 'mean' "
    "or 'each' to record all of them, or evaluate inside of not_collecting()"
)


def _wide(tensor: torch.Tensor) -> Any:
    """Return the dtype in which values are summed: that of the mean."""
    if tensor.is_complex() or tensor.dtype is torch.float64:
        return tensor.dtype
    return torch.float32
