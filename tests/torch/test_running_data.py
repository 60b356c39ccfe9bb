# SPDX-License-Identifier: Apache-2.0
"""The running data recorder of a Model: when it writes, where, and what."""

from __future__ import annotations

import csv
import gc
import json
import os
import re
import subprocess
import sys
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from digits import SmallNet, batches, make_model
from ranks import run_ranks
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint
from torch.utils.data import DataLoader

from mindscope.debug.formats.running_data_files import running_data_files
from mindscope.graph import read_graph_file
from mindscope.torch import Callback, Debugger, RunContext, RunningDataRecorder, set_context
from mindscope.torch.core.context import CONTEXT

pytestmark = pytest.mark.framework
FILES = ["exec_order.csv", "graph_build.0.pb", "memory.json", "memory_history.csv", "state.json", "statistics.csv"]
FILES_OF_FAILURE = ["culprit.json", "exception.txt", "stacks.txt", *FILES]


@pytest.fixture(autouse=True)
def _nothing_configured() -> Iterator[None]:
    yield
    CONTEXT.running_data = {}


class Fail(Callback):
    def step_end(self, run_context: RunContext) -> None:
        if run_context.original_args().cur_step_num == 3:
            raise RuntimeError("mine")


def configure(directory: Path, mode: int, is_enabled: bool = True) -> Path:
    file = directory / "mindspore_config.json"
    file.write_text(json.dumps({"rdr": {"enable": is_enabled, "mode": mode, "path": str(directory)}}), "utf-8")
    set_context(env_config_path=file)
    return directory / "rank_0" / "rdr"


def settings(directory: Path, mode: int = 1) -> None:
    CONTEXT.running_data = {"is_enabled": True, "mode": mode, "path": directory}


def kinds(directory: Path) -> list[str]:
    """Names of files without the module and the time."""
    return sorted({re.sub(r"\.\d{14}\.", ".", file.name.removeprefix("TORCH.")) for file in directory.iterdir()})


def latest(directory: Path, name: str) -> Path:
    """The newest file of a name without the module and the time."""
    stem, _, kind = name.rpartition(".")
    found = sorted(directory.glob(f"TORCH.{stem}.{'[0-9]' * 14}.{kind}"))
    assert all(file.stat().st_mode & 0o777 == 0o400 for file in found)
    return found[-1]


def table(file: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(file.read_text("utf-8").splitlines()))


def train(callbacks: Any = None) -> None:
    make_model().train(2, batches(32), callbacks=callbacks)


def test_failed_training_leaves_what_it_did_last(tmp_path: Path) -> None:
    directory = configure(tmp_path, 1)
    train()
    assert not directory.exists()
    with pytest.raises(RuntimeError, match="mine"):
        train(Fail())
    assert kinds(directory) == sorted(FILES_OF_FAILURE)
    assert latest(directory, "exception.txt").read_text("utf-8").endswith("RuntimeError: mine\n")
    state = json.loads(latest(directory, "state.json").read_text("utf-8"))
    assert (state["cur_epoch_num"], state["cur_step_num"], state["mode"]) == (2, 3, "train")
    assert state["train_dataset_element"][0] == "torch.float32 [16, 1, 8, 8] cpu"
    rows = list(csv.reader(latest(directory, "exec_order.csv").read_text("utf-8").splitlines()))
    assert [row[1:3] for row in rows[1:]] == [["conv1", "Conv2d"], ["fc1", "Linear"], ["", "SmallNet"]]
    assert rows[2][3] == "torch.float32 [16, 10] cpu"
    memory = json.loads(latest(directory, "memory.json").read_text("utf-8"))
    parameters = 4 * (2 * 9 + 2 + 72 * 10 + 10)
    assert memory["host_peak_bytes"] > 1 << 20
    assert [memory[f"{name}_bytes"] for name in ("parameters", "gradients", "optimizer")] == [parameters] * 3
    assert "conv2d" in {node.op_type for node in read_graph_file(latest(directory, "graph_build.0.pb")).operations}


def test_mode_2_writes_at_every_end(tmp_path: Path) -> None:
    directory = configure(tmp_path, 2)
    train()
    assert kinds(directory) == FILES


