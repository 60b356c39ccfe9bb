# SPDX-License-Identifier: Apache-2.0
"""Statistics of tensors on the graph, the chain from the first bad number, and the ways between graph and Debugger."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

import mindscope
from tests.debug.formats.made_dumps import real_dump
from tests.server.live_viewer import LiveViewer, eventually, running_viewer

from .patience import until
from .test_graph_page import choose, in_address, menu, opened

OpenPage = Callable[[LiveViewer, str], Page]
BAD_STEP = 3


@pytest.fixture(scope="module")
def debugged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveViewer]:
    base = tmp_path_factory.mktemp("logs")
    train(base / "net")
    real_dump(base)
    with mindscope.SummaryRecord(base / "plain") as record:
        record.add_value("scalar", "loss", 1.0)
        record.record(1)
    with running_viewer(base, tmp_path_factory.mktemp("viewer")) as live:
        eventually(lambda: live.runs().get("net", {}).get("tags") and live.runs().get("dump_e2e"))
        yield live


def train(run: Path) -> None:
    """Graph and statistics of a network of two layers; in the third step the second one overflows."""
    torch = pytest.importorskip("torch")
    from mindscope.torch import Debugger, SummaryCollector

    torch.manual_seed(3)
    net: Any = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2), torch.nn.Tanh())
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    with SummaryCollector(run, collect_freq=1) as collector, Debugger(run, net) as debugger:
        for step in range(1, BAD_STEP + 1):
            if step == BAD_STEP:
                with torch.no_grad():
                    net[2].weight.fill_(3e38)
                    net[2].bias.fill_(torch.finfo(torch.float32).max)
            inputs = torch.rand(16, 4) + 9
            loss = (net(inputs) * net[2](net[0](inputs).abs())).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            debugger.step(loss)
            collector.step(loss, network=net, optimizer=optimizer, input_data=inputs)


def test_statistics_color_the_graph_and_lead_to_the_debugger(debugged: LiveViewer, open_page: OpenPage) -> None:
    page = open_page(debugged, "/graph?run=net")
    opened(page)
    choose(page, "color", "outputs_max")
    bar = page.get_by_test_id("graph-step-bar")
    expect(bar).to_have_attribute("data-state", "shown")
    expect(page.get_by_test_id("graph-legend")).to_contain_text("Inf")
    page.get_by_test_id("graph-step").press("ArrowLeft")
    expect(page.get_by_test_id("graph-step-text")).to_have_text("Step 2")
    expect(page.get_by_test_id("graph-legend")).not_to_contain_text("Inf")
    page.get_by_test_id("graph-phase").get_by_text("backward").click()
    until(page, lambda: in_address(page, "graph_phase") == "backward")
    search = page.get_by_test_id("graph-search")
    search.fill("0-Linear")
    search.press("Enter")
    tensors = page.get_by_test_id("graph-tensors")
    expect(tensors).to_contain_text("Step 2")
    page.get_by_test_id("graph-search").fill("linear-op0")
    search.press("Enter")
    tensors.get_by_role("link").filter(has_text="output 0").first.click()
    expect(page.get_by_test_id("debugger")).to_be_visible()
    until(page, lambda: in_address(page, "debug_step") == "2" and in_address(page, "debug_row") is not None)


def test_the_chain_of_the_first_bad_number_is_on_the_graph(debugged: LiveViewer, open_page: OpenPage) -> None:
    page = open_page(debugged, "/debugger?run=net&debug_tab=first_bad")
    page.get_by_test_id("first-bad-graph").click()
    opened(page)
    chain = page.get_by_test_id("graph-chain")
    expect(chain).to_have_attribute("data-state", "shown")
    expect(chain).to_contain_text("2/Linear")
    assert (in_address(page, "highlight"), in_address(page, "graph_step")) == ("first_bad", str(BAD_STEP))
    with menu(page, "options"):
        expect(page.get_by_test_id("graph-highlight")).to_have_value("first_bad")
    page.get_by_test_id("graph-chain-first").click()
    expect(page.get_by_test_id("graph-panel")).to_contain_text("Inf")
    page.reload()
    expect(chain).to_have_attribute("data-state", "shown")
    chain.get_by_test_id("graph-chain-open").click()
    expect(page.get_by_test_id("first-bad-head")).to_contain_text("2/Linear")


def test_a_run_with_only_a_dump_is_found_everywhere(debugged: LiveViewer, open_page: OpenPage) -> None:
    page = open_page(debugged, "/debugger?run=plain")
    page.get_by_test_id("show-holders").click()
    expect(page.get_by_test_id("debug-tabs")).to_be_visible()
    page.goto(f"{page.url.partition('/debugger')[0]}/dashboard?run=dump_e2e")
    card = page.get_by_test_id("card-debugger")
    expect(card).to_contain_text("mindspore_dump")
    expect(card).to_contain_text("No NaN and no infinity")
    page.goto(page.url.replace("/dashboard", "/graph") + "&graph_color=outputs_mean")
    opened(page)
    expect(page.get_by_test_id("graph-menu")).to_contain_text("ms_output_trace_code_graph_0.pb")
    expect(page.get_by_test_id("graph-step-bar")).to_have_attribute("data-state", "shown")
    expect(page.get_by_test_id("graph-phase")).to_have_count(0)
