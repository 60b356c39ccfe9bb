# SPDX-License-Identifier: Apache-2.0
"""The difference of two profiles, by modules and operators."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mindscope.profile.advice.parts import part_of
from mindscope.profile.columns import Column, Durations, Table, TextColumn
from mindscope.profile.operators import Operators
from mindscope.profile.profile import Part, Profile
from mindscope.profile.steps import PARTS, Steps

ADDED, GONE, SLOWER, FASTER, UNCHANGED = "added", "gone", "slower", "faster", "unchanged"
TOLERANCE = 0.05
"""Relative change below which an operator is unchanged, as runs differ."""
LEAST_SHARE = 0.001
"""Of a step: smaller changes are none."""


@dataclass(frozen=True, kw_only=True)
class OperatorChanges(Table):
    """One row for each pair of module and operator of either profile, the greatest change first."""

    name: TextColumn
    module: TextColumn
    """Empty where the profiles have no modules."""
    state: TextColumn
    """``added``, ``gone``, ``slower``, ``faster``, ``unchanged``"""
    before: Durations
    """Self time of a step, nanoseconds."""
    after: Durations
    count_before: NDArray[np.float64]
    """Runs of a step."""
    count_after: NDArray[np.float64]
    share: NDArray[np.float64]
    """The change over the time of a step before: positive is slower."""

    def derived(self) -> dict[str, Column]:
        """``change``: nanoseconds of a step; positive is slower."""
        return {"change": self.after - self.before}


@dataclass(frozen=True)
class ProfileDiff:
    """What changed from one profile to another. Times are nanoseconds of a step; without steps of the whole profile."""

    step_before: float
    step_after: float
    parts: dict[str, tuple[float, float]]
    """Of each of ``PARTS``: before and after; empty if a profile has no steps."""
    operators: OperatorChanges


@dataclass(frozen=True)
class _Side:
    steps: Steps | None
    count: int
    """Steps, 1 without any."""
    rows: dict[tuple[str, str], tuple[int, int]]
    """Module and name -> self time and runs."""


def diff_profiles(before: Profile, after: Profile) -> ProfileDiff:
    """Aligns two profiles by paths of modules and names of operators; if one has no modules, by names alone.

    Raises:
        ProfilePartError: one of them has no operators.
    """
    keys = ("module", "name") if before.operators.module and after.operators.module else ("name",)
    one, other = _side(before, keys), _side(after, keys)
    step_before, step_after = _step_time(one), _step_time(other)
    has_steps = one.steps is not None and other.steps is not None
    return ProfileDiff(
        step_before, step_after,
        dict(_parts(one, other)) if has_steps else {},
        _changes(one, other, step_before or 1.0),
    )  # fmt: skip


def _side(profile: Profile, keys: tuple[str, ...]) -> _Side:
    steps = part_of(profile, Part.STEPS, Steps)
    operators: Operators = profile.operators
    grouped = operators.group_by(*keys)
    modules = list(grouped.module) if grouped.module and "module" in keys else [""] * len(grouped)
    times, counts = grouped.self_time.tolist(), grouped.count.tolist()
    rows = {
        (module, name): (time, count)
        for module, name, time, count in zip(modules, grouped.name, times, counts, strict=True)
    }
    return _Side(steps, max(1 if steps is None else len(steps), 1), rows)


def _step_time(side: _Side) -> float:
    if side.steps is not None:
        return float(side.steps.duration.mean())
    return float(sum(time for time, _ in side.rows.values()))


def _parts(one: _Side, other: _Side) -> Iterator[tuple[str, tuple[float, float]]]:
    assert one.steps is not None
    assert other.steps is not None
    for part in PARTS:
        yield part, (float(one.steps.part(part).mean()), float(other.steps.part(part).mean()))


def _changes(one: _Side, other: _Side, step: float) -> OperatorChanges:
    keys = list(dict.fromkeys([*one.rows, *other.rows]))
    before = np.array([one.rows.get(key, (0, 0)) for key in keys], np.float64).reshape(-1, 2) / one.count
    after = np.array([other.rows.get(key, (0, 0)) for key in keys], np.float64).reshape(-1, 2) / other.count
    change = after[:, 0] - before[:, 0]
    found = OperatorChanges(
        name=TextColumn.of(name for _, name in keys),
        module=TextColumn.of(module for module, _ in keys),
        state=TextColumn.of(
            _state(key in one.rows, key in other.rows, old, new, step)
            for key, old, new in zip(keys, before[:, 0].tolist(), after[:, 0].tolist(), strict=True)
        ),
        before=np.rint(before[:, 0]).astype(np.int64),
        after=np.rint(after[:, 0]).astype(np.int64),
        count_before=before[:, 1],
        count_after=after[:, 1],
        share=change / step,
    )
    return found.select(np.argsort(-np.abs(change), kind="stable"))


def _state(was_there: bool, is_there: bool, before: float, after: float, step: float) -> str:
    if not was_there:
        return ADDED
    if not is_there:
        return GONE
    change = after - before
    if abs(change) <= TOLERANCE * before or abs(change) <= LEAST_SHARE * step:
        return UNCHANGED
    return SLOWER if change > 0 else FASTER
