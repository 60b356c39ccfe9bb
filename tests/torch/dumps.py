# SPDX-License-Identifier: Apache-2.0
"""A small training with a dump, and what it left."""

from __future__ import annotations

import contextlib
import csv
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from mindscope.torch import Dump


class Twice(nn.Module):
    """A network that calls one of its layers twice."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(1, 2, 3)
        self.act = nn.ReLU()
        self.layers = nn.ModuleList([nn.Linear(8, 8), nn.Linear(8, 4)])

    def forward(self, x: Tensor) -> Tensor:
        hidden = self.act(self.conv(x)).flatten(1)
        return self.layers[1](self.layers[0](self.layers[0](hidden)))


def config(iteration: str = "0|2", e2e: Any = None, **common: Any) -> dict[str, Any]:
    settings = {"dump_mode": 0, "path": "/not/used", "net_name": "net", "iteration": iteration, "input_output": 0,
                "kernels": [], "support_device": [0]}  # fmt: skip
    return {"common_dump_settings": settings | common} | ({} if e2e is None else {"e2e_dump_settings": e2e})


def train(
    directory: Path | None, settings: dict[str, Any] | None = None, steps: int = 4, compiled: str | None = None,
    optimizer: Any = torch.optim.SGD,
) -> list[float]:  # fmt: skip
    """The losses of a training of one's own loop, dumped unless there is no directory."""
    torch.manual_seed(0)
    net: Any = Twice()
    trained = optimizer(net.parameters(), lr=0.1)
    called = net if compiled is None else torch.compile(net, backend=compiled, fullgraph=True)
    losses: list[Tensor] = []
    dump = None if directory is None else Dump(called, settings or config(), path=directory)
    with dump or contextlib.nullcontext():
        for step in range(steps):
            trained.zero_grad()
            loss = nn.functional.mse_loss(called(torch.full((3, 1, 4, 4), 1.0 + step)), torch.zeros(3, 4))
            loss.backward()
            trained.step()
            losses.append(loss.detach())
            if dump is not None:
                dump.step()
    return [loss.item() for loss in losses]


def iterations(directory: Path, net_name: str = "net", rank: int = 0) -> list[int]:
    return sorted(int(each.name) for each in (directory / f"rank_{rank}" / net_name / "0").iterdir())


def arrays(directory: Path, iteration: int = 0, rank: int = 0) -> dict[str, Any]:
    """Arrays by type, operator, role and slot."""
    found: dict[str, Any] = {}
    for file in (directory / f"rank_{rank}" / "net" / "0" / str(iteration)).glob("*.npy"):
        kind, operator, task, stream, _, role, slot, layout, dtype, _ = file.name.split(".")
        assert (task, stream, layout) == ("0", "0", "DefaultFormat")
        assert file.stat().st_mode & 0o777 == 0o400
        key = f"{operator}.{role}.{slot}" if kind != "Parameter" else f"Parameter.{operator}"
        assert key not in found
        found[key] = np.load(file)
        found[f"{key}.dtype"] = dtype
    return found


def rows(directory: Path, iteration: int = 0) -> list[dict[str, str]]:
    file = directory / "rank_0" / "net" / "0" / str(iteration) / "statistic.csv"
    return list(csv.DictReader(file.read_text("utf-8").splitlines()))


def order(directory: Path) -> list[str]:
    file = directory / "rank_0" / "execution_order" / "ms_execution_order_graph_0.csv"
    header, *names = file.read_text("utf-8").splitlines()
    assert header == "NodeExecutionOrder-FullNameWithScope"
    return names
