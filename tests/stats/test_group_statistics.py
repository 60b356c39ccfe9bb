# SPDX-License-Identifier: Apache-2.0
"""Statistics of several series at each x, against numpy's of the same values."""

from __future__ import annotations

from math import exp, lgamma, pi, sqrt
from statistics import NormalDist

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindscope.stats import group_statistics as module
from mindscope.stats.alignment import are_points_missing, common_x, trace
from mindscope.stats.group_statistics import trace_statistics
from mindscope.stats.student_t import t_quantile

SERIES = st.lists(
    st.tuples(st.integers(0, 30), st.one_of(st.floats(-1e3, 1e3), st.just(np.nan), st.just(np.inf))),
    max_size=30,
    unique_by=lambda point: point[0],
)


@given(st.lists(SERIES, min_size=1, max_size=6))
def test_at_each_x_are_the_statistics_of_the_points_there(series: list[list[tuple[int, float]]]):
    traces = [trace(np.array([x for x, _ in each], float), np.array([y for _, y in each])) for each in series]
    x = common_x(traces, None)
    got = trace_statistics(traces, x, is_joined=False)
    assert x.tolist() == sorted({x for each in series for x, _ in each})
    for row, place in enumerate(x):
        there = [y for each in series for at, y in each if at == place and np.isfinite(y)]
        assert got.count[row] == len(there)
        if not there:
            assert np.isnan([got.mean[row], got.median[row], got.low[row], got.high[row]]).all()
            continue
        assert got.mean[row] == pytest.approx(np.mean(there))
        assert (got.low[row], got.high[row]) == (min(there), max(there))
        wanted = np.quantile(there, [0.25, 0.5, 0.75])
        assert [got.lower_quartile[row], got.median[row], got.upper_quartile[row]] == pytest.approx(wanted)
        if len(there) > 1:
            assert got.deviation[row] == pytest.approx(np.std(there, ddof=1), abs=1e-9)
        else:
            assert np.isnan(got.deviation[row])


def test_joined_series_count_between_their_ends():
    sparse, dense = trace(np.array([0.0, 10.0]), np.array([0.0, 10.0])), trace(np.arange(15.0), np.zeros(15))
    x = common_x([sparse, dense], None)
    got = trace_statistics([sparse, dense], x, is_joined=True)
    assert got.count.tolist() == [2.0] * 11 + [1.0] * 4
    assert got.high[:11].tolist() == list(range(11))
    assert got.mean[5] == 2.5


def test_a_range_brings_its_neighbors_of_any_series():
    one, other = trace(np.arange(0.0, 100, 10), np.zeros(10)), trace(np.arange(5.0, 100, 10), np.zeros(10))
    assert common_x([one, other], (41.0, 54.0)).tolist() == [40.0, 45.0, 50.0, 55.0]
    assert common_x([one, other], (54.0, 41.0)).tolist() == [40.0, 45.0, 50.0, 55.0]
    assert common_x([one], (41.0, 42.0)).tolist() == [40.0, 50.0]
    assert common_x([one], (-5.0, -1.0)).tolist() == [0.0]


def test_points_are_brought_in_order_and_those_without_x_left_out():
    each = trace(np.array([3.0, np.nan, 1.0, 1.0]), np.array([30.0, 0.0, 10.0, 11.0]))
    assert each.x.tolist() == [1.0, 1.0, 3.0]
    assert each.at(np.array([0.0, 1.0, 3.0])).tolist()[1:] == [11.0, 30.0]


def test_blocks_make_no_difference(monkeypatch: pytest.MonkeyPatch):
    random = np.random.default_rng(1)
    traces = [trace(np.sort(random.choice(500, 200, replace=False)), random.normal(size=200)) for _ in range(7)]
    x = common_x(traces, None)
    for is_joined in (False, True):
        whole = trace_statistics(traces, x, is_joined)
        monkeypatch.setattr(module, "BLOCK", 50)
        parts = trace_statistics(traces, x, is_joined)
        monkeypatch.undo()
        for name in whole.__slots__:
            np.testing.assert_array_equal(getattr(whole, name), getattr(parts, name))


def test_without_series_there_is_nothing():
    assert trace_statistics([], np.empty(0), is_joined=False).count.size == 0


@pytest.mark.parametrize(
    ("degrees", "want"),  # Abramowitz and Stegun, table 26.10
    [(1, 12.706), (2, 4.303), (3, 3.182), (4, 2.776), (5, 2.571), (9, 2.262), (30, 2.042), (60, 2.000), (120, 1.980)],
)
def test_quantiles_of_students_distribution_are_those_of_the_table(degrees: int, want: float):
    assert t_quantile(degrees) == pytest.approx(want, abs=5e-4)


@pytest.mark.parametrize("degrees", [1, 2, 7, 40, 1000, 1001, 100_000])
def test_the_interval_holds_95_percent_of_the_density(degrees: int):
    """By the trapezoidal rule, with the density of Student's t."""
    t = np.linspace(0, t_quantile(degrees), 200_001)
    scale = exp(lgamma((degrees + 1) / 2) - lgamma(degrees / 2)) / sqrt(degrees * pi)
    density = scale * (1 + t * t / degrees) ** (-(degrees + 1) / 2)
    assert 2 * np.trapezoid(density, t) == pytest.approx(0.95, abs=1e-7)


def test_quantiles_fall_towards_that_of_the_normal_distribution():
    quantiles = [t_quantile(degrees) for degrees in range(1, 1100)]
    assert quantiles == sorted(quantiles, reverse=True)
    assert t_quantile(10**9) == pytest.approx(NormalDist().inv_cdf(0.975), abs=1e-8)


@given(st.lists(st.lists(st.floats(-1e3, 1e3), min_size=1, max_size=8), min_size=1, max_size=5))
def test_errors_of_a_mean_are_those_of_pandas_and_scipy(columns: list[list[float]]):
    """A row for each x; series have values at some x only."""
    student_t = pytest.importorskip("scipy.stats").t
    traces = [trace(np.arange(len(column), dtype=float), np.array(column)) for column in columns]
    got = trace_statistics(traces, common_x(traces, None), is_joined=True)
    frame = pd.DataFrame({number: pd.Series(column) for number, column in enumerate(columns)})
    np.testing.assert_allclose(got.standard_error, frame.sem(axis=1), atol=1e-9)
    np.testing.assert_allclose(
        got.confidence, frame.sem(axis=1) * student_t.ppf(0.975, frame.count(axis=1) - 1), atol=1e-8
    )
    assert np.isnan(got.confidence).tolist() == (frame.count(axis=1) < 2).tolist()


def test_points_are_missing_only_between_the_ends_of_a_series():
    dense, sparse = trace(np.arange(10.0), np.zeros(10)), trace(np.array([2.0, 5.0]), np.zeros(2))
    begun, repeated = trace(np.arange(4.0), np.zeros(4)), trace(np.repeat(np.arange(10.0), 2), np.zeros(20))
    nothing = trace(np.empty(0), np.empty(0))
    x = common_x([dense, sparse], None)
    assert are_points_missing([dense, sparse], x)
    assert not are_points_missing([dense, begun, repeated, nothing], x)
    assert not are_points_missing([dense, sparse], x[6:])
    assert not are_points_missing([], np.empty(0))
