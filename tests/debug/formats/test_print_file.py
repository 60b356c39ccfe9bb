# SPDX-License-Identifier: Apache-2.0
"""Printed values of MindSpore, in files and in captured text."""

from __future__ import annotations

import os
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mindscope.debug import value_text
from mindscope.debug.formats import print_file as print_file_module
from mindscope.debug.formats.print_file import ByteSpan, PrintedValue, is_print_file, read_value, value_spans
from mindscope.debug.formats.printed_text import printed_tensors
from mindscope.debug.logs.print_index import PrintIndex, printed_text
from mindscope.debug.model.elements import elements_of
from mindscope.debug.printing import elements_text
from mindscope.errors import FormatError
from mindscope.formats import wire
from mindscope.formats.print_schemas import PRINT, SCHEMAS
from mindscope.reading.printed import printed_values


def tensor(array: Any, name: str) -> dict[str, Any]:
    return {"tensor": {"dims": np.array(array.shape), "tensor_type": name, "tensor_content": array.tobytes()}}


VALUES = [
    {"desc": "loss:"}, tensor(np.arange(6, dtype=np.float32).reshape(2, 3), "Float32"),
    tensor(np.array(True), "Bool"), tensor(np.array([1, 2], np.uint8), "UInt8"),
    tensor(np.array([0x3F80], np.uint16), "BFloat16"), {"tensor": {"tensor_type": "str", "tensor_content": b"text"}},
]  # fmt: skip


def whole() -> bytes:
    """Two calls, one after the other."""
    return wire.encode(PRINT, {"value": VALUES[:2]}) + wire.encode(PRINT, {"value": VALUES[2:]})


def read_print_file(path: Path) -> Iterator[PrintedValue]:
    """All values of a file, one after the other."""
    return (read_value(path, value_bytes) for value_bytes in value_spans(path))


def write(path: Path, data: bytes) -> list[PrintedValue]:
    path.write_bytes(data)
    return list(read_print_file(path))


def test_values_of_all_calls(tmp_path: Path) -> None:
    found = write(tmp_path / "print", whole())
    assert [each.text for each in found] == ["loss:", "", "", "", "", "text"]
    arrays = [each.array for each in found if each.array is not None]
    assert [each.tolist() for each in arrays] == [[[0, 1, 2], [3, 4, 5]], True, [1, 2], [1.0]]
    assert [each.dtype for each in found[1:5]] == ["Float32", "Bool", "UInt8", "BFloat16"]


def test_a_file_that_is_being_written_ends_with_its_last_whole_value(tmp_path: Path) -> None:
    data = whole()
    counts = [len(write(tmp_path / "print", data[:end])) for end in range(len(data) + 1)]
    assert counts == sorted(counts)
    assert (counts[0], counts[-1]) == (0, 6)


