# SPDX-License-Identifier: Apache-2.0
"""Schedule of collected steps."""

from __future__ import annotations

import sys
from typing import NamedTuple

MOST_TENSOR_STEPS = 20
"""Default number of steps with tensors."""


class Due(NamedTuple):
    """The kinds of values that are collected at a step."""

    others: bool
    """Everything but tensors."""
    tensors: bool
    """Whether values of tensor operators are collected."""


NOTHING = Due(False, False)


class Schedule:
    """The first step is always collected, then each that ``collect_freq`` divides; tensors by a rule of their own.

    Args:
        collect_freq: at least 1.
        collect_tensor_freq: as ``collect_freq`` for tensors; None for at most 20 steps, spread over the training.
        total: steps of the training (epochs where the epoch is the unit); None if unknown.
    """

    def __init__(self, collect_freq: int, collect_tensor_freq: int | None, total: int | None) -> None:
        self._freq = collect_freq
        self._tensor_steps = tensor_steps(collect_freq, collect_tensor_freq, total)
        self._is_first = True

    def next(self, number: int) -> Due:
        """Return the kinds of values to collect at this step; call it once a step."""
        if self._is_first:
            self._is_first = False
            return Due(True, True)
        return Due(number % self._freq == 0, number in self._tensor_steps)

    def next_due(self, number: int) -> int:
        """Return the first number beyond ``number`` at which something is collected."""
        due = number - number % self._freq + self._freq
        tensors = self._tensor_steps
        with_tensors = number - number % tensors.step + tensors.step
        return min(due, with_tensors) if with_tensors in tensors else due


def tensor_steps(collect_freq: int, collect_tensor_freq: int | None, total: int | None) -> range:
    """Return the steps with tensors, beside the first. Without a total they are the first ones that are collected."""
    end = sys.maxsize if total is None else total + 1
    if collect_tensor_freq is not None:
        return range(0, end, collect_tensor_freq)
    collected = range(0, end, collect_freq)
    if len(collected) <= MOST_TENSOR_STEPS or total is None:
        return collected[:MOST_TENSOR_STEPS]
    every = total // (MOST_TENSOR_STEPS - 1)
    # steps count from 1: where the range begins with 0 and 1, one step more makes up for the 0
    return range(0, end, every)[:MOST_TENSOR_STEPS] if every > 1 else range(0, end)[: MOST_TENSOR_STEPS + 1]
