# SPDX-License-Identifier: Apache-2.0
"""Finds what changed from one profile to another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np

from mindscope.profile.compare.alignment import NamedTree, align
from mindscope.profile.compare.call_diff import align_calls, aligned_modules, call_changes
from mindscope.profile.compare.changes import CallChanges, Change, Changes
from mindscope.profile.compare.notes import Note, notes_of
from mindscope.profile.compare.operator_diff import changes_of, kernel_rows, operator_rows
from mindscope.profile.compare.side import Side, StepRange, side_of, variance_of_mean, without_tree
from mindscope.profile.model.optional_parts import part_of
from mindscope.profile.model.profile_data import Part, ProfileData
from mindscope.profile.tables.modules import Modules
from mindscope.profile.tables.steps import PARTS


@dataclass(frozen=True, kw_only=True)
class ProfileDiff:
    """Times are nanoseconds of a step; without steps of the whole profile."""

    step: Change
    steps_before: int
    """Number of compared steps; 0 without any."""
    steps_after: int
    parts: Mapping[str, Change]
    """Change of each of ``PARTS``; empty if a profile has no steps."""
    is_on_device: bool
    """Whether times of operators and calls are those of a device, where they are a sum, no part of the step."""
    operators: Changes
    kernels: Changes | None
    """Changes of the kernels; None if a profile has none."""
    calls: CallChanges | None
    """Changes of the calls; None if a profile has no tree of calls."""
    peaks: Mapping[str, Change]
    """The most allocated bytes, of each device that both profiles have."""
    notes: Sequence[Note]
    """Notes about what can't be compared."""


def diff_profiles(
    before: ProfileData, after: ProfileData, steps_before: StepRange | None = None, steps_after: StepRange | None = None
) -> ProfileDiff:
    """Align two profiles: modules and calls by their trees, operators by module and name, kernels by name.

    Args:
        before: the baseline.
        after: another profile, or the same one with other steps.
        steps_before: numbers of the first and last step; None for all.
        steps_after: the same.

    Raises:
        ProfilePartError: one of them has no operators, or none of the steps, or no times of single steps.
    """
    one, other = side_of(before, steps_before), side_of(after, steps_after)
    notes = [*notes_of(one, other)]
    is_on_device = one.has_device_times and other.has_device_times
    step = _step(one, other)
    has_modules = before.operators.module is not None and after.operators.module is not None
    if one.tree is None or other.tree is None:
        one, other = without_tree(one, steps_before), without_tree(other, steps_after)
        modules, calls = _aligned_by_paths(before, after) if has_modules else None, None
    else:
        aligned = align_calls(one.tree, other.tree)
        modules = aligned_modules(one.tree, other.tree, aligned)
        calls = call_changes(one, other, aligned, is_on_device, step)
    kernels_before, kernels_after = kernel_rows(one), kernel_rows(other)
    return ProfileDiff(
        step=step,
        steps_before=0 if one.steps is None else len(one.steps),
        steps_after=0 if other.steps is None else len(other.steps),
        parts=_parts(one, other),
        is_on_device=is_on_device,
        operators=changes_of(
            operator_rows(one, is_on_device, None, has_modules),
            operator_rows(other, is_on_device, modules, has_modules),
            step.before, step.after,
        ),
        kernels=None if kernels_before is None or kernels_after is None
        else changes_of(kernels_before, kernels_after, step.before, step.after),
        calls=calls,
        peaks=_peaks(one, other),
        notes=notes,
    )  # fmt: skip


def _aligned_by_paths(before: ProfileData, after: ProfileData) -> dict[str, str]:
    """Return the paths of modules after -> paths before, without trees of calls."""
    old, new = part_of(before, Part.MODULES, Modules), part_of(after, Part.MODULES, Modules)
    if old is None or new is None:
        values = set(() if before.operators.module is None else before.operators.module.values)
        return {
            path: path for path in (after.operators.module.values if after.operators.module else ()) if path in values
        }
    aligned = align(*(NamedTree(list(each.name), each.parent, np.arange(len(each))) for each in (old, new)))
    return {new.path[row]: old.path[where] for row, where in enumerate(aligned.tolist()) if where >= 0}


def _step(one: Side, other: Side) -> Change:
    means, variances = zip(*map(_step_time, (one, other)), strict=True)
    return Change(means[0], means[1], sqrt(sum(variances)))


def _step_time(side: Side) -> tuple[float, float]:
    """Return the mean time of a step and the variance of that mean; without steps, the self time of all operators."""
    if side.steps is None:
        return float(side.profile.operators.self_time.sum()), 0.0
    return _mean(side.steps.duration)


def _mean(values: Any) -> tuple[float, float]:
    values = values.astype(np.float64)
    variance = variance_of_mean(np.array([values.sum()]), np.array([(values**2).sum()]), len(values))
    return float(values.mean()), float(variance[0])


def _parts(one: Side, other: Side) -> dict[str, Change]:
    if one.steps is None or other.steps is None:
        return {}
    found: dict[str, Change] = {}
    for part in PARTS:
        (before, old), (after, new) = (_mean(side.steps.part(part)) for side in (one, other) if side.steps is not None)
        found[part] = Change(before, after, sqrt(old + new))
    return found


def _peaks(one: Side, other: Side) -> dict[str, Change]:
    before, after = one.peaks(), other.peaks()
    return {device: Change(before[device], after[device]) for device in before if device in after}
