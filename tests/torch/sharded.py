# SPDX-License-Identifier: Apache-2.0
"""Trains the same network in two processes by FSDP2, by the first FSDP and by DDP, and records it in each."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import distributed, nn
from torch.distributed.fsdp import FullyShardedDataParallel, fully_shard
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard, distribute_tensor, init_device_mesh
from torch.nn.parallel import DistributedDataParallel

from mindscope.torch import ScalarSummary, SummaryCollector, SummaryRecord

DIRECTORY = Path(sys.argv[1])


def network(kind: str) -> nn.Module:
    torch.manual_seed(0)
    plain = nn.Sequential(nn.Linear(4, 6), nn.Tanh(), nn.Linear(6, 1))  # the last bias is on rank 0 only
    if kind == "fsdp2":
        fully_shard(plain[0])
        return fully_shard(plain)
    if kind == "fsdp1":
        return FullyShardedDataParallel(plain, use_orig_params=True, device_id=torch.device("cpu"))
    return DistributedDataParallel(plain)


def train(kind: str, options: dict[str, Any] | None, name: str) -> list[float]:
    """The losses of three steps."""
    model, losses = network(kind), []
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    run = DIRECTORY / name / f"rank_{distributed.get_rank()}"
    collector = None if options is None else SummaryCollector(run, collect_freq=1, collect_specified_data=options)
    torch.manual_seed(1 + distributed.get_rank())
    if collector is not None:
        collector.__enter__()
    for _ in range(3):
        loss = model(torch.randn(5, 4)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(float(loss))
        if collector is not None:
            collector.step(loss, network=model, optimizer=optimizer)
    if collector is not None:
        collector.__exit__(None, None, None)
    if kind == "fsdp2":
        whole = {key: each.full_tensor().detach().numpy() for key, each in model.named_parameters()}
        if distributed.get_rank() == 0 and options is not None:
            np.savez(DIRECTORY / f"{name}.npz", **whole)
    return losses


def record_into_one_directory() -> None:
    """As scripts do that know nothing of other processes."""
    with SummaryCollector(DIRECTORY / "shared", collect_freq=1) as collector:
        for _ in range(2):
            collector.step(float(distributed.get_rank()))


def record_tensors() -> None:
    """DTensors with every placement, handed to a recorder."""
    mesh, rank = init_device_mesh("cpu", (2,)), distributed.get_rank()
    number = torch.tensor(float(rank + 1))
    summands = DTensor.from_local(number, mesh, [Partial()])
    with SummaryRecord(str(DIRECTORY / "values" / f"rank_{rank}")) as record:
        record.add_value("tensor", "rows", distribute_tensor(torch.arange(6.0).reshape(3, 2), mesh, [Shard(0)]))
        record.add_value("scalar", "whole", distribute_tensor(torch.tensor(3.0), mesh, [Replicate()]))
        record.add_value("scalar", "summand", summands)
        record.add_value("scalar", "reduced", summands.full_tensor())
        ScalarSummary()("operator", distribute_tensor(torch.tensor(4.0), mesh, [Replicate()]))
        ScalarSummary()("pair", distribute_tensor(torch.tensor([5.0, 6.0]), mesh, [Shard(0)]))
        record.record(1)


if __name__ == "__main__":
    distributed.init_process_group("gloo")
    facts = {"collect_graph": True, "collect_parameter_count": True}
    for kind in ("ddp", "fsdp1", "fsdp2"):
        assert train(kind, facts, kind) == train(kind, None, kind), kind
    train("fsdp2", {**facts, "collect_whole_parameters": True}, "gathered")
    record_tensors()
    record_into_one_directory()
    distributed.destroy_process_group()