def test_the_file_goes_before_the_environment_key_by_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    variables = {"MS_RDR_ENABLE": "1", "MS_RDR_MODE": "2", "MS_RDR_PATH": str(tmp_path / "env"), "RANK_ID": "5"}
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    train()
    assert kinds(tmp_path / "env" / "rank_5" / "rdr") == FILES
    configure(tmp_path, 1, is_enabled=False)
    with pytest.raises(RuntimeError, match="mine"):
        train(Fail())
    assert not (tmp_path / "rank_5").exists()
    file = tmp_path / "mindspore_config.json"
    file.write_text(json.dumps({"rdr": {"enable": True}, "other": {}}), "utf-8")
    monkeypatch.setenv("MS_RDR_PATH", str(tmp_path / "kept"))
    set_context(env_config_path=file)
    train()
    assert kinds(tmp_path / "kept" / "rank_5" / "rdr") == FILES


def test_no_trace_stays_in_the_network(tmp_path: Path) -> None:
    configure(tmp_path, 2)
    model = make_model()
    model.train(1, batches(16))
    assert not any(module._forward_hooks for module in model.train_network.modules())
    assert not make_model().train_network._forward_hooks


def test_directory_that_can_not_be_made_hides_no_error(tmp_path: Path) -> None:
    configure(tmp_path, 1)
    (tmp_path / "rank_0").write_text("a file", "utf-8")
    with pytest.raises(RuntimeError, match="mine"):
        train(Fail())


