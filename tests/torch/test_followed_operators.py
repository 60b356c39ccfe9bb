# SPDX-License-Identifier: Apache-2.0
"""Which modules and phases operators belong to, in a Debugger and in a Dump, and what compiled code shows."""

from __future__ import annotations

import contextlib
import logging
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import torch
from dumps import config, order
from ranks import run_ranks
from torch import Tensor, nn
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import CheckpointImpl, checkpoint_wrapper

import mindscope
from mindscope.debug.model.tensors import Phase, Role
from mindscope.reading.debug import RecordedSource
from mindscope.torch import Debugger, Dump

pytestmark = [pytest.mark.framework, pytest.mark.filterwarnings("ignore::DeprecationWarning")]
WAYS = ("debugger", "dump")
X = torch.linspace(-1, 1, 12).reshape(3, 4)


class Seen(NamedTuple):
    """An operator."""

    module: str
    phase: Phase
    type: str


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.first, self.act, self.head = nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.act(self.first(x)))


class Penalized(Net):
    """Computes a gradient in its forward pass, which the loss has a term of."""

    def forward(self, x: Tensor) -> Tensor:
        x = x.clone().requires_grad_(True)
        outputs = super().forward(x)
        (gradient,) = torch.autograd.grad(outputs.sum(), x, create_graph=True)
        return outputs + gradient.square().sum()


def train(
    directory: Path | None, way: str, network: nn.Module, called: Callable[[Tensor], Tensor] | None = None,
    make: Any = torch.optim.SGD, steps: int = 2,
) -> list[float]:  # fmt: skip
    """The losses of a training that a Debugger or a Dump follows, unless there is no directory."""
    optimizer = make(network.parameters(), lr=0.1)
    losses: list[float] = []

    def closure() -> Tensor:
        optimizer.zero_grad()
        loss = (network if called is None else called)(X).square().mean()
        loss.backward()
        return loss

    def loop(follower: Any) -> None:
        for _ in range(steps):
            loss = optimizer.step(closure) if make is torch.optim.LBFGS else closure()
            if make is not torch.optim.LBFGS:
                optimizer.step()
            losses.append(loss.item())
            if follower is not None:
                follower.step(*([loss] if way != "dump" else []))

    follower: Any = None
    if directory is not None:
        dumped = {"config": config("0"), "path": directory}
        follower = Dump(network, **dumped) if way == "dump" else Debugger(directory, network, level=way)
    with follower or contextlib.nullcontext():
        loop(follower)
    return losses


def source_of(directory: Path) -> RecordedSource:
    return RecordedSource([mindscope.open_run(directory).store])


def seen(directory: Path, way: str) -> list[Seen]:
    """Operators of the first step, once for each call."""
    if way == "dump":
        return [parsed(name) for name in order(directory)]
    source = source_of(directory)
    recorded = source.at(1, 0)
    runs = dict(zip(recorded.order.tolist(), recorded.tensor.tolist(), strict=True))
    tensors = [source.tensors[place] for _, place in sorted(runs.items())]
    return [Seen(each.module, each.phase, each.type.removeprefix("aten::")) for each in tensors]


def parsed(name: str) -> Seen:
    phase = Phase.BACKWARD if name.startswith("Gradients/") else Phase.FORWARD
    scopes = name.removeprefix("Gradients/").split("/")
    if scopes[1].startswith("optimizer-"):
        return Seen("", Phase.OPTIMIZER, scopes[-1].partition("-op")[0])
    if phase is Phase.BACKWARD and scopes[-2].startswith(("Grad_", "AccumulateGrad_")):
        del scopes[-2]
    path = ".".join(each.rpartition("-")[0] for each in scopes[2:-1])
    return Seen(path, phase, scopes[-1].partition("-op")[0])


