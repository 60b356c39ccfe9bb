# SPDX-License-Identifier: Apache-2.0
"""Print: the documented example, eagerly and compiled."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from mindscope.torch import Print, set_context
from tests.debug.formats.test_print_file import read_print_file

pytestmark = [pytest.mark.framework, pytest.mark.filterwarnings("ignore::DeprecationWarning")]

DOCUMENTED = """\
print Tensor x and Tensor y:
Tensor(shape=[2, 1], dtype=Int32, value=
[[1]
 [1]])
Tensor(shape=[2, 2], dtype=Int32, value=
[[1 1]
 [1 1]])
"""


class PrintDemo(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.print = Print()

    def forward(self, x: Any, y: Any) -> Any:
        self.print("print Tensor x and Tensor y:", x, y)
        return x + y


@pytest.mark.parametrize("backend", [None, "eager", "inductor"])
def test_documented_example_shows_the_documented_lines(backend: str | None, capsys: pytest.CaptureFixture[str]) -> None:
    torch._dynamo.reset()
    x = torch.tensor(np.ones([2, 1]).astype(np.int32))
    y = torch.tensor(np.ones([2, 2]).astype(np.int32))
    net = PrintDemo()
    called = net if backend is None else torch.compile(net, backend=backend, fullgraph=True)
    for _ in range(2):
        assert called(x, y).tolist() == [[2, 2], [2, 2]]
        assert capsys.readouterr().out == DOCUMENTED


def test_numbers_types_and_gradients_are_taken(capsys: pytest.CaptureFixture[str]) -> None:
    Print()(0.5, True, torch.ones(1, dtype=torch.bfloat16, requires_grad=True), "end")
    assert capsys.readouterr().out == (
        "0.5\nTrue\nTensor(shape=[1], dtype=BFloat16, value=[ 1.0000e+00])\nend\n"
    )  # fmt: skip


@pytest.mark.parametrize("inputs", [(), (None,), ("x", [1])])
def test_anything_else_is_refused(inputs: Any) -> None:
    with pytest.raises(TypeError, match="want"):
        Print()(*inputs)


@pytest.mark.parametrize("backend", [None, "inductor"])
def test_a_print_file_has_the_values(backend: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    torch._dynamo.reset()
    set_context(print_file_path=tmp_path / "deep" / "print.data")
    net = PrintDemo()
    called = net if backend is None else torch.compile(net, backend=backend, fullgraph=True)
    x = torch.ones(2, 1, dtype=torch.int32)
    for _ in range(2):
        called(x, x + 1)
    Print()(0.5, torch.tensor([1.0, -2.0], dtype=torch.bfloat16), torch.tensor(True), torch.ones(1, dtype=torch.cfloat))
    Print()(torch.arange(6.0).reshape(2, 3).t(), torch.empty(0), torch.tensor([255], dtype=torch.uint8))
    file = tmp_path / "deep" / "print.data"
    found = list(read_print_file(file))
    assert [each.text for each in found[:3]] == ["print Tensor x and Tensor y:", "", ""]
    arrays = [each.array.tolist() for each in found if each.array is not None]
    assert arrays[:5] == [[[1], [1]], [[2], [2]], [[1], [1]], [[2], [2]], [1.0, -2.0]]
    assert arrays[5:] == [True, [[0, 3], [1, 4], [2, 5]], [], [255]]
    assert [found[6].text, found[9].text] == ["0.5", "Tensor(shape=[1], dtype=Complex64, value=[1.+0.j])"]
    assert capsys.readouterr().out.count("print Tensor x and Tensor y:") == 2
    set_context(print_file_path=file)  # a second training keeps the first one's file
    Print()("again")
    assert file.stat().st_mode & 0o777 == 0o400
    other = next(each for each in file.parent.iterdir() if each != file)
    assert [each.text for each in read_print_file(other)] == ["again"]
    set_context(print_file_path="")
    Print()("nowhere")
    assert [each.text for each in read_print_file(other)] == ["again"]
    with pytest.raises(TypeError, match="print_file_path is int"):
        set_context(print_file_path=3)  # type: ignore[arg-type]
