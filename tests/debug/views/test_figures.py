# SPDX-License-Identifier: Apache-2.0
"""Derived figures against NumPy over the array itself."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from mindscope.debug.model.array_statistics import array_statistics
from mindscope.debug.model.fields import COLUMN, FIELDS, Field
from mindscope.debug.views.figures import FIGURES, figures_from


def of(name: str, array: np.ndarray) -> float:
    return float(FIGURES[name].of(array_statistics(array)))


@given(arrays.arrays(np.float32, st.integers(0, 30), elements=st.floats(-1000, 1000, width=32) | st.just(np.nan)))
def test_figures_are_of_the_finite_elements(array: np.ndarray) -> None:
    finite = array[np.isfinite(array)].astype(np.float64)
    assert of("non_finite", array) == array.size - finite.size
    if finite.size or not array.size:
        np.testing.assert_allclose(of("norm", array), np.linalg.norm(finite), rtol=1e-6)
    if finite.size:
        np.testing.assert_allclose(of("mean", array), finite.mean(), atol=1e-6)
        np.testing.assert_allclose(of("mean_abs", array), np.abs(finite).mean(), rtol=1e-6)
        np.testing.assert_allclose(of("deviation", array), finite.std(), atol=1e-2)
        assert of("max_abs", array) == np.abs(finite).max()
        assert of("zero_share", array) == (finite == 0).sum() / array.size
    else:
        assert all(np.isnan(of(name, array)) for name in ("mean", "mean_abs", "deviation", "max_abs"))


def test_infinities_count_and_do_not_spread() -> None:
    array = np.array([np.inf, -np.inf, np.nan, 2.0, 4.0])
    assert [of(name, array) for name in ("non_finite", "mean", "max_abs")] == [3, 3, 4]


def test_what_was_not_recorded_is_no_figure() -> None:
    values = np.full(len(FIELDS), np.nan)
    values[COLUMN[Field.MAX]] = 3
    assert np.isnan(FIGURES["max_abs"].of(values))
    assert FIGURES["max"].of(values) == 3
    names = [figure.name for figure in figures_from({Field.MIN, Field.MAX, Field.SUM_SQUARES})]
    assert names == ["min", "max", "sum_squares", "max_abs", "norm"]


def test_a_tensor_without_a_finite_element_has_no_norm_no_sum_and_no_share_of_zeros() -> None:
    names = ("norm", "zero_share", "sum", "sum_abs", "sum_squares", "mean", "max_abs")
    for array in (np.full(3, np.nan), np.array([np.inf, np.nan])):
        assert [name for name in names if not np.isnan(of(name, array))] == []
        assert of("non_finite_share", array) == 1
    assert of("norm", np.array([3.0, np.nan])) == 3
    assert of("zero_share", np.array([0.0, np.nan])) == 0.5
    assert of("norm", np.zeros(0)) == 0


def test_a_format_without_counts_keeps_its_norm() -> None:
    values = np.full(len(FIELDS), np.nan)
    values[COLUMN[Field.SUM_SQUARES]] = 9
    assert FIGURES["norm"].of(values) == 3
