# SPDX-License-Identifier: Apache-2.0
"""Steps that rise evenly share their memory."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindscope.formats.step_ranges import MAX_SHARED_ROWS, MIN_ROWS, StepRanges, step_range_of

WANTED = st.tuples(st.integers(-5000, 10**7), st.integers(1, 40), st.integers(1, 9000))


@given(st.lists(WANTED, max_size=6))
def test_a_column_is_what_was_asked_for_whatever_was_asked_before(wanted: list[tuple[int, int, int]]) -> None:
    step_ranges = StepRanges()
    columns = [step_ranges.column(*each) for each in wanted]
    for (first, stride, count), column in zip(wanted, columns, strict=True):
        assert np.array_equal(column, first + stride * np.arange(count))
        assert column.dtype == np.int64
        assert not column.flags.writeable


def test_series_that_run_through_the_same_steps_share_one_column() -> None:
    step_ranges = StepRanges()
    whole = step_ranges.column(0, 10, 4000)
    assert np.shares_memory(whole, step_ranges.column(500, 10, 3000))
    assert not np.shares_memory(whole, step_ranges.column(505, 10, 3000))


def test_a_part_far_out_keeps_no_long_column() -> None:
    step_ranges = StepRanges()
    step_ranges.column(0, 1, 10)
    far = step_ranges.column(MAX_SHARED_ROWS, 1, 10)
    assert far.base is None or far.base.size == 10


def test_a_column_goes_with_the_last_that_uses_it() -> None:
    step_ranges = StepRanges()
    gone = weakref.ref(step_ranges.column(0, 1, 1000).base)
    step_ranges.column(3, 7, 1000)  # the last one is remembered
    gc.collect()
    assert gone() is None


STEPS = np.arange(1000)


@pytest.mark.parametrize(
    ("steps", "want"),
    [
        (STEPS, (0, 1)),
        (7 * STEPS - 20, (-20, 7)),
        (STEPS[: MIN_ROWS - 1], None),
        (STEPS[::-1], None),
        (np.zeros(1000, np.int64), None),
        (np.append(STEPS, 1001), None),
        (np.insert(STEPS, 500, 500)[:-1], None),
        (np.arange(MAX_SHARED_ROWS + 1), None),
    ],
)
def test_what_rises_evenly_is_noticed(steps: np.ndarray, want: tuple[int, int] | None) -> None:
    assert step_range_of(steps) == want
