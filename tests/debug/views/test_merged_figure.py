# SPDX-License-Identifier: Apache-2.0
"""Figures of several tensors together are those of one tensor with all of their elements."""

from __future__ import annotations

import numpy as np
import pytest

from mindscope.debug.model.array_statistics import array_statistics
from mindscope.debug.model.fields import COLUMN, FIELDS, Field
from mindscope.debug.views.figures import FIGURES
from mindscope.debug.views.merged_figure import merged_figure


@pytest.mark.parametrize("name", [name for name, each in FIGURES.items() if Field.MEAN_ABS_BEFORE not in each.fields])
def test_a_group_has_the_figure_of_all_elements(name: str) -> None:
    random = np.random.default_rng(len(name))
    arrays = [random.normal(size=size).astype(np.float32) for size in (3, 50, 7, 1)]
    arrays[1][:9] = 0
    arrays[2][:2] = np.nan, np.inf
    values, groups = np.array([array_statistics(each) for each in arrays]), np.array([2, 0, 2, 2])
    got = merged_figure(FIGURES[name], values, groups, 3)
    whole = np.array([array_statistics(np.concatenate([each for each, group in zip(arrays, groups, strict=True)
                                                       if group == wanted])) for wanted in (0, 2)])  # fmt: skip
    np.testing.assert_allclose(got[[0, 2]], FIGURES[name].of(whole), rtol=1e-12)
    assert np.isnan(got[1])


def test_a_tensor_without_the_statistics_does_not_count() -> None:
    values = np.array([array_statistics(np.array([1.0, -3.0])), array_statistics(np.array([8.0]))])
    values[1, COLUMN[Field.SUM_ABS]] = np.nan
    groups = np.zeros(2, np.intp)
    assert merged_figure(FIGURES["mean_abs"], values, groups, 1) == [2.0]
    assert merged_figure(FIGURES["max_abs"], values, groups, 1) == [8.0]


def test_update_ratios_are_weighted_by_elements() -> None:
    values = np.full((2, len(FIELDS)), np.nan)
    for row, (count, update, before) in enumerate([(10, 0.1, 1.0), (30, 0.5, 2.0)]):
        for field, number in ((Field.COUNT, count), (Field.MEAN_ABS_UPDATE, update), (Field.MEAN_ABS_BEFORE, before)):
            values[row, COLUMN[field]] = number
    got = merged_figure(FIGURES["update_ratio"], values, np.zeros(2, np.intp), 1)
    np.testing.assert_allclose(got, (10 * 0.1 + 30 * 0.5) / (10 * 1.0 + 30 * 2.0))


def test_nothing_has_no_figure() -> None:
    got = merged_figure(FIGURES["max_abs"], np.empty((0, len(FIELDS))), np.empty(0, np.intp), 2)
    assert np.isnan(got).all()
