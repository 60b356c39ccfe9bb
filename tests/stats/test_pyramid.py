# SPDX-License-Identifier: Apache-2.0
"""A pyramid changes what a reduction costs, never what it gives."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from mindscope.stats import ChunkedArray, Line, Pyramid, fingerprint, m4, reduce, sort_x
from mindscope.stats._m4 import pick
from mindscope.stats._values import Values
from mindscope.stats._x_axis import cut

SIZES = st.integers(0, 10_000) | st.integers(65_000, 140_000) | st.sampled_from([255, 256, 4096, 65_536, 131_072])


def column(seed: int, size: int, missing: float) -> NDArray[np.float32]:
    """A random walk with spikes, and with a share of values that are no numbers, some of them in long stretches."""
    rng = np.random.default_rng(seed)
    y = np.cumsum(rng.standard_normal(size)).astype(np.float32)
    y[rng.random(size) < 1e-3] *= 50
    y[rng.random(size) < missing] = rng.choice([np.nan, np.inf, -np.inf])
    start = int(rng.integers(0, size + 1))
    y[start : start + int(rng.integers(0, 3000))] = rng.choice([np.nan, np.inf, 1.0])
    return y


@given(
    st.integers(0, 10**6), SIZES, st.sampled_from([0.0, 1e-3, 0.5]), st.integers(1, 600), st.data(),
    st.sampled_from([np.float32, np.float64]),
)  # fmt: skip
def test_is_plain_m4_however_it_grew(
    seed: int, size: int, missing: float, pixels: int, data: st.DataObject, dtype: type
) -> None:
    y = column(seed, size, missing).astype(dtype)
    x = np.cumsum(np.random.default_rng(seed).integers(0, 4, size))
    pyramid = Pyramid()
    for stop in sorted(data.draw(st.lists(st.integers(0, size), max_size=4))):
        cut_at = data.draw(st.integers(0, stop))
        pyramid.extend(Values([y[:cut_at].copy(), y[cut_at:stop].copy()]))
    x_axis = sort_x(x)
    limits = st.floats(-10.0, float(x.max(initial=0)) + 10)
    range = data.draw(st.none() | st.tuples(limits, limits))
    log_origin = data.draw(st.none() | st.floats(-10.0, 10.0))
    got = reduce(x_axis, [Line(ChunkedArray([y]), pyramid)], pixels, range, log_origin)
    plain = reduce(x_axis, [Line(ChunkedArray([y]))], pixels, range, log_origin)
    np.testing.assert_array_equal(np.arange(size)[got.rows], m4(x, y, pixels, range, log_origin))
    assert (got.nan, got.positive_infinity, got.negative_infinity) == (
        plain.nan, plain.positive_infinity, plain.negative_infinity,
    )  # fmt: skip


@given(st.integers(0, 10**6), st.integers(1, 20_000), st.integers(1, 300))
def test_two_lines_keep_the_rows_of_either(seed: int, size: int, pixels: int) -> None:
    one, other = column(seed, size, 1e-3), column(seed + 1, size, 0.0)
    x = np.random.default_rng(seed).standard_normal(size)
    x_axis = sort_x(x)
    order = slice(None) if x_axis.order is None else x_axis.order
    got = reduce(x_axis, [Line(ChunkedArray([one[order]])), Line(ChunkedArray([other[order]]))], pixels)
    want = np.union1d(m4(x, one, pixels), m4(x, other, pixels))
    np.testing.assert_array_equal(np.arange(size)[got.rows], want[np.argsort(x[want], kind="stable")])
    assert got.returned == want.size


@given(st.integers(0, 10**6), st.integers(0, 3000), st.integers(1, 200))
def test_counts_are_over_the_range(seed: int, size: int, pixels: int) -> None:
    y = column(seed, size, 0.2)
    got = reduce(sort_x(np.arange(size)), [Line(ChunkedArray([y]))], pixels, (100, 1900))
    shown = y[100:1901]
    assert got.points == shown.size
    assert got.nan == np.isnan(shown).sum()
    assert got.positive_infinity == np.isposinf(shown).sum()
    assert got.negative_infinity == np.isneginf(shown).sum()


def test_what_is_drawn_counts_from_the_origin() -> None:
    wall_time = 1.7e9 + np.arange(5000) * 0.25
    y = np.sin(np.arange(5000))
    got = reduce(sort_x(wall_time, 1.7e9), [Line(ChunkedArray([y]))], 50, (100.0, 1000.0))
    np.testing.assert_array_equal(got.rows, m4(wall_time - 1.7e9, y, 50, (100.0, 1000.0)))


def test_takes_about_half_a_byte_a_point() -> None:
    pyramid = Pyramid()
    pyramid.extend(Values([np.zeros(2_000_000, np.float32)]))
    assert len(pyramid) == 2_000_000 // 256 * 256
    assert 0.5 < pyramid.nbytes / 2_000_000 < 0.85


def test_rows_beyond_the_column_are_refused() -> None:
    y = np.zeros(600, np.float32)
    with pytest.raises(ValueError, match="column has 600 rows, want 601 or more"):
        pick(Values([y]), np.array([0, 601]))
    with pytest.raises(ValueError, match="edge 1 is 2, want at least 5"):
        pick(Values([y]), np.array([5, 2]))
    with pytest.raises(ValueError, match="edge 0 is -1"):
        pick(Values([y]), np.array([-1, 2]))
    with pytest.raises(ValueError, match="rows are 5 to 700"):
        cut(np.zeros(600), 5, 700, 0.0, 1.0)
    pyramid = Pyramid()
    pyramid.extend(Values([y]))
    with pytest.raises(ValueError, match="column has 100 rows, want 512 or more"):
        pick(Values([y[:100]]), np.array([0, 100]), pyramid)


def test_a_fingerprint_tells_columns_apart() -> None:
    data = np.random.default_rng(0).integers(0, 256, 1003, np.uint8)
    known = {fingerprint(data), fingerprint(data, 1), fingerprint(data[:-1]), fingerprint(data[:0])}
    assert len(known) == 4
    for bit in range(8):
        for byte in (0, 500, 1002):
            other = data.copy()
            other[byte] ^= 1 << bit
            known.add(fingerprint(other))
    assert len(known) == 28
    assert fingerprint(data.copy()) == fingerprint(data)


def test_a_spike_among_millions_survives_every_zoom() -> None:
    y = np.zeros(3_000_000, np.float32)
    y[1_234_567], y[2_345_678] = 1.0, math.nan
    pyramid = Pyramid()
    pyramid.extend(Values([y]))
    x_axis = sort_x(np.arange(y.size))
    for width in (3_000_000, 300_000, 30_000, 3_000):
        for spike in (1_234_567, 2_345_678):
            around = (spike - width * 0.3, spike + width * 0.7)
            assert spike in reduce(x_axis, [Line(ChunkedArray([y]), pyramid)], 100, around).rows
