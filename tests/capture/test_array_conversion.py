# SPDX-License-Identifier: Apache-2.0
"""Values of NumPy and of foreign classes as floats and arrays."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from mindscope.capture.array_conversion import to_array, to_scalar
from mindscope.errors import TypeRejectedError, ValueRejectedError


class HasArray:
    """An object that hands out the same array again and again."""

    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        self.array = array

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray[Any, Any]:
        return self.array


class HasDLPack:
    def __init__(self, array: np.ndarray[Any, Any]) -> None:
        self.array = array

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()


@pytest.mark.parametrize(
    ("value", "want"),
    [
        (0.25, 0.25),
        (3, 3.0),
        (True, 1.0),
        (np.float32(0.1), float(np.float32(0.1))),
        (np.int64(-7), -7.0),
        (np.bool_(True), 1.0),
        (np.array(2.5), 2.5),
        (np.array([[2.5]]), 2.5),
        (np.array(1.5, ml_dtypes.bfloat16), 1.5),
        (np.longdouble(4), 4.0),
        ([0.5], 0.5),
        (Fraction(1, 4), 0.25),
        (Decimal("0.25"), 0.25),
        (HasArray(np.array([7])), 7.0),
    ],
)
def test_scalar_is_one_real_number(value: Any, want: float) -> None:
    assert to_scalar(value) == want


@pytest.mark.parametrize(
    "value", ["0.5", b"1", 1j, np.complex64(1), np.array("a"), np.datetime64("2020-01-01"), None, {}, object()]
)
def test_what_is_no_real_number_is_no_scalar(value: Any) -> None:
    with pytest.raises(TypeRejectedError, match="want"):
        to_scalar(value)


@pytest.mark.parametrize("value", [np.zeros(2), np.zeros(0), [1, 2], 10**400])
def test_scalar_of_another_size_is_rejected(value: Any) -> None:
    with pytest.raises(ValueRejectedError, match="want"):
        to_scalar(value)


@given(arrays.arrays(arrays.array_dtypes() | arrays.scalar_dtypes(), arrays.array_shapes(min_dims=0, min_side=0)))
def test_array_is_copied_or_rejected(array: np.ndarray[Any, Any]) -> None:
    if array.dtype.kind not in "biufc":
        with pytest.raises(TypeRejectedError):
            to_array(array)
        return
    got = to_array(array)
    np.testing.assert_array_equal(got, array)
    assert got.dtype == array.dtype.newbyteorder("=")
    assert got.flags.c_contiguous
    assert not np.shares_memory(got, array)


@given(st.data())
def test_views_are_copied_in_order(data: st.DataObject) -> None:
    array = np.arange(24).reshape(2, 3, 4).transpose(data.draw(st.permutations(range(3))))[::-1]
    got = to_array(array)
    np.testing.assert_array_equal(got, array)
    assert got.flags.c_contiguous


@pytest.mark.parametrize("wrap", [HasArray, HasDLPack])
def test_foreign_array_is_copied(wrap: Any) -> None:
    array = np.arange(5.0)
    got = to_array(wrap(array))
    array[0] = 99
    np.testing.assert_array_equal(got, [0, 1, 2, 3, 4])


def test_bfloat16_stays() -> None:
    array = np.array([1.5, np.inf, np.nan], ml_dtypes.bfloat16)
    assert to_array(array).dtype == array.dtype


@pytest.mark.parametrize(
    "value", [np.ma.masked_array([1.0, 2.0], [True, False]), "text", None, {"a": 1}, [[1], [1, 2]], np.array([None])]
)
def test_what_is_no_array_of_numbers_is_rejected(value: Any) -> None:
    with pytest.raises(ValueRejectedError, match=r"want|hand over"):
        to_array(value)
