# SPDX-License-Identifier: Apache-2.0
"""Tensors of PyTorch and MindSpore go into the recorder as they are, and come out the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from mindscope.capture import SummaryRecord
from mindscope.capture.array_conversion import to_array, to_scalar
from mindscope.errors import ValueRejectedError
from mindscope.formats import dialects, wire
from mindscope.formats.frames import FrameReader
from mindscope.formats.mindspore_schemas import EVENT
from mindscope.types import DialectName

pytestmark = pytest.mark.framework
torch: Any = pytest.importorskip("torch")

TORCH_DTYPES = (
    "bool uint8 uint16 uint32 uint64 int8 int16 int32 int64 float16 float32 float64 complex64 complex128".split()
)


@pytest.mark.parametrize("name", TORCH_DTYPES)
def test_torch_keeps_dtype_and_values(name: str) -> None:
    want = np.arange(6).reshape(2, 3).astype(name)
    got = to_array(torch.tensor([[0, 1, 2], [3, 4, 5]]).to(getattr(torch, name)))
    assert got.dtype == want.dtype
    np.testing.assert_array_equal(got, want)


def test_torch_bfloat16_is_exact() -> None:
    bits = torch.arange(-(1 << 15), 1 << 15, dtype=torch.int32).to(torch.int16)
    got = to_array(bits.view(torch.bfloat16))
    assert got.dtype == ml_dtypes.bfloat16
    want = bits.numpy().view(ml_dtypes.bfloat16)
    is_number = ~np.isnan(want.astype(np.float32))
    np.testing.assert_array_equal(got.view(np.int16)[is_number], want.view(np.int16)[is_number])
    assert np.isnan(got.astype(np.float32)[~is_number]).all()


@pytest.mark.parametrize(
    "tensor",
    [
        torch.arange(4.0, requires_grad=True),
        torch.nn.Parameter(torch.arange(4.0)),
        torch.arange(8.0)[::2] / 2,
        torch.arange(4.0).expand(1, 4)[0],
        torch.arange(4.0).to_sparse(),
        torch.arange(4.0) * (1 + 0j),
        (torch.arange(4.0) * (1 + 0j)).conj(),
        torch.arange(4).to(torch.float8_e4m3fn).float(),
    ],
)
def test_torch_tensors_of_every_make(tensor: Any) -> None:
    got = to_array(tensor)
    np.testing.assert_array_equal(got, [0, 1, 2, 3])
    assert got.flags.c_contiguous


def test_torch_memory_is_not_shared() -> None:
    tensor = torch.zeros(1000)
    got = to_array(tensor)
    tensor += 1
    assert not got.any()


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16", "int64", "bool"])
def test_torch_scalar(dtype: str) -> None:
    assert to_scalar(torch.tensor(1.0, requires_grad=True).to(getattr(torch, dtype))) == 1.0
    assert to_scalar(torch.tensor([[1.0]]).to(getattr(torch, dtype))) == 1.0
    with pytest.raises(ValueRejectedError, match="exactly one element"):
        to_scalar(torch.zeros(2).to(getattr(torch, dtype)))


def test_torch_float8_keeps_its_numbers() -> None:
    got = to_array(torch.tensor([0.5, -448.0]).to(torch.float8_e4m3fn))
    assert str(got.dtype) == "float8_e4m3fn"
    assert got.astype(float).tolist() == [0.5, -448.0]


@pytest.mark.gpu
def test_torch_on_a_gpu() -> None:
    for dtype in (torch.float32, torch.bfloat16, torch.int64):
        tensor = torch.arange(1000, device="cuda").to(dtype)
        got = to_array(tensor)
        np.testing.assert_array_equal(got.astype(float), tensor.cpu().double().numpy())
        tensor += 1
        assert got[0] == 0
    assert to_scalar(torch.tensor(0.5, device="cuda", requires_grad=True)) == 0.5


@pytest.fixture(scope="module")
def mindspore() -> Any:
    return pytest.importorskip("mindspore")


MINDSPORE_DTYPES = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64".split()


@pytest.mark.parametrize("name", MINDSPORE_DTYPES)
def test_mindspore_keeps_dtype_and_values(mindspore: Any, name: str) -> None:
    want = np.arange(6).reshape(2, 3).astype(name)
    for tensor in (mindspore.Tensor(want), mindspore.Parameter(mindspore.Tensor(want))):
        got = to_array(tensor)
        assert got.dtype == want.dtype
        np.testing.assert_array_equal(got, want)


def test_mindspore_bfloat16_and_scalars(mindspore: Any) -> None:
    tensor = mindspore.Tensor([1.5, 2.5], mindspore.bfloat16)
    got = to_array(tensor)
    assert got.dtype == ml_dtypes.bfloat16
    assert got.astype(float).tolist() == [1.5, 2.5]
    assert to_scalar(mindspore.Tensor(0.5, mindspore.float32)) == 0.5
    assert to_scalar(mindspore.Tensor([3], mindspore.int64)) == 3
    with pytest.raises(ValueRejectedError, match="exactly one element"):
        to_scalar(mindspore.Tensor([1, 2]))


def test_mindspore_memory_is_not_shared(mindspore: Any) -> None:
    tensor = mindspore.Tensor(np.zeros(1000, np.float32))
    got = to_array(tensor)
    tensor.asnumpy()[:] = 1
    assert not got.any()


def test_tensors_of_both_reach_the_file(tmp_path: Path, mindspore: Any) -> None:
    values = {
        "torch": torch.arange(5) + (1 << 60),
        "bfloat16": torch.linspace(0, 1, 7).bfloat16(),
        "mindspore": mindspore.Tensor(np.arange(5) + (1 << 60)),
    }
    with SummaryRecord(tmp_path, raise_exception=True) as record:
        for tag, value in values.items():
            record.add_value("tensor", tag, value)
            record.add_value("histogram", tag, value)
        record.add_value("image", "torch", torch.rand(4, 3, 8, 8))
        record.add_value("scalar", "torch", torch.tensor(0.5))
        record.record(1)
        path = Path(record.log_dir)
    content = path.read_bytes()
    found = [
        (located.kind, located.tag, content[located.offset : located.offset + located.length])
        for offset, payload in FrameReader(str(path)).records(content)
        for located in dialects.locate(DialectName.MINDSPORE, payload, offset, {})
    ]
    assert len(found) == 8
    tensors = {
        tag: dialects.decode(DialectName.MINDSPORE, kind, encoded).value
        for kind, tag, encoded in found
        if kind == "tensor"
    }
    np.testing.assert_array_equal(tensors["torch"], np.arange(5) + (1 << 60))
    np.testing.assert_array_equal(tensors["mindspore"], np.arange(5) + (1 << 60))
    np.testing.assert_array_equal(tensors["bfloat16"].astype(float), values["bfloat16"].double().numpy())


def test_graph_of_a_mindspore_network_is_recorded_once_it_is_compiled(log_of_network: tuple[Any, Any]) -> None:
    events, network = log_of_network
    assert [event.get("step") for event in events] == [0, None, 1, 2]
    nodes = events[1]["graph_def"]["node"]
    assert any(node.get("op_type") == "MatMul" for node in nodes)
    assert len(events[1]["graph_def"]["parameters"]) == 1 + len(list(network.get_parameters()))


@pytest.fixture
def log_of_network(tmp_path: Path, mindspore: Any) -> tuple[Any, Any]:
    """The events of three steps of a network that is compiled after the first of them."""
    mindspore.set_context(mode=mindspore.GRAPH_MODE)
    network = mindspore.nn.Dense(4, 2)
    with SummaryRecord(tmp_path, network=network) as record:
        for step in range(3):
            if step:
                network(mindspore.Tensor(np.ones((3, 4), np.float32)))
            record.add_value("scalar", "loss", 1.0)
            record.record(step)
        path = Path(record.log_dir)
    payloads = [payload for _, payload in FrameReader(str(path)).records(path.read_bytes())]
    return [wire.decode(EVENT, payload) for payload in payloads][1:], network
