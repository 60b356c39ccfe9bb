# SPDX-License-Identifier: Apache-2.0
"""Runs a script in several processes of one training: forked_ranks.py RANKS SCRIPT ARGUMENTS.

They have the variables that torchrun sets, and are forks of this process, which has imported torch and what optimizers
import. Under torchrun three processes import torch, 5 s of a processor each, and two of them the rest, another 5 s.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import torch._dynamo
import torch.distributed  # noqa: F401


def fork_ranks(count: int) -> int:
    """The rank, in the process of each. The process that forks them ends here, with 1 if one of them failed."""
    processes: set[int] = set()
    for rank in range(count):
        process = os.fork()
        if process == 0:
            return rank
        processes.add(process)
    failed = False
    while processes:
        process, status = os.wait()
        processes.remove(process)
        if status and not failed:
            failed = True
            for other in processes:
                os.kill(other, signal.SIGTERM)
    sys.exit(int(failed))


count, __file__, *arguments = sys.argv[1:]
rank = str(fork_ranks(int(count)))
os.environ |= {"RANK": rank, "LOCAL_RANK": rank, "WORLD_SIZE": count, "LOCAL_WORLD_SIZE": count}
sys.argv = [__file__, *arguments]
sys.path[0] = str(Path(__file__).parent)
exec(compile(Path(__file__).read_bytes(), __file__, "exec", dont_inherit=True), globals())
