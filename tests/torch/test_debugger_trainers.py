# SPDX-License-Identifier: Apache-2.0
"""Debugger in the trainers of Lightning and Transformers, and in two processes that train together."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
import torch
from digits import SmallNet, batches
from ranks import run_ranks
from torch import Tensor, nn

import mindscope
from mindscope.debug.model.fields import Field
from mindscope.debug.model.tensors import Phase, Role
from mindscope.reading.debug import RecordedSource
from mindscope.torch import Debugger

pytestmark = pytest.mark.framework


def source_of(*directories: Path) -> RecordedSource:
    return RecordedSource([mindscope.open_run(each).store for each in directories])


def lightning_module(loss_factor: float = 1.0) -> Any:
    lightning = pytest.importorskip("lightning")

    class Digits(lightning.LightningModule):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            torch.manual_seed(0)
            self.net = SmallNet()
            self.losses: list[float] = []

        def training_step(self, batch: Any, number: int) -> Tensor:
            if loss_factor == 0 and number == 2:
                raise RuntimeError("batch is broken")
            loss = nn.functional.cross_entropy(self.net(batch[0]), batch[1])
            self.losses.append(loss.item())
            return loss

        def configure_optimizers(self) -> Any:
            return torch.optim.SGD(self.parameters(), lr=0.1)

    return Digits()


def fit(module: Any, callbacks: list[Any], **given: Any) -> list[float]:
    trainer = import_module("lightning").Trainer(
        max_epochs=1, callbacks=callbacks, logger=False, enable_progress_bar=False, enable_checkpointing=False,
        enable_model_summary=False, accelerator="cpu", **given,
    )  # fmt: skip
    trainer.fit(module, batches())
    return module.losses


@pytest.mark.filterwarnings("ignore")
def test_lightning(tmp_path: Path) -> None:
    want = fit(lightning_module(), [])
    from mindscope.torch.integrations.lightning import DebuggerCallback

    for level in ("module", "operator"):
        debugger = Debugger(tmp_path / level, level=level)
        assert fit(lightning_module(), [DebuggerCallback(debugger)]) == want
        source = source_of(tmp_path / level)
        assert source.steps(0) == [1, 2, 3, 4]
        losses = [place for place, each in enumerate(source.tensors) if each.type == "loss"]
        assert source.history(losses, Field.SUM, 0)[1][:, 0].tolist() == pytest.approx(want)
    with pytest.raises(TypeError, match="debugger is int"):
        DebuggerCallback(3)  # type: ignore[arg-type]


@pytest.mark.filterwarnings("ignore")
def test_a_training_of_lightning_that_fails_writes_the_ring(tmp_path: Path) -> None:
    pytest.importorskip("lightning")
    from mindscope.torch.integrations.lightning import DebuggerCallback

    with pytest.raises(RuntimeError, match="broken"):
        fit(lightning_module(0.0), [DebuggerCallback(Debugger(tmp_path, ring=5))])
    assert source_of(tmp_path).steps(0) == [1, 2]


@pytest.mark.filterwarnings("ignore")
def test_transformers(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    from test_transformers import trainer_of

    from mindscope.torch import SummaryCollector
    from mindscope.torch.integrations.transformers import DebuggerCallback

    trainer = trainer_of(tmp_path / "run", SummaryCollector(tmp_path / "run", collect_freq=1), num_train_epochs=1)
    trainer.add_callback(DebuggerCallback(Debugger(tmp_path / "run")))
    trainer.train()
    source = source_of(tmp_path / "run")
    steps = mindscope.open_run(tmp_path / "run").scalars("loss/auto")
    assert source.steps(0) == list(steps.step)
    loss = next(place for place, each in enumerate(source.tensors) if each.type == "loss")
    assert source.history([loss], Field.SUM, 0)[1][:, 0].tolist() == pytest.approx(steps.value.tolist())
    assert not any(each._forward_hooks for each in trainer.model.modules())


TWO = """
import sys
import torch
from torch import distributed, nn
from mindscope.torch import Debugger
distributed.init_process_group("gloo")
torch.manual_seed(0)
network = nn.parallel.DistributedDataParallel(nn.Sequential(nn.Linear(4, 4), nn.Tanh()))
optimizer = torch.optim.SGD(network.parameters(), lr=0.1)
torch.manual_seed(distributed.get_rank())
with Debugger(sys.argv[1], network) as debugger:
    for _ in range(2):
        optimizer.zero_grad()
        loss = network(torch.randn(3, 4)).sum()
        loss.backward()
        optimizer.step()
        debugger.step(loss)
