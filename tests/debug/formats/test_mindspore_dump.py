# SPDX-License-Identifier: Apache-2.0
"""Dumps of every version of MindSpore: which tensors, in which order, from where in the program."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from mindscope.debug.formats.mindspore_dump.graph_names import read_graph_names
from mindscope.debug.formats.problems import debug_problems
from mindscope.debug.formats.recorded_steps import RecordedSteps
from mindscope.debug.model.array_statistics import array_statistics
from mindscope.debug.model.fields import COLUMN, Field
from mindscope.debug.model.tensors import DebugTensor, Phase, Role
from mindscope.debug.open import find_debug_data, read_debug_data
from mindscope.errors import DebugDataError, FormatError
from mindscope.formats import wire
from mindscope.formats.mindspore_schemas import MODEL
from tests.debug.formats.made_dumps import (
    CONV,
    MOMENTUM,
    NET,
    ORDER,
    RELU,
    RELU_GRAD,
    TIME,
    npy_name,
    numbers,
    raw_dump,
    real_dump,
    save,
    save_graph,
    save_settings,
    short_dump,
)


def rows(source: RecordedSteps, step: int, rank: int = 0) -> list[tuple[int, DebugTensor]]:
    found = source.at(step, rank)
    return [
        (order, source.tensors[place]) for order, place in zip(found.order.tolist(), found.tensor.tolist(), strict=True)
    ]


def reasons(source: RecordedSteps) -> list[tuple[str, str]]:
    return [(Path(file).name, reason.code) for file, reason in source.problems.items()]


def test_a_real_dump_has_its_operators_in_order_with_source_lines(tmp_path: Path) -> None:
    source = read_debug_data(real_dump(tmp_path))
    assert (source.format, source.framework, source.ranks, source.steps(0)) == (
        "mindspore_dump",
        "mindspore",
        [0],
        [0, 2],
    )
    assert source.facts["ms_version"] == "2.10.0"
    assert source.facts["iterations"] == {0: {"0": [0, 2]}}
    found = rows(source, 2)
    assert len(found) == 75
    assert [each.type for order, each in found if order < 7 and each.slot == "0" and each.role is Role.OUTPUT] == [
        *("Conv2D", "ReLU", "Flatten", "MatMul", "BiasAdd", "SparseSoftmaxCrossEntropyWithLogits"),
        "SparseSoftmaxCrossEntropyWithLogits",
    ]
    conv = next(each for _, each in found if each.type == "Conv2D" and each.role is Role.OUTPUT)
    assert (conv.module, conv.phase, conv.shape, conv.dtype) == ("c", Phase.FORWARD, (4, 4, 6, 6), "float32")
    assert conv.name == "Default/network-WithLossCell/_backbone-Conv/c-Conv2d/Conv2D-op0"
    assert conv.stack[0] == (
        "site-packages/mindspore/nn/layer/conv.py:373 construct: output = self.conv2d(x, self.weight)"
    )
    assert conv.stack[1] == "/data/mkdump.py:14 construct: return self.d(self.f(self.r(self.c(x))))"
    renamed = next(each for _, each in found if each.type == "Conv2DBackpropFilter")
    assert (renamed.module, renamed.phase, renamed.name[-4:]) == ("c", Phase.BACKWARD, "-op1")
    weights = {
        (each.module, each.slot, each.type)
        for _, each in found
        if each.role is Role.PARAMETER and each.phase is not Phase.OPTIMIZER
    }
    assert weights == {("c", "weight", "Conv2d"), ("d", "weight", "Dense"), ("d", "bias", "Dense")}
    inputs = [each.slot for _, each in found if each.type == "Parameter" and each.role is Role.INPUT]
    assert inputs == ["inputs0", "inputs1"]
    momentum = [each.call for _, each in found if each.type == "ApplyMomentum" and each.role is Role.OUTPUT]
    assert momentum == [0, 1, 2]
    assert all(each.phase is Phase.OPTIMIZER for _, each in found if each.type == "ApplyMomentum")
    assert reasons(source) == []


def test_statistics_of_a_real_dump_are_those_of_its_arrays(tmp_path: Path) -> None:
    source = read_debug_data(real_dump(tmp_path))
    found = source.at(0, 0)
    for row in range(len(found.order)):
        array = source.array(0, 0, row)
        assert array is not None
        np.testing.assert_equal(found.values[row], array_statistics(array))
    outputs = [place for place, (_, each) in enumerate(rows(source, 0)) if each.operator.endswith("ReLU-op0")]
    assert found.digest[outputs[0]] != found.digest[outputs[1]]
    steps, values = source.history([int(found.tensor[0])], Field.COUNT, 0)
    assert (steps.tolist(), values.tolist()) == ([0, 2], [[256], [256]])


def test_short_names_get_scope_and_order_from_the_files_beside(tmp_path: Path) -> None:
    source = read_debug_data(short_dump(tmp_path / "dump", rank=3))
    assert (source.ranks, source.steps(3)) == ([3], [0, 1])
    found = rows(source, 1, 3)
    assert [each.name for _, each in found] == [name for name in ORDER for _ in range(2)]
    assert [order for order, _ in found] == [0, 0, 1, 1, 2, 2, 3, 3]
    assert [each.role for _, each in found] == [Role.INPUT, Role.OUTPUT] * 4
    assert [(each.module, each.phase) for _, each in found[::2]] == [
        *(("conv1", Phase.FORWARD), ("relu", Phase.FORWARD), ("relu", Phase.BACKWARD)), ("optimizer", Phase.OPTIMIZER),
    ]  # fmt: skip
    first = rows(source, 0, 3)
    assert (first[0][1].type, first[0][1].name, len(first)) == ("Constant", "data-7", 9)
    np.testing.assert_array_equal(source.array(1, 3, 0), numbers(3))


def test_without_files_beside_time_gives_the_order_and_types_the_phase(tmp_path: Path) -> None:
    source = read_debug_data(short_dump(tmp_path, with_graph=False))
    found = rows(source, 1)
    assert [each.name for _, each in found[::2]] == [name.rpartition("/")[2] for name in reversed(ORDER)]
    assert [(each.module, each.phase) for _, each in found[::2]] == [
        *(("", Phase.OPTIMIZER), ("", Phase.BACKWARD), ("", Phase.FORWARD), ("", Phase.FORWARD)),
    ]


@pytest.mark.parametrize("with_order", [True, False])
def test_scopes_in_names_give_the_module(tmp_path: Path, with_order: bool) -> None:
    directory = tmp_path / "rank_0" / "Net" / "0" / "0"
    for place, name in enumerate(ORDER):
        plain = name.replace("/", "_")
        save(directory, npy_name(type_of(name), plain, TIME + place, dtype="bfloat16"), numbers(place))
    save_graph(tmp_path / "rank_0", ORDER if with_order else ())
    found = rows(read_debug_data(tmp_path), 0)
    assert [(each.module, each.phase, each.dtype) for _, each in found] == [
        ("conv1", Phase.FORWARD, "bfloat16"), ("relu", Phase.FORWARD, "bfloat16"),
        ("relu", Phase.BACKWARD, "bfloat16"), ("optimizer", Phase.OPTIMIZER, "bfloat16"),
    ]  # fmt: skip
    assert [each.name for _, each in found] == (
        list(ORDER) if with_order else [each.replace("/", "_") for each in ORDER]
    )


def type_of(full_name: str) -> str:
    return full_name.rpartition("/")[2].partition("-op")[0]


def test_the_newest_of_several_files_counts(tmp_path: Path) -> None:
    directory = tmp_path / "rank_0" / "Net" / "0" / "0"
    for time, value in ((TIME + 5, 2), (TIME, 1), (TIME + 3, 3)):
        save(directory, npy_name("ReLU", "ReLU-op2", time), np.array([value], np.float32))
    source = read_debug_data(tmp_path)
    assert len(source.at(0, 0).order) == 1
    assert source.array(0, 0, 0) == [2]


def test_one_short_name_of_two_scopes_is_told_apart_by_time(tmp_path: Path) -> None:
    other = CONV.replace("conv1", "conv2")
    directory = tmp_path / "rank_0" / "Net" / "0" / "0"
    for time in range(4):  # two runs into the same directory
        save(directory, npy_name("Conv2D", "Conv2D-op1", TIME + time), np.array([time], np.float32))
    save_graph(tmp_path / "rank_0", [CONV, other])
    source = read_debug_data(tmp_path)
    assert [each.module for _, each in rows(source, 0)] == ["conv1", "conv2"]
    assert [source.array(0, 0, row) for row in (0, 1)] == [[2], [3]]


def test_long_names_are_in_the_mapping(tmp_path: Path) -> None:
    directory = tmp_path / "rank_0" / "Net" / "0" / "0"
    save(directory, "8123456789.npy", numbers(0))
    long = npy_name("Conv2D", CONV.replace("/", "_") + "x" * 300, TIME)
    (directory / "mapping.csv").write_text(f"8123456789.npy,{long}\n17.npy,{npy_name('ReLU', 'gone', TIME)}\nbroken\n")
    source = read_debug_data(tmp_path)
    assert len(source.tensors) == 1
    assert source.tensors[0].name.startswith(CONV.replace("/", "_"))
    np.testing.assert_array_equal(source.array(0, 0, 0), numbers(0))
    assert reasons(source) == [("mapping.csv", "debug_files_missing")]


@pytest.mark.parametrize("device", [1, None])
def test_bare_arrays_of_the_first_versions(tmp_path: Path, device: int | None) -> None:
    source = read_debug_data(raw_dump(tmp_path, device))
    rank = device or 0
    assert (source.ranks, source.steps(rank)) == ([rank], [3])
    found = rows(source, 3, rank)
    assert {each.name for _, each in found} == set(ORDER)
    place, conv = next((at, each) for at, (_, each) in enumerate(found) if each.name == CONV and each.slot == "0")
    assert (conv.dtype, conv.shape, conv.module) == ("float16", (2, 3), "conv1")
    np.testing.assert_array_equal(source.array(3, rank, place), numbers(0))
    assert any(each.shape == () for _, each in found)


@pytest.mark.parametrize("path", [
    "20240101120000/2/Net/1/7", "7/20240101120000/2/Net/1/0", "7/20240101120000/2", "rank_2/Net/4/7",
])  # fmt: skip
def test_trees_of_later_versions(tmp_path: Path, path: str) -> None:
    save(tmp_path / "dump" / path, npy_name("Conv2D", CONV.replace("/", "_"), TIME, dtype="float16"), numbers(1))
    source = read_debug_data(tmp_path)
    assert (source.ranks, source.steps(2)) == ([2], [7])
    assert source.at(7, 2).column(Field.COUNT) == 6


def test_files_beside_a_raw_dump_give_order_lines_and_settings(tmp_path: Path) -> None:
    device = raw_dump(tmp_path) / "net" / "device_1"
    save_graph(device, ORDER[::-1], OLD_IR.replace("BEFORE", ""))
    (tmp_path / ".metadata").mkdir()
    (tmp_path / ".metadata" / "data_dump.json").write_text('{"dump_mode": 0, "common_dump_settings": {"iteration": 0}}')
    source = read_debug_data(tmp_path)
    assert source.facts["settings"]["common_dump_settings"] == {"iteration": 0}
    outputs = [each for _, each in rows(source, 3, 1) if each.role is Role.OUTPUT]
    assert [each.type for each in outputs] == ["ApplyMomentum", "ReluGrad", "ReLU", "Conv2D"]
    assert any("net.py" in line for each in outputs for line in each.stack)


def test_a_rank_by_itself_and_several_ranks(tmp_path: Path) -> None:
    short_dump(tmp_path / "dump", 0)
    short_dump(tmp_path / "dump", 1, steps=(5,))
    assert read_debug_data(tmp_path / "dump" / "rank_1").steps(1) == [5]
    both = read_debug_data(tmp_path)
    assert (both.ranks, both.steps(0), both.steps(1)) == ([0, 1], [0, 1], [5])
    assert [each.path for each in find_debug_data(tmp_path)] == [tmp_path / "dump"]
    with pytest.raises(DebugDataError, match="rank 1 has no debugging data of step 9"):
        both.at(9, 1)


def test_damage_costs_only_its_file(tmp_path: Path) -> None:
    short_dump(tmp_path)
    directory = tmp_path / "rank_0" / "Net" / "0" / "1"
    broken = sorted(directory.iterdir())
    broken[0].write_bytes(b"no array")
    whole = broken[1].read_bytes()
    broken[1].write_bytes(whole[:-4])
    np.save(broken[2], np.array([{}], object), allow_pickle=True)
    source = read_debug_data(tmp_path)
    missing = np.isnan(source.at(1, 0).column(Field.COUNT))
    assert (missing.sum(), len(missing)) == (3, 8)
    assert sorted(reasons(source)) == [(each.name, "debug_file_damaged") for each in broken[:3]]
    with pytest.raises(FormatError, match="it was cut"):
        source.array(1, 0, next(row for row in range(8) if missing[row] and is_stored(source, row)))


def is_stored(source: RecordedSteps, row: int) -> bool:
    try:
        return source.array(1, 0, row) is not None
    except FormatError:
        return True


def test_samples_are_reported(tmp_path: Path) -> None:
    directory = tmp_path / "rank_0" / "Net" / "0" / "0"
    save(directory, npy_name("ReLU", "ReLU-op2", TIME), np.arange(4.0))
    save_settings(tmp_path / "rank_0", sample_mode=1, sample_num=4)
    source = read_debug_data(tmp_path)
    assert source.at(0, 0).column(Field.COUNT) == [4]
    assert [each.code for each in source.problems.values()] == ["debug_sampled"]


OLD_IR = f"""
  %1([CNode]5) = Conv2D(%para1_x, %para2_conv1.weight) {{instance name: conv2d}} primitive_attrs: {{}}
      : (<Tensor[Float32], (2, 3)>) -> (<Tensor[Float32], (2, 3)>)
      : (<Float16xNC1HWC0[const vector]{{2, 1}}>) -> (<Float16xNC1HWC0[const vector]{{2, 1}}>)
      BEFORE({CONV})
      # In file /train/net.py(49)/        x = self.conv1(x)/
      # In file /train/train.py(12)/        loss = self.network(x)/
  %2([CNode]6) = ReLU(%1)
      BEFORE({RELU})
      # In file /train/net.py(50)/ x = self.relu(x)/
