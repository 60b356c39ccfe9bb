# SPDX-License-Identifier: Apache-2.0
"""The first bad number of networks whose buffers have NaN or infinity, recorded at level module."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import mindscope
from mindscope.debug.first_bad import Cause, FirstBad, find_first_bad
from mindscope.debug.model.tensors import Role
from mindscope.reading.debug import RecordedSource

torch = pytest.importorskip("torch")
from torch import nn  # noqa: E402

from mindscope.torch import Debugger  # noqa: E402

pytestmark = pytest.mark.framework
STEPS = 6


class Scaled(nn.Module):
    """Multiplies by a buffer itself, before its first module."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("scale", torch.ones(6))
        self.fc = nn.Linear(6, 2)

    def forward(self, x: Any) -> Any:
        return self.fc(x * self.scale)


class Positions(nn.Module):
    """Reads one more row of a table at each call."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("table", torch.zeros(2 * STEPS, 6))
        self.calls = 0

    def forward(self, x: Any) -> Any:
        self.calls += 1
        return x + self.table[: self.calls].sum(0)


class Masked(nn.Module):
    """Adds -inf above the diagonal before a softmax."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("mask", torch.triu(torch.full((6, 6), -torch.inf), 1))
        self.scores, self.out = nn.Linear(6, 6), nn.Linear(6, 2)

    def forward(self, x: Any) -> Any:
        return self.out(torch.softmax(self.scores(x)[:, :, None] + self.mask, -1).sum(1))


def normalized() -> Any:
    network = nn.Sequential(nn.Linear(6, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 2))
    network[1].eval()  # frozen statistics, as in fine-tuning
    return network


def train(run: Path, network: Any, spoil: Callable[[int], object] = lambda step: None) -> RecordedSource:
    torch.manual_seed(0)
    optimizer = torch.optim.SGD(network.parameters(), lr=0.05)
    target = torch.arange(8) % 2
    with Debugger(run, network) as debugger:
        for step in range(1, STEPS + 1):
            spoil(step)
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(network(torch.rand(8, 6)), target)
            loss.backward()
            optimizer.step()
            debugger.step(loss)
    return RecordedSource([mindscope.open_run(run).store])


def first_bad(source: RecordedSource) -> FirstBad:
    found = find_first_bad(source)
    assert found is not None
    return found


def buffer_rows(source: RecordedSource) -> list[tuple[int, str]]:
    """Step and name of the buffers that were recorded."""
    return [
        (step, source.tensors[place].slot)
        for step in source.steps(0)
        for place in source.at(step, 0).tensor.tolist()
        if source.tensors[place].role is Role.BUFFER
    ]


def test_statistics_of_a_normalization_that_are_not_finite_are_named(tmp_path: Path) -> None:
    network = normalized()
    found = first_bad(
        train(tmp_path, network, lambda step: network[1].running_var[3].fill_(torch.nan if step == 4 else 1))
    )
    assert (found.cause, found.step, found.operator) == (Cause.BUFFER, 4, "1/BatchNorm1d")
    assert found.text.startswith(
        "In step 4, buffer 1.running_var has NaN in 1 of 8 elements, made by no recorded operator; 1/BatchNorm1d"
    )
    assert "finite inputs" not in found.text


def test_the_step_since_which_a_buffer_is_bad_is_named(tmp_path: Path) -> None:
    positions = Positions()
    network = nn.Sequential(nn.Linear(6, 6), positions, nn.Linear(6, 2))
    source = train(tmp_path, network, lambda step: step == 2 and positions.table[3:].fill_(torch.nan))
    found = first_bad(source)
    assert (found.cause, found.step, found.since, found.operator) == (Cause.BUFFER, 4, 2, "1/Positions")
    assert "buffer 1.table has NaN in 54 of 72 elements since step 2, made by no recorded operator" in found.text
    assert [step for step, _ in buffer_rows(source)] == [2, 3, 4, 5, 6]


def test_a_buffer_that_data_spoils_and_mends_is_followed(tmp_path: Path) -> None:
    """Writes by ``.data`` raise no version; a buffer that is finite again is recorded, so that ``since`` is right."""
    positions = Positions()
    network = nn.Sequential(nn.Linear(6, 6), positions, nn.Linear(6, 2))

    def spoil(step: int) -> None:
        if step in (1, 3):
            positions.table.data[4:].fill_(torch.nan)
        if step == 2:
            positions.table.data.fill_(0)

    found = first_bad(train(tmp_path, network, spoil))
    assert (found.cause, found.step, found.since) == (Cause.BUFFER, 5, 3)


def test_a_buffer_that_the_network_itself_uses_is_named(tmp_path: Path) -> None:
    network = Scaled()
    found = first_bad(train(tmp_path, network, lambda step: step == 4 and network.scale[2].fill_(torch.nan)))
    assert (found.cause, found.step, found.tensor_name, found.operator) == (Cause.BUFFER, 4, "buffer scale", "Scaled")


def test_a_buffer_in_a_compiled_module_is_named(tmp_path: Path) -> None:
    network = normalized()
    compiled = torch.compile(network, backend="eager")
    found = first_bad(train(tmp_path, compiled, lambda step: step == 4 and network[1].running_mean[0].fill_(torch.nan)))
    assert (found.cause, found.step, found.tensor_name) == (Cause.BUFFER, 4, "buffer 1.running_mean")


@pytest.mark.parametrize("make", [normalized, Scaled, Masked, lambda: nn.Sequential(Positions(), nn.Linear(6, 2))])
def test_healthy_networks_have_no_bad_buffer(make: Callable[[], Any], tmp_path: Path) -> None:
    source = train(tmp_path, make())
    assert find_first_bad(source) is None
    assert set(buffer_rows(source)) <= {(step, "mask") for step in range(1, STEPS + 1)}  # only what is not finite


def test_nan_beside_a_mask_is_not_blamed_on_the_mask(tmp_path: Path) -> None:
    network = Masked()

    def spoil(step: int) -> None:
        if step == 4:
            network.scores.weight.data.fill_(1e38)
            network.scores.bias.data.fill_(3e38)

    found = first_bad(train(tmp_path, network, spoil))
    assert (found.cause, found.step, found.operator) == (Cause.OPERATOR, 4, "scores/Linear")


def test_nan_that_a_module_makes_of_its_own_mask_is_not_said_to_come_of_finite_inputs(tmp_path: Path) -> None:
    class AllMasked(Masked):
        def forward(self, x: Any) -> Any:
            y = torch.softmax(self.scores(x)[:, :, None] + self.mask, -1)
            return y.sum(1)[:, :2]

    network = nn.Sequential(AllMasked())
    found = first_bad(train(tmp_path, network, lambda step: step == 4 and network[0].mask[0].fill_(-torch.inf)))
    assert (found.cause, found.operator, found.has_finite_inputs) == (Cause.OPERATOR, "0/AllMasked", False)
    assert "Its input: buffer 0.mask" in found.text
    assert "from finite inputs" not in found.text


def test_a_batch_that_spoils_running_statistics_is_named_itself(tmp_path: Path) -> None:
    network = nn.Sequential(nn.BatchNorm1d(6), nn.Linear(6, 2))
    torch.manual_seed(0)
    with Debugger(tmp_path, network) as debugger:
        for step in range(1, 5):
            x = torch.rand(8, 6)
            if step == 3:
                x[0, 0] = torch.nan
            debugger.step(network(x).sum())
    found = first_bad(RecordedSource([mindscope.open_run(tmp_path).store]))
    assert (found.cause, found.step) == (Cause.BATCH, 3)
