# SPDX-License-Identifier: Apache-2.0
"""Dumps of msprobe: names, statistics, stacks, whole tensors, files that were cut."""

from __future__ import annotations

import json
import math
import os
import struct
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mindscope.debug.formats.msprobe import step_files as step_files_module
from mindscope.debug.formats.recorded_steps import RecordedSteps
from mindscope.debug.formats.stored_array import read_npy
from mindscope.debug.formats.torch_file import read_torch_file
from mindscope.debug.model.fields import COLUMN, Field
from mindscope.debug.model.tensors import DebugTensor, Phase, Role
from mindscope.debug.open import read_debug_data
from mindscope.errors import FormatError
from tests.debug.formats.made_msprobe import LINEAR, RELU, dump, operators, tensor

FINITE = {"nan": 0, "positive_inf": 0, "negative_inf": 0}


def rows(source: RecordedSteps, step: int, rank: int = 0) -> list[DebugTensor]:
    return [source.tensors[place] for place in source.at(step, rank).tensor.tolist()]


def known(values: np.ndarray) -> dict[str, float]:
    return {str(field): float(values[place]) for field, place in COLUMN.items() if not math.isnan(values[place])}


def test_operators_have_module_phase_call_and_stack(tmp_path: Path) -> None:
    dump(tmp_path / "probe" / "step4" / "rank2")
    source = read_debug_data(tmp_path)
    assert (source.format, source.framework, source.ranks, source.steps(2)) == ("msprobe", "torch", [2], [4])
    found = rows(source, 4, 2)
    assert [(each.type, each.role, each.slot) for each in found] == [
        *(("Functional.relu", Role.INPUT, "0"), ("Functional.relu", Role.OUTPUT, "0")),
        *(("Functional.relu", Role.INPUT, "0"), ("Functional.relu", Role.INPUT, "1.0")),
        *(("Functional.relu", Role.INPUT, "mask"), ("Functional.relu", Role.OUTPUT, "0")),
        *(("Linear", Role.INPUT, "0"), ("Linear", Role.PARAMETER, "weight"), ("Linear", Role.PARAMETER, "bias")),
        *(("Linear", Role.OUTPUT, "0"), ("Linear", Role.INPUT, "0"), ("Linear", Role.OUTPUT, "0")),
        ("Linear", Role.GRADIENT, "weight"),
    ]
    assert {each.module for each in found} == {"encoder.layers.0.fc"}
    assert [each.call for each in found[:6]] == [0, 0, 1, 1, 1, 1]
    assert [each.phase for each in found[6:]] == [*[Phase.FORWARD] * 4, *[Phase.BACKWARD] * 3]
    assert (found[7].dtype, found[7].shape, found[3].dtype) == ("float16", (3, 3), "int64")
    stack = ("/train/net.py:49 forward: x = self.fc(x)", "/train/train.py:7 step: loss = net(x)")
    assert found[0].stack == found[9].stack == found[10].stack == stack
    assert found[2].stack == ()
    assert source.at(4, 2).order.tolist() == [0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 4]
    assert list(source.problems) == []


@pytest.mark.parametrize(("item", "want"), [
    (tensor(), {"count": 6, **FINITE, "min": -2, "max": 4, "sum": 3, "sum_squares": 9}),
    (tensor(Max=math.nan, Min=math.nan, Mean=math.nan, Norm=math.nan), {"count": 6, "nan": 1}),
    (tensor(Max="inf", Mean="Infinity", Norm="inf"), {"count": 6, **FINITE, "positive_inf": 1, "min": -2}),
    (tensor(Max=None, Min=None, Mean=None, Norm=None), {"count": 6}),
    (tensor(shape="odd", Max={}, Min=[], Mean="x"), {"nan": 1}),
    (tensor(shape=[]), {"count": 1, **FINITE, "min": -2, "max": 4, "sum": 0.5, "sum_squares": 9}),
])  # fmt: skip
def test_statistics(tmp_path: Path, item: dict[str, Any], want: dict[str, float]) -> None:
    dump(tmp_path / "step0" / "rank0", {"Torch.add.0.forward": {"output": [item]}})
    assert known(read_debug_data(tmp_path).at(0, 0).values[0]) == want


