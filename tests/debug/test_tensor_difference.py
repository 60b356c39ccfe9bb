# SPDX-License-Identifier: Apache-2.0
"""The difference of two tensors against plain loops."""

from __future__ import annotations

import json
import math
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from mindscope.debug import tensor_difference as module
from mindscope.debug.difference_level import Level, difference_level
from mindscope.debug.formats.elements import element_type
from mindscope.debug.formats.stored_array import StoredArray, read_npy
from mindscope.debug.tensor_difference import tensor_difference, ulp_distance
from mindscope.errors import FormatError

NUMBERS = st.floats(-100, 100, width=32) | st.sampled_from([0.0, -0.0, math.nan, math.inf, -math.inf])
PAIRS = arrays.arrays(np.float32, st.tuples(st.just(2), st.integers(1, 30)), elements=NUMBERS)


def error_of(got: float, want: float) -> float:
    if got == want or (math.isnan(got) and math.isnan(want)):
        return 0.0
    return abs(got - want) if math.isfinite(got) and math.isfinite(want) else math.inf


@pytest.mark.parametrize("block", [1, 7, 1 << 20])
@given(PAIRS)
def test_figures_equal_those_of_a_plain_loop(block: int, pair: np.ndarray) -> None:
    previous, module._BLOCK = module._BLOCK, block
    try:
        found = tensor_difference(pair[0], pair[1], atol=0.5, rtol=0.1, floor=1e-3)
    finally:
        module._BLOCK = previous
    pairs = list(zip(pair[0].tolist(), pair[1].tolist(), strict=True))
    errors = [error_of(*each) for each in pairs]
    finite = [each for each in pairs if math.isfinite(each[0]) and math.isfinite(each[1])]
    assert (found.max_abs, found.index) == (max(errors), (errors.index(max(errors)),))
    size = [abs(want) if math.isfinite(want) else 1.0 for _, want in pairs]
    assert found.max_rel == max(error / max(each, 1e-3) for error, each in zip(errors, size, strict=True))
    beyond = [error > 0.5 + 0.1 * (abs(want) if math.isfinite(want) else 0)
              for error, (_, want) in zip(errors, pairs, strict=True)]  # fmt: skip
    assert found.share_beyond == sum(beyond) / len(pairs)
    assert found.unequal_non_finite == sum(math.isinf(each) for each in errors)
    assert sum(found.ulps.values()) == len(finite)
    if not finite:
        assert math.isnan(found.cosine)
        return
    squares = math.fsum((got - want) ** 2 for got, want in finite)
    assert math.isclose(found.rmse, math.sqrt(squares / len(finite)), rel_tol=1e-9, abs_tol=1e-12)
    norms = [math.sqrt(math.fsum(each[side] ** 2 for each in finite)) for side in (0, 1)]
    if min(norms) > 1e-3:
        want = math.fsum(got * other for got, other in finite) / norms[0] / norms[1]
        assert math.isclose(found.cosine, want, abs_tol=1e-9)
        assert math.isclose(found.norm_error, abs(norms[0] - norms[1]) / norms[1], rel_tol=1e-9, abs_tol=1e-12)
    json.dumps(found.to_json(), allow_nan=False)


@given(st.floats(width=16, allow_nan=False, allow_infinity=False), st.integers(0, 40))
def test_ulps_count_the_numbers_between(start: float, count: int) -> None:
    number = np.float16(start)
    other = number
    with np.errstate(over="ignore"):  # beyond the largest number comes infinity
        for _ in range(count):
            other = np.nextafter(other, np.float16(np.inf))
    if np.isfinite(other):
        assert ulp_distance(np.array([number]), np.array([other]), "float16").tolist() == [count]
        found = tensor_difference(np.array([number]), np.array([other]))
        assert found.ulps == {0 if count == 0 else 1 << math.ceil(math.log2(count)): 1}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_ulps_of_the_farthest_numbers_and_of_both_zeros(dtype: str) -> None:
    most = np.finfo(dtype).max
    ends = np.array([-most, -0.0], dtype), np.array([most, 0.0], dtype)
    want = 2 * int(np.array(most).view(f"int{np.dtype(dtype).itemsize * 8}"))
    assert ulp_distance(*ends, dtype).tolist() == [want, 0]


def test_ulps_of_bfloat16_are_counted_in_its_own_digits() -> None:
    one, next_one = np.array([1.0], np.float32), np.array([1.0078125], np.float32)
    assert tensor_difference(one, next_one, dtypes=("bfloat16", "bfloat16")).ulps == {1: 1}
    assert tensor_difference(one, next_one, dtypes=("bfloat16", "float32")).ulps == {}


