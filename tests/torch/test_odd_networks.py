# SPDX-License-Identifier: Apache-2.0
"""What no tool expects in a network disturbs no training: each way of recording leaves its losses."""

from __future__ import annotations

import io
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import pytest
import torch
from dumps import config
from torch import Tensor, nn

import mindscope
from mindscope.torch import Callback, Debugger, Dump, Model, RunningDataRecorder, SummaryCollector

pytestmark = [pytest.mark.framework, pytest.mark.filterwarnings("ignore")]  # torch warns of what is deprecated


class OfNested(nn.Module):
    """A part returns a nested tensor of the layout strided, which has no shape."""

    def __init__(self) -> None:
        super().__init__()
        self.part, self.head = nn.Identity(), nn.Linear(4, 1)

    def forward(self, x: Tensor) -> Tensor:
        self.part(torch.nested.nested_tensor([x[:2].detach(), x[2:3].detach()]))
        return self.head(x)


class OfScript(nn.Module):
    """A part is of TorchScript, which takes no hooks."""

    def __init__(self) -> None:
        super().__init__()
        self.part, self.head = torch.jit.script(nn.Sequential(nn.Linear(4, 4), nn.ReLU())), nn.Linear(4, 1)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.part(x))


class OfMeta(nn.Module):
    """Parts return what has no numbers: a tensor of the device meta, none, a quantized one."""

    def __init__(self) -> None:
        super().__init__()
        self.part, self.head = nn.Identity(), nn.Linear(4, 1)

    def forward(self, x: Tensor) -> Tensor:
        self.part({"meta": torch.empty(2, device="meta"), "none": None, 3: torch.empty(0, 4)})
        self.part([torch.quantize_per_tensor(x.detach(), 0.1, 0, torch.qint8), (x.detach().to_sparse(), "text")])
        return self.head(x)


class Losses(Callback):
    def __init__(self) -> None:
        self.values: list[float] = []

    def on_train_step_end(self, run_context: Any) -> None:
        self.values.append(float(run_context.original_args().net_outputs))


def trained(network_type: type[nn.Module], *callbacks: Any) -> list[float]:
    """The losses of a training of ``Model``."""
    torch.manual_seed(1)
    network = network_type()
    rows = [(torch.randn(4, 4), torch.randn(4, 1)) for _ in range(3)]
    losses = Losses()
    model = Model(network, nn.MSELoss(), torch.optim.SGD(network.parameters(), lr=0.1))
    model.train(1, rows, callbacks=[losses, *callbacks])
    return losses.values


def looped(network_type: type[nn.Module], make: Any = None, between: Any = None) -> list[float]:
    """The losses of a loop of one's own; ``between`` gets the network after the first step."""
    torch.manual_seed(1)
    network = network_type()
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1)
    losses: list[float] = []
    recorder: AbstractContextManager[Any] = nullcontext() if make is None else make(network)
    with recorder as entered:
        for step in range(3):
            if between is not None and step == 1:
                between(network)
            optimizer.zero_grad()
            loss = (network(torch.randn(4, 4)) ** 2).mean()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
            if entered is not None:
                entered.step()
    return losses


@pytest.mark.parametrize("network", [OfNested, OfScript, OfMeta])
def test_losses_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, network: type[nn.Module]) -> None:
    for name, value in {"ENABLE": "1", "MODE": "2", "PATH": str(tmp_path / "rdr")}.items():
        monkeypatch.setenv(f"MS_RDR_{name}", value)
    plain = looped(network)
    for level in ("module", "operator"):
        assert looped(network, lambda own, level=level: Debugger(tmp_path / level, own, level=level)) == plain
        debug = mindscope.open_run(tmp_path / level).debug
        assert debug.source.steps(0) == [1, 2, 3]
        assert debug.first_bad() is None
        assert "head" in {each.module for each in debug.source.tensors}
    assert looped(network, lambda own: Dump(own, config("all"), path=tmp_path / "dump")) == plain
    assert looped(network, RunningDataRecorder) == plain
    assert list((tmp_path / "rdr").rglob("*.json"))


@pytest.mark.parametrize("network", [OfNested, OfScript, OfMeta])
def test_a_collector_records_them(tmp_path: Path, network: type[nn.Module]) -> None:
    assert trained(network, SummaryCollector(str(tmp_path), collect_freq=1)) == trained(network)
    run = mindscope.open_run(tmp_path)
    assert not run.damages
    assert len(run.scalars("loss/auto").step) == 3


class Plain(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.part, self.head = nn.Linear(4, 4), nn.Linear(4, 1)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.part(x))


def save(network: nn.Module) -> None:
    """As a checkpoint of the whole network, which another program reads."""
    file = io.BytesIO()
    torch.save(network, file)
    assert b"mindscope.torch" not in file.getvalue()
    file.seek(0)
    torch.load(file, weights_only=False)(torch.ones(1, 4)).sum().backward()


def average(network: nn.Module) -> None:
    torch.optim.swa_utils.AveragedModel(network)(torch.ones(1, 4)).sum().backward()


def trace(network: nn.Module) -> None:
    traced: Any = torch.jit.trace(network, torch.ones(1, 4))
    assert str(traced.inlined_graph).count("aten::linear") == 2
    assert "aten::sum" not in str(traced.inlined_graph), "no statistics"


@pytest.mark.parametrize("between", [save, average, trace])
@pytest.mark.parametrize("way", ["module", "operator", "dump", "running data"])
def test_a_network_is_saved_copied_and_traced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str, between: Any
) -> None:
    monkeypatch.setenv("MS_RDR_ENABLE", "1")
    monkeypatch.setenv("MS_RDR_PATH", str(tmp_path))
    ways: dict[str, Any] = {
        "module": lambda own: Debugger(tmp_path, own),
        "operator": lambda own: Debugger(tmp_path, own, level="operator"),
        "dump": lambda own: Dump(own, config("all"), path=tmp_path),
        "running data": RunningDataRecorder,
    }
    assert looped(Plain, ways[way], between) == looped(Plain, None, between)


def test_a_part_without_hooks_is_told(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    looped(OfScript, lambda own: Debugger(tmp_path, own))
    (told,) = [each.getMessage() for each in caplog.records if "takes no hooks" in each.getMessage()]
    assert told.startswith("Sequential is a module of TorchScript")
