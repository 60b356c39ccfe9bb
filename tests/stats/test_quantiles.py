# SPDX-License-Identifier: Apache-2.0
"""Quantiles of a column against NumPy's."""

from __future__ import annotations

import numpy as np
import pytest

from mindscope.stats import ChunkedArray, quantiles


def test_few_values_are_all_there_in_order() -> None:
    column = ChunkedArray([np.array([3.0, np.nan, 1.0]), np.array([np.inf, 2.0, -np.inf])])
    assert quantiles(column).tolist() == [1.0, 2.0, 3.0]
    assert quantiles(ChunkedArray([np.array([np.nan])])).size == 0
    assert quantiles(ChunkedArray([np.empty(0, np.float32)])).size == 0


@pytest.mark.parametrize("size", [65, 1000, 4096, 4097, 300_000])
def test_quantiles_of_more_values_are_near_those_of_numpy(size: int) -> None:
    values = np.random.default_rng(size).permutation(size).astype(np.float32)
    cuts = [size // 3, size // 2]
    got = quantiles(ChunkedArray(np.split(values, cuts)))
    want = np.quantile(values, (np.arange(64) + 0.5) / 64)
    assert got.dtype == np.float32
    assert (np.diff(got) >= 0).all()
    np.testing.assert_allclose(got, want, atol=0.04 * size)
    np.testing.assert_array_equal(got, quantiles(ChunkedArray([values])))
