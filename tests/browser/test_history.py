# SPDX-License-Identifier: Apache-2.0
"""Back and forward go through tabs, selected items and links of a page; settings and automatic changes are no steps."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from shutil import copytree
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.server.debug_runs import write_run
from tests.server.live_viewer import DATA, LiveViewer, eventually, running_viewer

from .patience import until
from .profile_tabs import TRACE, at
from .profile_tabs import profiles as profiles
from .scalars_page import card, expect_view, full, open_settings, wait_until_drawn
from .test_landscape_page import landscape, record

OpenPage = Callable[[LiveViewer, str], Page]
LINE = "[INFO] ME(7:8,MainProcess):2026-11-28-12:00:0{number}.000.000 [mindspore/a.py:1] message {number}\n"


def test_back_closes_a_full_chart_and_leaves_settings(context: BrowserContext, viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, "/scalars?run=mindspore%2Fcustom_loop")
    entries = page.evaluate("history.length")
    first = page.get_by_test_id("card").first
    wait_until_drawn(first)
    open_settings(page).get_by_test_id("y-scale").get_by_text("Log").click()
    expect_view(page, "y", "log")
    assert page.evaluate("history.length") == entries
    tag = first.get_attribute("data-tag")
    assert tag is not None
    card(page, tag).hover()
    card(page, tag).get_by_test_id("full").click()
    expect(full(page)).to_be_visible()
    page.go_back()
    expect(full(page)).to_have_count(0)
    expect_view(page, "y", "log")
    page.go_forward()
    expect(full(page)).to_be_visible()


def test_back_goes_through_tabs_and_rows_of_a_profile(
    context: BrowserContext, profiles: LiveViewer, open_page: OpenPage
):
    page = open_page(profiles, at("traces", TRACE, "steps"))
    tabs = page.get_by_test_id("profile-tabs")
    expect(page.get_by_test_id("steps-table")).to_be_visible()
    entries = page.evaluate("history.length")
    page.get_by_test_id("steps-table").get_by_role("button", name="2", exact=True).click()
    expect_view(page, "profile_step", "2")
    tabs.get_by_text("Operators", exact=True).click()
    expect_view(page, "profile_tab", "operators")
    assert page.evaluate("history.length") == entries + 2
    page.go_back()
    expect(tabs.get_by_label("Overview", exact=True)).to_be_checked()
    expect_view(page, "profile_step", "2")
    page.go_back()
    expect_view(page, "profile_step", None)
    expect(page.get_by_test_id("steps-table")).to_be_visible()


def test_a_link_to_another_page_is_one_step(context: BrowserContext, viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, "/scalars?run=mindspore%2Fcustom_loop")
    wait_until_drawn(page.get_by_test_id("card").first)
    entries = page.evaluate("history.length")
    page.get_by_role("link", name="Media").click()
    expect(page).to_have_url(re.compile("/media"))
    assert page.evaluate("history.length") == entries + 1
    page.go_back()
    expect(page.get_by_test_id("scalar-show")).to_be_visible()  # else the first card is one of the images
    wait_until_drawn(page.get_by_test_id("card").first)


@pytest.mark.parametrize(
    ("guessed", "path", "chart"),
    [
        ("/runs", "/", {}),
        ("/lineage", "/", {"lineage_chart": ["coordinates"]}),
        ("/lineage/models", "/", {"lineage_chart": ["coordinates"]}),
        ("/profiling", "/profile", {}),
    ],
)
def test_a_guessed_address_leads_to_its_page(
    viewer: LiveViewer, open_page: OpenPage, guessed: str, path: str, chart: dict[str, list[str]]
):
    page = open_page(viewer, f"{guessed}?find=lineage_sweep")
    page.wait_for_url(lambda address: urlsplit(address).path == path)
    assert parse_qs(urlsplit(page.url).query) == {"find": ["lineage_sweep"], **chart}
    expect(page.locator("nav [aria-current=page]")).to_have_attribute("href", re.compile(f"^{path}([?]|$)"))


@pytest.fixture
def several(tmp_path: Path) -> Iterator[LiveViewer]:
    """Runs with a graph, with tensor statistics, and with a landscape and a log."""
    base = tmp_path / "base"
    copytree(DATA / "mindspore" / "ops", base / "ops")
    write_run(base / "debugged")
    for run in ("first", "second"):
        record(base / run, landscape())
    log = base / "first" / "logs" / "mindspore.log.0"
    log.parent.mkdir()
    log.write_text("".join(LINE.format(number=number) for number in range(4)))
    with running_viewer(base, tmp_path) as live:
        eventually(lambda: len(live.runs()) == 4 and "landscape" in live.runs()["second"]["tags"])
        yield live


def walk_back(page: Page, parameter: str, acts: Sequence[Callable[[], object]]) -> None:
    """Each act changes the parameter by one step of the history; Back and Forward go through what it was."""

    def value() -> str | None:
        return parse_qs(urlsplit(page.url).query).get(parameter, [None])[0]

    entries = page.evaluate("history.length")
    values = [value()]
    for act in acts:
        act()
        until(page, lambda: value() not in values)
        values.append(value())
    assert page.evaluate("history.length") == entries + len(acts)
    for before in reversed(values[:-1]):
        page.go_back()
        until(page, lambda before=before: value() == before)
    for after in values[1:]:
        page.go_forward()
        until(page, lambda after=after: value() == after)


def test_back_goes_through_nodes_lines_tabs_and_landscapes(
    context: BrowserContext, several: LiveViewer, open_page: OpenPage
):
    page = open_page(several, "/graph?run=ops")
    search, path = page.get_by_test_id("graph-search"), page.get_by_test_id("graph-path")
    expect(page.get_by_test_id("graph")).to_have_attribute("data-state", "shown")

    def find(node: str, layer: str) -> None:
        search.fill(node)
        search.press("Enter")
        expect(path).to_contain_text(layer)

    walk_back(page, "node", [lambda: find("conv1-Conv2d/Conv2D-op0", "conv1"), lambda: find("fc3-Dense", "fc3")])
    page.go_back()
    expect(path).to_contain_text("conv1")

    page = open_page(several, "/logs?runs=all")
    lines, details = page.get_by_test_id("log-line"), page.get_by_test_id("log-details")
    walk_back(page, "log_line", [lambda number=number: lines.nth(number).click() for number in (1, 3)])
    expect(details).to_contain_text("message 3")
    page.go_back()
    expect(details).to_contain_text("message 1")
    page.go_back()
    expect(details).to_have_count(0)

    page = open_page(several, "/debugger?run=debugged")
    tabs = page.get_by_test_id("debug-tabs")
    names = ("Statistics", "Compare")
    walk_back(page, "debug_tab", [lambda name=name: tabs.get_by_text(name, exact=True).click() for name in names])
    page.go_back()
    expect(tabs.get_by_label("Statistics", exact=True)).to_be_checked()

    page = open_page(several, "/landscape?run=first&run=second")
    forms = page.get_by_test_id("landscape-form").locator("label")
    walk_back(page, "landscape_form", [forms.nth(1).click])
    walk_back(page, "landscape_full", [lambda: page.get_by_test_id("landscape-full").first.click()])
    expect(page.get_by_test_id("landscape-card")).to_have_count(1)
    page.go_back()
    expect(page.get_by_test_id("landscape-card")).to_have_count(2)
    page.go_back()
    expect(forms.nth(0).locator("input")).to_be_checked()
