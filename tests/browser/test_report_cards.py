# SPDX-License-Identifier: Apache-2.0
"""Cards of every page in a report: what they show, that they fit the screen, and what pins them."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit

import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, expect

from tests.server.debug_runs import write_run
from tests.server.live_viewer import DATA, LiveViewer, eventually, running_viewer

from .patience import until
from .pictures.cases import TOOL_PAGES
from .test_profile_page import NAME, write_trace
from .test_reports_page import block, put, reports, saved, whole
from .tool_logs import tools as tools

OpenPage = Callable[[LiveViewer, str], Page]
SWEEP = "mindspore/lineage_sweep"
PAIR = f"{SWEEP}/run_01", f"{SWEEP}/run_02"
TOO_WIDE = "() => document.querySelector('[data-testid=report]').scrollWidth > innerWidth"


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveViewer]:
    with running_viewer(DATA, tmp_path_factory.mktemp("cards")) as live:
        eventually(lambda: len(live.runs()) > 20 and all(run["tags"] for run in live.runs().values()))
        yield live


@pytest.fixture(scope="module")
def profiled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveViewer]:
    base = tmp_path_factory.mktemp("profiled")
    write_trace(base / "run" / NAME)
    with running_viewer(base, tmp_path_factory.mktemp("viewer")) as live:
        eventually(lambda: "run" in live.runs())
        yield live


def cards(live: LiveViewer, open_page: OpenPage, *addresses: str) -> Locator:
    page = open_page(live, put(live, "cards", *[block(address=address) for address in addresses]))
    return whole(page)


def pin(live: LiveViewer, of: Locator, block_index: int = 0) -> dict[str, list[str]]:
    """Pins a block; returns the parameters of its address."""
    of.hover()
    of.get_by_test_id("pin-block").click()
    expect(of.get_by_test_id("pinned")).to_be_visible()

    def kept() -> Any:
        return reports(live)["cards"]["blocks"][block_index]["pinned"]

    return parse_qs(urlsplit(str(eventually(kept))).query)


def fits(page: Page) -> bool:
    """Whether a report is no wider than a phone."""
    page.set_viewport_size({"width": 390, "height": 800})
    return not page.evaluate(TOO_WIDE)


@pytest.mark.parametrize("tab", ["operators", "timeline", "compare"])
def test_tabs_of_a_profile_are_added_by_their_button(profiled: LiveViewer, open_page: OpenPage, tab: str):
    page = open_page(profiled, f"/profile?profile_tab={tab}")
    page.get_by_test_id("profile-toolbar").get_by_test_id("add-to-report").click()
    page.locator(":popover-open [data-testid^='add-to-report-']").last.click()
    page.get_by_test_id("report-open").click()
    added = whole(page).first
    expect(added).to_contain_text(f"Profiling · {tab.capitalize()}")
    counts_of_filters = re.compile(r"^\s*[\d\s]+(of \d+)?\s*$")
    expect(added.locator("p").filter(has_text=counts_of_filters)).to_have_count(0)
    expect(added).to_contain_text({"operators": "addmm", "timeline": "run", "compare": "Compare"}[tab])
    expect(added.locator("svg.drawing image")).to_have_count(1 if tab == "timeline" else 0)
    if tab == "timeline":
        names = added.locator("svg.drawing text")
        expect(names.filter(has_text=re.compile("^python$|thread|^[0-9]+$")).first).to_be_visible()
    assert fits(page)


def test_only_the_newest_addition_is_announced(room: LiveViewer, open_page: OpenPage):
    page = open_page(room, "/scalars?run=mindspore%2Fops")
    for card in page.get_by_test_id("card").all()[:2]:
        card.hover()
        card.get_by_test_id("add-to-report").click()
        page.locator(":popover-open [data-testid^='add-to-report-']").first.click()
        expect(page.get_by_test_id("report-added")).to_have_count(1)


def test_messages_do_not_cover_each_other(room: LiveViewer, open_page: OpenPage):
    page = open_page(room, "/scalars?run=mindspore%2Fops")
    page.get_by_test_id("save-view").click()
    expect(page.get_by_test_id("save-state")).to_have_attribute("data-state", "saved")
    page.get_by_test_id("card").first.hover()
    page.get_by_test_id("card").first.get_by_test_id("add-to-report").click()
    page.locator(":popover-open [data-testid^='add-to-report-']").first.click()
    added = page.get_by_test_id("report-added")
    expect(added).to_be_visible()

    def is_apart() -> bool:
        saved, other = (page.get_by_test_id(name).bounding_box() for name in ("save-state", "report-added"))
        return saved is not None and other is not None and other["y"] + other["height"] <= saved["y"]

    until(page, is_apart)


def test_a_heat_map_has_its_scale_of_colors(tools: LiveViewer, open_page: OpenPage):
    (found,) = cards(tools, open_page, TOOL_PAGES["debugger"] + "&debug_show=heat").all()
    colors = found.locator("svg.map rect").evaluate_all("pieces => pieces.map(piece => piece.getAttribute('fill'))")
    assert len(set(colors)) > 20


def test_markdown_has_the_tables_of_a_page(tools: LiveViewer, open_page: OpenPage, tmp_path: Path):
    (found,) = cards(tools, open_page, TOOL_PAGES["profiling"] + "&profile_tab=operators").all()
    with zipfile.ZipFile(saved(found.page, "markdown", tmp_path)) as archive:
        text = archive.read("report.md").decode()
    head = next(line for line in text.splitlines() if line.startswith("| Type | Share | Count |"))
    rows = [line for line in text.splitlines() if line.startswith("| ") and "addmm" in line]
    assert rows
    assert rows[0].count("|") == head.count("|")


def test_cells_of_a_heat_map_are_seen_in_markdown(room: LiveViewer, open_page: OpenPage, tmp_path: Path):
    """``logits`` has 32 rows and 10 columns."""
    (found,) = cards(room, open_page, "/tensors?run=mindspore%2Fops&full=logits&as=heat").all()
    with zipfile.ZipFile(saved(found.page, "markdown", tmp_path)) as archive:
        assert "Colors from −20.44 to 9.863" in archive.read("report.md").decode()
        picture = Image.open(io.BytesIO(archive.read("files/001.png")))
    assert picture.size == (200, 640)


def test_a_dashboard_has_the_debugging_data_and_the_profile(tools: LiveViewer, open_page: OpenPage):
    debugged, profiled = cards(tools, open_page, "/dashboard?run=debugged", "/dashboard?run=rank_0").all()
    expect(debugged.locator("figure.card").filter(has_text="Debugger")).to_contain_text("No NaN and no infinity")
    expect(profiled.locator("figure.card").filter(has_text="Profiling").locator("tbody tr").first).to_contain_text("%")


def test_a_profile_is_pinned_to_its_file(profiled: LiveViewer, open_page: OpenPage):
    found = cards(profiled, open_page, "/profile?run=run&profile_tab=operators", "/profile?run=run")
    for index in (0, 1):
        pinned = pin(profiled, found.nth(index), index)
        assert (pinned["run"], pinned["profile"]) == (["run"], [f'["run","{NAME}"]'])
    expect(whole(found.page).first).to_contain_text("addmm")


def test_the_table_of_runs_has_its_chart_and_low_rows(room: LiveViewer, open_page: OpenPage):
    found = cards(room, open_page, "/?lineage_chart=coordinates&find=sweep", "/?find=sweep")
    expect(found.nth(0).locator("figure.card")).to_have_count(2)
    chart, table = found.nth(0).locator("figure.card").all()
    expect(chart).to_contain_text("Parallel coordinates")
    assert chart.locator("svg.drawing path").count() > 5
    expect(table.locator("tbody tr")).to_have_count(12)
    heights = [row.bounding_box() for row in table.locator("tbody tr").all()]
    assert all(box is not None and box["height"] < 30 for box in heights)
    expect(found.nth(1).locator("figure.card")).to_have_count(1)
    expect(found.nth(1).get_by_test_id("pin-block")).to_be_disabled()
    assert fits(found.page)


def test_print_cuts_off_no_column(room: LiveViewer, open_page: OpenPage):
    found = cards(room, open_page, "/lineage/data?find=sweep", "/?find=sweep")
    expect(found.nth(1).locator("tbody tr")).to_have_count(12)
    found.page.emulate_media(media="print")
    found.page.set_viewport_size({"width": 700, "height": 1000})  # of A4 within its margins
    for table in found.page.locator("figure.card .table").all():
        assert table.evaluate("table => table.scrollWidth <= table.clientWidth + 1")
    found.page.emulate_media(media="screen")


def test_two_compared_runs_are_a_card(room: LiveViewer, open_page: OpenPage):
    one, other = (quote(run, safe="") for run in PAIR)
    (found,) = cards(room, open_page, f"/scalars?run={one}&run={other}&pair={one}&pair={other}").all()
    expect(found).to_contain_text("Compare two runs")
    names = found.locator("p").filter(has=found.page.locator("svg.swatch")).first
    expect(names).to_contain_text(PAIR[0])
    expect(names).to_contain_text(PAIR[1])
    marks = [one.evaluate("mark => mark.getAttribute('fill') ?? mark.getAttribute('stroke')")
             for one in names.locator("svg.swatch :is(rect, path)").all()]  # fmt: skip
    curves = found.locator("svg.drawing").first.inner_html()
    assert len(marks) == 2
    assert all(color in curves for color in marks), "a curve has another color"
    expect(found.get_by_role("heading", name="loss/auto", exact=True).first).to_be_visible()
    expect(found.get_by_role("row").filter(has_text="Accuracy").first).to_contain_text("0.7305 better")
    assert found.locator("svg.drawing").count() >= 1
    assert fits(found.page)


def test_the_dataset_graph_is_drawn_whole(room: LiveViewer, open_page: OpenPage):
    (found,) = cards(room, open_page, f"/graph/dataset?run={quote(PAIR[0], safe='')}").all()
    drawing = found.locator("svg.drawing").first
    expect(drawing).to_contain_text("Batch")
    assert fits(found.page)


def test_a_landscape_is_pinned_to_its_tag_and_step(room: LiveViewer, open_page: OpenPage):
    run = "mindspore/landscape/unit_step"
    (found,) = cards(room, open_page, f"/landscape?run={quote(run, safe='')}&landscape_form=map").all()
    drawing = found.locator("svg.drawing").first
    before = drawing.evaluate("drawing => drawing.outerHTML")
    pinned = pin(room, found)
    assert pinned["run"] == [run]
    assert pinned["landscape"] == ['["mindspore/landscape/unit_step","landscape_[6, 12]"]']
    assert pinned["landscape_step"] == ["12"]
    found.page.reload()
    assert whole(found.page).first.locator("svg.drawing").first.evaluate("drawing => drawing.outerHTML") == before


def test_a_graph_is_pinned_unless_its_address_is_too_long(room: LiveViewer, open_page: OpenPage):
    run = "mindspore/ops"
    address = f"/graph?run={quote(run, safe='')}"
    long = f"{address}&scopes="
    found = cards(room, open_page, address, long + "a" * (19_990 - len(long)))
    assert pin(room, found.nth(0))["graph_run"] == [run]
    button = found.nth(1).get_by_test_id("pin-block")
    expect(button).to_be_disabled()
    assert "20,000 letters" in (button.get_attribute("aria-label") or "")


def test_statistics_of_tensors_are_a_card_of_their_step(tmp_path: Path, open_page: OpenPage):
    write_run(tmp_path / "logs" / "run")
    with running_viewer(tmp_path / "logs", tmp_path) as live:
        eventually(lambda: live.runs().get("run", {}).get("tags"))
        found = cards(live, open_page, "/debugger?run=run&debug_tab=statistics")
        expect(found.first).to_contain_text("Debugger · Statistics")
        assert found.first.get_by_role("row").count() > 5
        assert pin(live, found.first)["debug_step"]
        assert fits(found.page)
