# SPDX-License-Identifier: Apache-2.0
"""A curve that grew, or was written over, is drawn like one that was made at once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from mindscope.stats import Columns, GrowingCurve, XName, m4, reduce, smooth


def points(seed: int, size: int, ascends: bool) -> Columns:
    rng = np.random.default_rng(seed)
    step = np.cumsum(rng.integers(1, 4, size)) if ascends else rng.integers(0, 4 * size + 1, size)
    wall_time = 1e9 + np.cumsum(rng.uniform(-0.1 if seed % 2 else 0.0, 1.0, size))
    wall_time[rng.random(size) < 0.01 * (seed % 3)] = np.nan
    value = rng.standard_normal(size).astype(np.float32)
    value[rng.random(size) < 0.01] = np.nan
    return step, wall_time, value


def head(columns: Columns, size: int) -> Columns:
    step, wall_time, value = columns
    return step[:size], wall_time[:size], value[:size]


def copied(columns: Columns) -> Columns:
    step, wall_time, value = columns
    return step.copy(), wall_time.copy(), value.copy()


def drawn(curve: GrowingCurve, x: XName, weight: float) -> NDArray[np.int64]:
    rows = reduce(curve.abscissa(x), [curve.line(weight, x)], 40).rows
    return np.arange(curve.columns[0].size)[rows]


@settings(max_examples=100, deadline=None)
@given(
    st.integers(0, 10**6), st.integers(0, 6000), st.booleans(), st.booleans(), st.booleans(), st.data(),
)  # fmt: skip
def test_growth_changes_nothing(
    seed: int, size: int, ascends: bool, is_summed_up: bool, moves: bool, data: st.DataObject
) -> None:
    columns = points(seed, size, ascends)
    curve = GrowingCurve(is_summed_up)
    for stop in [*sorted(data.draw(st.lists(st.integers(0, size), max_size=4))), size]:
        known = head(columns, stop)
        curve.show(copied(known) if moves else known, (0.0, 0.9))
        if data.draw(st.booleans()):
            drawn(curve, "wall_time", 0.9)
    smoothed = smooth(columns[2], 0.9)
    assert curve.smoothed(0.9).tobytes() == smoothed.tobytes()
    for x, place in (("step", columns[0]), ("wall_time", columns[1])):
        np.testing.assert_array_equal(drawn(curve, x, 0.0), m4(place, columns[2], 40))
        np.testing.assert_array_equal(drawn(curve, x, 0.9), m4(place, smoothed, 40))
    times = columns[1][np.isfinite(columns[1])]
    assert curve.start_wall_time == (times.min() if times.size else None)
    assert curve.step_range == ((columns[0].min(), columns[0].max()) if size else None)


@pytest.mark.parametrize("row", [0, 2000, 4999])
@pytest.mark.parametrize("column", [0, 1, 2])
def test_rows_that_changed_are_looked_at_anew(row: int, column: int) -> None:
    before, after = points(2, 5000, True), copied(points(2, 6000, True))
    curve = GrowingCurve(is_summed_up=True)
    curve.show(before, (0.0, 0.5))
    after[column][row] += 1
    curve.show(after, (0.0, 0.5))
    want = GrowingCurve(is_summed_up=True)
    want.show(after, (0.0, 0.5))
    assert curve.smoothed(0.5).tobytes() == want.smoothed(0.5).tobytes()
    for x in ("step", "wall_time"):
        np.testing.assert_array_equal(drawn(curve, x, 0.0), drawn(want, x, 0.0))


def test_a_curve_that_lost_rows_is_looked_at_anew() -> None:
    columns = points(1, 5000, True)
    curve = GrowingCurve(is_summed_up=True)
    curve.show(columns, (0.0,))
    curve.show(head(columns, 700), (0.0,))
    np.testing.assert_array_equal(drawn(curve, "step", 0.0), m4(columns[0][:700], columns[2][:700], 40))


def test_tasks_may_run_at_the_same_time() -> None:
    columns = points(1, 20_000, True)
    curve, want = GrowingCurve(is_summed_up=True), GrowingCurve(is_summed_up=True)
    want.show(columns, (0.0, 0.9))
    with ThreadPoolExecutor(4) as pool:
        curve.show(columns, (0.0, 0.9), lambda tasks: list(pool.map(lambda task: task(), tasks)) and None)
    assert curve.smoothed(0.9).tobytes() == want.smoothed(0.9).tobytes()
    np.testing.assert_array_equal(drawn(curve, "step", 0.9), drawn(want, "step", 0.9))


def test_few_smoothed_lines_are_kept() -> None:
    columns = points(1, 100_000, True)
    curve = GrowingCurve(is_summed_up=True)
    for weight in np.linspace(0.1, 0.9, 20):
        curve.show(columns, (0.0, float(weight)))
    assert curve.nbytes <= 100_000 * (0.8 + 3 * 4.8)
