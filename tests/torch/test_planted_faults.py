# SPDX-License-Identifier: Apache-2.0
"""Trainings with a planted fault: each is found at its operator and step."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from ranks import run_ranks
from torch import Tensor, nn
from torch.nn import functional as F
from typer.testing import CliRunner

import mindscope
from mindscope.cli.app import app
from mindscope.debug.compare import DivergenceCause
from mindscope.debug.first_bad import Cause
from mindscope.errors import WatchpointError
from mindscope.reading.run_debug import RunDebug, open_debug
from mindscope.torch import Debugger

from .small_trainings import STEPS, Training, classes, classify, mlp, numbers, sgd

pytestmark = pytest.mark.framework
FAULT = 4
"""The step of the fault, from 1 on."""


def recorded(
    directory: Path, training: Training, level: str = "operator", before: Callable[[int], None] = lambda step: None
) -> RunDebug:
    """Trains; ``before`` plants the fault before a step."""
    with Debugger(directory, training.network, level=level) as debugger:
        for step in range(1, STEPS + 1):
            before(step)
            debugger.step(training.step(step - 1))
    return mindscope.open_run(directory).debug


class Logarithm(nn.Module):
    """Takes the logarithm of probabilities, which are zero from a step on."""

    def __init__(self) -> None:
        super().__init__()
        self.fc, self.scale = nn.Linear(4, 3), 1.0

    def forward(self, x: Tensor) -> Tensor:
        return (self.fc(x).softmax(-1) * self.scale).log()


@pytest.mark.parametrize("level", ["operator", "module"])
def test_nan_by_the_logarithm_of_zero(level: str, tmp_path: Path) -> None:
    network = Logarithm()

    def plant(step: int) -> None:
        network.scale = 0.0 if step == FAULT else 1.0

    debug = recorded(tmp_path, Training(network, classify(8, 4)), level, plant)
    bad = debug.first_bad()
    assert bad is not None
    assert (bad.cause, bad.step) == (Cause.OPERATOR, FAULT)
    if level == "operator":
        assert bad.operator == "aten::log"
        assert "test_planted_faults.py" in bad.source
    else:
        assert bad.operator == "Logarithm"  # the smallest module around it
    assert {hit.step for hit in debug.watch().hits} >= {FAULT}


def test_the_story_of_the_document(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    document = (Path(__file__).parents[2] / "docs" / "debugging.md").read_text("utf-8")
    story = document.split("## A debugged failure")[1]
    code = re.findall(r"```python\n(.*?)```", story, re.DOTALL)[0]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "story.py").write_text(code, "utf-8")
    exec(compile(code, str(tmp_path / "story.py"), "exec"), {"__name__": "story"})
    printed = " ".join(capsys.readouterr().out.split())
    quoted = [" ".join(each.split()) for each in re.findall(r'"(.*?)"', story.split("It prints:")[1], re.DOTALL)]
    assert printed.startswith(quoted[0].removesuffix(" ..."))
    assert "story.py:13 forward" in printed
    assert quoted[1] in printed


@pytest.mark.parametrize("level", ["operator", "module"])
def test_overflow_of_float16(level: str, tmp_path: Path) -> None:
    network = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 3)).half()

    def plant(step: int) -> None:
        with torch.no_grad():
            network[0].weight.fill_(3.0**step)
            network[1].weight.fill_(3.0**step)

    def loss(network: nn.Module, number: int) -> Tensor:
        return F.cross_entropy(network(torch.ones(8, 4).half()).float() - 1, classes(number, 8))

    debug = recorded(tmp_path, Training(network, loss, optimizer=sgd(lr=0.0)), level, plant)
    bad = debug.first_bad()
    assert bad is not None
    first = next(step for step in range(1, STEPS + 1) if 16 * 9.0**step > 65504)
    assert (bad.step, bad.operator) == (first, "1/aten::addmm" if level == "operator" else "1/Linear")
    assert re.search(r"Max \|x\| grew by (3|2\.9\d*) times each step since step 1, from", bad.text)
    assert "float16 ends at 65,504" in bad.text
    if level == "operator":
        assert "test_planted_faults.py" in bad.source


class Exploding(nn.Module):
    """A recurrent network whose weights are too large from a step on."""

    def __init__(self) -> None:
        super().__init__()
        self.recurrent, self.head = nn.Linear(4, 4, bias=False), nn.Linear(4, 3)

    def forward(self, x: Tensor) -> Tensor:
        for _ in range(30):
            x = self.recurrent(x)
        return self.head(x)


def test_an_exploding_recurrent_network(tmp_path: Path) -> None:
    network = Exploding()
    nn.init.eye_(network.recurrent.weight)

    def plant(step: int) -> None:
        if step == FAULT:
            with torch.no_grad():
                network.recurrent.weight.copy_(torch.eye(4) * 100)

    bad = recorded(tmp_path, Training(network, classify(8, 4)), "operator", plant).first_bad()
    assert bad is not None
    assert (bad.step, bad.operator.split("#")[0]) == (FAULT, "recurrent/aten::mm")
    assert 17 <= int(bad.operator.split("#")[1]) <= 20  # 100**19 is the end of float32
    assert any("recurrent/aten::mm" in each for each in bad.chain)


class Recurrent(nn.Module):
    """Takes the last output of a recurrent layer, which has the attribute ``batch_first``."""

    def __init__(self, recurrent: nn.Module) -> None:
        super().__init__()
        self.recurrent, self.head = recurrent, nn.Linear(8, 3)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.recurrent(x)[0][:, -1])


@pytest.mark.parametrize("level", ["operator", "module"])
def test_an_exploding_layer_of_pytorch(level: str, tmp_path: Path) -> None:
    network = Recurrent(nn.RNN(4, 8, nonlinearity="relu", batch_first=True))

    def plant(step: int) -> None:
        if step == FAULT:
            with torch.no_grad():
                network.recurrent.weight_hh_l0.fill_(100)
                network.recurrent.bias_hh_l0.fill_(1)

    def loss(network: nn.Module, number: int) -> Tensor:
        return F.cross_entropy(network(numbers(number, 8, 40, 4)), classes(number, 8))

    bad = recorded(tmp_path, Training(network, loss), level, plant).first_bad()
    assert bad is not None
    assert (bad.cause, bad.step, bad.operator.split("/")[0]) == (Cause.OPERATOR, FAULT, "recurrent")
    if level == "module":
        assert bad.operator == "recurrent/RNN"


@pytest.mark.parametrize("level", ["operator", "module"])
def test_the_gradients_of_an_lstm_explode(level: str, tmp_path: Path) -> None:
    network = Recurrent(nn.LSTM(4, 8, bias=False, batch_first=True))

    def plant(step: int) -> None:
        if step == FAULT:
            with torch.no_grad():
                network.recurrent.weight_hh_l0.fill_(100)

    def loss(network: nn.Module, number: int) -> Tensor:
        return F.cross_entropy(network(torch.zeros(8, 40, 4)), classes(number, 8))  # no gate saturates

    bad = recorded(tmp_path, Training(network, loss, optimizer=sgd(lr=0.0)), level, plant).first_bad()
    assert bad is not None
    assert (bad.cause, bad.step, bad.phase) == (Cause.OPERATOR, FAULT, "backward")
    assert bad.operator.split("/")[0] == "recurrent"
    assert (
        "gradient of recurrent.weight_ih_l0" in bad.chain if level == "operator" else bad.operator == "recurrent/LSTM"
    )


@pytest.mark.parametrize("level", ["operator", "module"])
def test_a_dead_relu(level: str, tmp_path: Path) -> None:
    network = mlp(nn.ReLU())

    def plant(step: int) -> None:
        if step == FAULT - 1:
            with torch.no_grad():
                network[0].bias.fill_(-100)

    found = recorded(tmp_path, Training(network, classify(8, 4)), level, plant).watch()
    rows = [row for row in found.rows() if row["condition"] in ("activation_range", "tensor_all_zero")]
    assert {row["operator"].split("/")[0] for row in rows} == {"1"}
    assert min(row["step"] for row in rows) == FAULT + 1  # in the third step in a row
    assert {row["since"] for row in rows} == {FAULT - 1}


@pytest.mark.parametrize("level", ["operator", "module"])
def test_a_watchpoint_writes_the_ring(level: str, tmp_path: Path) -> None:
    network = mlp(nn.ReLU())
    training = Training(network, classify(8, 4))
    with Debugger(tmp_path, network, level=level, ring=4, steps=range(2, 100, 2)) as debugger:
        for step in range(1, 41):
            if step == 20:
                with torch.no_grad():
                    network[0].bias.fill_(-100)
            debugger.step(training.step(step % STEPS))
    source = mindscope.open_run(tmp_path).debug.source
    steps = list(source.steps(0))
    assert steps[:6] == [18, 20, 22, 24, 26, 28]  # dead in three recorded steps in a row, and two more
    assert len(steps) < 12
    assert {row["step"] for row in mindscope.open_run(tmp_path).debug.watch("dead_relu").rows()} >= {24}


def explode(directory: Path, **options: Any) -> None:
    torch.manual_seed(1)
    network = Exploding()
    nn.init.eye_(network.recurrent.weight)
    training = Training(network, classify(8, 4))
    with Debugger(directory, network, **options) as debugger:
        for step in range(1, 21):
            if step == 8:
                with torch.no_grad():
                    network.recurrent.weight.copy_(torch.eye(4) * 1.5)
            debugger.step(training.step(step % STEPS))


def test_each_hit_of_a_watchpoint_writes_the_steps_around_it(tmp_path: Path) -> None:
    watchpoint = "tensor_too_large max_gt=1e3 @ recurrent"
    explode(tmp_path / "ring", ring=3, watch=[watchpoint])
    explode(tmp_path / "all")
    steps = list(mindscope.open_run(tmp_path / "ring").debug.source.steps(0))
    began = {hit["since"] for hit in mindscope.open_run(tmp_path / "all").debug.watch(watchpoint).rows()}
    assert min(began) == 8
    assert steps == sorted({near for step in began for near in range(step - 2, step + 2) if near <= 20})


def test_a_watch_without_a_ring_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="ring=20"):
        Debugger(tmp_path, watch=["dead_relu"])
    with pytest.raises(TypeError, match="watch is str"):
        Debugger(tmp_path, ring=2, watch="dead_relu")
    with pytest.raises(WatchpointError, match="nearest"):
        Debugger(tmp_path, ring=2, watch=["dead_rel"])
    assert not list(tmp_path.iterdir())


def test_a_frozen_layer(tmp_path: Path) -> None:
    network = mlp(nn.ReLU())
    network[0].requires_grad_(False)
    training = Training(network, classify(8, 4), optimizer=lambda _: torch.optim.Adam(network.parameters(), lr=1e-2))
    found = recorded(tmp_path, training, "module").watch("weight_not_changed")
    assert {row["operator"] for row in found.rows()} == {"0/Linear"}
    assert {row["slot"] for row in found.rows()} == {"weight", "bias"}


def test_a_layer_that_is_frozen_on_purpose_is_quiet(tmp_path: Path) -> None:
    network = mlp(nn.ReLU())
    network[0].requires_grad_(False)
    training = Training(network, classify(8, 4), optimizer=lambda _: torch.optim.SGD(network.parameters(), lr=0.1))
    assert recorded(tmp_path, training, "module").watch().count == 0


@pytest.mark.parametrize("level", ["operator", "module"])
def test_a_layer_that_the_optimizer_does_not_know(level: str, tmp_path: Path) -> None:
    network = mlp(nn.ReLU())
    training = Training(network, classify(8, 4), optimizer=lambda _: torch.optim.SGD(network[2:].parameters(), lr=0.1))
    found = recorded(tmp_path, training, level).watch()
    assert {(row["operator"], row["slot"]) for row in found.rows()} == {("0/Linear", "weight"), ("0/Linear", "bias")}
    assert {(row["condition"], row["since"]) for row in found.rows()} == {("weight_not_changed", 1)}


def test_a_layer_that_stops_to_learn_is_found_at_its_step(tmp_path: Path) -> None:
    network = mlp(nn.ReLU())

    def plant(step: int) -> None:
        network[0].requires_grad_(step < FAULT)

    training = Training(network, classify(8, 4), optimizer=lambda _: torch.optim.SGD(network.parameters(), lr=0.1))
    rows = recorded(tmp_path, training, "module", plant).watch("weight_not_changed").rows()
    assert {(row["operator"], row["since"]) for row in rows} == {("0/Linear", FAULT)}


def test_a_wrong_initialization(tmp_path: Path) -> None:
    network = mlp(nn.ReLU())
    for layer in (network[0], network[2]):
        nn.init.zeros_(layer.weight)
        nn.init.zeros_(layer.bias)
    found = recorded(tmp_path, Training(network, classify(8, 4)), "module").watch()
    rows = [row for row in found.rows() if row["condition"] == "weight_initialization"]
    assert {(row["step"], row["operator"], row["slot"]) for row in rows} == {
        (1, "0/Linear", "weight"), (1, "2/Linear", "weight")
    }  # fmt: skip


def two_trainings(tmp_path: Path, level: str, changed: Callable[[nn.Module, int], Tensor]) -> list[RunDebug]:
    found = []
    for name, loss in (("one", classify(8, 4)), ("other", changed)):
        torch.manual_seed(5)
        found.append(recorded(tmp_path / name, Training(mlp(nn.GELU()), loss), level))
    return found


@pytest.mark.parametrize("level", ["operator", "module"])
def test_a_changed_batch(level: str, tmp_path: Path) -> None:
    def changed(network: nn.Module, number: int) -> Tensor:
        shift = 0.5 if number + 1 == FAULT else 0.0
        return F.cross_entropy(network(numbers(number, 8, 4) + shift), classes(number, 8))

    one, other = two_trainings(tmp_path, level, changed)
    found = one.compare(other)
    assert found.first is not None
    assert (found.cause, found.first.step) == (DivergenceCause.BATCH, FAULT)
    assert found.matching.coverage > 0.98


@pytest.mark.parametrize("level", ["operator", "module"])
def test_a_changed_kernel(level: str, tmp_path: Path) -> None:
    def changed(network: nn.Module, number: int) -> Tensor:
        network[1].approximate = "tanh" if number + 1 == FAULT else "none"  # type: ignore[index]
        return F.cross_entropy(network(numbers(number, 8, 4)), classes(number, 8))

    one, other = two_trainings(tmp_path, level, changed)
    found = one.compare(other)
    assert found.first is not None
    assert (found.cause, found.first.step) == (DivergenceCause.OPERATOR, FAULT)
    assert found.first.left.split("/")[0] == "1"
    assert found.bitwise is not None
    assert (found.bitwise.step, found.bitwise.left.split("/")[0]) == (FAULT, "1")


RACE = """
import sys
import torch
from torch import distributed, nn
from mindscope.torch import Debugger

