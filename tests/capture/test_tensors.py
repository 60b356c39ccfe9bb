# SPDX-License-Identifier: Apache-2.0
"""Tensors keep dtype, shape and every bit."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from mindscope.capture.tensors import check_tensor, planes, tensor_message
from mindscope.errors import TypeRejectedError, ValueRejectedError
from mindscope.formats import mindspore_tensors, wire
from mindscope.formats.mindspore_schemas import TENSOR

NAMES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64".split()


def read_back(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    check_tensor(array)
    tensor = mindspore_tensors.decode_tensor(wire.decode(TENSOR, wire.encode(TENSOR, tensor_message(array))))
    assert tensor.is_exact
    return tensor.value


@given(st.sampled_from(NAMES).flatmap(lambda name: arrays.arrays(name, arrays.array_shapes(min_dims=0, min_side=0))))
def test_tensor_reads_back_as_it_was(array: np.ndarray[Any, Any]) -> None:
    got = read_back(array)
    assert got.dtype == array.dtype
    np.testing.assert_array_equal(got, array)


@given(arrays.arrays(np.uint16, 50))
def test_bfloat16_reads_back_as_it_was(bits: np.ndarray[Any, Any]) -> None:
    array = bits.view(ml_dtypes.bfloat16)
    got = read_back(array)
    assert got.dtype == array.dtype
    np.testing.assert_array_equal(got.astype(np.float32), array.astype(np.float32))


@pytest.mark.parametrize(
    ("array", "is_extra"),
    [
        (np.array([1 << 24, -(1 << 24)]), False),
        (np.array([(1 << 24) + 1]), True),
        (np.array([2**64 - 1], np.uint64), True),
        (np.array([0.5, np.nan, np.inf]), False),
        (np.array([0.1]), True),
        (np.array([1e300]), True),
        (np.array([0.1], np.float32), False),
        (np.array([65504], np.float16), False),
    ],
)
def test_exact_bytes_stand_where_float32_is_not_enough(array: np.ndarray[Any, Any], is_extra: bool) -> None:
    message = tensor_message(array)
    assert ("raw_data" in message) == is_extra
    assert message.get("is_float_exact", False) == (not is_extra and array.dtype.itemsize > 4)
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(message["float_data"], array.astype(np.float32).reshape(-1))


def test_complex_numbers_are_two_tensors() -> None:
    array = np.array([[1 + 2j, 3 - 4j]], np.complex64)
    got = {tag: read_back(plane) for tag, plane in planes("z", array)}
    np.testing.assert_array_equal(got["z/real"], [[1, 3]])
    np.testing.assert_array_equal(got["z/imag"], [[2, -4]])
    assert got["z/real"].dtype == np.float32


def test_unknown_dtype_is_rejected() -> None:
    with pytest.raises(TypeRejectedError, match="float8_e5m2, want one of"):
        check_tensor(np.zeros(2, ml_dtypes.float8_e5m2))


def test_tensor_beyond_two_gigabytes_is_rejected() -> None:
    with pytest.raises(ValueRejectedError, match="2 GiB"):
        check_tensor(np.broadcast_to(np.float32(0), (1 << 30,)))
