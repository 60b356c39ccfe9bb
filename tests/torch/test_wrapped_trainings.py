# SPDX-License-Identifier: Apache-2.0
"""Every recorder with every way of wrapping a network: the training ends, bit by bit as without a recorder."""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import mindscope

torch = pytest.importorskip("torch")
import torch.distributed.fsdp as fsdp  # noqa: E402
from dumps import config  # noqa: E402
from torch import nn  # noqa: E402

from mindscope.torch import (  # noqa: E402
    Debugger,
    Dump,
    LandscapeCollector,
    Model,
    Profiler,
    RunningDataRecorder,
    SummaryCollector,
    SummaryRecord,
    set_context,
)
from mindscope.torch.core.context import CONTEXT  # noqa: E402

pytestmark = [pytest.mark.framework, pytest.mark.filterwarnings("ignore")]


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.last = nn.Linear(4, 3), nn.Linear(3, 2)

    def forward(self, x: Any) -> Any:
        return self.last(self.first(x).relu())


class Branch(Net):
    """Dynamo splits it."""

    def forward(self, x: Any) -> Any:
        y = self.first(x)
        return self.last(y * 2 if y.sum().item() > 0 else y)


def compiled_in_place(backend: str = "eager") -> nn.Module:
    network = Net()
    network.compile(backend=backend)
    return network


def compiled(network: nn.Module, **options: Any) -> Any:
    return torch.compile(network, backend=options.pop("backend", "eager"), **options)


def parallel(network: nn.Module) -> nn.Module:
    return nn.parallel.DistributedDataParallel(network)


def flat(network: nn.Module) -> nn.Module:
    return fsdp.FullyShardedDataParallel(network, device_id="cpu", use_orig_params=True)


WRAPPED: dict[str, Callable[[], nn.Module]] = {
    "plain": Net,
    "compiled": lambda: compiled(Net()),
    "whole graph": lambda: compiled(Net(), fullgraph=True),
    "branch": lambda: compiled(Branch()),
    "layers": lambda: compiled(nn.Sequential(nn.Linear(4, 3), nn.Linear(3, 2)), fullgraph=True),
    "AOT": lambda: compiled(Net(), backend="aot_eager"),
    "in place": compiled_in_place,
    "child": lambda: nn.Sequential(compiled(nn.Linear(4, 3)), nn.Linear(3, 2)),
    "child in place": lambda: nn.Sequential(compiled_in_place(), nn.Linear(2, 2)),
    "DataParallel": lambda: nn.DataParallel(Net()),
    "DDP": lambda: parallel(Net()),
    "DDP of compiled": lambda: parallel(compiled(Net())),
    "compiled DDP": lambda: compiled(parallel(Net())),
    "FSDP": lambda: flat(Net()),
    "compiled FSDP": lambda: compiled(flat(Net())),
    "FSDP of compiled": lambda: flat(compiled(Net())),
    "FSDP2": lambda: fsdp.fully_shard(Net()),
    "compiled FSDP2": lambda: compiled(fsdp.fully_shard(Net())),
}
"""Ways of wrapping."""
STEPS = 3
Step = Callable[[Any], object]


@contextlib.contextmanager
def record(network: nn.Module, directory: Path) -> Iterator[Step]:
    with SummaryRecord(directory, network=network) as recorder:
        yield lambda loss: (recorder.add_value("scalar", "loss", loss), recorder.record(1))


@contextlib.contextmanager
def collector(network: nn.Module, directory: Path) -> Iterator[Step]:
    with SummaryCollector(directory, collect_freq=1) as recorder:
        yield lambda loss: recorder.step(loss, network=network, input_data=data()[0][0])


@contextlib.contextmanager
def debugger(network: nn.Module, directory: Path) -> Iterator[Step]:
    with Debugger(directory, network) as recorder:
        yield recorder.step


@contextlib.contextmanager
def operators(network: nn.Module, directory: Path) -> Iterator[Step]:
    with Debugger(directory, network, level="operator") as recorder:
        yield recorder.step


@contextlib.contextmanager
def running_data(network: nn.Module, directory: Path) -> Iterator[Step]:
    CONTEXT.running_data = {"is_enabled": True, "mode": 2, "path": directory}
    try:
        with RunningDataRecorder(network) as recorder:
            recorder.step()
            yield lambda loss: recorder.step()
    finally:
        CONTEXT.running_data = {}


