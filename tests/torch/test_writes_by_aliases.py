# SPDX-License-Identifier: Apache-2.0
"""Tensors that change without a new version: by ``.data``, ``detach()`` and NumPy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import mindscope
from mindscope.debug.model.fields import Field

torch = pytest.importorskip("torch")
from torch import nn  # noqa: E402

from mindscope.torch import Debugger  # noqa: E402
from mindscope.torch.debugging.step_vectors import StepVectors  # noqa: E402

pytestmark = pytest.mark.framework

WRITES: dict[str, Callable[[Any], Any]] = {
    "data": lambda tensor: tensor.data.fill_(7.0),
    "detach": lambda tensor: tensor.detach().fill_(7.0),
    "view of data": lambda tensor: tensor.data.view(-1)[:].fill_(7.0),
    "out": lambda tensor: torch.full((600,), 7.0, out=tensor.data),
    "foreach": lambda tensor: torch._foreach_add_([tensor.data], 6.0),
    "numpy": lambda tensor: tensor.detach().numpy().fill(7.0),
    "itself": lambda tensor: tensor.fill_(7.0),
}


class Written(nn.Module):
    """Multiplies by a buffer of ones, which then becomes 7 and is added."""

    def __init__(self, write: Callable[[Any], Any]) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(600))
        self.register_buffer("buffer", torch.ones(600))
        self.write = write

    def forward(self, x: Any) -> Any:
        y = x * self.buffer.detach()
        self.write(self.buffer)
        return (y + self.buffer) * self.weight


def recorded(run: Path) -> dict[str, tuple[float, float]]:
    """Minimum and maximum of each tensor by operator, role and slot."""
    table = mindscope.open_run(run).debug.tensors(1).to_pandas()
    return {f"{row.operator}/{row.role}/{row.slot}": (row.min, row.max) for row in table.itertuples()}


@pytest.mark.parametrize("name", WRITES)
def test_an_operator_gets_what_an_alias_wrote(name: str, tmp_path: Path) -> None:
    network = Written(WRITES[name])
    with Debugger(tmp_path, network, level="operator") as debugger:
        debugger.step(network(torch.full((600,), 2.0)).sum().detach())
    found = recorded(tmp_path)
    assert found["aten::mul/input/1"] == (1, 1)
    assert found["aten::add/input/1"] == (7, 7)
    assert found["aten::add/output/0"] == (9, 9)


class Halves(nn.Module):
    def __init__(self, write: Callable[[Any], Any]) -> None:
        super().__init__()
        self.first, self.last, self.write = nn.Identity(), nn.ReLU(), write

    def forward(self, x: Any) -> Any:
        y = self.first(x * 1)
        self.write(y)
        return self.last(y)


@pytest.mark.parametrize("name", WRITES)
def test_a_module_gets_what_an_alias_wrote(name: str, tmp_path: Path) -> None:
    network = Halves(WRITES[name])
    with Debugger(tmp_path, network, level="module") as debugger:
        debugger.step(network(torch.ones(600)).sum())
    found = recorded(tmp_path)
    assert found["first/Identity/output/0"] == (1, 1)
    assert found["last/ReLU/input/0"] == (7, 7)


def test_a_tensor_that_nothing_wrote_is_read_once() -> None:
    vectors, tensor, other = StepVectors(0, Counter()), torch.ones(600), torch.ones(600)
    row = vectors.row_of(tensor)
    vectors.note_write(other)
    assert vectors.row_of(tensor) == row
    vectors.note_write(tensor.detach())
    assert vectors.row_of(tensor) == row + 1 == vectors.row_of(tensor)


@pytest.mark.parametrize("is_manual", [False, True])
def test_a_parameter_that_data_changes_has_its_own_update(is_manual: bool, tmp_path: Path) -> None:
    trained, manual = nn.Linear(4, 4), nn.Linear(4, 4)
    network = nn.Sequential(trained, manual)
    optimizer = torch.optim.SGD(trained.parameters(), lr=0.1)
    with Debugger(tmp_path, network, level="module") as debugger:
        for _ in range(2):
            loss = network(torch.ones(2, 4)).sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if is_manual:
                for parameter in manual.parameters():
                    parameter.data.sub_(0.1)
            debugger.step(loss)
    table = mindscope.open_run(tmp_path).debug.tensors(1).to_pandas()
    updates = table[(table.role == "parameter") & (table.operator == "1/Linear")][str(Field.MEAN_ABS_UPDATE)]
    assert updates.tolist() == pytest.approx([0.1, 0.1] if is_manual else [0, 0], rel=1e-6)
    assert sorted(table[table.role == "parameter"].operator.unique()) == ["0/Linear", "1/Linear"]
