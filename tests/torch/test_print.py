# SPDX-License-Identifier: Apache-2.0
"""Print: the documented example, eagerly and compiled."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from mindscope.torch import Print

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
