# SPDX-License-Identifier: Apache-2.0
"""Logs of PyTorch's DebugMode: as it writes them, and as hand-made text."""

from __future__ import annotations

import math
from itertools import pairwise
from pathlib import Path

import pytest

from mindscope.debug.formats import debug_mode as debug_mode_module
from mindscope.debug.model.fields import Field
from mindscope.debug.model.tensors import Phase, Role
from mindscope.debug.open import read_debug_data

TEXT = """    # File: /train/net.py:49 in forward, code: x = self.fc(x)
    [nn.Mod] Net
      [nn.Mod] Net.fc
        aten::t(t$0: f32[3, 4])  ->  t$1: f32[4, 3]  # {'input_hash': ((3.5,), {}), 'hash': 3.5}
        aten::addmm(t$2: bf16[3], t$3: f32[2, 4], t$1: f32[4, 3])  ->  t$4: f32[2, 3]  # {'input_hash': ((nan, 8.0, 3.5), {}), 'hash': inf}
    aten::ones_like(t$6: f32[], pin_memory=False)  ->  t$7: f32[]  # {'input_hash': ((2.0,), {'pin_memory': None}), 'hash': 1.0}
    aten::t(t$7: i64[2, 3])  ->  t$8: i64[3, 2]  # {'input_hash': ((123456789,), {}), 'hash': 123456789}
    aten::add_.Tensor(t: f32[3], 0.5)  ->  t: f32[3]
"""  # noqa: E501


def write(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def test_operators_of_a_log(tmp_path: Path) -> None:
    write(tmp_path / "log_rank_2.txt", TEXT)
    source = read_debug_data(tmp_path)
    assert (source.format, source.ranks, source.steps(2)) == ("debug_mode", [2], [0])
    found = source.at(0, 2)
    tensors = [source.tensors[place] for place in found.tensor.tolist()]
    assert [(each.type, each.role, each.slot) for each in tensors[:6]] == [
        ("aten::t", Role.INPUT, "0"), ("aten::t", Role.OUTPUT, "0"), ("aten::addmm", Role.INPUT, "0"),
        ("aten::addmm", Role.INPUT, "1"), ("aten::addmm", Role.INPUT, "2"), ("aten::addmm", Role.OUTPUT, "0"),
    ]  # fmt: skip
    assert [(each.module, each.phase) for each in tensors[::3]] == [
        ("fc", Phase.FORWARD), ("fc", Phase.FORWARD), ("", Phase.BACKWARD), ("", Phase.BACKWARD),
    ]  # fmt: skip
    assert (tensors[2].dtype, tensors[3].shape) == ("bfloat16", (2, 4))
    assert tensors[0].stack == ("/train/net.py:49 forward: x = self.fc(x)",)
    norms = found.column(Field.SUM_ABS)
    assert norms[:2].tolist() == [3.5, 3.5]
    assert math.isnan(norms[5])
    assert found.column(Field.NAN)[2] == 1
    assert (found.digest[8] == found.digest[9], found.digest[8] != 0, found.digest[10]) == (True, True, 0)
    assert source.array(0, 2, 0) is None


def test_every_cut_gives_what_is_before_it(tmp_path: Path) -> None:
    counts: list[int] = []
    for end in range(len(TEXT.splitlines()[0]) + 250, len(TEXT), 7):
        source = read_debug_data(write(tmp_path / "log.txt", TEXT[:end]))
        counts.append(len(source.at(0, 0).order))
    assert max(counts) >= 10
    assert all(after >= before - 3 for before, after in pairwise(counts))  # a cut line has fewer


@pytest.mark.framework
def test_a_log_that_pytorch_writes(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    debug_mode = pytest.importorskip("torch.utils._debug_mode").DebugMode
    net, inputs = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.ReLU()), torch.ones(2, 4)
    with debug_mode(record_nn_module=True, record_ids=True) as mode, debug_mode.log_tensor_hashes(hash_inputs=True):
        net(inputs).sum().backward()
    write(tmp_path / "log.txt", mode.debug_string())
    source = read_debug_data(tmp_path)
    found = source.at(0, 0)
    rows = list(
        zip([source.tensors[place] for place in found.tensor.tolist()], found.column(Field.SUM_ABS), strict=True)
    )
    (relu,) = [norm for each, norm in rows if each.type == "aten::relu" and each.role is Role.OUTPUT]
    assert relu == pytest.approx(net(inputs).abs().sum().item(), rel=1e-6)
    assert {each.module for each, _ in rows if each.type == "aten::addmm"} == {"0"}
    assert {each.phase for each, _ in rows if each.type == "aten::mm"} == {Phase.BACKWARD}


def test_odd_shapes_cost_only_their_tensor(tmp_path: Path) -> None:
    large = "9" * 18
    lines = f"aten::mm(t: f32[2 3], t: f32[{'9' * 5000}], t: f32[2,3])  ->  t: f32[{large}, {large}]"
    source = read_debug_data(write(tmp_path / "log.txt", f"aten::relu(t: f32[4])  ->  t: f32[4]\n{lines}\n"))
    assert [each.shape for each in source.tensors] == [(4,), (4,), (2, 3), None]
    assert source.at(0, 0).column(Field.COUNT).tolist()[:3] == [4, 4, 6]
    assert list(source.problems) == []


def test_a_long_log_is_cut_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "log.txt", TEXT + "    aten::mm(t: f32[3])  ->  t: f32[3]\n" * 90)
    for name, most, want in (("MOST_TENSORS", 30, 30), ("MOST_CHARACTERS", 200, 40)):
        with monkeypatch.context() as patch:
            patch.setattr(debug_mode_module, name, most)
            source = read_debug_data(tmp_path)
            rows = len(source.at(0, 0).order)
            assert want - 20 < rows <= want
            (problem,) = source.problems.values()
            assert problem.values == {"file": "log.txt", "most": max(source.at(0, 0).order) + 1}


@pytest.mark.parametrize("repeated", ["  # {", "'input_hash': ("])
def test_a_line_of_many_starts_of_hashes_is_read_once(tmp_path: Path, repeated: str) -> None:
    """Regular expressions took seconds for each such line."""
    line = "    aten::mm(t: f32[3])  ->  t: f32[3]  # {" + repeated * (60_000 // len(repeated))
    write(tmp_path / "log.txt", TEXT + f"{line}\n{line}}}\n" * 20)
    assert len(read_debug_data(tmp_path).at(0, 0).order) > 40
