# SPDX-License-Identifier: Apache-2.0
"""Finds the same steps of two trainings: one may count from 0 and the other from 1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from mindscope.debug.compare.samples import STEPS, StepSample, sample_at
from mindscope.debug.compare.statistic_error import statistic_errors, tolerance_of
from mindscope.debug.model.source import DebugSource

_FIRST_STEPS = 3
"""The number of first steps of each training that may be the same."""
_LEAST_AGREEMENT = 0.5
_LEAST_GAIN = 0.25
"""Another offset than 0 is assumed if the share of tensors that agree is larger by this."""


@dataclass(frozen=True, slots=True)
class StepOffset:
    """The number that is added to a step of the left training to get that of the right one."""

    steps: int = 0
    is_found: bool = False
    """Whether it was found, because the tensors of the first steps agree; else it was given or is 0."""


def find_step_offset(left: DebugSource, right: DebugSource, pairs: Sequence[tuple[int, int]]) -> StepOffset:
    """Return the offset with which the tensors of the first common step agree; 0 unless another one is clearly better.

    Args:
        left: one training.
        right: the other.
        pairs: tensors of ``left`` with those of ``right`` that are the same.
    """
    ranks = rank_pairs(left, right)[:1]
    if not ranks or not pairs:
        return StepOffset()
    one, other = ranks[0]
    ours, theirs = left.steps(one), right.steps(other)
    offsets = {second - first for first in ours[:_FIRST_STEPS] for second in theirs[:_FIRST_STEPS]} | {0}

    def agreement(offset: int) -> float:
        step = min({our + offset for our in ours}.intersection(theirs), default=None)
        samples = None if step is None else (sample_at(left, step - offset, one), sample_at(right, step, other))
        if samples is None or samples[0] is None or samples[1] is None:
            return 0.0
        return _agreement((samples[0], samples[1]), (left, right), pairs)

    if agreement(0) > 1 - _LEAST_GAIN:  # no other one is clearly better
        return StepOffset()
    agreements = {offset: agreement(offset) for offset in sorted(offsets, key=lambda each: (abs(each), each))}
    best = max(agreements, key=agreements.__getitem__)
    is_better = agreements[best] >= max(_LEAST_AGREEMENT, agreements[0] + _LEAST_GAIN)
    return StepOffset(best, is_found=True) if best and is_better else StepOffset()


def _agreement(
    samples: tuple[StepSample, StepSample], sources: tuple[DebugSource, DebugSource], pairs: Sequence[tuple[int, int]]
) -> float:
    """Return the share of the tensors of a step that are equal within the tolerance."""
    there = [(one, other) for one, other in pairs if samples[0].has(one) and samples[1].has(other)]
    if not there:
        return 0.0
    values = [np.stack([sample.values(pair[side]) for pair in there]) for side, sample in enumerate(samples)]
    limits = [tolerance_of(sources[0].tensors[one].dtype, sources[1].tensors[other].dtype) for one, other in there]
    return float(np.mean(statistic_errors(values[0], values[1]) <= np.array(limits)))


def rank_pairs(left: DebugSource, right: DebugSource) -> list[tuple[int, int]]:
    """Return the ranks of both with equal numbers; without any, the first ones."""
    ranks = [(rank, rank) for rank in left.ranks if rank in right.ranks]
    if not ranks and left.ranks and right.ranks:
        ranks = [(left.ranks[0], right.ranks[0])]
    return ranks


def common_steps(left: DebugSource, right: DebugSource, offset: int) -> Mapping[int, list[tuple[int, int]]]:
    """Return the steps of the left training that both have, ascending, with the pairs of ranks that have them."""
    by_step: dict[int, list[tuple[int, int]]] = {}
    for one, other in rank_pairs(left, right):
        theirs = set(right.steps(other))
        for step in left.steps(one):
            if step + offset in theirs:
                by_step.setdefault(step, []).append((one, other))
    return dict(sorted(by_step.items()))


def aligned_samples(left: DebugSource, right: DebugSource, offset: int) -> tuple[tuple[StepSample, StepSample], ...]:
    """Return the first two common steps of the first ranks that can be read."""
    found: list[tuple[StepSample, StepSample]] = []
    for step, ranks in common_steps(left, right, offset).items():
        one, other = ranks[0]
        samples = sample_at(left, step, one), sample_at(right, step + offset, other)
        if samples[0] is not None and samples[1] is not None:
            found.append((samples[0], samples[1]))
        if len(found) == STEPS:
            break
    return tuple(found)
