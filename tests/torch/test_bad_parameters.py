# SPDX-License-Identifier: Apache-2.0
"""The first bad number of trainings whose parameters or optimizer states get NaN or infinity between two steps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import mindscope
from mindscope.debug.first_bad import Cause, FirstBad, find_first_bad
from mindscope.debug.model.tensors import Phase, Role
from mindscope.debug.watchpoints import evaluate_watchpoints, recommended_watchpoints
from mindscope.reading.debug import RecordedSource

torch = pytest.importorskip("torch")
from torch import nn  # noqa: E402

from mindscope.torch import Debugger  # noqa: E402

pytestmark = pytest.mark.framework
LEVELS = ["module", "operator"]
BAD_STEP = 3
Spoil = Callable[[Any, Any], object]


class Training:
    """Three layers; ``spoil`` gets the network and the optimizer before step 3."""

    def __init__(self, *, frozen: bool = False) -> None:
        torch.manual_seed(0)
        self.network = nn.Sequential(nn.Linear(40, 30), nn.ReLU(), nn.Linear(30, 3))
        self.network[0].requires_grad_(not frozen)
        trained = [each for each in self.network.parameters() if each.requires_grad]
        self.optimizer = torch.optim.Adam(trained, lr=0.01)

    def run(self, run: Path, level: str, spoil: Spoil, after_backward: Spoil | None = None) -> RecordedSource:
        with Debugger(run, self.network, level=level) as debugger:
            for step in range(1, BAD_STEP + 2):
                if step == BAD_STEP:
                    spoil(self.network, self.optimizer)
                loss = nn.functional.cross_entropy(self.network(torch.randn(8, 40)), torch.arange(8) % 3)
                self.optimizer.zero_grad()
                loss.backward()
                if step == BAD_STEP and after_backward is not None:
                    after_backward(self.network, self.optimizer)
                self.optimizer.step()
                debugger.step(loss)
        return RecordedSource([mindscope.open_run(run).store])


def in_place(network: Any, optimizer: Any) -> None:
    with torch.no_grad():
        network[0].weight[7, 3] = torch.inf


def by_data(network: Any, optimizer: Any) -> None:
    network[0].weight.data[7, 3] = torch.nan


def by_numpy(network: Any, optimizer: Any) -> None:
    """No operator of PyTorch and no version shows it; a sample of the weight does not either."""
    network[0].weight.detach().numpy()[7, 3] = float("nan")


def nothing(network: Any, optimizer: Any) -> None:
    pass


def first_bad(source: RecordedSource) -> FirstBad:
    found = find_first_bad(source)
    assert found is not None
    return found


def rows_before(source: RecordedSource) -> list[tuple[int, str]]:
    """Step and name of the parameters that were recorded as they were before their step."""
    tensors = [
        (step, source.tensors[place]) for step in source.steps(0) for place in source.at(step, 0).tensor.tolist()
    ]
    return [(step, each.slot) for step, each in tensors if (each.role, each.phase) == (Role.PARAMETER, Phase.FORWARD)]


@pytest.mark.parametrize("frozen", [False, True])
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("spoil", [in_place, by_numpy])
def test_a_parameter_that_was_bad_before_its_step_is_named(
    spoil: Spoil, level: str, frozen: bool, tmp_path: Path
) -> None:
    found = first_bad(Training(frozen=frozen).run(tmp_path, level, spoil))
    assert (found.cause, found.step, found.tensor_name) == (Cause.PARAMETERS, BAD_STEP, "0.weight")
    assert found.text.startswith("The parameter 0.weight was already bad before step 3: it has ")
    assert "in 1 of 1,200 elements, made by no recorded operator; 0/" in found.text
    assert "finite inputs" not in found.text
    assert "batch" not in found.text


def test_a_write_by_data_is_a_recorded_operator_where_operators_are(tmp_path: Path) -> None:
    of_modules = first_bad(Training().run(tmp_path / "modules", "module", by_data))
    assert (of_modules.cause, of_modules.tensor_name) == (Cause.PARAMETERS, "0.weight")
    of_operators = first_bad(Training().run(tmp_path / "operators", "operator", by_data))
    assert of_operators.operator == "aten::copy_"
    assert "test_bad_parameters.py" in of_operators.source


@pytest.mark.parametrize("level", LEVELS)
def test_a_parameter_that_is_spoiled_after_the_backward_pass_is_named(level: str, tmp_path: Path) -> None:
    found = first_bad(Training().run(tmp_path, level, nothing, by_numpy))
    assert found.cause is Cause.PARAMETERS
    assert found.text.startswith("The parameter 0.weight was already bad before the optimizer of step 3 changed it: ")
    assert "elements, made by no recorded operator." in found.text
    earlier = replace(found, since=2)
    assert "elements since step 2, made by no recorded operator." in earlier.text
    made = replace(earlier, made_by="aten::fill_")
    assert "elements since step 2, made there by aten::fill_." in made.text
    assert "no recorded operator" not in made.text


class Direct(nn.Module):
    """Multiplies by a parameter of its own, and by one of a module that it does not call."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(40, 5) / 10)
        self.holder, self.out = nn.Linear(5, 5), nn.Linear(5, 3)

    def forward(self, x: Any) -> Any:
        return self.out(nn.functional.linear(x @ self.weight, self.holder.weight))


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", ["weight", "holder.weight"])
def test_a_parameter_that_a_network_uses_by_itself_is_not_called_the_batch(
    name: str, level: str, tmp_path: Path
) -> None:
    def spoil(network: Any, optimizer: Any) -> None:
        network.get_parameter(name).detach().numpy()[1, 2] = float("nan")

    training = Training()
    training.network = Direct()
    training.optimizer = torch.optim.SGD(training.network.parameters(), lr=0.01)
    found = first_bad(training.run(tmp_path, level, spoil))
    assert (found.cause, found.step, found.tensor_name) == (Cause.PARAMETERS, BAD_STEP, name)


