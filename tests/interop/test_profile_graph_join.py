# SPDX-License-Identifier: Apache-2.0
"""Scopes of the graph that a run of PyTorch records, with the modules of its profile."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

import mindscope
from mindscope.profile.compare.graph_join import align_scopes
from mindscope.torch import Profiler, SummaryCollector

pytestmark = [pytest.mark.framework, pytest.mark.timeout(300)]


class Block(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.inner = nn.Sequential(nn.Linear(8, width), nn.ReLU(), nn.Linear(width, 8))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.inner(x)


class Network(nn.Module):
    """Nested containers, modules of one class with different widths, and one that is called twice."""

    def __init__(self) -> None:
        super().__init__()
        self.first = Block(16)
        self.shared = nn.Linear(8, 8)
        self.blocks = nn.ModuleList([Block(512)])
        self.unused = nn.Linear(8, 8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.shared(self.blocks[0](self.shared(self.first(x))))


def test_scopes_have_their_modules(tmp_path: Path) -> None:
    torch.manual_seed(0)
    network = Network()
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1)
    inputs = torch.randn(512, 8)
    with (
        SummaryCollector(str(tmp_path), collect_freq=1) as collector,
        Profiler(output_path=tmp_path, schedule={"wait": 2, "active": 2}, is_show_op_path=True) as profiler,
    ):
        for step in range(1, 6):
            optimizer.zero_grad()
            loss = network(inputs).square().mean()
            loss.backward()
            optimizer.step()
            collector.step(loss, network=network, optimizer=optimizer, input_data=inputs)
            collector.record.record(step)
            profiler.step()
    run = mindscope.open_run(tmp_path)
    (graph,) = run.graphs().values()
    (profile,) = run.profiles()
    scopes = graph.scope_columns
    paths = [graph.texts[int(each)] for each in scopes.path]
    rows = align_scopes([path.rpartition("/")[2] for path in paths], scopes.parent.astype(np.int64), profile.modules)
    found = {path: profile.modules.path[row] for path, row in zip(paths, rows.tolist(), strict=True) if row >= 0}
    first, second = "Network_0/Block_0/Sequential_0", "Network_0/Block_1/Sequential_1"
    assert found == {
        "Default": "Network_0",
        "Default/first-Block": "Network_0/Block_0",
        "Default/first-Block/inner-Sequential": first,
        "Default/first-Block/inner-Sequential/0-Linear": f"{first}/Linear_0",
        "Default/first-Block/inner-Sequential/1-ReLU": f"{first}/ReLU_0",
        "Default/first-Block/inner-Sequential/2-Linear": f"{first}/Linear_1",
        "Default/shared-Linear": "Network_0/Linear_2",
        "Default/blocks-ModuleList/0-Block": "Network_0/Block_1",
        "Default/blocks-ModuleList/0-Block/inner-Sequential": second,
        "Default/blocks-ModuleList/0-Block/inner-Sequential/0-Linear": f"{second}/Linear_3",
        "Default/blocks-ModuleList/0-Block/inner-Sequential/1-ReLU": f"{second}/ReLU_1",
        "Default/blocks-ModuleList/0-Block/inner-Sequential/2-Linear": f"{second}/Linear_4",
    }
    calls = dict(zip(profile.modules.path, profile.modules.count.tolist(), strict=True))
    assert calls["Network_0/Linear_2"] == 2 * calls["Network_0"]
