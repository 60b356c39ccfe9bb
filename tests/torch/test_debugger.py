# SPDX-License-Identifier: Apache-2.0
"""Debugger: what it records of real trainings, and that it changes none of them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from digits import batches, make_model
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

import mindscope
from mindscope.debug.model.array_statistics import array_statistics
from mindscope.debug.model.fields import FIELDS, Field
from mindscope.debug.model.step_statistics import StepStatistics
from mindscope.debug.model.tensors import DebugTensor, Phase, Role
from mindscope.reading.debug import RecordedSource
from mindscope.torch import Debugger

pytestmark = pytest.mark.framework
LEVELS = ("module", "operator")


def source_of(*directories: Path) -> RecordedSource:
    return RecordedSource([mindscope.open_run(each).store for each in directories])


def rows_of(source: RecordedSource, step: int) -> list[tuple[DebugTensor, int]]:
    return [(source.tensors[place], row) for row, place in enumerate(source.at(step, 0).tensor.tolist())]


def row_of(source: RecordedSource, step: int, **wanted: Any) -> tuple[StepStatistics, int]:
    """The only row of a tensor with these fields."""
    found = [
        row for each, row in rows_of(source, step) if all(getattr(each, name) == want for name, want in wanted.items())
    ]
    assert len(found) == 1, wanted
    return source.at(step, 0), found[0]


class Twice(nn.Module):
    """Calls a layer twice, one of them in a checkpoint, with a shared and a frozen layer and in-place operators."""

    def __init__(self, use_reentrant: bool) -> None:
        super().__init__()
        self.first, self.middle, self.head = nn.Linear(6, 8), nn.Linear(8, 8), nn.Linear(8, 3)
        self.shared = self.middle
        self.frozen = nn.Linear(8, 8).requires_grad_(False)
        self.relu, self.dropout = nn.ReLU(inplace=True), nn.Dropout(0.3)
        self.use_reentrant = use_reentrant

    def inner(self, x: Tensor) -> Tensor:
        return self.dropout(self.relu(self.shared(x)))

    def forward(self, x: Tensor, scale: Tensor | None = None) -> dict[str, Tensor]:
        hidden = self.relu(self.first(x).add_(1))
        hidden = checkpoint(self.inner, self.middle(hidden), use_reentrant=self.use_reentrant)
        return {"logits": self.head(self.frozen(hidden)) * (1 if scale is None else scale)}


def plain_step(network: nn.Module, x: Tensor, y: Tensor) -> Tensor:
    return nn.functional.cross_entropy(network(x, scale=torch.ones(3))["logits"], y)


def amp_step(network: nn.Module, x: Tensor, y: Tensor) -> Tensor:
    with torch.autocast("cpu", torch.bfloat16):
        return plain_step(network, x, y)


def penalized_step(network: nn.Module, x: Tensor, y: Tensor) -> Tensor:
    """Double backward."""
    x.requires_grad_(True)
    loss = plain_step(network, x, y)
    (gradient,) = torch.autograd.grad(loss, x, create_graph=True)
    return loss + gradient.square().sum()


def twice_step(network: nn.Module, x: Tensor, y: Tensor) -> Tensor:
    with torch.no_grad():
        network(x)
    return plain_step(network, x, y) + plain_step(network, x + 1, y)


def train(
    directory: Path | None,
    step: Callable[[nn.Module, Tensor, Tensor], Tensor],
    use_reentrant: bool = False,
    **given: Any,
) -> tuple[list[float], Tensor, nn.Module]:
    torch.manual_seed(0)
    network = Twice(use_reentrant)
    optimizer = torch.optim.AdamW(network.parameters(), lr=0.05)
    debugger = None if directory is None else Debugger(directory, network, **given)
    losses: list[float] = []

    def loop() -> None:
        for _ in range(3):
            optimizer.zero_grad()
            loss = step(network, torch.randn(5, 6), torch.randint(0, 3, (5,)))
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
            if debugger is not None:
                debugger.step(loss)

    if debugger is None:
        loop()
    else:
        with debugger:
            loop()
        assert debugger.not_recorded == {}
    return losses, torch.get_rng_state(), network


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("step", [plain_step, amp_step, penalized_step, twice_step])
def test_losses_are_equal_bit_by_bit(tmp_path: Path, level: str, step: Any) -> None:
    losses, state, _ = train(None, step)
    recorded, recorded_state, network = train(tmp_path, step, level=level)
    assert recorded == losses
    assert torch.equal(recorded_state, state)
    assert not any(each._forward_hooks or each._forward_pre_hooks for each in network.modules())
    assert source_of(tmp_path).steps(0) == [1, 2, 3]


def test_reentrant_checkpoints_are_recorded_once(tmp_path: Path) -> None:
    assert train(tmp_path, plain_step, use_reentrant=True)[0] == train(None, plain_step, use_reentrant=True)[0]
    source = source_of(tmp_path)
    for phase, role in ((Phase.FORWARD, Role.OUTPUT), (Phase.BACKWARD, Role.INPUT)):
        row_of(source, 2, module="dropout", phase=phase, role=role)


def test_statistics_are_those_of_the_tensors(tmp_path: Path) -> None:
    torch.manual_seed(0)
    network = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3))
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1)
    want: dict[tuple[str, Phase, Role, str], Tensor] = {}
    with Debugger(tmp_path, network) as debugger:
        x = torch.randn(5, 6)
        hidden = network[1](network[0](x))
        hidden.retain_grad()
        output = network[2](hidden)
        output.retain_grad()
        loss = output.square().sum()
        loss.backward()
        want["0", Phase.FORWARD, Role.INPUT, "0"] = x
        want["1", Phase.FORWARD, Role.OUTPUT, "0"] = hidden.detach()
        want["2", Phase.BACKWARD, Role.INPUT, "0"] = output.grad  # type: ignore[assignment]
        want["2", Phase.BACKWARD, Role.OUTPUT, "0"] = hidden.grad  # type: ignore[assignment]
        want["0", Phase.BACKWARD, Role.GRADIENT, "weight"] = network[0].weight.grad.clone()
        before = network[0].weight.detach().clone()
        optimizer.step()
        want["0", Phase.OPTIMIZER, Role.PARAMETER, "weight"] = network[0].weight.detach().clone()
        debugger.step(loss)
    source = source_of(tmp_path)
    for (module, phase, role, slot), tensor in want.items():
        recorded, row = row_of(source, 1, module=module, phase=phase, role=role, slot=slot)
        wanted = array_statistics(tensor.numpy())
        if role is Role.PARAMETER:
            wanted[FIELDS.index(Field.MEAN_ABS_UPDATE)] = (tensor - before).abs().double().mean()
            wanted[FIELDS.index(Field.MEAN_ABS_BEFORE)] = before.abs().double().mean()
        np.testing.assert_allclose(recorded.values[row], wanted, rtol=2e-7)
        assert source.tensors[recorded.tensor[row]].shape == tuple(tensor.shape)
    recorded, row = row_of(source, 1, type="loss")
    assert recorded.column(Field.SUM)[row] == pytest.approx(loss.item())


def test_modules_come_in_the_order_of_execution(tmp_path: Path) -> None:
    network = nn.Sequential(nn.Linear(4, 4), nn.Sequential(nn.Tanh()), nn.Linear(4, 2))
    with Debugger(tmp_path, network) as debugger:
        network(torch.ones(2, 4)).sum().backward()
        debugger.step()
    source = source_of(tmp_path)
    recorded = source.at(1, 0)
    places = dict(zip(recorded.order.tolist(), (source.tensors[place] for place in recorded.tensor), strict=True))
    order = [
        (each.operator, each.phase) for _, each in sorted(places.items()) if each.role in (Role.INPUT, Role.OUTPUT)
    ]
    names = ["0/Linear", "1.0/Tanh", "1/Sequential", "2/Linear", "Sequential"]
    assert [name for name, phase in order if phase is Phase.FORWARD] == names
    backward = [name for name, phase in order if phase is Phase.BACKWARD]
    assert backward == ["Sequential", "2/Linear", "1.0/Tanh", "1/Sequential", "0/Linear"]


def test_operators_know_module_and_line(tmp_path: Path) -> None:
    train(tmp_path, plain_step, level="operator")
    source = source_of(tmp_path)
    first = {(each.type, each.phase): each for each in source.tensors if each.module == "first"}
    for key in (("aten::addmm", Phase.FORWARD), ("aten::mm", Phase.BACKWARD)):
        assert first[key].stack[0].startswith(f"{__file__}:")
        assert first[key].stack[0].endswith("forward: hidden = self.relu(self.first(x).add_(1))")
    assert any(each.phase is Phase.OPTIMIZER and each.type == "aten::lerp_" for each in source.tensors)
    assert {each.module for each in source.tensors if each.type == "aten::native_dropout"} <= {"dropout"}


def test_changes_in_place_are_seen(tmp_path: Path) -> None:
    network = nn.Sequential(nn.Linear(4, 4), nn.ReLU(inplace=True))
    for level in LEVELS:
        with Debugger(tmp_path / level, network, level=level) as debugger:
            network(torch.randn(8, 4)).sum().backward()
            debugger.step()
        source = source_of(tmp_path / level)
        relu = {
            each.role: row for each, row in rows_of(source, 1) if each.module == "1" and each.phase is Phase.FORWARD
        }
        lowest = source.at(1, 0).column(Field.MIN)
        assert lowest[relu[Role.INPUT]] < 0 == lowest[relu[Role.OUTPUT]]


def test_only_chosen_steps_are_recorded(tmp_path: Path) -> None:
    train(tmp_path / "every", plain_step, every=2)
    train(tmp_path / "steps", plain_step, steps=range(2, 9))
    train(tmp_path / "zero", plain_step, first_step=0, steps=lambda step: step == 0)
    got = [source_of(tmp_path / name).steps(0) for name in ("every", "steps", "zero")]
    assert got == [[1, 3], [2, 3], [0]]


def test_a_model_is_recorded_with_its_own_steps(tmp_path: Path) -> None:
    with Debugger(tmp_path, every=3) as debugger:
        make_model().train(2, batches(), callbacks=debugger)
    source = source_of(tmp_path)
    assert source.steps(0) == [1, 4, 7]
    row_of(source, 4, type="loss")


@pytest.mark.parametrize("level", LEVELS)
def test_a_ring_is_written_when_the_training_fails(tmp_path: Path, level: str) -> None:
    network = nn.Linear(3, 1)

    def failing() -> None:
        with Debugger(tmp_path, nn.Sequential(network), level=level, ring=3) as debugger:
            for step in range(1, 7):
                loss = network(torch.ones(2, 3 if step < 6 else 4)).sum()
                loss.backward()
                debugger.step(loss)
                assert not list(tmp_path.iterdir())

    with pytest.raises(RuntimeError, match="shapes"):
        failing()
    source = source_of(tmp_path)
    assert source.steps(0) == [4, 5, 6]
    roles = {each.role for each, _ in rows_of(source, 6) if each.module == "0" and each.phase is Phase.FORWARD}
    assert Role.INPUT in roles


def test_a_ring_is_written_when_the_loss_is_not_finite(tmp_path: Path) -> None:
    network = nn.Linear(3, 1)
    with Debugger(tmp_path, network, ring=3, watch=()) as debugger:  # a watchpoint would have step 6 written too
        for step in range(1, 7):
            loss = network(torch.ones(2, 3)).sum() * (float("nan") if step == 5 else 1)
            debugger.step(loss)
    source = source_of(tmp_path)
    assert source.steps(0) == [3, 4, 5]
    recorded, row = row_of(source, 5, type="loss")
    assert recorded.column(Field.NAN)[row] == 1


def test_a_ring_of_a_healthy_training_is_not_written(tmp_path: Path) -> None:
    train(tmp_path, plain_step, ring=2)
    assert not list(tmp_path.iterdir())


TERMINATED = """
import sys, time
import torch
from mindscope.torch import Debugger
network = torch.nn.Linear(3, 1)
with Debugger(sys.argv[1], network, ring=2) as debugger:
    for step in range(4):
        debugger.step(network(torch.ones(2, 3)).sum())
    print("ready", flush=True)
    time.sleep(100)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="SIGTERM flushes on Linux")
