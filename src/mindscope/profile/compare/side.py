# SPDX-License-Identifier: Apache-2.0
"""Prepares one of the two profiles of a difference: means over its steps, or over a range of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mindscope.errors import ProfilePartError
from mindscope.profile.model.optional_parts import part_of
from mindscope.profile.model.profile_data import Part, ProfileData
from mindscope.profile.tables.call_tree import CallTimes, CallTree, Indices
from mindscope.profile.tables.memory import Memory
from mindscope.profile.tables.steps import Steps
from mindscope.table.table import Table

StepRange = tuple[int, int]
"""Numbers of the first and the last step."""


class Means(NamedTuple):
    """Means of n things in a step."""

    time: NDArray[np.float64]
    runs: NDArray[np.float64]
    variance: NDArray[np.float64]
    """Variance of the mean over the steps; 0 with less than two steps."""


@dataclass(frozen=True)
class Side:
    """The parts of a profile that a difference needs."""

    profile: ProfileData
    steps: Steps | None
    """The compared ones; None without steps."""
    tree: CallTree | None
    """Tree of the compared steps only, which are counted from 0 there."""

    @property
    def step_count(self) -> int:
        """Number of steps; 1 without steps."""
        return max(1 if self.steps is None else len(self.steps), 1)

    @property
    def has_device_times(self) -> bool:
        """Whether operators ran on a device."""
        operators = self.profile.operators
        return operators.device_self is not None and bool(operators.device_self.any())

    def means(
        self, group: NDArray[np.int64], groups: int, step: Indices, time: NDArray[np.int64], count: Indices
    ) -> Means:  # fmt: skip
        """Return means over the steps of the sums of each group; rows have a group, a step, a time and a count."""
        keys, inverse = np.unique(group * self.step_count + step, return_inverse=True)
        of_step = _sums(inverse.reshape(-1), time, len(keys))
        owner = keys // self.step_count
        sums, squares = _sums(owner, of_step, groups), _sums(owner, of_step**2, groups)
        return Means(
            sums / self.step_count, _sums(group, count, groups) / self.step_count,
            variance_of_mean(sums, squares, self.step_count),
        )  # fmt: skip

    def peaks(self) -> dict[str, int]:
        """Return the most allocated bytes of each device in the compared steps."""
        memory = part_of(self.profile, Part.MEMORY, Memory)
        if memory is None:
            return {}
        curve = memory.curve
        if self.steps is not None and len(self.steps):
            begin, end = self.steps.start.min(), (self.steps.start + self.steps.duration).max()
            curve = curve.select((curve.time >= begin) & (curve.time < end))
        return {
            device: int(curve.allocated[rows].max())
            for device in dict.fromkeys(curve.device)
            if len(rows := np.flatnonzero(curve.device.is_any_of(lambda each, name=device: each == name)))
        }


def side_of(profile: ProfileData, steps: StepRange | None) -> Side:
    """Return the side of a profile, of all its steps or those of a range.

    Raises:
        ProfilePartError: it has no operators; or none of these steps, or its format can't tell what belongs to a step.
    """
    _ = profile.operators
    found, tree = part_of(profile, Part.STEPS, Steps), part_of(profile, Part.CALL_TREE, CallTree)
    if steps is None:
        if found is None or tree is None or len(found.judged) == len(found):
            return Side(profile, found, tree)
        chosen = found.judged_rows
        return Side(profile, found.select(chosen), _tree_of_steps(tree, chosen))
    first, last = steps
    if tree is None:
        chosen = profile.select_steps(first, last)
        return Side(chosen, chosen.steps, None)
    numbers = profile.steps.number
    chosen = np.flatnonzero((numbers >= first) & (numbers <= last))
    if not len(chosen):
        raise ProfilePartError(
            f"profile {profile.name} has no step from {first} to {last}: it has {numbers.min()} to {numbers.max()}"
        )
    return Side(profile, profile.steps.select(chosen), _tree_of_steps(tree, chosen))


def without_tree(side: Side, steps: StepRange | None) -> Side:
    """Return the side by the tables of its profile.

    Raises ProfilePartError if it can't tell what belongs to ``steps``.
    """
    if side.tree is None or steps is None:
        return replace(side, tree=None)
    chosen = side.profile.select_steps(*steps)
    return Side(chosen, chosen.steps, None)


def variance_of_mean(sums: NDArray[np.float64], squares: NDArray[np.float64], count: int) -> NDArray[np.float64]:
    """Compute it from the sums of ``count`` values and of their squares; 0 for less than two values."""
    if count < 2:
        return np.zeros(len(sums))
    return np.maximum(squares - sums**2 / count, 0) / (count - 1) / count


def _tree_of_steps(tree: CallTree, chosen: NDArray[np.int64]) -> CallTree:
    """Return the part of the tree that runs in the chosen steps."""
    times: CallTimes = _of_steps(tree.times, chosen)
    is_kept = np.zeros(len(tree.calls) + 1, np.bool_)  # the last one for no parent
    is_kept[times.call] = True
    is_kept[tree.calls.parent[is_kept[:-1]]] = True  # threads have no times
    rows = np.flatnonzero(is_kept[:-1])
    new_row = np.full(len(is_kept), -1, np.int32)
    new_row[rows] = np.arange(len(rows), dtype=np.int32)
    calls = tree.calls.select(rows)
    kernels = None if tree.kernels is None else _of_steps(tree.kernels, chosen)
    return CallTree(replace(calls, parent=new_row[calls.parent]), replace(times, call=new_row[times.call]), kernels)


def _of_steps(times: Table, chosen: NDArray[np.int64]) -> Any:
    steps = times.columns()["step"]
    assert isinstance(steps, np.ndarray)
    rows = np.flatnonzero(np.isin(steps, chosen))
    return replace(times.select(rows), step=np.searchsorted(chosen, steps[rows]).astype(np.int32))


def _sums(group: NDArray[np.int64], values: NDArray[Any], groups: int) -> NDArray[np.float64]:
    return np.bincount(group, weights=values, minlength=groups).astype(np.float64)