@pytest.mark.parametrize("way", WAYS)
def test_a_gradient_in_the_forward_pass_belongs_to_the_modules_it_differentiates(tmp_path: Path, way: str) -> None:
    level = "operator" if way == "debugger" else way
    want = train(None, level, Penalized())
    assert train(tmp_path, level, Penalized()) == want
    found = seen(tmp_path, way)
    first = found.index(Seen("act", Phase.BACKWARD, "tanh_backward"))
    assert Seen("", Phase.FORWARD, "square") not in found[:first]
    products = [each for each in found if each.type == "mm" and each.phase is Phase.BACKWARD]
    assert {each.module for each in products} == {"first", "head"}
    assert not [each for each in found if each.type == "mm" and each.phase is Phase.FORWARD]
    later = [each.module for each in found[found.index(Seen("", Phase.FORWARD, "mean")) :] if each.type == "mm"]
    assert {"first", "head"} <= set(later)  # also where a gradient is differentiated


@pytest.mark.parametrize("way", WAYS)
def test_a_closure_of_an_optimizer_is_no_optimizer(tmp_path: Path, way: str) -> None:
    level = "operator" if way == "debugger" else way
    want = train(None, level, Net(), make=torch.optim.LBFGS)
    assert train(tmp_path, level, Net(), make=torch.optim.LBFGS) == want
    found = seen(tmp_path, way)
    assert {each.phase for each in found if each.type in ("addmm", "mean")} == {Phase.FORWARD}
    assert {each.phase for each in found if each.type == "tanh_backward"} == {Phase.BACKWARD}
    assert {each.phase for each in found if each.type in ("dot", "sign")} == {Phase.OPTIMIZER}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("is_reentrant", [False, True])
def test_recomputed_operators_are_of_the_forward_pass(tmp_path: Path, way: str, is_reentrant: bool) -> None:
    def wrapped() -> Net:
        network = Net()
        kind = CheckpointImpl.REENTRANT if is_reentrant else CheckpointImpl.NO_REENTRANT
        network.act = checkpoint_wrapper(nn.Sequential(network.act, nn.Linear(8, 8)), kind)  # type: ignore[assignment]
        return network

    level = "operator" if way == "debugger" else way
    want = train(None, level, wrapped())
    assert train(tmp_path, level, wrapped()) == want
    found = Counter(seen(tmp_path, way))
    assert found[Seen("act.0", Phase.FORWARD, "tanh")] == (2 if way == "dump" else 1)
    assert found[Seen("act.0", Phase.BACKWARD, "tanh_backward")] == 1
    assert not [each for each in found if "_checkpoint_wrapped_module" in each.module]
    if way == "debugger":
        stacks = {each.stack for each in source_of(tmp_path).tensors if each.type == "aten::tanh_backward"}
        assert all(any(f"{Path(__file__).name}:" in line for line in stack) for stack in stacks)