def test_a_ring_is_written_when_the_process_is_terminated(tmp_path: Path) -> None:
    process = subprocess.Popen([sys.executable, "-c", TERMINATED, str(tmp_path)], stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    process.send_signal(signal.SIGTERM)
    assert process.wait(60) == -signal.SIGTERM
    process.stdout.close()
    assert source_of(tmp_path).steps(0) == [3, 4]


def test_what_cant_be_summarized_is_counted(tmp_path: Path) -> None:
    class Odd(nn.Module):
        def forward(self, *odd: Tensor) -> Tensor:
            return odd[0]

    with warnings.catch_warnings(action="ignore"):  # deprecated
        quantized = torch.quantize_per_tensor(torch.ones(3), 0.1, 0, torch.qint8)
    network = Odd()
    with Debugger(tmp_path, network) as debugger:
        network(torch.ones(2), torch.ones(2, device="meta"), quantized, torch.ones(2).to_sparse(), torch.ones(2, 0))
        torch.func.vmap(network)(torch.ones(2, 2))
        debugger.step()
        assert debugger.not_recorded == {
            "tensor of the device meta": 1,
            "quantized tensor": 1,
            "tensor of torch.func": 2,
        }
    slots = {each.slot for each, _ in rows_of(source_of(tmp_path), 1) if each.role is Role.INPUT and each.call == 0}
    assert slots == {"0", "3", "4"}


def test_a_compiled_network_shows_its_borders(tmp_path: Path) -> None:
    torch.manual_seed(0)
    network = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 2))
    compiled = torch.compile(network, backend="aot_eager")
    x = torch.randn(3, 4)
    want = compiled(x).sum()
    for level in LEVELS:
        with Debugger(tmp_path / level, compiled, level=level) as debugger:
            loss = compiled(x).sum()
            loss.backward()
            debugger.step(loss)
        assert torch.equal(loss, want)
        assert source_of(tmp_path / level).facts["compiled"] == [""]
    source = source_of(tmp_path / "module")
    assert {each.module for each in source.tensors if each.role in (Role.INPUT, Role.OUTPUT)} == {""}
    torch._dynamo.reset()


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"level": "kernel"}, ValueError),
        ({"every": 0}, ValueError),
        ({"ring": -1}, ValueError),
        ({"steps": 5}, TypeError),
        ({"network": 5}, TypeError),
        ({"run": 5}, TypeError),
    ],
)
def test_bad_arguments_are_refused(tmp_path: Path, given: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        Debugger(**{"run": tmp_path, **given})


def test_nothing_is_loaded_without_a_debugger() -> None:
    program = "import sys, mindscope.torch as m; m.Model, m.SummaryCollector; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env={**os.environ}
    )
    assert "mindscope.torch.training.model" in done.stdout.split()
    assert not [name for name in done.stdout.split() if name.startswith("mindscope.torch.debugging")]


