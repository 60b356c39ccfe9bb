# SPDX-License-Identifier: Apache-2.0
"""Charts that a training laid out with ``add_custom_scalars``, on the page Scalars."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

import mindscope
from mindscope.capture.event_stream import EventStream
from mindscope.formats.kinds.tensorboard_plugins import layout_to_tensorboard
from mindscope.formats.tensorboard import summary_event
from mindscope.formats.tensorboard_values import value_field
from tests.server.live_viewer import LiveViewer, eventually, running_viewer

from .scalars_page import card, show_all_controls, wait_until_drawn

OpenPage = Callable[[LiveViewer, str], Page]
LAYOUT = {
    "losses": {"both": ["Multiline", ["loss/.*"]], "bad": ["Multiline", ["(?=a)b"]], "none": ["Multiline", ["x"]]},
    "margins": {"accuracy": ["Margin", ["acc", "low", "high"]], "half": ["Margin", ["acc", "low", "gone"]]},
}
TAGS = {"loss/train": 1.0, "loss/val": 2.0, "acc": 0.5, "low": 0.2, "high": 0.9, "other": 3.0}

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def laid_out(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveViewer]:
    logs = tmp_path_factory.mktemp("logs")
    for run in ("a", "b", "plain"):
        with mindscope.SummaryWriter(logs / run, system_metrics=False) as writer:
            if run == "a":
                writer.add_custom_scalars(LAYOUT)
            for step in range(20):
                for tag, value in TAGS.items():
                    writer.add_scalar(tag, value + step / 100, step)
    with running_viewer(logs, tmp_path_factory.mktemp("viewer"), "--reload-interval", "0") as live:
        eventually(lambda: len(live.runs()) == 3)
        yield live


def test_the_hint_leads_to_the_charts_of_the_layout(open_page: OpenPage, laid_out: LiveViewer) -> None:
    page = open_page(laid_out, "/scalars?run=a&run=b")
    wait_until_drawn(card(page, "acc"))
    page.get_by_test_id("layout-hint").get_by_role("button").click()
    page.wait_for_url("**layout=custom**")
    expect(page.get_by_test_id("layout-hint")).to_have_count(0)
    groups = page.get_by_test_id("tag-group")
    expect(groups).to_have_count(2)
    for at, name in enumerate(("layout/losses", "layout/margins")):
        expect(groups.nth(at)).to_have_attribute("data-group", name)
    both = card(page, "both")
    wait_until_drawn(both)
    for line in ("a…train", "a…val", "b…train", "b…val"):
        expect(both.get_by_text(line)).to_be_visible()
    page.reload()
    wait_until_drawn(card(page, "both"))
    show_all_controls(page)
    page.get_by_test_id("layout").click()
    wait_until_drawn(card(page, "other"))
    expect(page.get_by_test_id("layout-hint")).to_have_count(0)
    expect(page).not_to_have_url(re.compile("layout="))


def test_a_chart_says_what_it_can_not_show(open_page: OpenPage, laid_out: LiveViewer) -> None:
    page = open_page(laid_out, "/scalars?run=a&run=b&layout=custom")
    expect(card(page, "bad").get_by_test_id("nothing")).to_contain_text("(?=a)b")
    expect(card(page, "none").get_by_test_id("nothing")).to_have_text(
        "No tag of the selected runs belongs to this chart."
    )
    wait_until_drawn(card(page, "half"))
    expect(card(page, "half").get_by_test_id("layout-note")).to_have_text(
        "gone is missing in some runs, which have no band."
    )
    wait_until_drawn(card(page, "accuracy"))
    expect(card(page, "accuracy").get_by_test_id("layout-note")).to_have_count(0)


def test_files_of_a_margin_have_its_bounds(open_page: OpenPage, laid_out: LiveViewer) -> None:
    page = open_page(laid_out, "/scalars?run=a&layout=custom")
    margin = card(page, "accuracy")
    wait_until_drawn(margin)
    margin.hover()
    margin.get_by_test_id("download").click()
    with page.expect_download() as download:
        page.get_by_test_id("download-json").click()
    series = json.loads(Path(download.value.path()).read_text())
    assert {one["tag"]: one["value"][0] for one in series} == {"acc": 0.5, "low": 0.2, "high": 0.9}


def test_a_margin_fills_the_screen_from_its_address(open_page: OpenPage, laid_out: LiveViewer) -> None:
    page = open_page(laid_out, "/scalars?run=a&run=b&layout=custom")
    margin = card(page, "accuracy")
    wait_until_drawn(margin)
    margin.hover()
    margin.get_by_test_id("full").click()
    wait_until_drawn(page.get_by_test_id("full-screen"))
    page.reload()
    wait_until_drawn(page.get_by_test_id("full-screen"))


def test_runs_without_a_layout_have_no_switch(open_page: OpenPage, tmp_path: Path) -> None:
    with mindscope.SummaryWriter(tmp_path / "logs/a", system_metrics=False) as writer:
        writer.add_scalar("loss", 1.0, 1)
    with running_viewer(tmp_path / "logs", tmp_path / "viewer", "--reload-interval", "0") as live:
        eventually(lambda: len(live.runs()) == 1)
        page = open_page(live, "/scalars?run=a&layout=custom")
        wait_until_drawn(card(page, "loss"))
        show_all_controls(page)
        expect(page.get_by_test_id("layout")).to_have_count(0)
        expect(page.get_by_test_id("layout-hint")).to_have_count(0)


def test_closed_categories_are_folded_and_an_unreadable_layout_is_named(open_page: OpenPage, tmp_path: Path) -> None:
    chart = {"title": "both", "multiline": {"tag": ["loss"]}}
    layout = {"category": [{"title": "open", "chart": [chart]}, {"title": "shut", "chart": [chart], "closed": True}]}
    value = layout_to_tensorboard(layout)
    torn = {**value, "tensor": {**value["tensor"], "string_val": [b"\xff\xff\xff"]}}
    for run, message in (("good", value), ("torn", torn)):
        stream = EventStream(tmp_path / "logs" / run)
        stream.add_event(summary_event(1.0, 0, value_field(message)), 0)
        stream.close()
        with mindscope.SummaryWriter(tmp_path / "logs" / run, system_metrics=False) as writer:
            writer.add_scalar("loss", 1.0, 0)
    with running_viewer(tmp_path / "logs", tmp_path) as live:
        eventually(lambda: len(live.runs()) == 2 and all(run["tags"] for run in live.runs().values()))
        page = open_page(live, "/scalars?run=good&run=torn&layout=custom")
        groups = page.get_by_test_id("tag-group")
        expect(groups).to_have_count(2)
        for at, is_open in enumerate(("true", "false")):
            expect(groups.nth(at).locator("[aria-expanded]").first).to_have_attribute("aria-expanded", is_open)
        expect(card(page, "both")).to_have_count(1)
        unread = page.get_by_test_id("layout-unread")
        expect(unread).to_have_count(1)
        expect(unread).to_contain_text("Layout of torn")
