# SPDX-License-Identifier: Apache-2.0
"""Levels of msprobe where only statistics are known."""

from __future__ import annotations

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from mindscope.debug.compare.statistic_error import statistic_difference
from mindscope.debug.difference_level import Level, difference_level
from mindscope.debug.model.array_statistics import array_statistics
from mindscope.debug.tensor_difference import tensor_difference
from tests.debug.made_sources import output

ARRAYS = arrays.arrays(np.float32, 6, elements=st.floats(-8, 8, width=32))
TENSOR = output("fc", dtype="float32", shape=(6,))


@given(ARRAYS, ARRAYS)
def test_statistics_never_say_that_all_is_well(got: np.ndarray, want: np.ndarray) -> None:
    by_statistics = statistic_difference(TENSOR, array_statistics(got), TENSOR, array_statistics(want))
    level, codes = difference_level(by_statistics)
    assert level is not Level.OK
    exact, exact_codes = difference_level(tensor_difference(got, want))
    if level is not Level.UNKNOWN:
        assert set(codes) <= {*exact_codes, "norm_error"}
    elif exact is not Level.OK:
        assert set(exact_codes) <= set(codes)


@given(ARRAYS)
def test_the_negative_of_a_tensor_is_unknown_by_statistics_and_wrong_by_elements(want: np.ndarray) -> None:
    assume(np.abs(want).max() > 1e-3)
    found = statistic_difference(TENSOR, array_statistics(-want), TENSOR, array_statistics(want))
    assert difference_level(found) == (Level.UNKNOWN, ("relative_error", "cosine"))
    assert difference_level(tensor_difference(-want, want))[0] in (Level.WARNING, Level.ERROR)


def test_equal_bytes_and_empty_tensors_are_known() -> None:
    values = array_statistics(np.arange(6.0))
    same = statistic_difference(TENSOR, values, TENSOR, values, has_equal_bytes=True)
    assert difference_level(same) == (Level.OK, ())
    empty = output("fc", dtype="float32", shape=(0,))
    nothing = array_statistics(np.zeros(0, np.float32))
    assert difference_level(statistic_difference(empty, nothing, empty, nothing)) == (Level.OK, ())
    assert difference_level(tensor_difference(np.zeros(0), np.zeros(0))) == (Level.OK, ())
    missing = np.full_like(values, np.nan)
    assert difference_level(statistic_difference(TENSOR, missing, TENSOR, missing))[1] == (
        "relative_error", "norm_error", "cosine",
    )  # fmt: skip
