# SPDX-License-Identifier: Apache-2.0
"""The statistics of a dump against their definitions."""

from __future__ import annotations

import hashlib
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindscope.debug.dump.statistic_columns import CATEGORIES, cells, columns

COUNTS = ["count", "negative zero count", "positive zero count", "zero count", "nan count", "negative inf count",
          "positive inf count"]  # fmt: skip


def test_headers_are_those_of_mindspore() -> None:
    assert columns(["max", "nan count", "l2norm", "hash"])[-4:] == ["Max Value", "Nan Count", "L2Norm Value", "SHA1"]
    assert len(columns([])) == 10


@given(st.lists(st.floats(width=32), min_size=1, max_size=20))
def test_counts_and_limits_of_any_floats(values: list[float]) -> None:
    array = np.array(values, np.float32)
    finite = [value for value in values if math.isfinite(value)]
    want = [
        len(values), sum(value < 0 for value in values), sum(value > 0 for value in values),
        sum(value == 0 for value in values), sum(map(math.isnan, values)), values.count(-math.inf),
        values.count(math.inf),
    ]  # fmt: skip
    assert cells(array, COUNTS) == [str(count) for count in want]
    got_max, got_min = (float(cell) for cell in cells(array, ["max", "min"]))
    if any(map(math.isnan, values)):
        assert math.isnan(got_max)
        assert math.isnan(got_min)
    else:
        assert (got_max, got_min) == (max(values), min(values))
    if len(finite) == len(values):
        mean, norm = (float(cell) for cell in cells(array, ["avg", "l2norm"]))
        assert mean == pytest.approx(math.fsum(values) / len(values), rel=1e-9, abs=1e-9 * max(map(abs, values)))
        assert norm == pytest.approx(math.sqrt(math.fsum(value * value for value in values)), rel=1e-9)


def test_norm_of_large_numbers_does_not_overflow() -> None:
    assert cells(np.array([3e300, 4e300]), ["l2norm"]) == ["5e+300"]
    assert cells(np.array([math.inf, 1.0]), ["l2norm"]) == ["inf"]


def test_bools_count_as_one_and_complex_numbers_have_hashes_only() -> None:
    assert cells(np.array([True, False, True]), ["max", "avg", "zero count"]) == ["1", repr(2 / 3), "1"]
    number = np.array([1 + 2j], np.complex64)
    assert cells(number, ["max", "md5"]) == ["null", hashlib.md5(number.tobytes()).hexdigest()]


def test_large_arrays_are_hashed_by_slices() -> None:
    array = np.arange(20_481, dtype=np.int16)
    digests = [hashlib.sha1(part.tobytes()).hexdigest() for part in (array[:20_480], array[20_480:])]
    assert cells(array, ["hash:sha1"]) == [hashlib.sha1("".join(digests).encode()).hexdigest()]
    assert cells(array[:20_480], ["hash"]) == [digests[0]]


def test_every_statistic_is_there_for_every_type() -> None:
    for kind in (np.bool_, np.uint8, np.int64, np.uint64, np.float16, np.float64, np.complex128):
        assert all(cells(np.ones((2, 3), kind), CATEGORIES))
