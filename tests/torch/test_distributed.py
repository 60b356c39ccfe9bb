# SPDX-License-Identifier: Apache-2.0
"""Two processes under torchrun, each with a directory of its own; and what the environment says before they meet."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from ranks import TORCHRUN, run_ranks

import mindscope

pytest.importorskip("torch")
from mindscope.torch import SummaryCollector, get_group_size, get_rank, init, rank_directory
from mindscope.torch.core.distributed import own_directory, parallel_mode

pytestmark = [pytest.mark.framework, pytest.mark.timeout(600)]
EXAMPLE = Path(__file__).parents[2] / "examples" / "torch_distributed.py"


def test_each_rank_under_torchrun_records_its_training(tmp_path: Path) -> None:
    done = run_ranks(EXAMPLE, "--summary-dir", str(tmp_path / "summary_dir"), "--count", "192", launcher=TORCHRUN)
    assert done.returncode == 0, done.stderr
    runs = [mindscope.open_run(tmp_path / f"summary_dir{rank}") for rank in (0, 1)]
    for run in runs:
        assert not run.damages
        assert list(run.scalars("loss/auto").step) == [1, 2, 3]
        train = run.lineage.train
        assert train is not None
        assert (train.parallel_mode, train.device_num) == ("data_parallel", 2)
        assert (train.network, train.optimizer, train.batch_size) == ("LeNet5", "SGD", 32)
        assert set(run.tags("histogram")) == {
            *(f"conv{number}.{part}/auto" for number in (1, 2) for part in ("weight", "bias")), "fc1.weight/auto"
        }  # fmt: skip
        assert len(run.graphs()) == 1
        assert list((run.lineage.eval and run.lineage.eval.metric) or {}) == ["accuracy"]
        assert run.lineage.custom["env/world_size"] == 2
        assert run.lineage.custom["env/model/parameters"] == run.lineage.custom["env/model/trainable_parameters"]
    assert [run.lineage.custom["env/rank"] for run in runs] == [0, 1]
    first, second = (run.scalars("loss/auto").value for run in runs)
    assert not np.array_equal(first, second)  # each saw its own half of the data


def test_environment_of_torchrun_serves_until_the_processes_meet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("RANK", "LOCAL_RANK", "WORLD_SIZE"):
        monkeypatch.delenv(name, raising=False)
    assert (get_rank(), get_group_size(), parallel_mode()) == (0, 1, "stand_alone")
    with pytest.raises(RuntimeError, match=r"environment has no RANK.*torchrun"):
        init("gloo")
    monkeypatch.setenv("RANK", "3")
    monkeypatch.setenv("WORLD_SIZE", "4")
    assert (get_rank(), get_group_size(), parallel_mode()) == (3, 4, "data_parallel")
    assert rank_directory(tmp_path) == tmp_path / "rank_3"
    monkeypatch.setenv("RANK", "first")
    assert get_rank() == 0
    monkeypatch.setenv("LOCAL_RANK", "1")
    assert get_rank() == 1


def test_directory_that_was_handed_to_all_becomes_one_for_each(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("RANK", "LOCAL_RANK", "WORLD_SIZE"):
        monkeypatch.delenv(name, raising=False)
    assert own_directory(Path("runs/a")) == Path("runs/a")
    monkeypatch.setenv("RANK", "1")
    monkeypatch.setenv("WORLD_SIZE", "2")
    assert own_directory(Path("runs/a")) == Path("runs/a/rank_1")
    assert own_directory(Path("runs/a/rank_0")) == Path("runs/a/rank_1")  # made before there were others
    assert own_directory(Path("runs/summary_dir0")) == Path("runs/summary_dir0/rank_1")  # may be another experiment
    for named in ("runs/a/rank_1", "runs/summary_dir1", "runs/rank1/logs"):
        assert own_directory(Path(named)) == Path(named)
    assert own_directory(Path("runs/exp1")) == Path("runs/exp1/rank_1")
    monkeypatch.setenv("RANK", "0")
    assert own_directory(Path("runs/a")) == Path("runs/a/rank_0")


@pytest.mark.parametrize(
    ("environment", "want"),
    [
        ({"SLURM_PROCID": "3", "SLURM_STEP_NUM_TASKS": "4", "SLURM_LOCALID": "1"}, (3, 4)),  # srun
        ({"SLURM_PROCID": "0", "SLURM_NTASKS": "4"}, (0, 1)),  # the batch script itself, which is one process
        ({"SLURM_PROCID": "1", "SLURM_STEP_NUM_TASKS": "2", "RANK": "5", "WORLD_SIZE": "8"}, (5, 8)),  # torchrun in it
        ({"OMPI_COMM_WORLD_RANK": "2", "OMPI_COMM_WORLD_SIZE": "4", "PMIX_RANK": "2"}, (2, 4)),  # mpirun of Open MPI
        ({"PMI_RANK": "1", "PMI_SIZE": "2"}, (1, 2)),  # mpiexec of MPICH and Intel MPI
        ({"MV2_COMM_WORLD_RANK": "1", "MV2_COMM_WORLD_SIZE": "2"}, (1, 2)),
        ({"NODE_RANK": "1", "MASTER_ADDR": "node0"}, (1, 1)),  # Lightning with a device on each node
        ({"NODE_RANK": "1", "LOCAL_RANK": "1", "LOCAL_WORLD_SIZE": "2", "WORLD_SIZE": "4"}, (3, 4)),
        ({"NODE_RANK": "0"}, (0, 1)),
    ],
)
def test_every_launcher_says_the_rank_before_the_processes_meet(
    environment: dict[str, str], want: tuple[int, int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in os.environ if name.startswith(("SLURM", "OMPI", "PMI", "MV2"))]:
        monkeypatch.delenv(name)
    for name in ("RANK", "RANK_ID", "LOCAL_RANK", "WORLD_SIZE", "NODE_RANK", "LOCAL_WORLD_SIZE"):
        monkeypatch.delenv(name, raising=False)
    for name, text in environment.items():
        monkeypatch.setenv(name, text)
    assert (get_rank(), get_group_size()) == want
    assert rank_directory(tmp_path) == tmp_path / f"rank_{want[0]}"
    with SummaryCollector(tmp_path / "shared") as collector:
        collector.log({"x": 1.0}, step=1)
    runs = {"shared": 1} if want[0] == 0 else {f"shared/rank_{want[0]}": 1}
    assert {name: len(run.scalars("x")) for name, run in mindscope.open_runs(tmp_path).items()} == runs


def test_processes_that_are_spawned_record_apart(tmp_path: Path) -> None:
    script = Path(__file__).with_name("spawned.py")
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo", "CUDA_VISIBLE_DEVICES": ""}
    command = [sys.executable, "-W", "ignore", str(script), str(tmp_path)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=280)
    assert done.returncode == 0, done.stderr
    assert sorted(mindscope.open_runs(tmp_path)) == ["rank_0", "rank_1"]
    for rank in (0, 1):
        run = mindscope.open_run(tmp_path / f"rank_{rank}")
        assert not run.damages
        assert list(run.scalars("loss/auto").step) == [1, 2]
        assert run.lineage.train is not None
        assert (run.lineage.train.parallel_mode, run.lineage.train.device_num) == ("data_parallel", 2)
    kept = [
        sorted(file.name for file in tmp_path.glob(f"{rank}/ckpt_dir/*.safetensors")) for rank in ("rank_0", "rank_1")
    ]
    assert kept == [["Digits_1_step.safetensors", "Digits_2_step.safetensors"], []]  # both have the same weights
