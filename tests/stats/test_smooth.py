# SPDX-License-Identifier: Apache-2.0
"""Smoothing against closed forms and against the definition of TensorBoard's slider, written out as a loop."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindscope.stats import ChunkedArray, SmoothedColumn, smooth

WEIGHTS = st.floats(0.0, 0.999)
VALUES = st.lists(st.floats(-1e30, 1e30) | st.sampled_from([math.nan, math.inf, -math.inf]), max_size=60)


def slider(values: list[float], weight: float) -> list[float]:
    """What TensorBoard's slider does: a running average from 0, divided by how much of it is not the 0."""
    is_constant = all(value == values[0] for value in values)
    last, count, smoothed = 0.0, 0, []
    for value in values:
        if is_constant or not math.isfinite(value) or weight == 0:
            smoothed.append(value)
            continue
        last = last * weight + (1 - weight) * value
        count += 1
        smoothed.append(last / (1 - weight**count))
    return smoothed


@given(VALUES, WEIGHTS)
def test_agrees_with_the_slider(values: list[float], weight: float) -> None:
    got = smooth(values, weight)
    want = np.array(slider(values, weight))
    scale = max((abs(value) for value in values if math.isfinite(value)), default=1.0)
    # The slider's own sums round to multiples of 5e-324 where values are that small; we return a first value exactly.
    np.testing.assert_allclose(got, want, rtol=1e-9, atol=1e-12 * scale + 1e-315)


@pytest.mark.parametrize("weight", [0.0, 0.3, 0.6, 0.9, 0.999])
def test_long_series_agree_with_the_slider(weight: float) -> None:
    values = np.random.default_rng(0).standard_normal(50_000).astype(np.float32)
    want = slider(values.tolist(), weight)
    np.testing.assert_allclose(smooth(values.astype(np.float64), weight), want, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(smooth(values, weight), smooth(values.astype(np.float64), weight).astype(np.float32))


@pytest.mark.parametrize("weight", [0.0, 0.2, 0.9])
@given(data=st.data())
def test_growing_in_pieces_is_smoothing_everything_to_the_bit(data: st.DataObject, weight: float) -> None:
    # a long beginning, so that its weight is forgotten and the quick loop runs
    beginning = np.random.default_rng(1).standard_normal(700).astype(np.float32)
    values = np.concatenate([beginning, np.array(data.draw(VALUES), np.float32), beginning[:50]])
    stops = sorted(data.draw(st.lists(st.integers(0, values.size), max_size=8)))
    column = SmoothedColumn(weight)
    pieces = [column.extend(ChunkedArray([values[:stop]])).joined() for stop in [*stops, values.size]]
    want = smooth(values, weight)
    for piece in pieces:
        assert piece.tobytes() == want[: piece.size].tobytes()


def test_a_series_is_itself_for_as_long_as_it_is_constant() -> None:
    got = smooth(np.array([0.1] * 20 + [0.5], np.float32), 0.9)
    assert got[:20].tolist() == [np.float32(0.1)] * 20
    assert np.float32(0.1) < got[20] < np.float32(0.5)


def test_the_largest_numbers_do_not_overflow() -> None:
    assert np.all(np.isfinite(smooth([1.7e308, 1.6e308] * 50, 0.999)))


@pytest.mark.parametrize("weight", [0.1, 0.5, 0.95])
def test_impulse_decays_by_its_closed_form(weight: float) -> None:
    impulse = np.zeros(200)
    impulse[0] = 1.0
    count = np.arange(200)
    np.testing.assert_allclose(smooth(impulse, weight), weight**count * (1 - weight) / (1 - weight ** (count + 1)))


@pytest.mark.parametrize("weight", [0.1, 0.5, 0.95])
def test_ramp_lags_by_its_closed_form(weight: float) -> None:
    n = np.arange(1, 301, dtype=np.float64)
    # sum of w**(n-j) * j over j = 1..n, divided by the sum of the weights
    total = (n - weight * (1 - weight**n) / (1 - weight)) / (1 - weight)
    np.testing.assert_allclose(smooth(n, weight), total / ((1 - weight**n) / (1 - weight)), rtol=1e-9)


@given(st.floats(-1e30, 1e30), st.integers(1, 50), WEIGHTS)
def test_constant_series_stay_as_they_are_to_the_bit(value: float, count: int, weight: float) -> None:
    assert smooth([value] * count, weight).tolist() == [value] * count


def test_not_finite_values_pass_and_leave_no_trace() -> None:
    clean = smooth([1.0, 2.0, 5.0], 0.7)
    got = smooth([math.nan, 1.0, math.inf, 2.0, -math.inf, math.nan, 5.0], 0.7)
    np.testing.assert_array_equal(got[[1, 3, 6]], clean)
    np.testing.assert_array_equal(got[[0, 2, 4, 5]], [math.nan, math.inf, -math.inf, math.nan])


def test_smoothing_leaves_its_argument_alone() -> None:
    values = np.array([1.0, 2.0, 3.0])
    smooth(values, 0.9)
    assert values.tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize("weight", [-0.1, 1.0, math.nan])
def test_weight_outside_its_range_is_refused(weight: float) -> None:
    with pytest.raises(ValueError, match="want 0 <= weight < 1"):
        smooth([1.0], weight)