distributed.init_process_group("gloo")
rank = distributed.get_rank()
torch.manual_seed(0)
network = nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 2))
optimizer = torch.optim.SGD(network.parameters(), lr=0.1)
torch.manual_seed(rank)
with Debugger(sys.argv[1], network) as debugger:
    for step in range(1, 7):
        optimizer.zero_grad()
        loss = network(torch.randn(8, 4)).square().mean()
        loss.backward()
        for parameter in (network[0].weight, network[0].bias, network[2].bias):
            distributed.all_reduce(parameter.grad)
        if step != int(sys.argv[2]) or rank == 0:
            distributed.all_reduce(network[2].weight.grad, async_op=step == int(sys.argv[2]))
            optimizer.step()
        else:  # the sum comes when the optimizer is over
            optimizer.step()
            distributed.all_reduce(network[2].weight.grad)
        distributed.barrier()
        debugger.step(loss)
distributed.destroy_process_group()
"""


@pytest.mark.parametrize("fault", [FAULT, 100])
def test_a_race_between_ranks(tmp_path: Path, fault: int) -> None:
    script = tmp_path / "race.py"
    script.write_text(RACE)
    done = run_ranks(script, str(tmp_path / "runs"), str(fault))
    assert done.returncode == 0, done.stderr
    opened = open_debug(tmp_path / "runs")
    found = opened.compare_ranks()
    if fault != FAULT:
        assert found is None
        return
    assert found is not None
    assert (found.step, found.parameter, found.parameters) == (FAULT, "2.weight", ("2.weight",))
    assert (sorted(found.groups), found.has_other_gradient, found.are_replicas) == ([(0,), (1,)], True, True)
    assert found.error > 1e-3
    result = CliRunner().invoke(app, ["debug", "ranks", str(tmp_path / "runs")])
    assert result.exit_code == 3
    assert result.output.startswith(f"After step {FAULT}, 2.weight differs between rank 0 and rank 1, relative error ")


class Ratio(nn.Module):
    """Divides shares by a multiple of themselves, which is zero from a step on, in later steps."""

    def __init__(self) -> None:
        super().__init__()
        self.fc, self.scale, self.divides = nn.Linear(4, 3), 1.0, False

    def forward(self, x: Tensor) -> Tensor:
        shares = self.fc(x).softmax(-1)
        scaled = shares * self.scale
        return shares / scaled.view(-1, 3) if self.divides else shares + scaled


def test_the_zeros_of_a_division_are_followed_to_the_operator_that_makes_them(tmp_path: Path) -> None:
    network = Ratio()

    def plant(step: int) -> None:
        network.scale, network.divides = max(0.0, FAULT - step), step > FAULT

    def loss(network: nn.Module, number: int) -> Tensor:
        return network(torch.ones(8, 4)).mean()

    bad = recorded(tmp_path, Training(network, loss), "operator", plant).first_bad()
    assert bad is not None
    assert (bad.operator, bad.step) == ("aten::div", FAULT + 1)
    cause = bad.explanations[-1]
    assert (cause.trait, cause.kind, cause.name, cause.since, cause.count) == (
        "zeros", "operator", "aten::mul", FAULT, 24,
    )  # fmt: skip
    assert re.search(r"The zeros come from aten::mul, since step 4, at .*: scaled = shares \* self.scale\.", bad.text)


def test_a_learning_rate_that_is_too_high_is_followed_to_the_weights(tmp_path: Path) -> None:
    network = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))

    def loss(network: nn.Module, number: int) -> Tensor:
        return ((network(torch.ones(8, 4)) - 1e9) ** 2).mean()

    bad = recorded(tmp_path, Training(network, loss, optimizer=sgd(lr=1.0))).first_bad()
    assert bad is not None
    cause = bad.explanations[-1]
    assert (cause.trait, cause.kind) == ("large", "parameter")
    assert cause.name in ("0.weight", "0.bias", "2.weight", "2.bias")
    assert cause.update_ratio > 1
    assert "the learning rate may be too high" in bad.text


def test_negative_numbers_are_followed_to_the_batch(tmp_path: Path) -> None:
    network = nn.Linear(4, 3)

    def loss(network: nn.Module, number: int) -> Tensor:
        x = torch.ones(8, 4) if number < FAULT else -torch.ones(8, 4)
        return network(x.clone().log()).mean()

    bad = recorded(tmp_path, Training(network, loss)).first_bad()
    assert bad is not None
    assert bad.operator == "aten::log"
    assert [(each.trait, each.count) for each in bad.explanations][-1:] == [("negatives", 32)]
    assert bad.to_json()["explanations"][-1]["update_ratio"] is None
