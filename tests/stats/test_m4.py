# SPDX-License-Identifier: Apache-2.0
"""The reduction is a subset that keeps extremes, ends, gaps and marks, and does not move as points are appended."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from mindscope.stats import m4

from .numpy_m4 import numpy_m4

Y = st.floats(-100, 100, width=32) | st.sampled_from([math.nan, math.inf, -math.inf])


@st.composite
def curves(draw: st.DrawFn) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
    y = draw(st.lists(Y, min_size=1, max_size=300))
    gaps = draw(st.lists(st.integers(0, 5), min_size=len(y), max_size=len(y)))
    return np.cumsum(gaps).astype(np.float64), np.array(y, np.float32)


X = st.floats(-50, 50) | st.integers(-9, 9).map(float) | st.sampled_from([math.nan, math.inf, -math.inf, 1e300])


@given(st.lists(st.tuples(X, Y), max_size=120), st.booleans(), st.integers(1, 9), st.none() | st.tuples(X, X))
def test_is_what_numpy_says_for_any_points(
    points: list[tuple[float, float]], ascending: bool, pixels: int, range: tuple[float, float] | None
) -> None:
    points = sorted(points, key=lambda point: point[0]) if ascending else points
    x, y = np.array(points, np.float64).reshape(-1, 2).T
    range = None if range is None or any(map(math.isnan, range)) else (min(range), max(range))
    for values in (y.astype(np.float32), y):
        np.testing.assert_array_equal(m4(x, values, pixels, range), numpy_m4(x, values, pixels, range))


@given(st.lists(st.integers(-(2**62), 2**62) | st.integers(0, 500), max_size=200), st.integers(1, 9))
def test_whole_steps_are_taken_as_they_are(steps: list[int], pixels: int) -> None:
    x = np.array(sorted(steps), np.int64)
    y = np.random.default_rng(len(steps)).standard_normal(x.size)
    np.testing.assert_array_equal(m4(x, y, pixels), numpy_m4(x, y, pixels))


@given(st.lists(st.tuples(X, Y), max_size=120), st.booleans(), st.integers(1, 9), st.none() | st.tuples(X, X), X)
def test_is_what_numpy_says_on_a_logarithmic_axis(
    points: list[tuple[float, float]],
    ascending: bool,
    pixels: int,
    range: tuple[float, float] | None,
    log_origin: float,
) -> None:
    points = sorted(points, key=lambda point: point[0]) if ascending else points
    x, y = np.array(points, np.float64).reshape(-1, 2).T
    range = None if range is None or not all(map(math.isfinite, range)) else (min(range), max(range))
    log_origin = log_origin if abs(log_origin) < 100 else 0.0
    got = m4(x, y, pixels, range, log_origin)
    np.testing.assert_array_equal(got, numpy_m4(x, y, pixels, range, log_origin))


@given(st.lists(st.integers(-(2**53), 2**53) | st.integers(-5, 500), max_size=200), st.integers(1, 9))
def test_whole_steps_on_a_logarithmic_axis_are_taken_as_they_are(steps: list[int], pixels: int) -> None:
    x = np.array(sorted(steps), np.int64)
    y = np.random.default_rng(len(steps)).standard_normal(x.size)
    for log_origin in (0.0, -1.0, 2.5):
        want = numpy_m4(x, y, pixels, log_origin=log_origin)
        np.testing.assert_array_equal(m4(x, y, pixels, log_origin=log_origin), want)


def test_a_logarithmic_axis_keeps_every_decade() -> None:
    y = np.random.default_rng(5).standard_normal(1_000_000)
    x = np.arange(y.size)
    rows = m4(x, y, 600, log_origin=0.0)
    assert rows[:80].tolist() == list(range(80))  # a hundred columns a decade: nothing of the first two is left out
    assert np.histogram(np.log10(x[rows[1:]]), [2, 3, 4, 5, 6])[0].min() > 300
    assert {int(y.argmin()), int(y.argmax())} <= set(rows.tolist())
    assert rows.size <= 8 * 600 + 8


def test_appended_points_move_no_edge_of_a_logarithmic_axis() -> None:
    y = np.random.default_rng(1).standard_normal(100_000)
    x = np.arange(y.size, dtype=np.float64) - 3.0
    before, after = m4(x[:90_000], y[:90_000], 100, log_origin=0.0), m4(x[:90_500], y[:90_500], 100, log_origin=0.0)
    np.testing.assert_array_equal(before[before < 80_000], after[after < 80_000])


@given(curves(), st.integers(1, 12))
def test_keeps_a_subset_with_both_ends_in_order(
    curve: tuple[NDArray[np.float64], NDArray[np.float32]], pixels: int
) -> None:
    x, y = curve
    rows = m4(x, y, pixels)
    assert np.all(np.diff(rows) > 0)
    assert rows[0] == 0
    assert rows[-1] == x.size - 1


@given(curves(), st.integers(1, 12))
def test_the_lowest_and_highest_point_stay(curve: tuple[NDArray[np.float64], NDArray[np.float32]], pixels: int) -> None:
    x, y = curve
    kept = y[m4(x, y, pixels)]
    finite = y[np.isfinite(y)]
    if finite.size:
        assert kept[np.isfinite(kept)].min() == finite.min()
        assert kept[np.isfinite(kept)].max() == finite.max()


@given(curves(), st.integers(1, 12))
def test_buckets_are_no_wider_than_a_column(
    curve: tuple[NDArray[np.float64], NDArray[np.float32]], pixels: int
) -> None:
    x, y = curve
    rows = m4(x, y, pixels)
    kept_x = x[rows]
    width = (x[-1] - x[0]) / pixels
    finite = np.isfinite(y)
    for row in np.flatnonzero(finite):
        near = rows[(np.abs(kept_x - x[row]) <= width) & finite[rows]]
        assert y[near].min() <= y[row] <= y[near].max()


@given(curves(), st.integers(1, 12))
def test_gaps_and_marks_stay_in_every_bucket(
    curve: tuple[NDArray[np.float64], NDArray[np.float32]], pixels: int
) -> None:
    x, y = curve
    rows = m4(x, y, pixels)
    width = (x[-1] - x[0]) / pixels
    for is_mark in (np.isnan, np.isposinf, np.isneginf):
        marks = x[rows][is_mark(y[rows])]
        for row in np.flatnonzero(is_mark(y)):
            assert np.any(np.abs(marks - x[row]) <= width)


def test_no_line_is_drawn_across_a_gap() -> None:
    y = np.ones(10_000, np.float32)
    y[5_000] = math.nan
    rows = m4(np.arange(10_000), y, 10)
    assert 5_000 in rows


@settings(max_examples=30)
@given(st.integers(1, 2000), st.integers(1, 64))
def test_keeps_at_most_so_many_rows_a_column(size: int, pixels: int) -> None:
    y = np.random.default_rng(size).standard_normal(size)
    # at most two buckets a column and one at each end, four rows each
    assert m4(np.arange(size), y, pixels).size <= 8 * pixels + 8


def test_a_single_spike_survives_any_reduction() -> None:
    y = np.zeros(1_000_000, np.float32)
    y[654_321] = 1.0
    assert 654_321 in m4(np.arange(y.size), y, 3)


def test_appended_points_leave_settled_buckets_alone() -> None:
    y = np.random.default_rng(1).standard_normal(100_000)
    x = np.arange(y.size, dtype=np.float64)
    before, after = m4(x[:90_000], y[:90_000], 100), m4(x[:90_500], y[:90_500], 100)
    np.testing.assert_array_equal(before[before < 88_000], after[after < 88_000])


def test_all_rows_are_returned_where_they_are_few() -> None:
    assert m4(np.arange(400), np.zeros(400), 100).tolist() == list(range(400))


def test_range_takes_one_neighbor_on_each_side() -> None:
    x = np.arange(0, 100, 10)
    assert m4(x, x, 50, (25, 65)).tolist() == [2, 3, 4, 5, 6, 7]
    assert m4(x, x, 50, (-5, 5)).tolist() == [0, 1]
    assert m4(x, x, 50, (41, 42)).tolist() == [4, 5]


def test_zooming_in_brings_every_row_back() -> None:
    x = np.arange(100_000)
    assert m4(x, x, 100, (50_000, 50_300)).tolist() == list(range(49_999, 50_302))


def test_x_that_goes_back_is_taken_in_its_order() -> None:
    x = np.array([3.0, 1.0, math.nan, 2.0, 1.0])
    assert m4(x, np.zeros(5), 10).tolist() == [1, 4, 3, 0]


@pytest.mark.parametrize("x", [[5.0] * 1000, [0.0, math.inf] * 500, [-1e308, 1e308] * 500])
def test_odd_axes_are_survived(x: list[float]) -> None:
    y = np.arange(1000.0)
    rows = m4(x, y, 2)
    assert {0.0, 999.0} <= set(y[rows])


def test_nothing_in_gives_nothing_out() -> None:
    assert m4([], [], 100).size == 0


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="want at least 1"):
        m4([1.0], [1.0], 0)
    with pytest.raises(ValueError, match="want two equal shapes"):
        m4([1.0], [1.0, 2.0], 10)
