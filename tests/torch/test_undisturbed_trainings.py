# SPDX-License-Identifier: Apache-2.0
"""No recorder calls the network of a training, or changes anything that the training can see."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mindscope

torch = pytest.importorskip("torch")
from dumps import config  # noqa: E402
from stateful_networks import (  # noqa: E402
    CALLS,
    GLOBALS,
    BufferByData,
    CounterOfClass,
    Deque,
    Everything,
    Generators,
    GrowingList,
    Hooks,
    LastOutput,
    Lock,
    OpenFile,
    RandomModule,
    RandomTensor,
    Stateful,
    networks,
    state_of,
)
from torch import nn  # noqa: E402

from mindscope.capture.files import story  # noqa: E402
from mindscope.system import SAMPLER  # noqa: E402
from mindscope.system.sampler import VARIABLE  # noqa: E402
from mindscope.torch import (  # noqa: E402
    Debugger,
    Dump,
    LandscapeCollector,
    Profiler,
    RunningDataRecorder,
    SummaryCollector,
    SummaryRecord,
    landscape,
    set_context,
)

pytestmark = [pytest.mark.framework, pytest.mark.filterwarnings("ignore")]


@pytest.fixture(autouse=True)
def system_metrics(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sample the machine every 10 ms, so that samples fall between the operations of each step."""
    monkeypatch.setenv(VARIABLE, "1")
    monkeypatch.setenv(story.VARIABLE, "1")
    monkeypatch.setattr(SAMPLER, "_first_s", 0.01)
    monkeypatch.setattr(SAMPLER, "_interval_s", 0.01)


Step = Callable[[Any, Any], object]
"""Gets loss and inputs at the end of each step."""
STEPS = 4


@contextmanager
def no_recorder(network: nn.Module, directory: Path) -> Iterator[Step]:
    yield lambda loss, x: None


@contextmanager
def record(network: nn.Module, directory: Path) -> Iterator[Step]:
    with SummaryRecord(directory, network=network) as recorder:

        def step(loss: Any, x: Any) -> None:
            recorder.add_value("scalar", "loss", loss)
            recorder.record(1)

        yield step


@contextmanager
def collector(network: nn.Module, directory: Path) -> Iterator[Step]:
    with SummaryCollector(directory, collect_freq=1) as collected:
        yield lambda loss, x: collected.step(loss, network=network, input_data=x)


@contextmanager
def debugger(network: nn.Module, directory: Path, level: str = "module") -> Iterator[Step]:
    with Debugger(directory, network, level=level) as recorder:
        yield lambda loss, x: recorder.step(loss)


def operator_debugger(network: nn.Module, directory: Path) -> AbstractContextManager[Step]:
    return debugger(network, directory, "operator")


@contextmanager
def running_data(network: nn.Module, directory: Path) -> Iterator[Step]:
    settings = directory / "settings.json"
    settings.write_text(json.dumps({"rdr": {"enable": True, "mode": 2, "path": str(directory)}}))
    with RunningDataRecorder(network, config=settings) as recorder:
        recorder.step()
        yield lambda loss, x: recorder.step()


@contextmanager
def dump(network: nn.Module, directory: Path) -> Iterator[Step]:
    with Dump(network, config(iteration="all"), path=directory) as recorder:
        yield lambda loss, x: recorder.step()


@contextmanager
def profiler(network: nn.Module, directory: Path) -> Iterator[Step]:
    with Profiler(output_path=str(directory), is_detail=True, with_flops=True, profile_memory=True) as recorder:
        yield lambda loss, x: recorder.step()


@contextmanager
def landscape_collector(network: nn.Module, directory: Path) -> Iterator[Step]:
    with LandscapeCollector(directory, intervals=[[1, 2, 3]]) as recorder:
        yield lambda loss, x: recorder.step(network)


@contextmanager
def saved_graphs(network: nn.Module, directory: Path) -> Iterator[Step]:
    set_context(save_graphs=True, save_graphs_path=directory)
    try:
        mindscope.torch.save_stages(network, (inputs(0),), loss_of, (labels(),))
        yield lambda loss, x: None
    finally:
        set_context(save_graphs=False)


