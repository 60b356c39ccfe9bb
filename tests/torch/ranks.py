# SPDX-License-Identifier: Apache-2.0
"""Trainings of several processes on this machine, as torchrun starts them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path


def run_ranks(script: Path, *arguments: str, ranks: int = 2, **environment: str) -> subprocess.CompletedProcess[str]:
    """A script on the processor, in processes that find each other by Gloo; it may import what lies here.

    Args:
        script: file with the code.
        arguments: of the script.
        ranks: how many processes.
        environment: further variables.
    """
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", f"--nproc_per_node={ranks}", str(script)]
    variables = {"OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": "lo", "CUDA_VISIBLE_DEVICES": "",
                 "PYTHONPATH": os.pathsep.join([str(Path(__file__).parent), *sys.path])}  # fmt: skip
    return subprocess.run(
        [*command, *arguments],
        env=os.environ | variables | environment, capture_output=True, text=True, timeout=280, check=False,
    )  # fmt: skip
