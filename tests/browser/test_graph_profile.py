# SPDX-License-Identifier: Apache-2.0
"""From the graph of a training of PyTorch to its profile."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.server.live_viewer import LiveViewer, eventually, running_viewer

from .test_graph_page import opened

OpenPage = Callable[[LiveViewer, str], Page]


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveViewer]:
    base = tmp_path_factory.mktemp("logs")
    train(base / "net")
    with running_viewer(base, tmp_path_factory.mktemp("viewer")) as live:
        eventually(lambda: live.runs().get("net", {}).get("contents"))
        yield live


def train(run: Path) -> None:
    """Records graph and profile of a network with two layers."""
    torch = pytest.importorskip("torch")
    from mindscope.torch import Profiler, SummaryCollector

    net: Any = torch.nn.Sequential(torch.nn.Linear(64, 512), torch.nn.ReLU(), torch.nn.Linear(512, 2))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    inputs = torch.randn(256, 64)
    with (
        SummaryCollector(run, collect_freq=1) as collector,
        Profiler(
            output_path=run, schedule={"wait": 1, "active": 2}, is_show_op_path=True, profile_memory=True
        ) as profiler,
    ):
        for _ in range(4):
            optimizer.zero_grad()
            loss = net(inputs).square().mean()
            loss.backward()
            optimizer.step()
            collector.step(loss, network=net, optimizer=optimizer, input_data=inputs)
            profiler.step()


def test_a_node_shows_its_time_and_opens_its_operators(trained: LiveViewer, open_page: OpenPage) -> None:
    page = open_page(trained, "/graph?run=net")
    opened(page)
    search = page.get_by_test_id("graph-search")
    search.fill("0-Linear")
    search.press("Enter")
    times = page.get_by_test_id("graph-profiled")
    expect(times).to_contain_text("Linear_0")
    expect(times).to_contain_text("addmm")
    times.get_by_test_id("graph-open-profile").click()
    expect(page.get_by_test_id("profile-path")).to_have_text("All operators in module 0")
    names = page.get_by_test_id("profile-table").get_by_role("rowheader")
    expect(names.filter(has_text="aten::addmm")).to_have_count(1)
    expect(names.filter(has_text="aten::relu")).to_have_count(0)


def test_blocks_of_memory_name_their_modules_as_in_the_network(trained: LiveViewer, open_page: OpenPage) -> None:
    page = open_page(trained, "/profile?run=net&profile_tab=memory")
    blocks = page.get_by_test_id("memory-blocks")
    expect(blocks.get_by_role("cell", name="2", exact=True).first).to_be_visible()
    expect(blocks).not_to_contain_text("Linear_0")
