# SPDX-License-Identifier: Apache-2.0
"""The course of a noisy line: means of stretches of the axis."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from mindscope.stats import ChunkedArray, Line, reduce, sort_x
from mindscope.stats._m4 import course, means
from mindscope.stats._pyramid import Pyramid

FLOATS = st.floats(width=32) | st.sampled_from([0.0, 1e30, -1e30, float("nan"), float("inf")])


def line_of(y: NDArray[np.floating], *, has_pyramid: bool = False) -> Line:
    column = ChunkedArray([y])
    pyramid = Pyramid() if has_pyramid else None
    if pyramid is not None:
        pyramid.extend(column.values())
    return Line(column, pyramid)


@given(st.lists(FLOATS, min_size=1, max_size=60), st.data())
def test_means_are_those_of_numpy_over_finite_values(values: list[float], data: st.DataObject) -> None:
    y = np.array(values, np.float32)
    cuts = data.draw(st.lists(st.integers(0, len(values)), max_size=6))
    edges = np.array([0, *sorted(cuts), len(values)], np.int64)
    got = means(ChunkedArray([y]).values(), edges)
    for mean, start, stop in zip(got, edges[:-1], edges[1:], strict=True):
        finite = y[start:stop][np.isfinite(y[start:stop])].astype(np.float64)
        want = finite.mean() if finite.size else np.nan
        assert mean == pytest.approx(want, rel=1e-12, abs=1e-6 * np.abs(finite).max(initial=0), nan_ok=True)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_pyramid_changes_no_mean(dtype: type) -> None:
    rng = np.random.default_rng(5)
    y = rng.normal(1e6, 1, 100_000).astype(dtype)
    y[rng.integers(0, y.size, 300)] = np.nan
    edges = np.array([0, 17, 5000, 5000, 66_000, y.size], np.int64)
    with_blocks = line_of(y, has_pyramid=True)
    got = means(with_blocks.y.values(), edges, with_blocks.pyramid)
    assert got == pytest.approx(means(with_blocks.y.values(), edges), rel=1e-14, nan_ok=True)
    assert got[1] == pytest.approx(np.nanmean(y[17:5000].astype(np.float64)), rel=1e-13)
    assert np.isnan(got[2])


def test_sums_beyond_the_largest_number_have_a_mean() -> None:
    y = np.full(1000, 1.5e308)
    assert means(ChunkedArray([y]).values(), np.array([0, 1000])) == pytest.approx([1.5e308])


@given(st.lists(FLOATS, min_size=1, max_size=60), st.booleans(), st.data())
def test_a_course_is_the_line_of_numpy_through_the_means(values: list[float], whole: bool, data: st.DataObject) -> None:
    y = np.array(values, np.float32)
    x = np.cumsum(data.draw(st.lists(st.integers(0, 5), min_size=y.size, max_size=y.size))).astype(
        np.int64 if whole else np.float64
    )
    cuts = data.draw(st.sets(st.integers(1, max(1, y.size - 1)), max_size=6)) - {y.size}
    edges = np.array([0, *sorted(cuts), y.size], np.int64)
    rows = np.flatnonzero(data.draw(st.lists(st.booleans(), min_size=y.size, max_size=y.size)))
    column = ChunkedArray([y[: y.size // 2], y[y.size // 2 :]]).values()
    mean = means(column, edges)
    got, settled = course(column, mean, edges, x[edges[:-1]], x[edges[1:] - 1], rows, x[rows])
    used = np.flatnonzero(np.isfinite(mean))
    if used.size:
        middle = x[edges[used]].astype(np.float64) / 2 + x[edges[used + 1] - 1].astype(np.float64) / 2
        want = np.interp(x[rows].astype(np.float64), middle, mean[used])
        want[~np.isfinite(y[rows])] = np.nan
    else:
        want = np.full(rows.size, np.nan)
    assert np.array_equal(got, want, equal_nan=True)
    assert settled == (np.count_nonzero(rows < edges[used[-2]]) if used.size > 1 else 0)


def test_a_course_between_the_largest_numbers_is_finite() -> None:
    y = np.repeat([1.5e308, -1.5e308], 500)
    found = reduce(sort_x(np.arange(1000.0)), [line_of(y)], 16, has_mean=True)
    assert found.mean is not None
    assert np.isfinite(found.mean).all()
    assert found.mean[0] == pytest.approx(1.5e308)
    assert found.mean[-1] == pytest.approx(-1.5e308)


@pytest.mark.parametrize("rows", [[-1, 2], [0, 4]])
def test_a_course_refuses_rows_outside_of_its_column(rows: list[int]) -> None:
    column, edges = ChunkedArray([np.zeros(4)]).values(), np.array([0, 4])
    one, two = np.zeros(1), np.zeros(2)
    with pytest.raises(ValueError, match="want them within 4 rows"):
        course(column, one, edges, one, one, np.array(rows), two)


@pytest.mark.parametrize("log_origin", [None, 0.0])
def test_noise_around_a_course_is_taken_away(log_origin: float | None) -> None:
    x = np.arange(1.0, 40_001.0)
    course = np.exp(-x / 10_000)
    y = (course + np.random.default_rng(1).normal(0, 0.3, x.size)).astype(np.float32)
    found = reduce(sort_x(x), [line_of(y)], 500, None, log_origin, has_mean=True)
    rows = np.arange(x.size)[found.rows]
    assert found.mean is not None
    late = x[rows] > 1000  # columns of a logarithmic axis have few points before
    assert np.abs(found.mean - course[rows])[late].max() < 0.1
    assert np.abs(y[rows] - course[rows])[late].max() > 0.8


def test_a_gap_stays_a_gap() -> None:
    y = np.random.default_rng(2).normal(size=4000)
    y[1000:2000] = np.nan
    found = reduce(sort_x(np.arange(4000)), [line_of(y)], 200, has_mean=True)
    assert found.mean is not None
    rows = np.arange(4000)[found.rows]
    assert np.array_equal(np.isnan(found.mean), np.isnan(y[rows]))


def test_there_is_none_where_it_is_not_requested_or_rows_are_few() -> None:
    x, y = np.arange(1000), np.zeros(1000)
    assert reduce(sort_x(x), [line_of(y)], 200).mean is None
    assert reduce(sort_x(x), [line_of(y)], 2000, has_mean=True).mean is None
    assert reduce(sort_x(x[:50]), [line_of(y[:50])], 10, has_mean=True).mean is None


@given(st.integers(200, 3000), st.integers(1, 400), st.integers(20, 400), st.sampled_from([None, 0.0]))
def test_settled_rows_keep_their_mean(points: int, more: int, pixels: int, log_origin: float | None) -> None:
    """``since`` of a client relies on it. The range is that of a chart whose axis does not move."""
    rng = np.random.default_rng(points)
    y = rng.normal(size=points + more)
    y[rng.integers(0, y.size, y.size // 3)] = np.nan
    x = np.cumsum(rng.integers(1, 4, y.size)).astype(np.float64)
    whole = (float(x[0]), float(x[-1]))
    before, after = (
        reduce(sort_x(x[:size]), [line_of(y[:size])], pixels, whole, log_origin, has_mean=True)
        for size in (points, points + more)
    )
    if before.mean is None or after.mean is None or before.is_reduced != after.is_reduced:
        return
    rows_before, rows_after = np.arange(x.size)[before.rows], np.arange(x.size)[after.rows]
    settled = before.settled
    assert np.array_equal(rows_before[:settled], rows_after[:settled])
    assert np.array_equal(before.mean[:settled], after.mean[:settled], equal_nan=True)