def write_zeros(path: Path, elements: int) -> ByteSpan:
    """A tensor of zeros in a file that takes no space."""
    content = elements * 4
    dims = wire.encode(SCHEMAS["TensorProto"], {"dims": np.array([elements // 1024, 1024]), "tensor_type": "Float32"})
    inner = dims + b"\x1a" + varint(content)
    length = len(inner) + content
    value = b"\x12" + varint(length) + inner
    start = b"\x0a" + varint(len(value) + content)
    path.write_bytes(start + value)
    os.truncate(path, len(start) + len(value) + content)
    return ByteSpan(len(start), len(value) + content)


def odd(content: dict[str, Any]) -> bytes:
    return wire.encode(PRINT, {"value": [{"tensor": content}]})


@pytest.mark.parametrize("data", [
    b"\x12\0", b"\x0a" + b"\xff" * 10, b"\x0a\xff\xff\xff\xff\x7f", b"\x0a\x02\xff\xff",
    odd({"dims": np.array([3]), "tensor_type": "Int32", "tensor_content": b"ab"}),
    odd({"dims": np.array([-3]), "tensor_type": "Int8", "tensor_content": b""}), odd({"tensor_type": "Odd"}),
])  # fmt: skip
def test_bytes_that_are_no_value_are_an_error(tmp_path: Path, data: bytes) -> None:
    with pytest.raises(FormatError):
        write(tmp_path / "print", data)


@pytest.mark.parametrize(("array", "name"), [
    (np.array([[1], [-2]], np.int32), "Int32"), (np.array([True, False]), "Bool"),
    (np.array(3.5, np.float32), "Float32"),
    (np.array([0.25, np.nan, np.inf, -np.inf], np.float16), "Float16"), (np.array([2**62], np.int64), "Int64"),
])  # fmt: skip
def test_captured_tensors_read_back(array: np.ndarray, name: str) -> None:
    (found,) = printed_tensors(f"before\n{value_text(array, name)}\nafter")
    assert (found.dtype, found.shape) == (name, array.shape)
    np.testing.assert_array_equal(found.array, array)


def test_abbreviated_and_old_tensors() -> None:
    (found,) = printed_tensors(value_text(np.arange(2000), "Int64"))
    assert (found.array, found.shape) == (None, (2000,))
    (old,) = printed_tensors("Tensor shape:[[const vector][2, 1]]Int32\nval:[[1]\n[2]]\n")
    assert old.array is not None
    assert old.array.tolist() == [[1], [2]]
    assert list(printed_tensors("Tensor(shape=[2")) == []


def varint(value: int) -> bytes:
    low = bytes([value & 127])
    return low if value < 128 else bytes([low[0] | 128]) + varint(value >> 7)


def test_a_large_tensor_is_not_in_memory(tmp_path: Path) -> None:
    path = tmp_path / "print"
    span = write_zeros(path, 1 << 24)
    tracemalloc.start()
    try:
        assert is_print_file(path)
        value = read_value(path, span)
        text = printed_text(value)
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()
    assert (value.shape, value.dtype) == ((1 << 14, 1024), "Float32")
    assert text.startswith("Tensor(shape=[16384, 1024], dtype=Float32, value=\n[[ 0.00000000e+00")
    assert value.array is not None
    assert value.array.shape == (1 << 14, 1024)


def test_a_long_text_is_cut_and_says_so(tmp_path: Path) -> None:
    most = print_file_module.LONGEST_TEXT
    texts = ["a" * most, "a" * (most + 1)]
    for message in ({"desc": texts[1]}, {"tensor": {"tensor_type": "str", "tensor_content": texts[1].encode()}}):
        short, long = write(tmp_path / "print", wire.encode(PRINT, {"value": [{"desc": texts[0]}, message]}))
        assert short.text == texts[0]
        assert long.text == f"{texts[0]}... (the first 1,048,576 of 1,048,577 bytes)"
        assert is_print_file(tmp_path / "print")


@pytest.mark.parametrize("shape", [(2000,), (7, 200), (8, 9, 20), (1001, 1), (2,) * 11, (3, 1, 500), (0, 4), ()])
def test_texts_of_elements_are_those_of_arrays(shape: tuple[int, ...]) -> None:
    array = np.random.default_rng(0).normal(size=shape).astype(np.float32) * 1000
    assert elements_text(elements_of(array), "Float32") == value_text(array, "Float32")


def test_a_tensor_with_many_short_axes_has_no_endless_text() -> None:
    assert elements_text(elements_of(np.zeros((6,) * 6, np.int8)), "Int8").endswith("dtype=Int8, value=[...])")


def test_a_value_of_too_many_fields_is_damaged(tmp_path: Path) -> None:
    shape = {"dims": np.ones(5000, np.int64), "tensor_type": "Int8", "tensor_content": b"a"}
    for data in (odd(shape), b"\x0a\xa0\x1f" + b"\x18\0" * 2000):
        with pytest.raises(FormatError, match="more than"):
            write(tmp_path / "print", data)


def test_a_file_of_too_many_values_is_cut_and_says_so(tmp_path: Path) -> None:
    path = tmp_path / "print"
    path.write_bytes(whole())
    index = PrintIndex(path, most_values=3)
    for _ in range(2):
        with pytest.raises(OSError, match="Only the first 3 entries of print are read"):
            index.read_more()
        assert len(index) == 3
    assert [printed_text(index.value(row))[:5] for row in range(3)] == ["loss:", "Tenso", "Tenso"]
    index = PrintIndex(path, most_values=6)
    assert (index.read_more(), index.read_more(), len(index)) == (len(whole()), 0, 6)


def test_values_before_a_damage_are_printed(tmp_path: Path) -> None:
    (tmp_path / "print.pb").write_bytes(whole() + b"\x12\0")
    texts = [value.text for _, value in printed_values(tmp_path)]
    assert texts == ["loss:", "", "", "", "", "text", "print.pb has byte 0x12, want that of a printed value"]


@pytest.mark.parametrize("text", [
    "Tensor(shape=[], dtype=Int8, value=" * 30_000, f"Tensor(shape=[{'1' * 9000}], dtype=Int8, value=1)",
    f"Tensor(shape=[1], dtype=Int64, value={'1' * 40})", "Tensor(shape=[1], dtype=Int8, value=nan)",
    f"Tensor(shape=[{'9' * 18}, {'9' * 18}], dtype=Int8, value=1)",
], ids=["open", "size", "number", "nan", "shape"])  # fmt: skip
def test_odd_text_has_no_elements_or_some(text: str) -> None:
    assert len(list(printed_tensors(text))) <= 1
