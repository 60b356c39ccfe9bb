# SPDX-License-Identifier: Apache-2.0
"""Asynchronous dumps of Ascend: headers, elements, layouts, overflows."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mindscope.debug.formats.async_file import read_async_file
from mindscope.debug.formats.mindspore_dump.graph_names import GraphNames
from mindscope.debug.formats.mindspore_dump.listing import list_tensors
from mindscope.debug.formats.overflow_record import read_overflow_record
from mindscope.debug.formats.problems import debug_problems
from mindscope.debug.model.fields import Field
from mindscope.debug.model.tensors import Role
from mindscope.debug.open import read_debug_data
from mindscope.debug.watchpoints import evaluate_watchpoints, parse_watchpoint, recommended_watchpoints
from mindscope.errors import FormatError
from mindscope.formats import wire
from mindscope.formats.ascend_dump_schemas import DUMP_DATA
from tests.debug.formats.made_async import async_file, async_tensor, new_overflow, old_overflow
from tests.debug.formats.made_dumps import CONV, ORDER, RELU, TIME, save_graph


def write(path: Path, **tensors: list[dict[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(async_file(**tensors))
    return path


def test_inputs_and_outputs_are_where_their_sizes_say(tmp_path: Path) -> None:
    arrays = [np.arange(6, dtype=np.float32).reshape(2, 3), np.array([1, -1], np.int64), np.array(7, np.float16)]
    path = write(
        tmp_path / "a", input=[async_tensor(arrays[0]), async_tensor(arrays[1])], output=[async_tensor(arrays[2])]
    )
    found = read_async_file(path, debug_problems())
    assert [(each.role, each.slot, each.dtype, each.shape) for each in found] == [
        (Role.INPUT, 0, "float32", (2, 3)), (Role.INPUT, 1, "int64", (2,)), (Role.OUTPUT, 0, "float16", ()),
    ]  # fmt: skip
    for each, array in zip(found, arrays, strict=True):
        assert each.array is not None
        np.testing.assert_array_equal(each.array.read(), array)


def test_files_without_a_length_hold_the_bytes_in_the_message(tmp_path: Path) -> None:
    array = np.arange(4, dtype=np.uint16)
    path = tmp_path / "old"
    path.write_bytes(async_file(input=[async_tensor(array)], output=[async_tensor(array + 1)], is_whole=True))
    found = read_async_file(path, debug_problems())
    stored = [each.array for each in found]
    assert all(each is not None for each in stored)
    assert [each.read().tolist() for each in stored if each] == [[0, 1, 2, 3], [1, 2, 3, 4]]


@pytest.mark.parametrize(("name", "data", "shape", "want"), [
    ("bfloat16", np.array([0x3F80, 0xC040, 0x7F80, 0x0001], "<u2").tobytes(), [4], [1, -3, np.inf, 2.0**-133]),
    ("int4", bytes([0x21, 0xF8, 0x07]), [5], [1, 2, -8, -1, 7]),
    ("uint1", bytes([0b101]), [3], [1, 0, 1]),
    ("int2", bytes([0b11_10_01_00]), [4], [0, 1, -2, -1]),
    ("bool", b"\1\0", [2], [True, False]),
])  # fmt: skip
def test_elements_that_numpy_lacks(tmp_path: Path, name: str, data: bytes, shape: list[int], want: list[float]) -> None:
    path = write(tmp_path / "a", output=[async_tensor(data, name, shape)])
    (found,) = read_async_file(path, debug_problems())
    assert found.array is not None
    np.testing.assert_array_equal(found.array.read(), want)
    assert found.array.statistics()[0][0] == len(want)
    assert found.dtype == name


def test_channels_in_blocks_become_nchw_without_padding(tmp_path: Path) -> None:
    nchw = np.arange(2 * 5 * 3 * 4, dtype=np.float16).reshape(2, 5, 3, 4)
    padded = np.concatenate([nchw, np.zeros((2, 11, 3, 4), np.float16)], axis=1)
    blocked = padded.reshape(2, 1, 16, 3, 4).transpose(0, 1, 3, 4, 2).copy()
    path = write(tmp_path / "a", output=[async_tensor(blocked, format=3, original=[2, 5, 3, 4])])
    (found,) = read_async_file(path, debug_problems())
    assert found.array is not None
    np.testing.assert_array_equal(found.array.read(), nchw)
    assert (found.shape, found.format, found.array.statistics()[0][0]) == ((2, 5, 3, 4), "NC1HWC0", nchw.size)


def test_padding_that_stays_is_reported(tmp_path: Path) -> None:
    problems = debug_problems()
    path = write(
        tmp_path / "a", output=[async_tensor(np.zeros((1, 1, 16, 16), np.float16), format=29, original=[3, 5])]
    )
    (found,) = read_async_file(path, problems)
    assert found.shape == (1, 1, 16, 16)
    assert [each.code for each in problems.values()] == ["debug_padding"]


def test_every_cut_costs_only_what_is_after_it(tmp_path: Path) -> None:
    arrays = [np.arange(3, dtype=np.int16), np.arange(3, dtype=np.int16) + 3]
    whole = async_file(input=[async_tensor(arrays[0])], output=[async_tensor(arrays[1])])
    for end in range(len(whole)):
        path = tmp_path / "a"
        path.write_bytes(whole[:end])
        problems = debug_problems()
        try:
            found = read_async_file(path, problems)
        except FormatError:
            continue
        assert sum(each.array is not None for each in found) == max(0, 2 - -(-(len(whole) - end) // 6))
        assert len(problems) == sum(each.array is None for each in found)


@pytest.mark.parametrize("is_whole", [False, True])
@pytest.mark.parametrize("tensor", [{}, {"shape": {"dim": np.zeros(300, np.uint64)}}], ids=["empty", "sizes"])
def test_a_header_of_too_many_fields_is_refused(tmp_path: Path, is_whole: bool, tensor: dict[str, Any]) -> None:
    message = wire.encode(DUMP_DATA, {"input": [tensor] * 300, "op_name": "op"})
    path = tmp_path / "a"
    path.write_bytes(message if is_whole else struct.pack("<Q", len(message)) + message)
    with pytest.raises(FormatError, match=r"has more than 200 fields, .* Record it again"):
        read_async_file(path, debug_problems(), most_fields=200)
    assert len(read_async_file(path, debug_problems(), most_fields=100_000)) == 300


def test_a_directory_lists_no_more_tensors_than_fit(tmp_path: Path) -> None:
    for number in range(3):
        write(tmp_path / f"Add.add.{number}.7.{TIME + number}", input=[async_tensor(np.zeros(2, np.float32))] * 4)
    problems = debug_problems()
    assert len(list_tensors(tmp_path, GraphNames(), problems, most=100)) == 4
    assert not problems
    for number in range(3):
        write(tmp_path / f"Mul.mul{number}.{number}.7.{TIME}", input=[async_tensor(np.zeros(2, np.float32))] * 4)
    assert len(list_tensors(tmp_path, GraphNames(), problems, most=6)) <= 6
    assert [each.code for each in problems.values()] == ["debug_entries_left"]


def test_a_tree_of_asynchronous_files_joins_the_graph(tmp_path: Path) -> None:
    directory = tmp_path / "rank_0" / "Net" / "0" / "1"
    for place, name in enumerate(ORDER):
        array = np.full((2, 2), place, np.float32)
        plain = name.replace("/", "_")
        write(
            directory / f"{plain.rpartition('_')[2].partition('-op')[0]}.{plain}.{place}.7.{TIME + place}",
            input=[async_tensor(array)], output=[async_tensor(array + 1)],
        )  # fmt: skip
    (directory / "Cast.broken.1.1.1600000000000000").write_bytes(b"\xff" * 40)
    save_graph(tmp_path / "rank_0")
    source = read_debug_data(tmp_path)
    found = source.at(1, 0)
    assert [source.tensors[place].name for place in found.tensor.tolist()[::2]] == list(ORDER)
    assert found.column(Field.MAX).tolist() == [0, 1, 1, 2, 2, 3, 3, 4]
    np.testing.assert_array_equal(source.array(1, 0, 3), np.full((2, 2), 2))
    assert [each.code for each in source.problems.values()] == ["debug_file_damaged"]


@pytest.mark.parametrize("path", ["2/Net_graph_4/4/1", "7/20240101120000/2/Net/1/0"])
def test_asynchronous_files_of_other_versions(tmp_path: Path, path: str) -> None:
    name = f"Conv2D.Default_conv1-Conv2d_Conv2D-op1.3.{TIME}" if "graph" in path else f"Conv2D.a-op1.3.2.{TIME}.0.1.2.3"
    write(tmp_path / path / name, output=[async_tensor(np.ones(3, np.float32))])
    source = read_debug_data(tmp_path)
    assert (source.ranks, len(source.tensors)) == ([2], 1)
    assert source.at(source.steps(2)[0], 2).column(Field.SUM) == [3]


@pytest.mark.parametrize("record", [new_overflow(1, 7, 2), old_overflow(1, 7, 2)])
@pytest.mark.parametrize("below", ["Net/0/1", "debug_files/1", "debug_files"])
def test_an_overflow_names_the_operator_of_its_task(tmp_path: Path, record: bytes, below: str) -> None:
    directory = tmp_path / "rank_0" / "Net" / "0" / "1"
    for task, name in ((1, CONV), (2, RELU)):
        array = np.zeros(2, np.float32)
        write(directory / f"X.{name.replace('/', '_')}.{task}.7.{TIME + task}", output=[async_tensor(array)])
    save_graph(tmp_path / "rank_0", [CONV, RELU])
    write(
        tmp_path / "rank_0" / below / f"Opdebug.Node_OpDebug.9.7.{TIME}",
        output=[async_tensor(record, "uint8", [len(record)])],
    )
    source = read_debug_data(tmp_path)
    (overflow,) = source.overflows(1, 0)
    assert (overflow.operator, overflow.order, overflow.unit, overflow.stream, overflow.task) == (
        RELU,
        1,
        "AI Core",
        7,
        2,
    )
    assert len(source.at(1, 0).order) == 2
    found = evaluate_watchpoints(source, [parse_watchpoint("operator_overflow"), *recommended_watchpoints()])
    assert [(row["operator"], row["role"]) for row in found.rows()] == [(RELU, "output")] * 2
    assert {found.watchpoints[hit.watchpoint].text for hit in found.hits} == {
        "operator_overflow", "overflowing_operators",
    }  # fmt: skip
    assert not [each for each in found.unevaluated if each.missing == ("operator_overflow",)]


def test_records_that_name_no_task() -> None:
    assert read_overflow_record(b"") == []
    assert read_overflow_record(bytes(2048)) == []
    assert read_overflow_record(struct.pack("<6I", 0x5A5A5A5A, 1, 0, 0, 0, 0) + bytes(88)) == []
    assert read_overflow_record(struct.pack("<6I", 0x5A5A5A5A, 1, 1, 9, 0, 0) + bytes(88))[0].unit == "unit 9"
