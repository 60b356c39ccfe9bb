# SPDX-License-Identifier: Apache-2.0
"""Clocks of ranks that are off by known times."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindscope.profile.ranks.ranks import Ranks
from tests.profile.ranks.made_ranks import TRANSFER, training

S = 1_000_000_000


@given(
    offsets=st.lists(st.integers(-10 * S, 10 * S), min_size=2, max_size=6),
    noise=st.integers(0, 200_000),
    steps=st.integers(3, 30),
    is_numbered=st.booleans(),
    seed=st.integers(0, 1000),
)
def test_offsets_are_recovered(offsets: list[int], noise: int, steps: int, is_numbered: bool, seed: int) -> None:
    ranks = Ranks(training([0] * len(offsets), steps, offsets=offsets, noise=noise, is_numbered=is_numbered, seed=seed))
    clocks = ranks.clocks
    assert ranks.reference == 0
    assert clocks.is_aligned.all()
    assert clocks.collectives.tolist() == [steps] * len(offsets)
    error = np.abs(clocks.offset - (np.array(offsets) - offsets[0]))
    assert (error <= noise).all(), "the noise is the greatest possible error"
    assert (clocks.uncertainty <= 1.5 * noise).all()


def test_the_uncertainty_covers_the_error() -> None:
    """In nearly all trainings the offset is as near as the uncertainty says."""
    truth = np.array([0, 3 * S, -7 * S, 250_000, 0, 1])
    within = [
        np.abs(clocks.offset - truth) <= clocks.uncertainty
        for seed in range(30)
        if (clocks := Ranks(training([0] * 6, 20, offsets=truth.tolist(), noise=50_000, seed=seed)).clocks)
    ]
    assert np.mean(within) > 0.98


def test_aligned_steps_begin_together() -> None:
    steps = Ranks(training([0, 0, 0], offsets=[0, 2 * S, -3 * S])).steps
    assert steps is not None
    for number in range(10):
        assert len(set(steps.start[steps.step == number].tolist())) == 1
    assert len(set(steps.own_start[steps.step == 3].tolist())) == 3


def test_a_drift_is_visible() -> None:
    ranks = Ranks(training([0, 0, 0], 200, offsets=[0, S, 5], drifts={1: 50_000.0}, noise=2_000))
    clocks = ranks.clocks
    assert clocks.drift.tolist() == [0, pytest.approx(50_000, rel=0.01), 0]
    assert clocks.derived()["drift_ppm"][1] == pytest.approx(50, rel=0.01)  # type: ignore[comparison-overlap]
    steps = ranks.steps
    assert steps is not None
    starts = steps.start.reshape(3, -1)
    assert np.abs(starts - starts[0]).max() <= 10_000, "the whole drift is a millisecond"


def test_a_few_slow_collectives_do_not_count() -> None:
    data = training([0, 0], 30, offsets=[0, S])
    communication = data[1].communication
    assert communication is not None
    communication.duration[:6] += 40_000_000
    clocks = Ranks(data).clocks
    assert abs(int(clocks.offset[1]) - S) <= 1
    assert clocks.drift[1] == 0


def test_one_collective_is_as_certain_as_it_is_short() -> None:
    clocks = Ranks(training([0, 20_000_000], 1, offsets=[0, S])).clocks
    assert clocks.offset.tolist() == [0, S]
    assert clocks.uncertainty.tolist() == [0, 20_000_000 + TRANSFER], "the rank could have left it at its begin"


def test_ranks_are_aligned_over_other_groups() -> None:
    offsets = [0, S, 2 * S, 3 * S, -S, -2 * S]
    ranks = Ranks(training([0] * 6, offsets=offsets, groups=[[0, 1], [2, 3], [1, 3], [4, 5]]))
    clocks = ranks.clocks
    assert clocks.is_aligned.tolist() == [True] * 4 + [False] * 2, "no collective leads to ranks 4 and 5"
    assert clocks.offset.tolist() == [0, S, 2 * S, 3 * S, 0, 0]
    assert clocks.collectives.tolist() == [10, 10, 10, 10, 0, 0]


def test_without_collectives_clocks_are_believed() -> None:
    ranks = Ranks(training([0, 5], offsets=[0, 5], groups=[[0], [1]]))
    assert ranks.clocks.is_aligned.tolist() == [False, False]
    assert ranks.steps is not None
    assert ranks.stragglers is None