def test_a_network_that_fails_prints_its_own_error_only(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    configure(tmp_path, 1)
    network = nn.Sequential(nn.Linear(8, 16))

    def loop() -> None:
        with RunningDataRecorder(network) as recorder:
            for x in (torch.randn(8, 8), torch.randn(8, 7)):
                recorder.step(x)
                network(x)

    with pytest.raises(RuntimeError, match="cannot be multiplied"):
        loop()
    assert capfd.readouterr() == ("", "")
    assert [each.getMessage() for each in caplog.records] == [
        f"running data of the training was written to {tmp_path}/rank_0/rdr"
    ]
    assert latest(tmp_path / "rank_0" / "rdr", "graph_build.0.pb").stat().st_size


@pytest.mark.parametrize("mode", [1, 2])
def test_loop_of_ones_own(tmp_path: Path, mode: int) -> None:
    file = tmp_path / "mindspore_config.json"
    file.write_text(json.dumps({"rdr": {"enable": True, "mode": mode, "path": str(tmp_path)}}), "utf-8")
    directory, network = tmp_path / "rank_0" / "rdr", SmallNet()

    def loop(wrong: Any) -> None:
        with RunningDataRecorder(network, torch.optim.SGD(network.parameters(), lr=0.1), file) as recorder:
            for images in (torch.ones(2, 1, 8, 8), wrong):
                recorder.step(images, epoch=1)
                network(images)

    loop(torch.ones(3, 1, 8, 8))
    assert directory.exists() is (mode == 2)
    with pytest.raises(RuntimeError):
        loop(torch.ones(2, 7, 8, 8))
    state = json.loads(latest(directory, "state.json").read_text("utf-8"))
    assert (state["cur_step_num"], state["cur_epoch_num"]) == (2, 1)
    assert state["train_dataset_element"] == "torch.float32 [2, 7, 8, 8] cpu"
    assert "RuntimeError" in latest(directory, "exception.txt").read_text("utf-8")
    assert not any(module._forward_hooks for module in network.modules())
    with pytest.raises(TypeError, match="network is str"):
        RunningDataRecorder("net")  # type: ignore[arg-type]


class Nested(nn.Module):
    """Fails where ``wrong`` says."""

    def __init__(self, wrong: str) -> None:
        super().__init__()
        self.block = nn.Sequential(nn.Linear(4, 3), nn.ReLU(), nn.Linear(3 if wrong != "forward" else 5, 2))
        self.wrong = wrong

    def forward(self, values: Tensor) -> Tensor:
        if self.wrong in ("backward", "function"):
            values = Broken.apply(values, self.wrong)  # type: ignore[no-untyped-call]
        if self.wrong == "checkpoint":
            return checkpoint(self._twice, values, use_reentrant=False)
        return self.block(values)

    def _twice(self, values: Tensor) -> Tensor:
        self.calls = getattr(self, "calls", 0) + 1
        return self.block(values if self.calls == 1 else values[:, :3])


class Broken(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, values: Tensor, wrong: str) -> Tensor:
        if wrong == "function":
            raise RuntimeError("mine")
        return values * 1

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Tensor:
        raise RuntimeError("mine")


class BrokenSGD(torch.optim.SGD):
    def step(self, closure: Any = None) -> Any:
        self.param_groups[0]["lr"] = "fast"
        return super().step(closure)


@pytest.mark.parametrize(
    ("wrong", "phase", "module"),
    [
        ("forward", "forward", "block.2"),
        ("backward", "backward", None),
        ("checkpoint", "backward", "block.0"),
        ("function", "forward", ""),
        ("optimizer", "optimizer", None),
        ("data", "data", None),
    ],
)
def test_culprit_is_named(tmp_path: Path, wrong: str, phase: str, module: str | None) -> None:
    settings(tmp_path)
    network = Nested(wrong)
    optimizer = (BrokenSGD if wrong == "optimizer" else torch.optim.SGD)(network.parameters(), lr=0.1)
    given = [torch.ones(2, 4), torch.ones(3, 4)] if wrong == "data" else [torch.ones(2, 4)] * 2

    def loop() -> None:
        with RunningDataRecorder(network, optimizer) as recorder:
            for batch in DataLoader(given, batch_size=2):  # type: ignore[arg-type]
                recorder.step(batch[0])
                network(batch[0].requires_grad_()).sum().backward()
                optimizer.step()

    with pytest.raises((RuntimeError, TypeError)):
        loop()
    directory = tmp_path / "rank_0" / "rdr"
    culprit = json.loads(latest(directory, "culprit.json").read_text("utf-8"))
    assert (culprit["phase"], culprit.get("module")) == (phase, module)
    assert any("test_running_data.py" in line for line in culprit["lines"])
    if wrong == "forward":
        assert (culprit["type"], culprit["inputs"]) == ("Linear", ["torch.float32 [2, 3] cpu"])
        assert "linear(" in culprit["call"]
        assert [row["name"] for row in table(latest(directory, "exec_order.csv"))] == ["block.0", "block.1"]
    assert "test_culprit_is_named" in latest(directory, "stacks.txt").read_text("utf-8")


def test_first_number_that_is_not_finite_is_named(tmp_path: Path) -> None:
    settings(tmp_path)
    network = SmallNet()
    kept: list[Tensor] = []
    network.conv1.register_forward_hook(lambda module, args, output: kept.append(output))
    with torch.no_grad():
        network.fc1.weight[3, 5] = float("inf")

    def step() -> None:
        with RunningDataRecorder(network) as recorder:
            recorder.step(torch.ones(2, 1, 8, 8))
            loss = network(torch.ones(2, 1, 8, 8)).sum()
            assert loss.isfinite()

    with pytest.raises(AssertionError):
        step()
    directory = tmp_path / "rank_0" / "rdr"
    rows = {(row["kind"], row["name"]): row for row in table(latest(directory, "statistics.csv"))}
    assert list(rows)[:2] == [("batch", ""), ("output", "conv1")]
    weight, images, output = rows["parameter", "fc1.weight"], rows["batch", ""], rows["output", "conv1"]
    assert (weight["positive_inf"], weight["count"], weight["shape"]) == ("1", "720", "[10, 72]")
    assert (images["min"], images["max"], images["above_zero"]) == ("1", "1", "128")
    assert float(output["sum"]) == pytest.approx(kept[0].double().sum().item())
    bad = json.loads(latest(directory, "culprit.json").read_text("utf-8"))["first_not_finite"]
    assert bad == {"kind": "parameter", "name": "fc1.weight", "dtype": "float32", "shape": [10, 72]}


def test_a_debugger_of_another_training_is_left_out(tmp_path: Path) -> None:
    settings(tmp_path, mode=2)
    other, network = nn.Linear(2, 1), nn.Linear(2, 1)
    with Debugger(tmp_path / "other", other, level="operator") as debugger:
        other(torch.tensor([[float("nan"), 1.0]])).sum().backward()
        debugger.step()
    with RunningDataRecorder(network) as recorder:
        network(torch.ones(1, 2)).sum().backward()
        recorder.step()
    assert not list((tmp_path / "rank_0" / "rdr").glob("*culprit.json"))


def test_outputs_are_not_kept_alive(tmp_path: Path) -> None:
    settings(tmp_path, mode=2)
    network = SmallNet()
    with RunningDataRecorder(network) as recorder:
        recorder.step()
        output = weakref.ref(network(torch.ones(2, 1, 8, 8)))
        gc.collect()
        assert output() is None
        with torch.no_grad():
            network(torch.ones(5, 1, 8, 8))  # an evaluation
    directory = tmp_path / "rank_0" / "rdr"
    state = json.loads(latest(directory, "state.json").read_text("utf-8"))
    assert state["train_dataset_element"] == "torch.float32 [2, 1, 8, 8] cpu", "the inputs of the network are the batch"
    assert [row["output"] for row in table(latest(directory, "exec_order.csv"))][-1] == "torch.float32 [2, 10] cpu"
    assert "culprit.json" not in kinds(directory)


def test_memory_of_the_last_steps(tmp_path: Path) -> None:
    settings(tmp_path, mode=2)
    network = nn.Linear(2, 2)
    with RunningDataRecorder(network) as recorder:
        for number in range(1, 1101):
            recorder.step(number=number)
            network(torch.ones(1, 2))
    rows = table(latest(tmp_path / "rank_0" / "rdr", "memory_history.csv"))
    assert [int(row["step"]) for row in rows] == list(range(101, 1101))
    assert all(int(row["host_bytes"]) > 1 << 20 and not row["cuda_allocated_bytes"] for row in rows)


def test_files_of_the_training_before_stay(tmp_path: Path) -> None:
    settings(tmp_path)
    network = SmallNet()

    def step(error: BaseException) -> None:
        with RunningDataRecorder(network) as recorder:
            recorder.step(torch.ones(1, 1, 8, 8))
            network(torch.ones(1, 1, 8, 8))
            raise error

    directory = tmp_path / "rank_0" / "rdr"
    for text in ("\ud800 is no text", "second", "third"):
        with pytest.raises(ValueError, match=r"is no text|second|third"):
            step(ValueError(text))
    found = [file.read_text("utf-8") for file in sorted(directory.glob("TORCH.exception.*"))]
    assert ["is no text" in found[0], "second" in found[1], "third" in found[2]] == [True] * 3
    assert len({file.name.split(".")[-2] for file in directory.iterdir()}) == 3
    assert {file.time for file in running_data_files(directory)} == {
        file.name.split(".")[-2] for file in directory.iterdir()
    }


def test_mode_2_writes_after_the_first_step_and_changes_no_training(tmp_path: Path) -> None:
    def losses(mode: int) -> list[float]:
        torch.manual_seed(0)
        network = nn.Sequential(nn.Flatten(), nn.Linear(4, 8), nn.BatchNorm1d(8), nn.Dropout(0.5), nn.Linear(8, 2))
        optimizers = [torch.optim.Adam(network[1].parameters()), torch.optim.SGD(network[4].parameters(), lr=0.1)]
        settings(tmp_path / str(mode), mode)
        found: list[float] = []
        with RunningDataRecorder(network, optimizers) as recorder:
            for number in range(1, 4):
                recorder.step(torch.randn(3, 4), number=number)
                loss = network(torch.randn(3, 4)).square().mean()
                loss.backward()
                for each in optimizers:
                    each.step()
                found.append(loss.item())
                written = tmp_path / "2" / "rank_0" / "rdr"
                assert (mode == 2 and number > 1) == (mode == 2 and written.exists())
        return found

    assert losses(2) == losses(1)
    directory = tmp_path / "2" / "rank_0" / "rdr"
    states = [json.loads(file.read_text("utf-8")) for file in sorted(directory.glob("TORCH.state.*"))]
    assert [state["cur_step_num"] for state in states] == [1, 3]
    memory = json.loads(latest(directory, "memory.json").read_text("utf-8"))
    assert memory["optimizer_bytes"] >= 2 * 4 * (4 * 8 + 8)
    assert kinds(directory) == FILES


def test_a_debugger_names_the_operator(tmp_path: Path) -> None:
    settings(tmp_path)
    network = nn.Sequential(nn.Linear(4, 3), nn.ReLU(), nn.Linear(3, 2))

    def train(wrong: Any) -> None:
        options: Any = {"level": "operator", "ring": 2}
        with RunningDataRecorder(network) as recorder, Debugger(tmp_path, network, **options) as debugger:
            for number in (1, 2, 3):
                recorder.step(number=number)
                hidden = network(torch.ones(2, 4) if number < 3 else wrong(torch.ones(2, 4)))
                loss = (hidden * (0 if number == 2 else 1)).log().sum()
                debugger.step(loss)

    with pytest.raises(RuntimeError):
        train(lambda x: x[:, :3])
    directory = tmp_path / "rank_0" / "rdr"
    culprit = json.loads(latest(directory, "culprit.json").read_text("utf-8"))
    operator = culprit["operator"]
    assert (culprit["module"], operator["operator"], operator["module"]) == ("0", "aten::addmm", "0")
    assert "1: torch.float32 [2, 3]" in operator["inputs"]
    bad = culprit["first_not_finite"]  # no output is alive any more
    assert (bad["step"], bad["operator"], bad["role"]) == (2, "aten::log", "output")
    assert "test_running_data.py" in bad["lines"][0]


@pytest.mark.filterwarnings("ignore")
def test_lightning(tmp_path: Path) -> None:
    settings(tmp_path)
    from mindscope.torch.integrations.lightning import RunningDataCallback

    lightning = pytest.importorskip("lightning")

    class Digits(lightning.LightningModule):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.net = SmallNet()

        def training_step(self, batch: Any, number: int) -> Tensor:
            images = batch[0] if number < 2 else batch[0][:, :, :4]
            return nn.functional.cross_entropy(self.net(images), batch[1])

        def configure_optimizers(self) -> Any:
            return torch.optim.SGD(self.parameters(), lr=0.1)

    trainer = lightning.Trainer(
        max_epochs=1, callbacks=[RunningDataCallback()], logger=False, enable_progress_bar=False,
        enable_checkpointing=False, enable_model_summary=False, accelerator="cpu",
    )  # fmt: skip
    with pytest.raises(RuntimeError):
        trainer.fit(Digits(), batches())
    directory = tmp_path / "rank_0" / "rdr"
    culprit = json.loads(latest(directory, "culprit.json").read_text("utf-8"))
    assert (culprit["phase"], culprit["module"], culprit["type"]) == ("forward", "net.fc1", "Linear")
    assert json.loads(latest(directory, "state.json").read_text("utf-8"))["cur_step_num"] == 3


TRANSFORMERS = """
import sys
import torch
from torch import nn
from transformers import Trainer, TrainingArguments
from mindscope.torch.integrations.transformers import RunningDataCallback

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 2)
        self.calls = 0

    def forward(self, values, labels):
        self.calls += 1
        logits = self.fc(values if self.calls < 3 else values[:, :3])
        return {"loss": nn.functional.cross_entropy(logits, labels), "logits": logits}

data = [{"values": torch.randn(4), "labels": torch.tensor(n % 2)} for n in range(16)]
arguments = TrainingArguments(
    sys.argv[1], max_steps=4, per_device_train_batch_size=2, report_to=[], save_strategy="no", use_cpu=True,
    disable_tqdm=True,
)
trainer = Trainer(Net(), arguments, train_dataset=data, callbacks=[RunningDataCallback()])
trainer.train()
"""


def test_transformers_that_end_by_an_error(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    environ = os.environ | {"MS_RDR_ENABLE": "1", "MS_RDR_PATH": str(tmp_path)}
    command = [sys.executable, "-c", TRANSFORMERS, str(tmp_path / "out")]
    ended = subprocess.run(command, env=environ, capture_output=True, text=True, timeout=120, check=False)
    assert ended.returncode == 1, ended.stderr
    directory = tmp_path / "rank_0" / "rdr"
    culprit = json.loads(latest(directory, "culprit.json").read_text("utf-8"))
    assert (culprit["phase"], culprit["module"], culprit["type"]) == ("forward", "fc", "Linear")
    state = json.loads(latest(directory, "state.json").read_text("utf-8"))
    assert state["cur_step_num"] == 3
    assert state["train_dataset_element"]["values"] == "torch.float32 [2, 4] cpu"


@pytest.mark.filterwarnings("ignore")
def test_transformers_that_fail_in_with(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    from test_debugger_trainers import failing_trainer

    from mindscope.torch.integrations.transformers import RunningDataCallback

    settings(tmp_path)
    callback = RunningDataCallback()
    trainer = failing_trainer(tmp_path / "out", callback)
    with pytest.raises(RuntimeError, match="shapes"), callback:
        trainer.train()
    directory = tmp_path / "rank_0" / "rdr"
    culprit = json.loads(latest(directory, "culprit.json").read_text("utf-8"))
    assert (culprit["phase"], culprit["module"]) == ("forward", "fc")
    assert json.loads(latest(directory, "state.json").read_text("utf-8"))["cur_step_num"] == 3
    assert not any(module._forward_hooks for module in trainer.model.modules())


RANKS = """
import sys
import torch
from torch import distributed, nn
from mindscope.torch import RunningDataRecorder
distributed.init_process_group("gloo")
rank, network = distributed.get_rank(), nn.Linear(2, 2)
with RunningDataRecorder(network) as recorder:
    recorder.step()
    network(torch.ones(1, 2 + rank))
distributed.destroy_process_group()
"""


def test_each_rank_writes_its_own(tmp_path: Path) -> None:
    (tmp_path / "ranks.py").write_text(RANKS, "utf-8")
    done = run_ranks(tmp_path / "ranks.py", MS_RDR_ENABLE="1", MS_RDR_PATH=str(tmp_path))
    assert done.returncode != 0
    assert [each.name for each in tmp_path.glob("rank_*")] == ["rank_1"]
    culprit = json.loads(latest(tmp_path / "rank_1" / "rdr", "culprit.json").read_text("utf-8"))
    assert culprit["inputs"] == ["torch.float32 [1, 3] cpu"]