@pytest.mark.parametrize("level", LEVELS)
def test_an_optimizer_that_calls_no_hooks_is_not_blamed(level: str, tmp_path: Path) -> None:
    class WithoutHooks:
        def __init__(self, network: Any) -> None:
            self.network, self.zero_grad = network, network.zero_grad

        def step(self) -> None:
            with torch.no_grad():
                for parameter in self.network.parameters():
                    parameter -= 0.01 * parameter.grad

    healthy, spoiled = Training(), Training()
    for training in (healthy, spoiled):
        training.optimizer = WithoutHooks(training.network)
    assert find_first_bad(healthy.run(tmp_path / "healthy", level, nothing)) is None
    found = first_bad(spoiled.run(tmp_path / "spoiled", level, in_place))
    assert (found.cause, found.step, found.tensor_name) == (Cause.PARAMETERS, BAD_STEP, "0.weight")


def test_a_parameter_of_a_step_that_fails_or_is_skipped_is_named(tmp_path: Path) -> None:
    def fail(network: Any, optimizer: Any) -> None:
        raise RuntimeError("loss is not finite")

    training = Training()
    with pytest.raises(RuntimeError, match="not finite"):
        training.run(tmp_path / "failed", "module", by_numpy, fail)
    failed = first_bad(RecordedSource([mindscope.open_run(tmp_path / "failed").store]))
    assert (failed.cause, failed.step, failed.tensor_name) == (Cause.PARAMETERS, BAD_STEP, "0.weight")

    def skip(network: Any, optimizer: Any) -> None:
        optimizer.step = lambda: None  # as a scaler of mixed precision

    skipped = first_bad(Training().run(tmp_path / "skipped", "module", by_numpy, skip))
    assert (skipped.cause, skipped.step, skipped.tensor_name) == (Cause.PARAMETERS, BAD_STEP, "0.weight")


def test_a_second_step_of_the_optimizer_is_not_taken_for_the_time_before_the_step(tmp_path: Path) -> None:
    def spoil_gradient(network: Any, optimizer: Any) -> None:
        network[0].weight.grad[2, 2] = torch.inf
        optimizer.step()

    source = Training().run(tmp_path, "module", nothing, spoil_gradient)
    assert (BAD_STEP, "weight") not in rows_before(source)
    assert first_bad(source).cause is not Cause.PARAMETERS


@pytest.mark.parametrize("level", LEVELS)
def test_a_bad_state_of_the_optimizer_is_not_called_finite_inputs(level: str, tmp_path: Path) -> None:
    def spoil(network: Any, optimizer: Any) -> None:
        with torch.no_grad():
            optimizer.state[network[0].weight]["exp_avg"][7, 3] = torch.nan

    found = first_bad(Training().run(tmp_path, level, spoil))
    assert (found.step, found.phase) == (BAD_STEP, "optimizer")
    assert "finite inputs" not in found.text
    if level == "module":
        assert (found.operator, found.has_finite_inputs) == ("update of 0.weight", False)
        assert "Its input: gradient of 0.weight, from " in found.text
        assert "a state of the optimizer or its learning rate may be bad" in found.text
    else:
        assert found.cause is Cause.BUFFER
        assert "in 1 of 1,200 elements, made by no recorded operator; aten::" in found.text


def test_a_frozen_mask_of_infinity_is_not_blamed(tmp_path: Path) -> None:
    class Masked(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.mask = nn.Parameter(torch.triu(torch.full((40, 40), -torch.inf), 1), requires_grad=False)
            self.scores = nn.Linear(40, 40)

        def forward(self, x: Any) -> Any:
            return torch.softmax(self.scores(x)[:, :, None] + self.mask, -1).sum(1)

    def spoil(network: Any, optimizer: Any) -> None:
        network[0].scores.weight.data.fill_(1e38)
        network[0].scores.bias.data.fill_(3e38)

    healthy, broken = Training(), Training()
    for training in (healthy, broken):
        training.network = nn.Sequential(Masked(), nn.Linear(40, 3))
        training.optimizer = torch.optim.SGD(training.network.parameters(), lr=0.01)
    assert find_first_bad(healthy.run(tmp_path / "healthy", "module", nothing)) is None
    found = first_bad(broken.run(tmp_path / "broken", "module", spoil))
    assert (found.cause, found.operator) == (Cause.OPERATOR, "0.scores/Linear")


@pytest.mark.parametrize("frozen", [False, True])
@pytest.mark.parametrize("level", LEVELS)
def test_nothing_is_said_of_a_healthy_training(level: str, frozen: bool, tmp_path: Path) -> None:
    source = Training(frozen=frozen).run(tmp_path, level, nothing)
    assert find_first_bad(source) is None
    assert rows_before(source) == []


def test_hits_that_follow_from_a_bad_parameter_are_folded(tmp_path: Path) -> None:
    source = Training().run(tmp_path, "module", by_numpy)
    found = evaluate_watchpoints(source, recommended_watchpoints())
    names = {(row["step"], row["operator"], row["slot"]) for row in found.rows()}
    assert (BAD_STEP, "0/Linear", "weight") in names
    assert sum(found.consequences.values()) > len(names)