def test_shapes_dtypes_layouts_and_kinds() -> None:
    mismatch = tensor_difference(np.zeros((2, 3)), np.zeros(6))
    assert (mismatch.is_shape_equal, mismatch.count) == (False, 0)
    assert difference_level(mismatch) == (Level.ERROR, ("shape",))
    array = np.arange(24.0).reshape(2, 3, 4)
    other = array.copy()
    other[1, 2, 3] = 0
    found = tensor_difference(array.transpose(2, 0, 1), other.transpose(2, 0, 1))
    assert (found.index, found.max_abs, found.got_at_index, found.want_at_index) == ((3, 1, 2), 23, 23, 0)
    assert tensor_difference(np.array([1 + 2j]), np.array([1 - 2j])).max_abs == 4
    assert tensor_difference(np.array([True, False]), np.array([True, True])).share_beyond == 0.5
    assert tensor_difference(np.zeros(0), np.zeros(0)).is_equal
    assert tensor_difference(np.array(3.0), np.array(3.0)).is_equal
    assert not tensor_difference(np.array(3.0), np.array(3.0, np.float32)).is_equal


def test_levels_are_those_of_the_thresholds() -> None:
    rng = np.random.default_rng(0)
    base = rng.normal(size=1000)
    same = tensor_difference(base, base)
    assert difference_level(same, [same]) == (Level.OK, ())
    noisy = tensor_difference(base * 1.01, base)
    assert difference_level(noisy, [same]) == (Level.ERROR, ("relative_error",))
    large = tensor_difference(base * 2, base)
    assert difference_level(large, [noisy]) == (Level.ERROR, ("norm_error",))
    broken = tensor_difference(np.where(base > 3, np.nan, base), base)
    assert difference_level(broken, [same]) == (Level.ERROR, ("non_finite",))
    both = tensor_difference(np.where(base > 3, np.nan, base), np.where(base > 3, np.nan, base))
    assert difference_level(both, [same]) == (Level.OK, ())
    turned = tensor_difference(base + rng.normal(size=1000), base)
    assert "cosine" in difference_level(turned, [noisy])[1]
    assert difference_level(tensor_difference(base, base.astype(np.float32)))[1] == ("dtype",)


@given(st.integers(0, 30), st.integers(0, 30), st.sampled_from(["int4", "int2", "uint1", "bfloat16", "float32"]))
def test_elements_are_read_piece_by_piece(start: int, count: int, dtype: str) -> None:
    element = element_type(dtype)
    assert element is not None
    data = np.random.default_rng(start).integers(0, 256, 160, dtype=np.uint8).tobytes()
    with TemporaryDirectory() as directory:
        path = Path(directory) / "tensor.bin"
        path.write_bytes(data)
        stored = StoredArray(path, 4, element, (5, 7))
        elements, whole = stored.elements(), stored.read()
        assert (elements.shape, elements.dtype, elements.array_dtype) == ((5, 7), dtype, whole.dtype)
        np.testing.assert_array_equal(elements.array(), whole)
        piece = whole.reshape(-1)[start:][:count]
        np.testing.assert_array_equal(elements.read(start, count), piece)
        path.write_bytes(data[:6])
        with pytest.raises(FormatError, match="it was cut"):
            elements.read(0, 35)


def test_a_file_in_another_order_is_read_in_c_order(tmp_path: Path) -> None:
    want = np.arange(24.0).reshape(2, 3, 4)
    np.save(tmp_path / "turned.npy", np.asfortranarray(want))
    elements = read_npy(tmp_path / "turned.npy").elements()
    np.testing.assert_array_equal(elements.read(5, 9), want.reshape(-1)[5:14])


@pytest.mark.parametrize("got", [np.array([1 + 2j, 3 - 1j]), np.array([1.0, 3.0]), np.array([1, 3], ">f4")])
def test_dtypes_of_any_kind_and_byte_order(got: np.ndarray) -> None:
    found = tensor_difference(got, got.astype(np.complex64 if got.dtype.kind == "c" else np.float32))
    assert (found.max_abs, found.cosine) == (0, pytest.approx(1))
    mixed = tensor_difference(np.array([1 + 2j]), np.array([1.0]))
    assert (mixed.max_abs, mixed.index) == (2, (0, 1))
