# SPDX-License-Identifier: Apache-2.0
"""Heat grids against all values: extremes stay, no NaN and no infinity is lost, memory is bounded."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mindscope.debug.model.fields import COLUMN, FIELDS, Field
from mindscope.debug.model.step_statistics import StepStatistics
from mindscope.debug.views.figures import FIGURES
from mindscope.debug.views.heat_grid import INFINITY, NAN, RECORDED, HeatGrid, reduced


def step_of(number: int, largest: np.ndarray, nan: np.ndarray, infinite: np.ndarray) -> StepStatistics:
    count = len(largest)
    values = np.zeros((count, len(FIELDS)))
    values[:, COLUMN[Field.MAX]] = largest
    values[:, COLUMN[Field.NAN]], values[:, COLUMN[Field.NEGATIVE_INF]] = nan, infinite
    rows = np.arange(count, dtype=np.int32)
    return StepStatistics(number, 0, rows, rows, values, np.zeros(count, np.uint64))


@given(st.integers(1, 40), st.integers(1, 9), st.integers(1, 4), st.integers(1, 4), st.integers(0, 2**32))
def test_extremes_and_marks_survive_every_reduction(
    steps: int, tensors: int, most_rows: int, half: int, seed: int
) -> None:
    random = np.random.default_rng(seed)
    largest = random.normal(size=(steps, tensors)).round(1)
    largest[random.random(largest.shape) < 0.2] = np.nan
    nan, infinite = random.random(largest.shape) < 0.1, random.random(largest.shape) < 0.1
    grid = HeatGrid(np.arange(tensors), tensors, FIGURES["max"], most_rows, 2 * half)
    for number in range(steps):
        grid.add(step_of(10 * number, largest[number], nan[number], infinite[number]))
    value, bits, each = reduced(grid.value, grid.bits, 3)
    assert len(value) <= 3
    width = grid.steps_per_column * each
    for column, row in np.ndindex(value.shape):
        cell = np.s_[column * width : (column + 1) * width, grid.starts[row] : grid.starts[row + 1]]
        magnitudes = np.abs(largest[cell])
        want = np.nan if np.isnan(magnitudes).all() else np.nanmax(magnitudes)
        np.testing.assert_equal(abs(value[column, row]), want)
        assert bits[column, row] == RECORDED + NAN * nan[cell].any() + INFINITY * infinite[cell].any()
    assert grid.first_steps == list(range(0, 10 * steps, 10 * grid.steps_per_column))


def test_a_tensor_that_occurs_twice_keeps_the_larger_value() -> None:
    step = step_of(1, np.array([-5.0, 3.0]), np.zeros(2), np.zeros(2))
    twice = StepStatistics(1, 0, np.zeros(2, np.int32), step.order, step.values, step.digest)
    grid = HeatGrid(np.array([0]), 1, FIGURES["max"])
    grid.add(twice)
    assert grid.value.tolist() == [[-5.0]]


def test_tensors_without_a_row_and_unreadable_steps_leave_cells_empty() -> None:
    grid = HeatGrid(np.array([1]), 2, FIGURES["max"])
    grid.skip(4)
    grid.add(step_of(5, np.array([1.0, 2.0, 3.0]), np.zeros(3), np.zeros(3)))  # the third came later
    assert grid.bits.tolist() == [[0], [RECORDED]]
    assert grid.value.tolist()[1] == [2.0]
    assert grid.first_steps == [4, 5]
