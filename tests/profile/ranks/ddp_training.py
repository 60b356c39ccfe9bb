# SPDX-License-Identifier: Apache-2.0
"""Three processes that train together, profiled; one of them sleeps before each backward pass."""

from __future__ import annotations

import os
import sys
import time
from typing import Any

RANKS, SLOW = 3, 1
STEPS = 12


def train(rank: int, directory: str, store: str) -> None:
    import torch
    from torch import distributed
    from torch.nn.parallel import DistributedDataParallel

    from mindscope.torch import Profiler

    os.environ.update(RANK=str(rank), WORLD_SIZE=str(RANKS), GLOO_SOCKET_IFNAME="lo")
    torch.set_num_threads(1)
    distributed.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=RANKS)
    network: Any = DistributedDataParallel(torch.nn.Linear(256, 10))
    optimizer = torch.optim.SGD(network.parameters(), 0.01)
    profiler = Profiler(output_path=directory, schedule={"wait": 1, "warmup": 1, "active": 4, "repeat": 2})
    for step in range(STEPS):
        optimizer.zero_grad()
        loss = network(torch.randn(32, 256)).square().mean()
        if rank == SLOW:
            time.sleep(0.05)
        loss.backward()
        optimizer.step()
        profiler.step(step)
    profiler.stop()
    del network, loss, optimizer  # the reducer must not be the last to hold the group: torch can hang then
    distributed.destroy_process_group()


if __name__ == "__main__":
    train(int(sys.argv[1]), sys.argv[2], sys.argv[3])
