# SPDX-License-Identifier: Apache-2.0
"""Printed values of MindSpore, in files and in captured text."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mindscope.debug import value_text
from mindscope.debug.formats.print_file import PrintedValue, printed_tensors, read_value, value_places
from mindscope.errors import FormatError
from mindscope.formats import wire
from mindscope.formats.print_schemas import PRINT


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
    return (read_value(path, value_bytes) for value_bytes in value_places(path))


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