del network, optimizer, debugger, loss  # the reducer must not be the last to hold the group: torch can hang then
distributed.destroy_process_group()
"""


def test_two_processes_are_one_source(tmp_path: Path) -> None:
    script = tmp_path / "two.py"
    script.write_text(TWO)
    done = run_ranks(script, str(tmp_path))
    assert done.returncode == 0, done.stderr
    source = source_of(tmp_path / "rank_0", tmp_path / "rank_1")
    assert source.ranks == [0, 1]
    assert source.steps(0) == source.steps(1) == [1, 2]
    assert source.facts["world_size"] == 2

    def digests(phase: Phase, role: Role) -> list[list[int]]:
        found: list[list[int]] = []
        for rank in (0, 1):
            recorded = source.at(2, rank)
            chosen = [
                source.tensors[each].phase is phase and source.tensors[each].role is role for each in recorded.tensor
            ]
            found.append(recorded.digest[chosen].tolist())
        return found

    first, second = digests(Phase.FORWARD, Role.INPUT)
    assert first != second  # each has its own batch
    for phase, role in ((Phase.BACKWARD, Role.GRADIENT), (Phase.OPTIMIZER, Role.PARAMETER)):
        first, second = digests(phase, role)
        assert first == second
        assert len(first) == 2


class Failing(nn.Module):
    """Fails at its third call."""

    def __init__(self) -> None:
        super().__init__()
        self.fc, self.calls = nn.Linear(4, 2), 0

    def forward(self, values: Tensor, labels: Tensor) -> dict[str, Tensor]:
        self.calls += 1
        logits = self.fc(values if self.calls != 3 else values[:, :3])
        return {"loss": nn.functional.cross_entropy(logits, labels), "logits": logits}


def failing_trainer(directory: Path, callback: Any) -> Any:
    transformers = import_module("transformers")
    data = [{"values": torch.randn(4), "labels": torch.tensor(n % 2)} for n in range(16)]
    arguments = transformers.TrainingArguments(
        str(directory), max_steps=4, per_device_train_batch_size=2, report_to=[], save_strategy="no", use_cpu=True,
        disable_tqdm=True,
    )  # fmt: skip
    return transformers.Trainer(Failing(), arguments, train_dataset=data, callbacks=[callback])


@pytest.mark.filterwarnings("ignore")
def test_a_training_of_transformers_that_fails_writes_the_ring(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    from mindscope.torch.integrations.transformers import DebuggerCallback

    callback = DebuggerCallback(Debugger(tmp_path / "with", ring=5))
    with pytest.raises(RuntimeError, match="shapes"), callback:
        failing_trainer(tmp_path / "out", callback).train()
    assert source_of(tmp_path / "with").steps(0) == [1, 2, 3]

    debugger = Debugger(tmp_path / "again", ring=5)
    trainer = failing_trainer(tmp_path / "out", DebuggerCallback(debugger))
    with pytest.raises(RuntimeError, match="shapes"):
        trainer.train()
    assert not list((tmp_path / "again").iterdir())
    trainer.train()  # it writes what the failed one recorded, and ends well
    assert source_of(tmp_path / "again").steps(0)[:2] == [1, 2]
    assert not any(each._forward_hooks for each in trainer.model.modules())
    debugger.step()  # it is not entered any more
    assert debugger.recording.followed.collector is None


@pytest.mark.filterwarnings("ignore")
def test_a_failed_cell_of_a_notebook_writes_the_ring(tmp_path: Path) -> None:
    pytest.importorskip("transformers")
    shell = pytest.importorskip("IPython.core.interactiveshell").InteractiveShell.instance()
    from mindscope.torch.integrations.transformers import DebuggerCallback

    callback = DebuggerCallback(Debugger(tmp_path / "run", ring=5))
    shell.user_ns["trainer"] = failing_trainer(tmp_path / "out", callback)
    shell.run_cell("trainer.train()")
    assert source_of(tmp_path / "run").steps(0) == [1, 2, 3]
    assert callback._end_cell not in shell.events.callbacks["post_run_cell"]
