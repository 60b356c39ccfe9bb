# SPDX-License-Identifier: Apache-2.0
"""A curve that grew, or was written over, is drawn like one that was made at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from mindscope.stats import ChunkedArray, Columns, GrowingCurve, XName, m4, reduce, smooth

Arrays = tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float32]]


def points(seed: int, size: int, ascends: bool) -> Arrays:
    rng = np.random.default_rng(seed)
    step = np.cumsum(rng.integers(1, 4, size)) if ascends else rng.integers(0, 4 * size + 1, size)
    wall_time = 1e9 + np.cumsum(rng.uniform(-0.1 if seed % 2 else 0.0, 1.0, size))
    wall_time[rng.random(size) < 0.01 * (seed % 3)] = np.nan
    value = rng.standard_normal(size).astype(np.float32)
    value[rng.random(size) < 0.01] = np.nan
    return step, wall_time, value


def parted(columns: Arrays, size: int | None = None, cuts: list[int] | None = None) -> Columns:
    """The first ``size`` rows, in pieces of other memory when there are ``cuts``."""
    bounds = [0, *sorted(cuts or []), columns[0].size if size is None else size]
    pieces = [
        [column[start:stop].copy() if cuts else column[start:stop] for start, stop in pairwise(bounds)]
        for column in columns
    ]
    return ChunkedArray(pieces[0]), ChunkedArray(pieces[1]), ChunkedArray(pieces[2])


def drawn(curve: GrowingCurve, x: XName, weight: float, log_origin: float | None = None) -> NDArray[np.int64]:
    rows = reduce(curve.x_axis(x), [curve.line(weight, x)], 40, log_origin=log_origin).rows
    return np.arange(curve.columns[0].size)[rows]


@given(st.integers(0, 10**6), st.integers(0, 6000), st.booleans(), st.booleans(), st.data())
def test_growth_and_parting_change_nothing(
    seed: int, size: int, ascends: bool, has_pyramids: bool, data: st.DataObject
) -> None:
    columns = points(seed, size, ascends)
    curve = GrowingCurve(has_pyramids)
    for stop in [*sorted(data.draw(st.lists(st.integers(0, size), max_size=4))), size]:
        cuts = data.draw(st.lists(st.integers(0, stop), max_size=4))
        curve.show(parted(columns, stop, cuts), (0.0, 0.9), continues=True)
        if data.draw(st.booleans()):
            drawn(curve, "wall_time", 0.9)
    smoothed = smooth(columns[2], 0.9)
    assert curve.smoothed(0.9).joined().tobytes() == smoothed.tobytes()
    for x, place in (("step", columns[0]), ("wall_time", columns[1])):
        np.testing.assert_array_equal(drawn(curve, x, 0.0), m4(place, columns[2], 40))
        np.testing.assert_array_equal(drawn(curve, x, 0.9), m4(place, smoothed, 40))
        want = m4(place, columns[2], 40, log_origin=1.0)
        np.testing.assert_array_equal(drawn(curve, x, 0.0, log_origin=1.0), want)
    times = columns[1][np.isfinite(columns[1])]
    assert curve.start_wall_time == (times.min() if times.size else None)
    assert curve.step_range == ((columns[0].min(), columns[0].max()) if size else None)


@given(st.integers(0, 10**6), st.integers(0, 3000), st.data())
def test_rows_are_taken_from_where_they_lie(seed: int, size: int, data: st.DataObject) -> None:
    column = np.random.default_rng(seed).standard_normal(size)
    cuts = sorted(data.draw(st.lists(st.integers(0, size), max_size=6)))
    bounds = [0, *cuts, size]
    parts = ChunkedArray([column[start:stop].copy() for start, stop in pairwise(bounds)])
    rows = np.random.default_rng(seed + 1).integers(0, max(size, 1), 50 if size else 0)
    np.testing.assert_array_equal(parts.take(rows), column[rows])
    start, stop = sorted((data.draw(st.integers(0, size)), data.draw(st.integers(0, size))))
    np.testing.assert_array_equal(parts.take(slice(start, stop)), column[start:stop])
    assert all(parts.at(int(row)) == column[row] for row in rows)


@pytest.mark.parametrize("row", [0, 2000, 4999])
@pytest.mark.parametrize("column", [0, 1, 2])
def test_points_that_do_not_continue_are_looked_at_anew(row: int, column: int) -> None:
    before, after = points(2, 5000, True), points(2, 6000, True)
    curve = GrowingCurve(has_pyramids=True)
    curve.show(parted(before), (0.0, 0.5))
    after[column][row] += 1
    curve.show(parted(after), (0.0, 0.5))
    want = GrowingCurve(has_pyramids=True)
    want.show(parted(after), (0.0, 0.5))
    assert curve.smoothed(0.5).joined().tobytes() == want.smoothed(0.5).joined().tobytes()
    for x in ("step", "wall_time"):
        np.testing.assert_array_equal(drawn(curve, x, 0.0), drawn(want, x, 0.0))


def test_a_curve_that_lost_rows_is_looked_at_anew() -> None:
    columns = points(1, 5000, True)
    curve = GrowingCurve(has_pyramids=True)
    curve.show(parted(columns), (0.0,))
    curve.show(parted(columns, 700), (0.0,))
    np.testing.assert_array_equal(drawn(curve, "step", 0.0), m4(columns[0][:700], columns[2][:700], 40))


def test_tasks_may_run_at_the_same_time() -> None:
    columns = points(1, 20_000, True)
    curve, want = GrowingCurve(has_pyramids=True), GrowingCurve(has_pyramids=True)
    want.show(parted(columns), (0.0, 0.9))
    with ThreadPoolExecutor(4) as pool:
        curve.show(parted(columns), (0.0, 0.9), lambda tasks: list(pool.map(lambda task: task(), tasks)) and None)
    assert curve.smoothed(0.9).joined().tobytes() == want.smoothed(0.9).joined().tobytes()
    np.testing.assert_array_equal(drawn(curve, "step", 0.9), drawn(want, "step", 0.9))


def test_few_smoothed_lines_are_kept() -> None:
    columns = points(1, 100_000, True)
    curve = GrowingCurve(has_pyramids=True)
    for weight in np.linspace(0.1, 0.9, 20):
        curve.show(parted(columns), (0.0, float(weight)), continues=True)
    assert curve.nbytes <= 100_000 * (0.8 + 3 * 4.8)
