# SPDX-License-Identifier: Apache-2.0
"""Statistics of series that grow are those of a fresh look, and cost what is new."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mindscope.stats.alignment import XYSeries, trace
from mindscope.stats.group_statistics import TraceStatistics
from mindscope.stats.growing_statistics import GrowingStatistics, grow_statistics

Points = list[tuple[int, float]]
Y = st.floats(-9, 9) | st.sampled_from([np.nan, np.inf])
POINTS = st.lists(st.tuples(st.integers(0, 30), Y), max_size=25)


def traced(points: Points) -> XYSeries:
    x, y = np.array(points, np.float64).reshape(-1, 2).T
    return trace(x, y)


def assert_same(got: GrowingStatistics, want: GrowingStatistics) -> None:
    np.testing.assert_array_equal(got.x, want.x)
    for each in fields(TraceStatistics):
        np.testing.assert_allclose(getattr(got.statistics, each.name), getattr(want.statistics, each.name), rtol=1e-12)


@given(st.lists(st.lists(POINTS, min_size=3, max_size=3), min_size=2, max_size=4), st.booleans())
def test_whatever_changed_is_what_a_fresh_look_finds(looks: list[list[Points]], is_joined: bool) -> None:
    known = None
    for look in looks:
        traces = [traced(points) for points in look]
        known = grow_statistics(traces, is_joined, known)
        assert_same(known, grow_statistics(traces, is_joined))


@given(st.integers(0, 10**6), st.integers(1, 300), st.lists(st.integers(0, 40), min_size=1, max_size=5), st.booleans())
def test_growth_costs_what_is_new(seed: int, size: int, growths: list[int], is_joined: bool) -> None:
    rng = np.random.default_rng(seed)
    x = np.cumsum(rng.integers(1, 4, (3, size + sum(growths))), axis=1).astype(np.float64)
    y = rng.standard_normal(x.shape)
    finished = XYSeries(x[0], y[0])
    known = grow_statistics([finished, XYSeries(x[1, :size], y[1, :size]), XYSeries(x[2], y[2])], is_joined)
    for stop in np.cumsum([size, *growths])[1:]:
        live = XYSeries(x[1, :stop].copy(), y[1, :stop].copy())
        new = stop - known.traces[1].x.size
        known = grow_statistics([finished, live, XYSeries(x[2].copy(), y[2])], is_joined, known)
        # the steps of the other series in the stretch that is new, and its first point, which may have been replaced
        assert known.computed <= (new + 1 + 2 * (3 * new + 1) if new else 0)
        assert_same(known, grow_statistics(known.traces, is_joined))
