# SPDX-License-Identifier: Apache-2.0
"""The running median, against the median of each window."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindscope.stats.running_median import running_median

NUMBERS = st.one_of(st.floats(-1e3, 1e3), st.sampled_from([np.nan, np.inf, -np.inf]))


@given(st.lists(NUMBERS, max_size=50), st.integers(1, 70))
def test_it_is_the_median_of_each_window(values: list[float], points: int):
    value = np.array(values)
    want = value.copy()
    for i in np.flatnonzero(np.isfinite(value)):
        window = value[max(i - points // 2, 0) : i + points // 2 + 1]
        want[i] = np.median(window[np.isfinite(window)])
    np.testing.assert_allclose(running_median(value, points), want, rtol=1e-12)


def test_an_outlier_leaves_no_trace():
    value = np.ones(50)
    value[20] = 1e9
    assert running_median(value, 3).tolist() == [1.0] * 50


def test_it_needs_a_point():
    with pytest.raises(ValueError, match="want at least 1"):
        running_median([1.0], 0)
