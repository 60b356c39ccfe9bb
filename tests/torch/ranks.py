# SPDX-License-Identifier: Apache-2.0
"""Trainings of several processes on this machine, under torchrun or with its variables."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.server.live_viewer import free_port

FORKED = [str(Path(__file__).with_name("forked_ranks.py"))]
TORCHRUN = ["-m", "torch.distributed.run", "--standalone", "--nproc_per_node"]


def run_ranks(
    script: Path, *arguments: str, ranks: int = 2, launcher: list[str] = FORKED, **environment: str
) -> subprocess.CompletedProcess[str]:
    """A script on the processor, in processes that find each other by Gloo; it may import what lies here.

    Args:
        script: file with the code.
        arguments: of the script.
        ranks: how many processes.
        launcher: ``FORKED``, which imports torch once, or ``TORCHRUN``.
        environment: further variables.
    """
    command = [sys.executable, *launcher, str(ranks), str(script)]
    variables = {"OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo", "CUDA_VISIBLE_DEVICES": "",
                 "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(free_port()),
                 "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])}  # fmt: skip
    return subprocess.run(
        [*command, *arguments],
        env=os.environ | variables | environment, capture_output=True, text=True, timeout=280, check=False,
    )  # fmt: skip
