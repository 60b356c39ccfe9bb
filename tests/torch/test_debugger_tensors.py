# SPDX-License-Identifier: Apache-2.0
"""Statistics of tensors of every dtype and layout, by the compiled function and by operators of PyTorch."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from mindscope.debug.model.array_statistics import array_statistics
from mindscope.debug.model.fields import COLUMN, Field
from mindscope.stats._tensor_statistics import mix
from mindscope.torch.debugging.device_statistics import device_statistics, device_update
from mindscope.torch.debugging.element_types import ELEMENT_TYPES
from mindscope.torch.debugging.plain_tensors import in_memory_order, plain_tensor
from mindscope.torch.debugging.step_vectors import StepVectors, Vectors

pytestmark = pytest.mark.framework
DTYPES = sorted(ELEMENT_TYPES, key=str)
FLOATS = [torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.float8_e4m3fn, torch.float8_e5m2]
DIGESTS = [
    1,
    9370218965779684112,
    10242287530387872733,
    2786545960485734431,
    646176696227430856,
    646176696227430856,
]
SIZES = st.sampled_from([0, 1, 2, 3, 7, 8, 9, 33, 1023, 1024, 1030, 2047, 2048, 2049, 2500, 4105])


def summarized(*tensors: Tensor) -> Vectors:
    reasons: Counter[str] = Counter()
    vectors = StepVectors(0, reasons)
    rows = [vectors.row_of(each) for each in tensors]
    assert rows == list(range(len(tensors)))
    assert not reasons
    return vectors.finish()()


def random_bytes(dtype: torch.dtype, count: int, seed: int) -> Tensor:
    """Any bits, so that NaN, infinities, subnormal and huge numbers occur; some are zero."""
    generator = torch.Generator().manual_seed(seed)
    if dtype is torch.bool:
        return torch.randint(0, 2, (count,), generator=generator).bool()
    data = torch.randint(0, 256, (count, dtype.itemsize), dtype=torch.uint8, generator=generator)
    data[torch.rand(count, generator=generator) < 0.1] = 0
    return data.reshape(-1).view(dtype)


def numbers(dtype: torch.dtype, count: int, seed: int) -> Tensor:
    """Finite numbers with zeros, and now and then one that is not finite."""
    generator = torch.Generator().manual_seed(seed)
    tensor = (torch.randn(count, generator=generator, dtype=torch.float64) * 50).to(dtype)
    tensor[torch.rand(count, generator=generator) < 0.1] = 0
    if dtype.is_floating_point and seed % 2 and count:
        odd = torch.tensor([torch.nan, torch.inf, -torch.inf, torch.finfo(dtype).max]).to(dtype)
        tensor[torch.randint(0, count, (3,), generator=generator)] = odd[seed // 2 % 4]
    return tensor


def wanted(tensor: Tensor) -> np.ndarray:
    element = ELEMENT_TYPES[tensor.dtype]
    array = tensor.double().numpy() if tensor.dtype.is_floating_point else tensor.numpy()
    return array_statistics(array, element.name)


@pytest.mark.parametrize(
    ("values", "dtype", "near"),
    [
        ([-128, -127, -126, 0, 126, 127], torch.int8, 3),
        ([0, 1, 254, 255, 255], torch.uint8, 2),
        ([-32768, -32767, 32766, 32767, 0], torch.int16, 3),
        ([-(2**31), 2**31 - 1, 2**31 - 2, 5], torch.int32, 2),
        ([2**63 - 1, -(2**63), 2**62, 0], torch.int64, 2),
        ([65535, 65534, 0], torch.uint16, 1),
        ([True, False, True], torch.bool, 0),
    ],
)
def test_integers_at_the_ends_of_their_range(values: list[int], dtype: torch.dtype, near: int) -> None:
    tensor = torch.tensor(values, dtype=dtype).repeat(1000)
    assert summarized(tensor).values[0, COLUMN[Field.NEAR_MAX]] == near * 1000
    assert array_statistics(tensor.numpy())[COLUMN[Field.NEAR_MAX]] == near * 1000


@given(st.sampled_from(DTYPES), SIZES, st.integers(0, 1000))
def test_statistics_of_any_bits(dtype: torch.dtype, count: int, seed: int) -> None:
    if dtype is torch.float8_e8m0fnu or "fnuz" in str(dtype):  # no limits of these in the reference
        return
    tensor = random_bytes(dtype, count, seed)
    with np.errstate(over="ignore", invalid="ignore"):
        want = wanted(tensor)
    got = summarized(tensor).values[0]
    if np.isinf(want[COLUMN[Field.SUM_ABS]]):  # where the sum overflows depends on the order of its parts
        got[COLUMN[Field.SUM]] = want[COLUMN[Field.SUM]]
    np.testing.assert_allclose(got, want, rtol=1e-9)


@given(st.sampled_from([*FLOATS[:4], torch.int16, torch.int32, torch.int64]), SIZES, st.integers(0, 1000))
def test_statistics_of_usual_numbers(dtype: torch.dtype, count: int, seed: int) -> None:
    tensor = numbers(dtype, count, seed)
    with np.errstate(over="ignore", invalid="ignore"):
        want = wanted(tensor)
    np.testing.assert_allclose(summarized(tensor).values[0], want, rtol=1e-9, atol=1e-9)


def test_digests_stay_those_of_earlier_versions() -> None:
    data = (torch.arange(9001, dtype=torch.int64) * 2654435761 % 65521).to(torch.int16)
    got = summarized(data[:0], data[:1], data[:7], data[:16], data, data.view(torch.bfloat16)).digest.tolist()
    assert got == DIGESTS


@given(st.sampled_from(DTYPES), SIZES, st.integers(0, 1000))
def test_devices_compute_the_same(dtype: torch.dtype, count: int, seed: int) -> None:
    if dtype in (torch.uint64, torch.float8_e8m0fnu):  # which no device has all operators for
        return
    tensor = random_bytes(dtype, count, seed)
    on_processor = summarized(tensor)
    statistics, hash_ = device_statistics(tensor, ELEMENT_TYPES[dtype])
    got, want = statistics.numpy(), on_processor.values[0, :14]
    if np.isinf(want[COLUMN[Field.SUM_ABS]]):
        got[COLUMN[Field.SUM]] = want[COLUMN[Field.SUM]]
    np.testing.assert_allclose(got, want, rtol=1e-9)
    assert mix(int(hash_) % (1 << 64), count) == on_processor.digest[0]


@settings(deadline=None, max_examples=40)
@given(st.sampled_from(FLOATS[:4]), SIZES, st.integers(0, 1000))
def test_updates_of_parameters(dtype: torch.dtype, count: int, seed: int) -> None:
    before, now = random_bytes(dtype, count, seed), random_bytes(dtype, count, seed + 1)
    vectors = StepVectors(0, Counter())
    row = vectors.row_of(now)
    vectors.add_update(row, now, before)
    with np.errstate(all="ignore"):
        difference = (now - before).double().numpy()
        if dtype is not torch.float64:
            difference = (now.float() - before.float()).double().numpy()
        known = np.isfinite(difference)
        want = [np.abs(each[known]).mean() if known.any() else np.nan for each in (difference, before.double().numpy())]
    np.testing.assert_allclose(vectors.finish()().values[row, 14:], want, rtol=1e-6)
    if dtype is torch.float32:
        np.testing.assert_allclose(device_update(now, before).numpy(), want, rtol=1e-6)


def test_a_digest_changes_with_every_bit_and_place() -> None:
    tensor = torch.arange(1.0, 12.0)
    changed = [tensor.clone() for _ in range(11)]
    for place, each in enumerate(changed):
        each.view(torch.int32)[place] ^= 1
    swapped = tensor[[1, 0, *range(2, 11)]]
    longer = torch.cat([tensor, torch.zeros(1)])
    digests = summarized(tensor, *changed, swapped, longer, torch.zeros(11), torch.zeros(0)).digest
    assert len(set(digests.tolist())) == 16
    assert 0 not in digests
    assert digests[0] == summarized(tensor.clone()).digest[0]


def test_layouts_have_the_statistics_of_their_elements() -> None:
    dense = torch.randn(4, 6, 2)
    dense[0, 0, 0] = float("nan")
    layouts = {
        "transposed": dense.permute(2, 0, 1),
        "strided": torch.stack([dense, dense], 3)[..., 1],
        "parameter": torch.nn.Parameter(dense),
        "0-d": dense[1, 2, 1],
        "expanded": torch.ones(3, 1).expand(3, 5),
        "negated": torch.view_as_complex(dense).conj().imag,
    }
    found = summarized(*layouts.values()).values
    for row, tensor in enumerate(layouts.values()):
        np.testing.assert_allclose(found[row, :14], wanted(tensor.detach().resolve_neg().contiguous())[:14], rtol=1e-9)
    assert in_memory_order(layouts["transposed"]).data_ptr() == dense.data_ptr()


@pytest.mark.filterwarnings("ignore:Sparse CSR", "ignore:The PyTorch API of nested tensors")
def test_parts_of_tensors_that_are_more_than_numbers() -> None:
    class Named(Tensor):
        pass

    dense = torch.tensor([[0.0, 2.0], [3.0, 0.0]])
    parts = {
        dense.to_sparse(): torch.tensor([2.0, 3.0]),
        dense.to_sparse_csr(): torch.tensor([2.0, 3.0]),
        torch.complex(dense, dense + 1): torch.stack([dense, dense + 1], -1),
        torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], layout=torch.jagged): torch.ones(5),
        dense.as_subclass(Named): dense,
    }
    for tensor, want in parts.items():
        assert torch.equal(plain_tensor(tensor), want)


def test_a_tensor_is_read_again_only_if_it_changed() -> None:
    vectors = StepVectors(0, Counter())
    tensor = torch.ones(3)
    assert [vectors.row_of(tensor), vectors.row_of(tensor)] == [0, 0]
    tensor[:1].add_(1)
    assert [vectors.row_of(tensor), vectors.row_of(tensor)] == [1, 1]
    for _ in range(1000):  # more rows than there is place for at first
        vectors.new_row(tensor)
    values = vectors.finish()().values
    assert values[:, 9].tolist() == [3.0] + [4.0] * 1001


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_a_cuda_device_computes_the_same() -> None:
    for dtype in FLOATS:
        tensor = random_bytes(dtype, 3000, 1)
        here, there = summarized(tensor), summarized(tensor.cuda())
        np.testing.assert_allclose(there.values, here.values, rtol=1e-6)
        np.testing.assert_array_equal(there.digest, here.digest)
