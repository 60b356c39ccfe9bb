# SPDX-License-Identifier: Apache-2.0
"""A training of PyTorch against a real dump of MindSpore 2.10: same network, weights, batch and optimizer."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F
from typer.testing import CliRunner

from mindscope.cli.app import app
from mindscope.debug.compare import DivergenceCause
from mindscope.reading.run_debug import RunDebug, open_debug
from mindscope.torch import Debugger
from tests.debug.formats.made_dumps import real_dump

pytestmark = pytest.mark.framework
COUNTER = "Default/optimizer-Momentum/AssignAdd-op0"
"""Adds 1 to MindSpore's number of the step; PyTorch's optimizer has no such operator."""
LOSS = "Gradients/Default/network-WithLossCell/_loss_fn-SoftmaxCrossEntropyWithLogits/"


class Scaled(nn.ReLU):
    scale = 1.0

    def forward(self, input: Tensor) -> Tensor:
        return super().forward(input) if self.scale == 1 else super().forward(input) * self.scale


class Network(nn.Module):
    """The network of the dump."""

    def __init__(self, weights: Callable[[str], Tensor]) -> None:
        super().__init__()
        self.c, self.r, self.f = nn.Conv2d(1, 4, 3, bias=False), Scaled(), nn.Flatten()
        self.d = nn.Linear(144, 10)
        with torch.no_grad():
            self.c.weight.copy_(weights("Conv2D-op0 1"))
            self.d.weight.copy_(weights("MatMul-op0 1"))
            self.d.bias.copy_(weights("BiasAdd-op0 1"))

    def forward(self, x: Tensor) -> Tensor:
        return self.d(self.f(self.r(self.c(x))))


@pytest.fixture(scope="module")
def dump(tmp_path_factory: pytest.TempPathFactory) -> RunDebug:
    return open_debug(real_dump(tmp_path_factory.mktemp("dump")))


def train(dump: RunDebug, directory: Path, level: str, plant: Callable[[Network, int], None] = lambda *_: None) -> Path:
    """Trains from the weights and with the batch of the dump; ``plant`` changes the network before a step, from 1."""
    recorded = dump.source.at(0, 0)
    arrays = {}
    for row, place in enumerate(recorded.tensor.tolist()):
        tensor = dump.source.tensors[place]
        array = dump.source.array(0, 0, row)
        assert array is not None
        arrays.setdefault(f"{tensor.name.rpartition('/')[2]} {tensor.slot}", torch.tensor(array))
    network = Network(arrays.__getitem__)
    x, y = arrays["inputs0 inputs0"], arrays["inputs1 inputs1"].long()
    optimizer = torch.optim.SGD(network.parameters(), lr=0.05, momentum=0.9)
    with Debugger(directory, network, level=level) as debugger:
        for step in range(1, 5):
            plant(network, step)
            optimizer.zero_grad()
            loss = F.cross_entropy(network(x), y)
            loss.backward()
            optimizer.step()
            debugger.step(loss.detach())
    return directory


@pytest.mark.parametrize("level", ["operator", "module"])
def test_nearly_all_operators_match_and_nothing_differs(level: str, dump: RunDebug, tmp_path: Path) -> None:
    run = train(dump, tmp_path / "torch", level)
    unmatched = [COUNTER] if level == "operator" else [f"{LOSS}Grad_SparseSoftmaxCrossEntropyWithLogits/"
                                                       "SparseSoftmaxCrossEntropyWithLogits-op0", COUNTER]  # fmt: skip
    for left, right in ((open_debug(run), dump), (dump, open_debug(run))):
        found = left.compare(right)
        ours, theirs = found.matching.unmatched
        assert (found.cause, found.bitwise, found.steps_compared) == (DivergenceCause.NONE, None, 2)
        assert sorted([*ours, *theirs]) == sorted(unmatched)
        assert found.matching.coverage >= 0.9
        assert found.matching.step_offset.is_found
        assert found.matching.step_offset.steps == (1 if left is dump else -1)
        names = found.matching.names if right is dump else [each[::-1] for each in found.matching.names]
        pairs = dict(reversed(names))  # of an operator and its backward one, the first
        assert pairs["gradient of d.bias"].endswith("Grad_BiasAdd/BiasAddGrad-op0")
        assert pairs["gradient of c.weight"].endswith("Grad_Conv2D/Conv2DBackpropFilter-op1")
        linear = "d/aten::addmm" if level == "operator" else "d/Linear"
        assert [part.rpartition("/")[2] for part in pairs[linear].split(" + ")] == ["MatMul-op0", "BiasAdd-op0"]


@pytest.mark.parametrize("level", ["operator", "module"])
@pytest.mark.parametrize("fault", ["kernel", "weight", "replaced"])
def test_a_planted_difference_is_found(fault: str, level: str, dump: RunDebug, tmp_path: Path) -> None:
    def plant(network: Network, step: int) -> None:
        network.r.scale = 1.001 if step == 3 and fault == "kernel" else 1
        if step == 3 and fault == "replaced":  # a module that the debugger does not follow
            network.r = nn.LeakyReLU()
        if step == 3 and fault == "weight":
            with torch.no_grad():
                network.d.weight[0, 0] += 1

    debug = open_debug(train(dump, tmp_path / "torch", level, plant))
    found = debug.compare(dump)
    assert found.first is not None
    assert (found.first.step, found.first.other_step) == (3, 2)
    name = found.first.left[0]
    if fault == "replaced":
        assert found.cause is (DivergenceCause.GRADUAL if level == "operator" else DivergenceCause.OPERATOR)
        assert name == ("f" if level == "operator" else "N")  # after it, and the module around it
    elif fault == "kernel":
        assert (found.cause, name) == (DivergenceCause.OPERATOR, "r")
        assert found.first.right.endswith("r-ReLU/ReLU-op0")
    elif level == "operator":
        assert (found.cause, name) == (DivergenceCause.PARAMETERS, "d")
    else:  # parameters are recorded after their update only
        assert (found.cause, name) == (DivergenceCause.OPERATOR, "d")
    by_number = debug.compare(dump, step_offset=0)
    assert by_number.first is not None  # another step of the same training


def test_the_command_says_which_steps_it_compares(dump: RunDebug, tmp_path: Path) -> None:
    run = str(train(dump, tmp_path / "torch", "module"))
    result = CliRunner().invoke(app, ["debug", "compare", run, str(dump.path)])
    assert result.exit_code == 0, result.output
    assert "Nothing differs beyond the tolerance in 2 steps." in result.output
    assert "Step N is compared with step N - 1 of the other training, because their tensors agree" in result.output
    given = CliRunner().invoke(app, ["debug", "compare", run, str(dump.path), "--step-offset", "0"])
    assert given.exit_code == 3