@contextlib.contextmanager
def dump(network: nn.Module, directory: Path) -> Iterator[Step]:
    with Dump(network, config(iteration="all"), path=directory) as recorder:
        yield lambda loss: recorder.step()


@contextlib.contextmanager
def profiler(network: nn.Module, directory: Path) -> Iterator[Step]:
    with Profiler(output_path=str(directory)) as recorder:
        yield lambda loss: recorder.step()


@contextlib.contextmanager
def weights(network: nn.Module, directory: Path) -> Iterator[Step]:
    with LandscapeCollector(directory, intervals=[[1, 2, 3]]) as recorder:
        yield lambda loss: recorder.step(network)


@contextlib.contextmanager
def no_recorder(network: nn.Module, directory: Path) -> Iterator[Step]:
    yield lambda loss: None


RECORDERS = [record, collector, debugger, operators, running_data, dump, profiler, weights]


def data() -> list[Any]:
    return [(torch.linspace(-1, 1, 20).reshape(5, 4) + step, torch.tensor([0, 1, 0, 1, 1])) for step in range(STEPS)]


def made(name: str) -> tuple[nn.Module, Any]:
    """A network and its optimizer."""
    torch._dynamo.reset()
    torch.manual_seed(1)
    network = WRAPPED[name]()
    return network, torch.optim.SGD(network.parameters(), lr=0.1)


def state(losses: list[Any], network: nn.Module) -> Any:
    parameters = [getattr(each, "full_tensor", lambda each=each: each)() for each in network.parameters()]
    return [each.item() for each in losses], [each.detach().numpy().tobytes() for each in parameters]


def own_loop(name: str, recorder: Any, directory: Path) -> Any:
    network, optimizer = made(name)
    losses: list[Any] = []
    with recorder(network, directory) as step:
        for inputs, labels in data():
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(network(inputs), labels)
            loss.backward()
            optimizer.step()
            step(loss)
            losses.append(loss.detach())
    return state(losses, network)


def model_loop(name: str, callbacks: list[Any]) -> Any:
    network, optimizer = made(name)
    losses: list[Any] = []

    class Losses(mindscope.torch.Callback):
        def step_end(self, run_context: Any) -> None:
            losses.append(run_context.original_args().net_outputs)

    Model(network, nn.CrossEntropyLoss(), optimizer).train(1, data(), callbacks=[*callbacks, Losses()])
    return state(losses, network)


@pytest.fixture(scope="module", autouse=True)
def group(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    store = torch.distributed.FileStore(str(tmp_path_factory.mktemp("group") / "store"), 1)
    torch.distributed.init_process_group("gloo", store=store, rank=0, world_size=1)
    yield
    gc.collect()  # the reducer must not be the last to hold the group: torch can hang then
    torch.distributed.destroy_process_group()


@pytest.mark.parametrize("name", WRAPPED)
def test_every_recorder_leaves_a_wrapped_training_as_it_is(name: str, tmp_path: Path) -> None:
    want = own_loop(name, no_recorder, tmp_path)
    for recorder in RECORDERS:
        directory = tmp_path / recorder.__name__
        directory.mkdir()
        assert own_loop(name, recorder, directory) == want, recorder.__name__
    for run in ("record", "collector"):
        (graph,) = mindscope.open_run(tmp_path / run).graphs().values()
        assert len(graph.operations) >= 2


@pytest.mark.parametrize("name", WRAPPED)
def test_a_model_with_recorders_trains_a_wrapped_network_as_without(name: str, tmp_path: Path) -> None:
    want = model_loop(name, [])
    set_context(save_graphs=True, save_graphs_path=tmp_path)
    try:
        callbacks = [SummaryCollector(tmp_path / "run", collect_freq=1), LandscapeCollector(tmp_path / "weights")]
        assert model_loop(name, [*callbacks, Debugger(tmp_path / "debug")]) == want
    finally:
        set_context(save_graphs=False)
    (graph,) = mindscope.open_run(tmp_path / "run").graphs().values()
    assert len(graph.operations) >= 2


def test_a_model_without_a_graph_trains_a_compiled_network(tmp_path: Path) -> None:
    collector = SummaryCollector(tmp_path, collect_specified_data={"collect_graph": False})
    assert model_loop("compiled", [collector]) == model_loop("compiled", [])


def test_a_debugger_notes_writes_into_sharded_tensors(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    own_loop("FSDP2", operators, tmp_path)
    assert "can't record" not in capfd.readouterr().err
