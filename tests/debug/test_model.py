# SPDX-License-Identifier: Apache-2.0
"""The model of debugging data: statistics of arrays against a plain loop, sources in memory."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from mindscope.debug.model.array_statistics import array_statistics
from mindscope.debug.model.fields import COLUMN, FIELDS, Field
from mindscope.debug.model.loaded import LoadedSource
from mindscope.debug.model.step_statistics import StepStatistics
from mindscope.debug.model.tensors import DebugTensor, Phase, Role
from mindscope.errors import DebugDataError

FLOAT16 = arrays.arrays(np.float16, st.integers(0, 40), elements=st.floats(width=16))


def field_of(values: np.ndarray, field: Field) -> float:
    return float(values[COLUMN[field]])


@given(FLOAT16)
def test_statistics_equal_those_of_a_plain_loop(array: np.ndarray) -> None:
    found = array_statistics(array)
    numbers = [float(each) for each in array]
    finite = [each for each in numbers if math.isfinite(each)]
    assert field_of(found, Field.COUNT) == len(numbers)
    assert field_of(found, Field.NAN) == sum(map(math.isnan, numbers))
    assert field_of(found, Field.POSITIVE_INF) == numbers.count(math.inf)
    assert field_of(found, Field.NEGATIVE_INF) == numbers.count(-math.inf)
    assert field_of(found, Field.ZERO) == finite.count(0)
    assert field_of(found, Field.BELOW_ZERO) == sum(each < 0 for each in finite)
    assert field_of(found, Field.ABOVE_ZERO) == sum(each > 0 for each in finite)
    assert field_of(found, Field.NEAR_MAX) == sum(abs(each) >= 32752 for each in finite)
    assert field_of(found, Field.SUBNORMAL) == sum(0 < abs(each) < 2**-14 for each in finite)
    assert math.isclose(field_of(found, Field.SUM_ABS), math.fsum(map(abs, finite)), rel_tol=1e-9)
    assert math.isclose(field_of(found, Field.SUM_SQUARES), math.fsum(each**2 for each in finite), rel_tol=1e-9)
    if finite:
        assert (field_of(found, Field.MIN), field_of(found, Field.MAX)) == (min(finite), max(finite))
    else:
        assert math.isnan(field_of(found, Field.MIN))
        assert math.isnan(field_of(found, Field.MAX))
    assert math.isnan(field_of(found, Field.MEAN_ABS_UPDATE))


def test_limits_are_those_of_the_recorded_dtype() -> None:
    widened = np.array([1e38, 3e38, 1e-39], np.float32)
    assert field_of(array_statistics(widened, "bfloat16"), Field.NEAR_MAX) == 1
    assert field_of(array_statistics(np.array([300.0, 1.0]), "float8_e4m3fn"), Field.NEAR_MAX) == 1
    assert field_of(array_statistics(np.arange(4)), Field.NEAR_MAX) == 0
    assert field_of(array_statistics(np.array([True, False])), Field.SUM) == 1


def step(number: int, tensors: list[int], largest: list[float]) -> StepStatistics:
    values = np.full((len(tensors), len(FIELDS)), np.nan)
    values[:, COLUMN[Field.MAX]] = largest
    rows = len(tensors)
    return StepStatistics(
        number, 0, np.array(tensors, np.int32), np.arange(rows, dtype=np.int32), values, np.zeros(rows, np.uint64)
    )


def test_a_history_takes_the_last_of_a_step_and_leaves_gaps() -> None:
    tensors = [DebugTensor(name, "Linear", Phase.FORWARD, Role.OUTPUT, "0") for name in "abc"]
    source = LoadedSource(tensors, [step(4, [0, 1, 0], [1, 2, 3]), step(1, [1], [5])])
    steps, values = source.history([1, 0], Field.MAX, 0)
    assert steps.tolist() == [1, 4]
    np.testing.assert_equal(values, [[5, math.nan], [2, 3]])
    with pytest.raises(DebugDataError, match="rank 1 has no debugging data of step 4"):
        source.at(4, 1)


def test_operators_are_named_by_path_type_and_call() -> None:
    assert DebugTensor("net.fc", "aten::mm", Phase.FORWARD, Role.OUTPUT, "0", call=2).operator == "net.fc/aten::mm#2"
    assert DebugTensor("", "Net", Phase.FORWARD, Role.OUTPUT, "0").operator == "Net"
    assert DebugTensor("", "MatMul", Phase.FORWARD, Role.OUTPUT, "0", name="Default/MatMul-op1").operator == (
        "Default/MatMul-op1"
    )