"""


@pytest.mark.parametrize("before", ["", "# full_name_with_scope: ", ": full_name_with_scope: "])
def test_source_lines_of_older_graphs_are_innermost_first(tmp_path: Path, before: str) -> None:
    short_dump(tmp_path)
    save_graph(tmp_path / "rank_0", ir=OLD_IR.replace("BEFORE", before))
    stacks = {each.name: each.stack for each in read_debug_data(tmp_path).tensors}
    assert stacks[CONV] == ("/train/net.py:49: x = self.conv1(x)", "/train/train.py:12: loss = self.network(x)")
    assert stacks[RELU] == ("/train/net.py:50: x = self.relu(x)",)
    assert stacks[RELU_GRAD] == stacks[MOMENTUM] == ()


def test_names_from_the_graph_file_alone(tmp_path: Path) -> None:
    root = real_dump(tmp_path)
    graphs = root / "rank_0" / "graphs"
    (graphs / "ms_output_trace_code_graph_0.ir").unlink()
    (root / "rank_0" / "execution_order" / "ms_execution_order_graph_0.csv").unlink()
    source = read_debug_data(root)
    assert {each.name for each in source.tensors if each.type == "ReluGrad"} == {
        "Gradients/Default/network-WithLossCell/_backbone-Conv/r-ReLU/Grad_ReLU/ReluGrad-op0"
    }
    assert ("c", "weight") in {(each.module, each.slot) for each in source.tensors}


def test_what_is_no_dump_is_said(tmp_path: Path) -> None:
    (tmp_path / "rank_0" / "net" / "0" / "1").mkdir(parents=True)
    with pytest.raises(FormatError, match="holds no debugging data"):
        read_debug_data(tmp_path)
    with pytest.raises(FileNotFoundError):
        read_debug_data(tmp_path / "none")
    for name in "ab":
        short_dump(tmp_path / name)
    with pytest.raises(FormatError, match="2 sets of debugging data, choose one"):
        read_debug_data(tmp_path)


def test_statistics_of_large_arrays_are_merged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    array = np.random.default_rng(0).normal(size=1000).astype(np.float16)
    array[[3, 500, 700]] = np.nan, np.inf, 0
    save(tmp_path / "rank_0" / "Net" / "0" / "0", npy_name("ReLU", "ReLU-op2", TIME), array)
    monkeypatch.setattr("mindscope.debug.formats.stored_array.PIECE", 64)
    found = read_debug_data(tmp_path).at(0, 0).values[0]
    np.testing.assert_allclose(found, array_statistics(array))
    assert math.isnan(found[COLUMN[Field.MEAN_ABS_UPDATE]])
    assert NET in CONV


def test_a_signaling_nan_is_a_nan(tmp_path: Path) -> None:
    path = raw_dump(tmp_path) / "net" / "device_1" / "iteration_3"
    file = next(each for each in path.iterdir() if "Float32" in each.name)
    file.write_bytes(b"\1\0\x80\x7f")
    assert np.nansum(read_debug_data(tmp_path).at(3, 1).column(Field.NAN)) == 1


def test_names_that_are_no_text_or_too_long(tmp_path: Path) -> None:
    directory = tmp_path / "rank_0" / "Net" / "0" / "0"
    save(directory, npy_name("Conv2D", "a\udcff-op1", 1), numbers(0))
    save(directory, "000001.npy", numbers(0))
    (directory / "mapping.csv").write_text(f"000001.npy,Conv2D.b.0.0.{'9' * 5000}.output.0.DefaultFormat.float32.npy\n")
    source = read_debug_data(tmp_path)
    assert [each.operator for each in source.tensors] == ["a\ufffdff-op1"]
    assert list(source.problems) == []


def test_an_iteration_of_thousands_of_digits_is_left_out(tmp_path: Path) -> None:
    short_dump(tmp_path)
    path = next(tmp_path.rglob("ms_global_execution_order_graph_*.csv"))
    path.write_text(f"0\n{'9' * 5000}\n1\n")
    assert read_debug_data(tmp_path).facts["iterations"] == {0: {"0": [0, 1]}}


def test_names_of_a_graph_in_protobuf(tmp_path: Path) -> None:
    """Beside a dump that has no text of the graph."""
    graphs = tmp_path / "graphs"
    graphs.mkdir()
    nodes = [{"name": "1", "full_name": CONV}, {"name": "2"}, {"name": "3", "full_name": "Default/Relu-op3"}]
    content = wire.encode(MODEL, {"graph": {"node": nodes, "parameters": [{"name": "conv1.weight"}]}})
    file = graphs / "ms_output_trace_code_graph_0.pb"
    file.write_bytes(content)
    problems = debug_problems()
    names = read_graph_names(tmp_path, problems)["0"]
    assert (list(names.order), list(names.parameters.values())) == (
        [CONV, "Default/Relu-op3"],
        [("conv1.weight", True)],
    )
    file.write_bytes(content[:-3])
    read_graph_names(tmp_path, problems)
    file.write_bytes(wire.encode(MODEL, {"graph": {"node": [{}] * ((1 << 19) + 1)}}))
    read_graph_names(tmp_path, problems)
    assert [each.code for each in problems.values()] == ["debug_file_damaged"] * 2
    assert "has 524289 nodes, names are read of at most 524288" in list(problems.values())[1]