class Cubed(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        ctx.save_for_backward(x)
        return x * x * x

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        return 3 * ctx.saved_tensors[0].square() * gradient


class WithFunction(Net):
    def __init__(self) -> None:
        super().__init__()
        self.act = CubedModule()  # type: ignore[assignment]


class CubedModule(nn.Module):
    def forward(self, x: Tensor) -> Tensor:
        return Cubed.apply(x)


@pytest.mark.parametrize("way", WAYS)
def test_the_backward_pass_of_a_function_belongs_to_its_module(tmp_path: Path, way: str) -> None:
    train(tmp_path, "operator" if way == "debugger" else way, WithFunction())
    found = seen(tmp_path, way)
    assert Seen("act", Phase.BACKWARD, "pow") in found
    assert Counter(found)[Seen("act", Phase.FORWARD, "mul")] == 2


def compiled_module(network: Net) -> tuple[nn.Module, Any]:
    compiled: Any = torch.compile(network)
    return compiled, compiled


def compiled_in_place(network: Net) -> tuple[nn.Module, Any]:
    network.compile()
    return network, network


def compiled_part(network: Net) -> tuple[nn.Module, Any]:
    network.first.compile()
    return network, network


def compiled_function(network: Net) -> tuple[nn.Module, Any]:
    return network, torch.compile(lambda x: network(x), fullgraph=True)


FORMS = (compiled_module, compiled_in_place, compiled_part, compiled_function)


@pytest.mark.parametrize("form", FORMS)
def test_compiled_code_stays_compiled_and_shows_its_borders(
    tmp_path: Path, form: Any, caplog: pytest.LogCaptureFixture
) -> None:
    def losses(directory: Path | None, way: str) -> list[float]:
        torch._dynamo.reset()
        network, called = form(Net())
        return train(directory, way, network, called, steps=3)

    want = losses(None, "")
    for way in ("module", "operator", "dump"):
        caplog.clear()
        assert losses(tmp_path / way, way) == want
        text = " ".join(record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING)
        assert ("torch.compile" in text) == (way == "dump" or form is compiled_function)
    check_borders(tmp_path, form)


def check_borders(directory: Path, form: Any) -> None:
    border = None if form is compiled_function else ("first", "Linear") if form is compiled_part else ("", "Net")
    for way in ("module", "operator"):
        tensors = source_of(directory / way).tensors
        found = {(each.module, each.type, each.phase, each.role) for each in tensors}
        if border is None:
            assert not [each for each in found if each[3] in (Role.INPUT, Role.OUTPUT) and each[0]]
        else:
            for phase in (Phase.FORWARD, Phase.BACKWARD):
                assert (*border, phase, Role.INPUT) in found
            assert (*border, Phase.FORWARD, Role.OUTPUT) in found
        assert {each[0] for each in found if each[3] is Role.PARAMETER} == {"first", "head"}
    operators = seen(directory / "operator", "debugger")
    dumped = [each for each in seen(directory / "dump", "dump") if each.phase is not Phase.OPTIMIZER]
    for found in (operators, dumped):
        modules = {each.module for each in found if each.type in ("addmm", "tanh", "mm", "t", "tanh_backward")}
        assert modules == ({"act", "head"} if form is compiled_part else set())
        if border is not None:
            assert Seen(border[0], Phase.FORWARD, border[1]) in found
            assert form is compiled_part or Seen(border[0], Phase.BACKWARD, border[1]) in found


SHARDED = """
import sys, torch, torch.distributed.fsdp
from test_followed_operators import Net, train
torch.distributed.init_process_group("gloo")
for number, way in enumerate(("operator", "dump")):
    network = {wrap}
    train(sys.argv[1] + "/" + way, way, network)
    del network
torch.distributed.destroy_process_group()
"""
WRAPPERS = {
    "fsdp1": "torch.distributed.fsdp.FullyShardedDataParallel(Net(), use_orig_params=True, device_id='cpu')",
    "fsdp2": "torch.distributed.fsdp.fully_shard(Net(), mesh=torch.distributed.init_device_mesh('cpu', (1,)))",
}


@pytest.mark.parametrize("kind", WRAPPERS)
def test_sharded_modules_have_their_own_names(tmp_path: Path, kind: str) -> None:
    script = tmp_path / "script.py"
    script.write_text(SHARDED.format(wrap=WRAPPERS[kind]))
    done = run_ranks(script, str(tmp_path), ranks=1)
    assert done.returncode == 0, done.stderr
    directories = {"debugger": next((tmp_path / "operator").rglob("*_DEBUG")).parent, "dump": tmp_path / "dump"}
    for way, directory in directories.items():
        found = seen(directory, way)
        assert Seen("first", Phase.FORWARD, "addmm") in found
        assert Seen("act", Phase.BACKWARD, "tanh_backward") in found
        assert Seen("head", Phase.BACKWARD, "mm") in found
        assert not [each for each in found if "_fsdp" in each.module or "FSDP" in each.type]
    assert {name.split("/")[1] for name in order(tmp_path / "dump") if name.endswith("addmm-op0")} == {"_backbone-Net"}