RECORDERS = [
    record, collector, debugger, operator_debugger, running_data, dump, profiler, landscape_collector, saved_graphs,
]  # fmt: skip


def inputs(step: int) -> Any:
    return torch.linspace(-1, 1, 20).reshape(5, 4) + step


def labels() -> Any:
    return torch.tensor([0, 1, 0, 1, 1])


def loss_of(outputs: Any, labels: Any) -> Any:
    return nn.functional.cross_entropy(outputs, labels)


def trained(kind: type[Stateful], recorders: list[Any], directory: Path, capfd: Any) -> dict[str, Any]:
    """All that a training leaves: what it printed and computed, and the state of everything."""
    for number in (torch.manual_seed, random.seed, np.random.seed):
        number(1)
    CALLS.clear()
    GLOBALS.clear()
    os.environ.pop("NETWORK_CALLS", None)
    CounterOfClass.total = 0
    capfd.readouterr()
    network = kind()
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1, momentum=0.9)
    losses: list[float] = []
    with ExitStack() as stack:
        steps: list[Step] = []
        for number, recorder in enumerate(recorders):
            (directory / str(number)).mkdir(parents=True)
            steps.append(stack.enter_context(recorder(network, directory / str(number))))
        for step in range(STEPS):
            optimizer.zero_grad()
            loss = loss_of(network(inputs(step)), labels())
            loss.backward(retain_graph=True)
            optimizer.step()
            losses.append(loss.item())
            for each in steps:
                each(loss, inputs(step))
    for part in network.modules():
        if isinstance(part, OpenFile):
            part.file.close()
    return {
        "losses": losses,
        "network": state_of(network),
        "optimizer": state_of(optimizer.state_dict()),
        "calls": list(CALLS),
        "globals": state_of(GLOBALS),
        "class": CounterOfClass.total,
        "environment": os.environ.get("NETWORK_CALLS"),
        "printed": [line for line in capfd.readouterr().out.splitlines() if not line.startswith("profiled ")],
        "random": (torch.get_rng_state().tolist(), random.getstate(), str(np.random.get_state())),
        "files": {path.name: path.read_bytes() for path in Path().iterdir() if path.is_file()},
    }


@pytest.fixture(autouse=True)
def in_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")


def same(kind: type[Stateful], recorders: list[Any], tmp_path: Path, capfd: Any) -> None:
    want = trained(kind, [], tmp_path, capfd)
    for path in Path().iterdir():
        path.unlink()
    got = trained(kind, recorders, tmp_path / "runs", capfd)
    for part, value in want.items():
        assert got[part] == value, part


@pytest.mark.parametrize("kind", networks(), ids=lambda kind: kind.__name__)
def test_a_network_with_state_trains_as_without_recorders(
    kind: type[Stateful], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    same(kind, [record, debugger, saved_graphs, running_data], tmp_path, capfd)
    (graph,) = mindscope.open_run(tmp_path / "runs" / "0").graphs().values()
    assert graph.name.startswith(kind.__name__)
    assert len(graph.operations) >= 2


@pytest.mark.parametrize("recorder", RECORDERS, ids=lambda recorder: recorder.__name__)
def test_each_recorder_leaves_a_training_as_it_is(
    recorder: Any, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    same(Everything, [recorder], tmp_path, capfd)


COPIED = [LastOutput, GrowingList, Deque, Generators, Hooks, Lock, RandomTensor, RandomModule, BufferByData]


@pytest.mark.parametrize("kind", COPIED, ids=lambda kind: kind.__name__)
def test_a_loss_landscape_does_not_change_its_network(
    kind: type[Stateful], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    @contextmanager
    def computed(network: nn.Module, directory: Path) -> Iterator[Step]:
        def step(loss: Any, x: Any) -> None:
            calls = list(CALLS)
            landscape(network, loss_of, [(x, labels())], method="random", size=3, evaluation="loop")
            CALLS[:] = calls

        yield step

    same(kind, [computed], tmp_path, capfd)
