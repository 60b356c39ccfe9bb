# SPDX-License-Identifier: Apache-2.0
"""Rows of a step: filters over texts, kinds and non-finite tensors, and their order."""

from __future__ import annotations

import numpy as np
import pytest

from mindscope.debug.model.fields import COLUMN, FIELDS, Field
from mindscope.debug.model.step_statistics import StepStatistics
from mindscope.debug.model.tensors import DebugTensor, Phase, Role
from mindscope.debug.views.step_rows import SORTS, matching_rows, ordered_rows
from mindscope.debug.views.tensor_filter import TensorFilter
from mindscope.errors import DebugDataError

TENSORS = [
    DebugTensor("encoder.0", "aten::mm", Phase.FORWARD, Role.INPUT, "0", dtype="float16"),
    DebugTensor("encoder.0", "aten::mm", Phase.FORWARD, Role.OUTPUT, "0", dtype="float16"),
    DebugTensor("encoder.01", "Linear", Phase.BACKWARD, Role.GRADIENT, "weight", dtype="float32"),
    DebugTensor("", "Loss", Phase.FORWARD, Role.OUTPUT, "0", name="Default/Loss-op1"),
]


def recorded(largest: list[float], tensor: list[int] | None = None, nan: tuple[int, ...] = ()) -> StepStatistics:
    count = len(largest)
    values = np.zeros((count, len(FIELDS)))
    values[:, COLUMN[Field.MAX]] = largest
    values[list(nan), COLUMN[Field.NAN]] = 1
    rows = np.array(tensor or range(count), np.int32)
    return StepStatistics(1, 0, rows, np.arange(count, dtype=np.int32), values, np.zeros(count, np.uint64))


@pytest.mark.parametrize(
    ("chosen", "want"),
    [
        (TensorFilter(), [0, 1, 2, 3]),
        (TensorFilter(words=("MM", "encoder")), [0, 1]),
        (TensorFilter(words=("loss-OP",)), [3]),
        (TensorFilter(module="encoder.0"), [0, 1]),
        (TensorFilter(module="encoder"), [0, 1, 2]),
        (TensorFilter(phases=frozenset({Phase.BACKWARD})), [2]),
        (TensorFilter(roles=frozenset({Role.OUTPUT}), regex="^aten|LOSS"), [1, 3]),
        (TensorFilter(regex="weight$"), [2]),
        (TensorFilter(words=("nothing like it",)), []),
    ],
)
def test_filters_narrow_tensors(chosen: TensorFilter, want: list[int]) -> None:
    assert np.flatnonzero(chosen.mask(TENSORS)).tolist() == want


def test_a_wrong_regular_expression_says_so() -> None:
    with pytest.raises(DebugDataError, match=r"regular expression '\(' is wrong"):
        TensorFilter(regex="(").mask(TENSORS)


def test_a_nested_regular_expression_takes_no_time() -> None:
    long = [DebugTensor("a" * 5000, "x", Phase.FORWARD, Role.INPUT, "0")] * 20
    assert not TensorFilter(regex="^(a+)+$x").mask(long).any()


def test_rows_with_non_finite_elements_are_found() -> None:
    step = recorded([1, 2, 3, 4], nan=(1, 3))
    everything = np.ones(4, np.bool_)
    assert matching_rows(step, everything, only_non_finite=True).tolist() == [1, 3]
    assert matching_rows(step, TensorFilter(module="encoder.0").mask(TENSORS), only_non_finite=True).tolist() == [1]


def test_rows_without_a_number_come_last_in_both_directions() -> None:
    step = recorded([2, np.nan, 5, 2])
    rows = np.arange(4)
    assert ordered_rows(step, TENSORS, rows, "max", is_descending=True).tolist() == [2, 0, 3, 1]
    assert ordered_rows(step, TENSORS, rows, "max", is_descending=False).tolist() == [0, 3, 2, 1]


def test_texts_and_execution_sort() -> None:
    step = recorded([0, 0, 0, 0, 0], tensor=[3, 2, 1, 0, 2])
    rows = np.arange(5)
    assert ordered_rows(step, TENSORS, rows, "type", is_descending=False).tolist() == [2, 3, 1, 4, 0]
    assert ordered_rows(step, TENSORS, rows, "order", is_descending=True).tolist() == [4, 3, 2, 1, 0]
    for sort in SORTS:
        assert sorted(ordered_rows(step, TENSORS, rows, sort, is_descending=True).tolist()) == [0, 1, 2, 3, 4]
    with pytest.raises(DebugDataError, match="no column 'size'"):
        ordered_rows(step, TENSORS, rows, "size", is_descending=True)