class Own:
    """An optimizer that is not of PyTorch."""

    def __init__(self, parameters: Any, lr: float) -> None:
        self.parameters, self.lr = list(parameters), lr

    def step(self) -> None:
        with torch.no_grad():
            for each in self.parameters:
                each -= self.lr * each.grad


class Compiled(torch.optim.SGD):
    """An optimizer whose step is compiled."""

    def __init__(self, parameters: Any, lr: float) -> None:
        super().__init__(parameters, lr)
        self.step = torch.compile(super().step)  # type: ignore[method-assign]


def numbers_of(parameter: Tensor) -> Tensor:
    copy = parameter.detach().clone()
    return torch.view_as_real(copy) if copy.is_complex() else copy


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("optimizer", [Own, Compiled, torch.optim.SGD])
@pytest.mark.parametrize("level", LEVELS)
def test_updates_are_known_of_every_optimizer(tmp_path: Path, level: str, optimizer: Any) -> None:
    def run(directory: Path | None) -> Tensor:
        torch.manual_seed(0)
        torch._dynamo.reset()
        network = nn.Linear(4, 3, dtype=dtype)
        trained = optimizer(network.parameters(), lr=0.1)
        debugger = Debugger(tmp_path, network, level=level) if directory is not None else None
        if debugger is not None:
            debugger.__enter__()
        for _ in range(2):
            network.zero_grad()
            loss = network(torch.ones(2, 4, dtype=dtype)).abs().sum()
            loss.backward()
            before = numbers_of(network.weight)
            trained.step()
            moved = (numbers_of(network.weight) - before).abs().double().mean().item()
            changes.append((moved, before.abs().double().mean().item()))
            if debugger is not None:
                debugger.step(loss)
        if debugger is not None:
            debugger.__exit__(None, None, None)
        return network.weight.detach()

    dtype = torch.float32 if optimizer is Compiled else torch.complex64  # Inductor has no complex numbers
    changes: list[tuple[float, float]] = []
    want = run(None)
    assert torch.equal(run(tmp_path), want)
    source = source_of(tmp_path)
    for step in (1, 2):
        recorded, row = row_of(source, step, role=Role.PARAMETER, slot="weight")
        got = recorded.column(Field.MEAN_ABS_UPDATE)[row], recorded.column(Field.MEAN_ABS_BEFORE)[row]
        assert got == pytest.approx(changes[step + 1], rel=1e-6)
        assert row_of(source, step, role=Role.GRADIENT, slot="weight")[1] >= 0


def test_a_debugger_that_is_entered_again_records_on(tmp_path: Path) -> None:
    network = nn.Linear(4, 2)
    debugger = Debugger(tmp_path, network)
    for _ in range(2):
        with debugger:
            for _ in range(2):
                debugger.step(network(torch.ones(2, 4)).sum())
    assert source_of(tmp_path).steps(0) == [1, 2, 3, 4]
    assert not debugger.not_recorded


def test_a_ring_that_is_entered_again_follows_its_watchpoints(tmp_path: Path) -> None:
    network = nn.Linear(4, 2)
    debugger = Debugger(tmp_path, network, ring=2, watch=["tensor_too_large max_gt=100"])
    for factor in (1.0, 1000.0):
        with debugger:
            for _ in range(3):
                debugger.step(network(torch.full((2, 4), factor)).sum())
    assert source_of(tmp_path).steps(0)[-1] in (4, 5, 6)
