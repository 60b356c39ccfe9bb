# SPDX-License-Identifier: Apache-2.0
"""What a training recorded of its weights, on its graph."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.server.live_viewer import LiveViewer, eventually, running_viewer

from .patience import until
from .test_graph_page import choose, in_address, menu, opened

OpenPage = Callable[[LiveViewer, str], Page]
STEPS = (1, 2, 3, 4)
OVERLAID = "/graph?run=net&graph_color=gradient_largest"


@pytest.fixture(scope="module")
def gradients() -> dict[tuple[str, int], float]:
    """The largest gradient by weight and step; some of the last one of a bias is recorded as NaN."""
    return {}


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory, gradients: dict[tuple[str, int], float]) -> Iterator[LiveViewer]:
    base = tmp_path_factory.mktemp("logs")
    train(base / "net", gradients)
    with running_viewer(base, tmp_path_factory.mktemp("viewer")) as live:
        eventually(lambda: live.runs().get("net", {}).get("tags"))
        yield live


def train(run: Path, gradients: dict[tuple[str, int], float]) -> None:
    """Histograms of parameters by the collector, and of the gradients of all but the first layer's bias."""
    torch = pytest.importorskip("torch")
    from mindscope.torch import SummaryCollector

    torch.manual_seed(3)
    net: Any = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    with SummaryCollector(run, collect_freq=1, collect_specified_data={"histogram_regular": ".*"}) as collector:
        for step in STEPS:
            inputs = torch.randn(16, 4)
            loss = torch.nn.functional.cross_entropy(net(inputs), (inputs.sum(1) > 0).long())
            optimizer.zero_grad()
            loss.backward()
            for name, parameter in net.named_parameters():
                gradient = parameter.grad.clone()
                gradients[name, step] = float(gradient.abs().max())
                if (name, step) == ("2.bias", STEPS[-1]):
                    gradient[0] = torch.nan
                if name != "0.bias":
                    collector.record.add_value("histogram", f"gradient/{name}", gradient)
            optimizer.step()
            collector.step(loss, network=net, optimizer=optimizer, input_data=inputs)


def test_recorded_gradients_color_the_graph_by_step(
    trained: LiveViewer, open_page: OpenPage, gradients: dict[tuple[str, int], float]
):
    page = open_page(trained, "/graph?run=net")
    opened(page)
    color = page.get_by_test_id("graph-color")
    with menu(page, "options"):
        expect(color.locator("option[value=gradient_norm]")).to_be_attached()
    choose(page, "color", "gradient_largest")
    bar = page.get_by_test_id("graph-step-bar")
    expect(bar).to_have_attribute("data-state", "shown")
    expect(page.get_by_test_id("graph-step-text")).to_have_text("Step 4")
    legend = page.get_by_test_id("graph-legend")
    expect(legend).to_contain_text("NaN")
    expect(legend).to_contain_text("no value")
    page.get_by_test_id("graph-step").press("ArrowLeft")
    expect(page.get_by_test_id("graph-step-text")).to_have_text("Step 3")
    expect(legend).not_to_contain_text("NaN")
    until(page, lambda: in_address(page, "graph_step") == "3")
    page.get_by_test_id("graph-search").fill("linear")
    page.get_by_test_id("graph-search").press("Enter")
    page.get_by_test_id("graph-search").press("Enter")
    recorded = page.get_by_test_id("graph-recorded")
    expect(recorded).to_contain_text("gradient/")
    expect(recorded.get_by_test_id("bucket-chart").first).to_be_visible()
    want = f"{max(gradients[name, 3] for name in ('0.weight', '2.weight', '2.bias')):.3g}"
    ends = legend.locator(".ends").inner_text()
    assert float(re.split(r"\s+", ends)[-1]) >= float(want) * 0.99
    choose(page, "color", "gradient_norm")
    expect(page.get_by_test_id("graph-estimated")).to_be_visible()
    choose(page, "color", "type")
    expect(bar).to_have_count(0)


def test_the_address_has_the_overlay_and_its_step(trained: LiveViewer, open_page: OpenPage):
    page = open_page(trained, f"{OVERLAID}&graph_step=2")
    opened(page)
    expect(page.get_by_test_id("graph-step-text")).to_have_text("Step 2")
    with menu(page, "options"):
        expect(page.get_by_test_id("graph-color")).to_have_value("gradient_largest")
    picture = page.get_by_test_id("graph")
    picture.focus()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_test_id("graph-panel")).to_be_visible()


def test_a_run_without_gradients_offers_none(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, "/graph?run=mindspore%2Fcollector_specified")
    opened(page)
    color = page.get_by_test_id("graph-color")
    with menu(page, "options"):
        expect(color.locator("option[value=parameter_norm]")).to_be_attached()
        expect(color.locator("option[value=gradient_norm]")).to_have_count(0)
    page.goto(page.url + "&graph_color=gradient_norm")
    expect(page.get_by_test_id("graph-step-bar")).to_contain_text("No histograms")


def test_a_histogram_leads_to_its_weight_in_the_graph(trained: LiveViewer, open_page: OpenPage):
    page = open_page(trained, "/histograms?run=net&tag=gradient%2F2.weight")
    card = page.get_by_role("article").filter(has_text="gradient/2.weight")
    card.hover()
    card.get_by_test_id("show-in-graph").click()
    opened(page)
    expect(page.get_by_test_id("graph-panel").get_by_role("heading", level=2)).to_have_text("2.weight")
    until(page, lambda: in_address(page, "weight") is None and in_address(page, "node") is not None)
    page.get_by_test_id("graph-recorded").get_by_role("link").filter(has_text="gradient/2.weight").click()
    expect(page.get_by_role("article")).to_have_count(1)


def test_a_weight_that_the_graph_does_not_have_is_named(trained: LiveViewer, open_page: OpenPage):
    page = open_page(trained, "/graph?run=net&weight=7.weight%2Fauto")
    opened(page)
    expect(page.get_by_test_id("graph-no-weight")).to_contain_text("7.weight/auto")
