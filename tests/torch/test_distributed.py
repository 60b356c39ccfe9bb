# SPDX-License-Identifier: Apache-2.0
"""Two processes under torchrun, each with a directory of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import mindscope

pytest.importorskip("torch")

pytestmark = pytest.mark.framework

SCRIPT = """
import sys
import torch
from mindscope import SummaryRecord
from mindscope.torch.distributed import device_count, get_rank, parallel_mode, rank_directory

torch.distributed.init_process_group("gloo")
total = torch.tensor(float(get_rank() + 1))
torch.distributed.all_reduce(total)
assert (device_count(), parallel_mode()) == (2, "data_parallel")
with SummaryRecord(rank_directory(sys.argv[1])) as record:
    record.add_value("scalar", "rank", get_rank())
    record.add_value("scalar", "total", total)
    record.record(1)
torch.distributed.destroy_process_group()
"""


def test_each_rank_under_torchrun_writes_its_own_directory(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(SCRIPT)
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node=2", str(script)]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo"}
    done = subprocess.run([*command, str(tmp_path)], env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    for rank in (0, 1):
        run = mindscope.open_run(tmp_path / f"rank_{rank}")
        assert [float(run.scalars(tag).value[0]) for tag in ("rank", "total")] == [rank, 3]
