# SPDX-License-Identifier: Apache-2.0
"""Merging steps and buckets moves no count out of sight."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import ArrayLike

from mindscope.stats import group_steps, merge_histograms
from mindscope.types import Histogram

EDGE = st.floats(-100, 100) | st.integers(-3, 3).map(float) | st.sampled_from([-1.7e308, 1.7e308])
COUNT = st.integers(0, 10**6).map(float)


def histogram(edges: ArrayLike, count: ArrayLike, nan_count: int = 0) -> Histogram:
    edges, count = np.asarray(edges, np.float64), np.asarray(count, np.float64)
    low, high = (float(edges[0]), float(edges[-1])) if count.size else (0.0, 0.0)
    total = float(count.sum()) + nan_count
    return Histogram(edges[:-1], edges[1:], count, low, high, float(count.sum()), total, nan_count)


@st.composite
def histograms(draw: st.DrawFn) -> Histogram:
    edges = sorted(draw(st.lists(EDGE, max_size=12)))
    count = draw(st.lists(COUNT, min_size=max(len(edges) - 1, 0), max_size=max(len(edges) - 1, 0)))
    return histogram(edges if count else [], count, draw(st.integers(0, 5)))


@given(st.lists(histograms(), min_size=1, max_size=6), st.integers(1, 12))
def test_no_count_is_lost(several: list[Histogram], buckets: int) -> None:
    merged = merge_histograms(several, buckets)
    assert merged.count.sum() == pytest.approx(sum(each.count.sum() for each in several))
    assert merged.total == sum(each.total for each in several)
    assert merged.nan_count == sum(each.nan_count for each in several)
    assert merged.sum == pytest.approx(sum(each.sum for each in several))
    assert merged.count.size <= buckets
    assert np.all(merged.count >= 0)
    assert merged.left.size == merged.right.size == merged.count.size
    np.testing.assert_array_equal(merged.left[1:], merged.right[:-1])


@given(st.lists(histograms(), min_size=1, max_size=6), st.integers(1, 12))
def test_every_bucket_is_covered(several: list[Histogram], buckets: int) -> None:
    merged = merge_histograms(several, buckets)
    seen = [each for each in several if each.count.size]
    if seen:
        assert merged.left[0] == min(each.left[0] for each in seen)
        assert merged.right[-1] == max(each.right[-1] for each in seen)
        assert merged.minimum == min(each.minimum for each in seen)
        assert merged.maximum == max(each.maximum for each in seen)
    else:
        assert merged.count.size == 0


@given(st.lists(st.lists(st.floats(0, 8), max_size=40), min_size=1, max_size=5))
def test_equal_edges_give_the_histogram_of_all_values(steps: list[list[float]]) -> None:
    edges = np.arange(9.0)
    several = [histogram(edges, np.histogram(values, edges)[0]) for values in steps]
    merged = merge_histograms(several, 8)
    np.testing.assert_array_equal(merged.left, edges[:-1])
    np.testing.assert_array_equal(merged.count, np.histogram(list(itertools.chain(*steps)), edges)[0])


@given(histograms())
def test_one_histogram_keeps_what_lies_below_each_edge(one: Histogram) -> None:
    merged = merge_histograms([one], 100)
    for edge in merged.left:
        # a bucket without a width at the edge itself belongs to what begins there
        below = merged.count[merged.left < edge].sum()
        assert below == pytest.approx(one.count[one.left < edge].sum())


def test_a_bucket_that_is_cut_is_spread_evenly() -> None:
    merged = merge_histograms([histogram([0, 4], [8]), histogram([1, 2], [5])], 10)
    assert merged.left.tolist() == [0, 1, 2]
    assert merged.right.tolist() == [1, 2, 4]
    assert merged.count.tolist() == [2, 7, 4]


def test_values_that_are_all_the_same_stay_together() -> None:
    assert merge_histograms([histogram([3, 3], [8]), histogram([3, 3], [5])], 10).count.tolist() == [13]
    merged = merge_histograms([histogram([1, 1], [8]), histogram([0, 1, 2], [1, 1]), histogram([2, 2], [4])], 10)
    assert merged.count.tolist() == [1, 13]


def test_a_gap_stays_empty() -> None:
    gap = Histogram(np.array([0.0, 5.0]), np.array([1.0, 6.0]), np.array([2.0, 4.0]), 0, 6, 0, 6)
    assert merge_histograms([gap], 10).count.tolist() == [2, 0, 4]


@given(st.integers(0, 3000), st.integers(0, 3000), st.integers(2, 100))
def test_groups_hold_every_step_once_in_order(start: int, count: int, rows: int) -> None:
    stop = start + count
    groups = group_steps(start, stop, rows)
    assert len(groups) <= rows
    assert [step for group in groups for step in range(stop)[group]] == list(range(start, stop))


@given(st.integers(1, 3000), st.integers(2, 100))
def test_whole_groups_stay_until_their_number_has_doubled(count: int, rows: int) -> None:
    before, after = group_steps(0, count, rows), group_steps(0, count + 1, rows)
    assert before[:-1] == after[: len(before) - 1] or len(before) == rows


@given(st.integers(0, 3000), st.integers(1, 3000), st.integers(2, 100), st.integers(0, 500), st.integers(0, 500))
def test_groups_inside_of_a_range_do_not_depend_on_it(start: int, count: int, rows: int, more: int, less: int) -> None:
    one = group_steps(start, start + count, rows)
    other = group_steps(max(start - less, 0), start + count + more, rows)
    inner = {(group.start, group.stop) for group in one[1:-1]}
    sizes = {group.stop - group.start for group in one[1:-1]}
    if sizes == {group.stop - group.start for group in other[1:-1]}:
        assert inner <= {(group.start, group.stop) for group in other}


def test_few_steps_are_not_merged() -> None:
    assert group_steps(3, 8, 5) == [slice(step, step + 1) for step in range(3, 8)]


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="rows is 1"):
        group_steps(0, 5, 1)
    with pytest.raises(ValueError, match="buckets is 0"):
        merge_histograms([histogram([0, 1], [1])], 0)
    with pytest.raises(ValueError, match="none, want at least one"):
        merge_histograms([], 5)


@pytest.mark.parametrize("edges", [[-np.inf, 0, np.inf], [0, 1, np.inf], [-1.79e308, 0, 1.79e308], [-np.inf] * 3])
def test_infinite_edges_cost_no_count_and_no_warning(edges: list[float]) -> None:
    wide = Histogram(np.array(edges[:-1]), np.array(edges[1:]), np.array([2.0, 3.0]), edges[0], edges[-1], 0.0, 5.0)
    near = Histogram(np.array([0.25]), np.array([0.5]), np.array([4.0]), 0.25, 0.5, 1.0, 4.0)
    merged = merge_histograms([wide, near, wide], 90)
    assert merged.count.sum() == pytest.approx(14)
    assert np.isfinite(merged.left).all()
    assert np.isfinite(merged.right).all()
