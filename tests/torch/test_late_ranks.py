# SPDX-License-Identifier: Apache-2.0
"""Recorders that are made, and entered, before the processes of a training meet."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

import mindscope
from mindscope.reading.debug import RecordedSource

torch = pytest.importorskip("torch")
from mindscope.torch import Debugger  # noqa: E402

pytestmark = [pytest.mark.framework, pytest.mark.timeout(300)]
LAUNCHERS = ("SLURM", "OMPI", "PMI", "MV2", "RANK", "LOCAL_RANK", "WORLD_SIZE", "NODE_RANK", "MASTER_")

_MEET_LATE = """
import sys
import torch
from torch import distributed, nn
from mindscope.torch import Debugger, Dump

directory, rank = sys.argv[1], int(sys.argv[2])
network = nn.Linear(4, 2)
settings = {"common_dump_settings": {
    "dump_mode": 0, "path": directory + "/dump", "net_name": "net", "iteration": "all", "input_output": 0,
    "kernels": [], "support_device": list(range(8))},
    "e2e_dump_settings": {"enable": True, "trans_flag": True, "saved_data": "tensor"}}
ring = Debugger(directory + "/ring", network, ring=2)
with Debugger(directory, network) as debugger, ring, Dump(network, settings) as dump:
    distributed.init_process_group("gloo", init_method=f"file://{directory}/store", rank=rank, world_size=2)
    for _ in range(2):
        loss = network(torch.ones(3, 4)).sum()
        for each in (debugger, ring):
            each.step(loss)
        dump.step()
    ring.write_ring()
distributed.destroy_process_group()
"""

_LIGHTNING = """
import sys
import lightning
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from mindscope.torch import Debugger
from mindscope.torch.integrations.lightning import DebuggerCallback

class Sums(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(8, 1)

    def training_step(self, batch, number):
        return (self.net(batch[0]) - batch[1]).square().mean()

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.01)

if __name__ == "__main__":
    data = TensorDataset(torch.ones(8, 8), torch.ones(8, 1))
    trainer = lightning.Trainer(
        max_epochs=1, accelerator="cpu", devices=2, strategy="ddp", logger=False, enable_checkpointing=False,
        enable_progress_bar=False, enable_model_summary=False, callbacks=[DebuggerCallback(Debugger(sys.argv[1]))])
    trainer.fit(Sums(), DataLoader(data, 2))
"""


def _environment() -> dict[str, str]:
    alone = {name: text for name, text in os.environ.items() if not name.startswith(LAUNCHERS)}
    paths = os.pathsep.join(sys.path)
    return alone | {"OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo", "CUDA_VISIBLE_DEVICES": "", "PYTHONPATH": paths}


def _run(scripts: Sequence[Sequence[str]]) -> None:
    started = [
        subprocess.Popen([sys.executable, "-W", "ignore", *each], env=_environment(), stderr=subprocess.PIPE, text=True)
        for each in scripts
    ]
    errors = [each.communicate(timeout=240)[1] for each in started]
    assert [each.returncode for each in started] == [0] * len(started), errors


def _steps(directory: Path) -> dict[int, list[int]]:
    """The steps that statistics were recorded of, by rank."""
    source = RecordedSource([mindscope.open_run(directory).store])
    return {rank: list(source.steps(rank)) for rank in source.ranks}


def test_a_debugger_asks_for_its_rank_when_it_first_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith(LAUNCHERS)]:
        monkeypatch.delenv(name)
    network = torch.nn.Linear(4, 2)
    with Debugger(tmp_path, network) as debugger:
        monkeypatch.setenv("SLURM_PROCID", "1")
        monkeypatch.setenv("SLURM_STEP_NUM_TASKS", "2")
        debugger.step(network(torch.ones(3, 4)).sum())
    assert [each.name for each in tmp_path.iterdir()] == ["rank_1"]
    assert _steps(tmp_path / "rank_1") == {1: [1]}


def test_a_directory_that_cannot_be_made_is_named_at_once(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match="file"):
        Debugger(tmp_path / "file" / "run")


def test_recorders_wait_for_the_processes_to_meet(tmp_path: Path) -> None:
    script = tmp_path / "late.py"
    script.write_text(_MEET_LATE)
    runs = tmp_path / "runs"
    runs.mkdir()
    _run([(str(script), str(runs), str(rank)) for rank in (0, 1)])
    assert sorted(each.name for each in (runs / "dump").iterdir()) == ["rank_0", "rank_1"]
    for rank in (0, 1):
        for directory in (runs, runs / "ring"):
            assert _steps(directory / f"rank_{rank}") == {rank: [1, 2]}
        assert len(list((runs / "dump" / f"rank_{rank}" / "net" / "0" / "0").glob("*.npy"))) > 0
    assert not [*runs.glob("*summary*"), *(runs / "ring").glob("*summary*")]


def test_a_debugger_follows_both_ranks_that_lightning_starts(tmp_path: Path) -> None:
    pytest.importorskip("lightning")
    script = tmp_path / "ddp.py"
    script.write_text(_LIGHTNING)
    _run([(str(script), str(tmp_path / "runs"))])
    for rank in (0, 1):
        assert _steps(tmp_path / "runs" / f"rank_{rank}") == {rank: [1, 2]}
    assert sorted(each.name for each in (tmp_path / "runs").iterdir()) == ["rank_0", "rank_1"]
