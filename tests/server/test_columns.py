# SPDX-License-Identifier: Apache-2.0
"""Columns of responses in the smallest type that holds them."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from mindscope.server.http.columns import ColumnData

dtypes = st.sampled_from(["u1", "u2", "u4", "i4", "f4", "f8", "?"])


def read(data: ColumnData, column: Any) -> np.ndarray[Any, Any]:
    body = b"".join(data.chunks())
    stored = np.frombuffer(body, column.dtype, 1 if column.is_constant else column.length, column.offset)
    return np.repeat(stored, column.length) if column.is_constant else stored


@given(dtypes.flatmap(lambda dtype: arrays.arrays(dtype, st.integers(0, 5))))
def test_a_compact_column_holds_every_value(values: np.ndarray[Any, Any]) -> None:
    data = ColumnData()
    column = data.add_compact(values)
    got = read(data, column)
    np.testing.assert_array_equal(got, values)
    assert got.dtype.itemsize <= values.dtype.itemsize
    json.loads(column.model_dump_json())


@pytest.mark.parametrize(
    ("values", "dtype", "stored"),
    [
        (np.array([1, 2, 250], np.int32), "uint8", 3),
        (np.array([1, 2, 256], np.int32), "uint16", 3),
        (np.array([-1, 2, 3], np.int32), "int32", 3),
        (np.full(1000, np.nan), "float32", 1),
        (np.full(1000, 7, np.uint32), "uint8", 1),
        (np.array([0.5, np.inf, np.nan]), "float32", 3),
        (np.array([0.1, 1.0]), "float64", 2),
    ],
)
def test_the_type_is_the_smallest(values: np.ndarray[Any, Any], dtype: str, stored: int) -> None:
    data = ColumnData()
    column = data.add_compact(values)
    assert (column.dtype, column.length, column.is_constant) == (dtype, len(values), stored == 1)
    assert data.size == -(-stored * np.dtype(dtype).itemsize // 8) * 8