def test_checksums_compare_tensors(tmp_path: Path) -> None:
    items = [tensor(md5="1f2e3d4c"), tensor(md5="1f2e3d4c"), tensor(md5="0"), tensor(md5="not hex"), tensor()]
    dump(tmp_path / "step0" / "rank0", {"Torch.cat.0.forward": {"output": items}})
    digests = read_debug_data(tmp_path).at(0, 0).digest
    assert digests[0] == digests[1] == 0x1F2E3D4C
    assert len({int(each) for each in digests[1:4]}) == 3
    assert (digests[3] != 0, digests[4]) == (True, 0)


def test_whole_tensors_of_npy_and_torch(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    values = torch.arange(12, dtype=torch.bfloat16).reshape(3, 4)
    files = {"whole": values, "turned": values.t(), "part": values[1:, 2:], "scalar": values[2, 3], "none": values[:0]}
    parameter = torch.nn.Parameter(values)
    directory = tmp_path / "step0" / "rank0"
    names = [*files, "parameter", "plain"]
    dump(directory, {"Torch.cat.0.forward": {"output": [
        tensor(data_name=f"{name}.{'npy' if name == 'plain' else 'pt'}") for name in names
    ]}})  # fmt: skip
    data = directory / "dump_tensor_data"
    data.mkdir()
    for name, value in files.items():
        torch.save(value, data / f"{name}.pt")
    torch.save(parameter, data / "parameter.pt")
    np.save(data / "plain.npy", np.arange(3))
    source = read_debug_data(tmp_path)
    for row, value in enumerate((*files.values(), parameter.detach())):
        np.testing.assert_array_equal(source.array(0, 0, row), value.float().numpy())
    np.testing.assert_array_equal(source.array(0, 0, 6), [0, 1, 2])
    found = source.at(0, 0)
    assert found.column(Field.COUNT).tolist() == [12, 12, 4, 1, 0, 12, 3]
    assert found.column(Field.MAX)[:4].tolist() == [11, 11, 11, 11]
    assert list(source.problems) == []


class Exploit:
    """Runs code when a pickle is loaded as usual."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[Any, ...]:
        return exec, (f"open({str(self.path)!r}, 'w')",)


def test_nothing_of_a_file_is_executed(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    directory = tmp_path / "step0" / "rank0"
    names = ("evil", "list", "gone", "broken")
    dump(directory, {"Torch.cat.0.forward": {"output": [tensor(data_name=f"{name}.pt") for name in names]}})
    data = directory / "dump_tensor_data"
    data.mkdir()
    torch.save(Exploit(tmp_path / "executed"), data / "evil.pt")
    torch.save([1], data / "list.pt")
    (data / "broken.pt").write_bytes(b"PK\3\4")
    source = read_debug_data(tmp_path)
    assert not (tmp_path / "executed").exists()
    assert source.at(0, 0).column(Field.MAX).tolist() == [4, 4, 4, 4]  # the statistics of dump.json
    assert sorted((Path(file).name, reason.code) for file, reason in source.problems.items()) == [
        ("broken.pt", "debug_file_damaged"), ("evil.pt", "debug_file_damaged"), ("gone.pt", "debug_file_unreadable"),
        ("list.pt", "debug_file_damaged"),
    ]  # fmt: skip
    assert not (tmp_path / "executed").exists()


def test_names_of_files_lead_nowhere_else(tmp_path: Path) -> None:
    np.save(tmp_path / "secret.npy", np.arange(3))
    dump(tmp_path / "step0" / "rank0", {"Torch.cat.0.forward": {"output": [tensor(data_name="../../../secret.npy")]}})
    assert read_debug_data(tmp_path).array(0, 0, 0) is None


@pytest.mark.parametrize("name", ["dump.json", "stack.json", "construct.json"])
def test_every_cut_keeps_what_is_before_it(tmp_path: Path, name: str) -> None:
    directory = dump(tmp_path / "step0" / "rank0")
    whole = (directory / name).read_bytes()
    counts: list[int] = []
    for end in range(0, len(whole), 41 if name == "dump.json" else 13):
        (directory / name).write_bytes(whole[:end])
        source = read_debug_data(tmp_path)
        counts.append(len(source.tensors))
        assert [each.code for each in source.problems.values()] == ["debug_file_damaged"]
    if name == "dump.json":
        assert counts == sorted(counts)
        assert (counts[0], counts[-1]) == (0, 12)
    else:
        assert set(counts) == {13}


def test_processes_without_rank_are_the_next_ranks(tmp_path: Path) -> None:
    for name in ("rank1", "proc900", "proc77"):
        dump(tmp_path / "step0" / name)
    source = read_debug_data(tmp_path)
    assert (source.ranks, source.facts["processes"]) == ([1, 2, 3], {2: 77, 3: 900})
    assert read_debug_data(tmp_path / "step0" / "rank1").steps(1) == [0]
    assert read_debug_data(tmp_path / "step0").ranks == [1, 2, 3]


def test_cells_of_mindspore(tmp_path: Path) -> None:
    dump(
        tmp_path / "step0" / "rank",
        {"Cell.net.dense.Dense.forward.3": {"output": [tensor(dtype="BFloat16")]}},
        "mindspore",
    )
    source = read_debug_data(tmp_path)
    (found,) = source.tensors
    assert (source.framework, found.module, found.type, found.call, found.dtype) == (
        "mindspore", "net.dense", "Dense", 3, "bfloat16",
    )  # fmt: skip


def test_entries_longer_than_a_piece(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mindscope.debug.formats.json_entries._PIECE", 7)
    dump(tmp_path / "step0" / "rank0")
    source = read_debug_data(tmp_path)
    assert (len(source.tensors), list(source.problems)) == (13, [])
    assert LINEAR in source.tensors[6].name
    assert RELU in source.tensors[0].name


def test_deep_or_odd_values_are_left_out(tmp_path: Path) -> None:
    deep: Any = tensor()
    for _ in range(60):
        deep = [deep]
    directory = dump(
        tmp_path / "step0" / "rank0", {**operators(), "Torch.a.0.forward": {"output": deep}, "b": 3, "c": {}}
    )
    assert len(read_debug_data(tmp_path).tensors) == 13
    (directory / "dump.json").write_text('{"data": ' + "[" * 100_000)
    assert [each.code for each in read_all(tmp_path).problems.values()] == ["debug_file_damaged"]
    (directory / "dump.json").write_text(json.dumps([1]))
    assert [each.code for each in read_all(tmp_path).problems.values()] == ["debug_file_damaged"]


@pytest.mark.parametrize("name", [f"Functional.relu.{'9' * 5000}.forward", f"Module.fc.Linear.forward.{'9' * 5000}"])
def test_numbers_of_thousands_of_digits_in_names(tmp_path: Path, name: str) -> None:
    dump(tmp_path / "step0" / "rank0", {name: {"output": [tensor()]}})
    (found,) = read_debug_data(tmp_path).tensors
    assert (found.type, found.shape) == (name, (2, 3))


@pytest.mark.parametrize("shape", [[10**400], [2**62, 4], [0, 2**63]])
def test_shapes_that_no_tensor_has_are_not_known(tmp_path: Path, shape: list[int]) -> None:
    dump(tmp_path / "step0" / "rank0", {RELU: {"output": [tensor(shape=shape)]}})
    assert [each.shape for each in read_debug_data(tmp_path).tensors] == [None]


def test_integers_of_thousands_of_digits_are_noted(tmp_path: Path) -> None:
    directory = tmp_path / "step0" / "rank0"
    dump(directory)
    (directory / "dump.json").write_text(f'{{"level": {"9" * 5000}, "data": {{}}}}')
    source = read_debug_data(tmp_path)
    assert (len(source.tensors), [each.code for each in source.problems.values()]) == (0, ["debug_file_damaged"])


def test_halves_of_surrogate_pairs_become_escapes(tmp_path: Path) -> None:
    dump(tmp_path / "step0" / "rank0", {"\ud800": {"output": [tensor(dtype="\udfff")]}})
    (found,) = read_debug_data(tmp_path).tensors
    assert (found.operator, found.dtype) == ("\\ud800", "\\udfff")


def read_all(path: Path) -> RecordedSteps:
    source = read_debug_data(path)
    assert len(source.tensors) == 0
    return source


def test_a_step_of_millions_of_operators_is_cut_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(step_files_module, "MOST_ENTRIES", 3 + len(operators()))
    many = {f"Functional.relu.{number}.forward": {"input_args": [tensor()], "output": []} for number in range(90)}
    dump(tmp_path / "step0" / "rank0", operators() | many)
    source = read_debug_data(tmp_path)
    assert len({each.name for each in rows(source, 0)}) <= 3 + len(operators())
    assert [each.code for each in source.problems.values()] == ["debug_entries_left"]


def test_a_step_with_too_many_tensors_is_cut_after_an_operator(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(step_files_module, "MOST_TENSORS", 5)
    many = {f"Functional.add.{number}.forward": {"input_args": [tensor(), tensor()]} for number in range(90)}
    dump(tmp_path / "step0" / "rank0", many)
    source = read_debug_data(tmp_path)
    assert len(rows(source, 0)) == 6
    assert [each.values for each in source.problems.values()] == [{"file": "dump.json", "most": 3}]


def test_stacks_are_cut_and_share_their_frames(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"Functional.add.{number}.forward" for number in range(90)]
    directory = dump(tmp_path / "step0" / "rank0", {name: {"output": [tensor()]} for name in names})
    frame = "File /train/{}.py, line 7, in step, \n loss = net(x)"
    stacks = {str(row): [[name], [frame.format(row), frame.format("main")]] for row, name in enumerate(names)}
    (directory / "stack.json").write_text(json.dumps(stacks))
    found = read_debug_data(tmp_path).tensors
    assert all(each.stack[0].startswith(f"/train/{row}.py:7 step") for row, each in enumerate(found))
    assert len({id(each.stack[1]) for each in found}) == 1
    monkeypatch.setattr(step_files_module, "MOST_CHARACTERS", 30 * 60)
    source = read_debug_data(tmp_path)
    cut = [bool(each.stack) for each in source.tensors]
    assert cut == sorted(cut, reverse=True)
    assert 20 < sum(cut) < 60
    assert [each.values for each in source.problems.values()] == [{"file": "stack.json", "most": sum(cut)}]


def test_names_and_texts_of_a_step_are_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    long = {"input_kwargs": {"k" * 9000: [tensor(), {"type": "str", "value": "v" * 500}]}}
    many = {f"Functional.{'a' * 1000}.{number}.forward": long for number in range(20)}
    dump(tmp_path / "step0" / "rank0", many)
    assert {len(each.slot) for each in read_debug_data(tmp_path).tensors} == {200}
    monkeypatch.setattr(step_files_module, "MOST_CHARACTERS", 3500)
    source = read_debug_data(tmp_path)
    assert len(rows(source, 0)) == 4
    assert [each.values for each in source.problems.values()] == [{"file": "dump.json", "most": 4}]
    monkeypatch.setattr(step_files_module, "MOST_NAME_CHARACTERS", 3500)
    source = read_debug_data(tmp_path)
    assert len(rows(source, 0)) == 3
    assert source.problems


def test_a_step_takes_the_memory_of_what_it_keeps(tmp_path: Path) -> None:
    """The objects of the whole file took 2.4 kB a tensor beside it."""
    many = {
        f"Functional.add.{number}.forward": {
            "input_args": [tensor(md5=f"{number:08x}"), tensor(), {"type": "int", "value": number}],
            "output": [tensor()],
        }
        for number in range(3000)
    }
    dump(tmp_path / "step0" / "rank0", many)
    source = read_debug_data(tmp_path)
    tracemalloc.start()
    try:
        count = len(source.at(0, 0).values)
        assert count == 9000
        assert tracemalloc.get_traced_memory()[1] / count < 1200
        assert len(source.tensors) == count
        assert tracemalloc.get_traced_memory()[1] / count < 1200  # the step is not read again
    finally:
        tracemalloc.stop()


def read_odd(path: Path, reader: Callable[[Path], Any]) -> int:
    """Read a file that is refused; the bytes that this takes in memory."""
    tracemalloc.start()
    try:
        with pytest.raises(FormatError, match=path.name):
            reader(path)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_header_of_an_array_of_gigabytes_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "a.npy"
    path.write_bytes(b"\x93NUMPY\x02\0" + (1 << 27).to_bytes(4, "little"))
    os.truncate(path, 1 << 28)
    assert read_odd(path, read_npy) < 1 << 20


def test_an_archive_of_millions_of_entries_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.pt"
    entries = b"PK\1\2" + bytes(42)
    count = 60_000
    end = b"PK\5\6" + bytes(4) + struct.pack("<HHIIH", count, count, count * len(entries), 0, 0)
    path.write_bytes(entries * count + end)
    assert read_odd(path, read_torch_file) < 1 << 20


def test_a_pickle_in_an_archive_is_refused_before_it_takes_memory(tmp_path: Path) -> None:
    path = tmp_path / "a.pt"
    start = b"\x80\x02ctorch._utils\n_rebuild_tensor_v2\nq\0]r"
    for pickled in (start + b"\xff\xff\xff\x07.", start + bytes(4) + b"]" * (2 << 20)):
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("a/data.pkl", pickled)
        assert read_odd(path, read_torch_file) < 4 << 20
