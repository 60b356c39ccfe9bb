# SPDX-License-Identifier: Apache-2.0
"""Small trainings of PyTorch that a Debugger records: one that stays healthy, and some with a planted fault."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import torch
from torch import nn

import mindscope
from mindscope.torch import Debugger


def small_network() -> nn.Sequential:
    """Two layers with a ReLU between."""
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 1))


def nothing(network: nn.Sequential, step: int) -> None:
    """A healthy training."""


def kill_units(network: nn.Sequential, step: int) -> None:
    """From step 6 on no unit is active."""
    if step == 6:
        with torch.no_grad():
            network[0].bias.fill_(-100.0)


def break_bias(network: nn.Sequential, step: int) -> None:
    """From step 6 on a bias is NaN."""
    if step == 6:
        with torch.no_grad():
            network[2].bias.fill_(float("nan"))


def fail_in_forward(network: nn.Sequential, step: int) -> None:
    """The last layer of step 6 raises an error."""

    def fail(*args: object) -> None:
        raise RuntimeError("out of memory")

    if step == 6:
        network[2].register_forward_pre_hook(fail)


def train(
    directory: Path,
    fault: Callable[[nn.Sequential, int], None] = nothing,
    steps: range = range(1, 13),
    each_step: Callable[[int], None] = lambda step: None,
) -> None:
    """Train, and record statistics of all tensors and the loss into a run."""
    network = small_network()
    optimizer = torch.optim.SGD(network.parameters(), lr=0.05)
    with mindscope.SummaryRecord(directory) as record, Debugger(directory, network) as debugger:
        for step in steps:
            fault(network, step)
            x = torch.randn(32, 8, generator=torch.Generator().manual_seed(step))
            loss = nn.functional.mse_loss(network(x), 2 * x[:, :1] + 0.5)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            debugger.step(loss)
            record.add_value("scalar", "loss", float(loss.detach()))
            record.record(step)
            record.flush()
            each_step(step)
