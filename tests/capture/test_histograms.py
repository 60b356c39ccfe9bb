# SPDX-License-Identifier: Apache-2.0
"""Histograms against NumPy's own counting in float64."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from mindscope.capture._histogram import bucket_count
from mindscope.capture.histograms import histogram_field
from mindscope.formats import wire
from mindscope.formats.mindspore_schemas import SCHEMAS
from mindscope.types import Message

NUMBERS = (
    arrays.boolean_dtypes() | arrays.integer_dtypes(endianness="=") | arrays.unsigned_integer_dtypes(endianness="=")
)
ARRAYS = arrays.arrays(NUMBERS | arrays.floating_dtypes(endianness="=", sizes=(16, 32, 64)), st.integers(0, 1500))


def histogram_message(array: np.ndarray[Any, Any]) -> Message:
    """The ``Summary.Histogram`` in the field."""
    summary = wire.decode(SCHEMAS["Summary"], histogram_field("weights", array))
    (value,) = summary["value"]
    assert value["tag"] == "weights"
    return value["histogram"]


def edges_of(message: Message) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    buckets = message.get("buckets", [])
    left, width, count = (np.array([bucket[name] for bucket in buckets]) for name in ("left", "width", "count"))
    return left, width, count


@pytest.mark.parametrize(
    ("valid", "want"), [(0, 0), (1, 2), (5, 2), (6, 3), (10, 3), (11, 2), (100, 11), (880, 89), (881, 90), (10**9, 90)]
)
def test_bucket_count_follows_the_number_of_values(valid: int, want: int) -> None:
    assert bucket_count(valid) == want


def bucket_edges(low: float, high: float, count: int) -> np.ndarray[Any, Any]:
    """NumPy's: a quarter of the numbers, because the range may be beyond float64."""
    edges = np.linspace(low / 4, high / 4, count + 1) * 4
    edges[0], edges[-1] = low, high
    return np.unique(edges)


@given(ARRAYS)
def test_every_element_is_counted_once(array: np.ndarray[Any, Any]) -> None:
    message = histogram_message(array)
    finite = array[np.isfinite(array)].astype(np.float64)
    left, width, count = edges_of(message)
    assert message["count"] == array.size
    assert message["nan_count"] == np.isnan(array).sum()
    assert message["pos_inf_count"] == np.isposinf(array).sum()
    assert message["neg_inf_count"] == np.isneginf(array).sum()
    assert count.sum() == finite.size
    assert len(left) <= bucket_count(finite.size)
    assert np.all(width > 0)
    assert np.all(np.isfinite(width))
    if finite.size:
        assert message["min"] == finite.min()
        assert message["max"] == finite.max()
        assert left[0] <= finite.min()
        exact = finite.astype(np.longdouble)
        if np.abs(exact).sum() < 1e308:  # a sum beyond float64 is infinite or NaN
            assert message["sum"] == pytest.approx(float(exact.sum()), abs=float(np.abs(exact).sum()) * 1e-13)
        if finite.min() < finite.max():
            want = bucket_edges(float(finite.min()), float(finite.max()), bucket_count(finite.size))
            np.testing.assert_array_equal(left, want[:-1])
        edges = np.append(left, max(left[-1] + width[-1], finite.max()))
        np.testing.assert_array_equal(count, np.histogram(finite, bins=edges)[0])


@pytest.mark.parametrize("dtype", [np.int32, np.uint8, np.int64, np.float16, ml_dtypes.bfloat16, np.float32])
def test_small_whole_numbers_get_real_widths(dtype: Any) -> None:
    message = histogram_message(np.tile(np.arange(4), 300).astype(dtype))
    left, width, count = edges_of(message)
    assert len(left) == 90
    np.testing.assert_allclose(width, 3 / 90)
    assert sorted(count[count > 0]) == [300] * 4
    assert message["sum"] == 1800


def test_booleans_are_zeros_and_ones() -> None:
    message = histogram_message(np.array([True, False, True]))
    assert (message["min"], message["max"], message["sum"]) == (0, 1, 2)
    assert [bucket["count"] for bucket in message["buckets"]] == [1, 2]


@pytest.mark.parametrize("value", [0.0, 7.25, -3e30, 1e300])
def test_one_value_lies_in_a_bucket_with_a_width(value: float) -> None:
    left, width, count = edges_of(histogram_message(np.full(1000, value)))
    assert count.sum() == 1000
    assert left[0] < value < left[-1] + width[-1]


def test_invalid_values_alone_leave_no_bucket() -> None:
    message = histogram_message(np.array([np.nan, np.inf, -np.inf, np.nan], np.float32))
    assert message["nan_count"] == 2
    assert message["pos_inf_count"] == message["neg_inf_count"] == 1
    assert message["count"] == 4
    assert "buckets" not in message


@pytest.mark.parametrize("ends", [(-1.7e308, 1.7e308), (1.0, np.nextafter(1.0, 2)), (0.0, 5e-324)])
def test_extreme_ranges_are_counted(ends: tuple[float, float]) -> None:
    _, width, count = edges_of(histogram_message(np.repeat(np.array(ends), 500)))
    assert count.sum() == 1000
    assert count[0] == (500 if len(count) > 1 else 1000)  # neighboring numbers have room for one bucket
    assert np.all(width > 0)
    assert np.all(np.isfinite(width))


def test_large_arrays_are_counted_in_blocks() -> None:
    array = np.random.default_rng(1).normal(size=1_000_000).astype(np.float32)
    message = histogram_message(array)
    _, _, count = edges_of(message)
    want, _ = np.histogram(array.astype(np.float64), bins=90)
    np.testing.assert_array_equal(count, want)
    assert message["sum"] == pytest.approx(array.astype(np.float64).sum(), rel=1e-12)
