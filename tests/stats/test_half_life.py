# SPDX-License-Identifier: Apache-2.0
"""Smoothing by half-life, against the sum that it is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindscope.stats.half_life import smooth_half_life


def by_definition(x: np.ndarray, value: np.ndarray, half_life: float) -> np.ndarray:
    smoothed = value.copy()
    for i in np.flatnonzero(np.isfinite(value)):
        past = [j for j in range(i + 1) if np.isfinite(value[j])]
        weights = np.exp2(np.maximum((x[past] - x[i]) / half_life, -1000))
        smoothed[i] = np.sum(weights * value[past]) / np.sum(weights)
    return smoothed


@given(
    st.lists(st.tuples(st.integers(0, 500), st.floats(-1e6, 1e6)), min_size=1, max_size=60),
    st.sampled_from([0.01, 0.5, 3.0, 100.0, 1e6]),
)
def test_it_is_the_sum_of_its_definition(points: list[tuple[int, float]], half_life: float):
    x = np.cumsum([gap for gap, _ in points]).astype(float)
    value = np.array([value for _, value in points])
    got = smooth_half_life(x, value, half_life)
    np.testing.assert_allclose(got, by_definition(x, value, half_life), rtol=1e-9, atol=1e-6)


def test_what_is_a_half_life_back_counts_half():
    assert smooth_half_life([0, 10], [0.0, 3.0], 10.0).tolist() == [0.0, 2.0]


def test_the_spacing_of_the_points_does_not_matter():
    x = np.arange(1000.0)
    dense = smooth_half_life(x, np.sin(x / 200), 20.0)
    sparse = smooth_half_life(x[::5], np.sin(x[::5] / 200), 20.0)
    assert np.abs(dense[::5] - sparse).max() < 0.02


def test_what_is_no_number_stays_and_leaves_no_trace():
    value = np.array([1.0, np.nan, np.inf, 2.0, -np.inf])
    got = smooth_half_life(np.arange(5.0), value, 2.0)
    assert np.isnan(got[1])
    assert got[2] == np.inf
    assert got[4] == -np.inf
    assert got[3] == pytest.approx(smooth_half_life([0, 3], [1.0, 2.0], 2.0)[1])


def test_a_constant_stays_exactly_so_over_a_long_series():
    assert np.ptp(smooth_half_life(np.arange(100_000.0), np.full(100_000, 0.5), 7.0)) < 1e-12


def test_points_at_one_x_count_alike():
    assert smooth_half_life([5.0, 5.0, 5.0], [0.0, 3.0, 6.0], 1.0).tolist() == [0.0, 1.5, 3.0]


def test_a_clock_that_goes_back_is_a_clock_that_stands():
    assert np.isfinite(smooth_half_life([5.0, 3.0, np.inf, np.nan, 4.0], np.arange(5.0), 1.0)).all()


@pytest.mark.parametrize("half_life", [0.0, -1.0, float("nan")])
def test_a_half_life_has_to_be_a_stretch(half_life: float):
    with pytest.raises(ValueError, match="want a stretch of the axis above 0"):
        smooth_half_life([0.0], [1.0], half_life)
