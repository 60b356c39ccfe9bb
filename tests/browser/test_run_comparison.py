# SPDX-License-Identifier: Apache-2.0
"""Two runs beside each other: how the comparison opens, and what it holds of real logs."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

import mindscope
from tests.server.live_viewer import LiveViewer, eventually, running_viewer

from .lineage_page import SWEEP, TABLE, OpenPage, whole_table
from .page_watch import expect_no_shift, loading
from .scalars_page import expect_view

ONE, OTHER = f"{SWEEP}/run_01", f"{SWEEP}/run_02"
PAIR = f"run={ONE}&run={OTHER}"
SUBJECTS = ("results", "settings", "code", "environment", "run")


def panel(page: Page) -> Locator:
    return page.get_by_test_id("pair")


def expect_pair(page: Page, one: str, other: str) -> None:
    expect(page.get_by_test_id("pair-run-0")).to_have_attribute("title", one)
    expect(page.get_by_test_id("pair-run-1")).to_have_attribute("title", other)


def close(page: Page) -> None:
    page.keyboard.press("Escape")
    expect(panel(page)).to_have_count(0)


def test_every_field_is_compared_and_those_that_differ_come_first(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, f"{TABLE}&{PAIR}")
    page.get_by_test_id("selected-actions").click()
    page.get_by_test_id("selected-actions-pair").click()
    want = [field for field in whole_table().diff(ONE, OTHER) if field.one is not None or field.other is not None]
    differing = {field.key.id for field in want if field.differs and field.key.id != "run"}
    fields = ":is({}) tr[data-field]".format(", ".join(f"[data-testid=pair-{subject}]" for subject in SUBJECTS))
    different = panel(page).locator(f"{fields}.differs:not([data-field^='scalar/'])")
    expect(different).to_have_count(len(differing))
    assert set(different.evaluate_all("rows => rows.map(row => row.dataset.field)")) == differing
    assert page.evaluate(
        """() => [...document.querySelectorAll("[data-testid=pair] section")].every((section) => {
          const rows = [...section.querySelectorAll("tr[data-field]")].map((row) => row.classList.contains("differs"));
          return rows.indexOf(false) < 0 || !rows.slice(rows.indexOf(false)).includes(true);
        })"""
    )
    accuracy = {row["run"]: row["metric/Accuracy"] for row in whole_table() if row["run"] in (ONE, OTHER)}
    cells = panel(page).locator("[data-testid=pair-results] tr[data-field='metric/Accuracy'] td")
    better = int(accuracy[OTHER] > accuracy[ONE])
    expect(cells.nth(better)).to_contain_text("better")
    expect(cells.nth(1 - better)).not_to_contain_text("better")


@pytest.mark.parametrize("width", [390, 1440])
def test_nothing_moves_while_the_comparison_loads(
    viewer: LiveViewer, open_page: OpenPage, context: BrowserContext, width: int
):
    page = loading(context, open_page, viewer, width, f"/scalars?{PAIR}&pair={ONE}&pair={OTHER}")
    expect(panel(page).get_by_test_id("pair-run")).to_be_visible()
    expect(panel(page).get_by_test_id("pair-curves").locator("canvas, svg").first).to_be_visible()
    expect_no_shift(page)


def test_the_comparison_opens_from_lists_menus_and_keys_on_any_page(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, f"/scalars?{PAIR}")
    page.get_by_test_id("compare-shown").click()
    expect_pair(page, ONE, OTHER)
    close(page)
    page.keyboard.press("c")
    expect_pair(page, ONE, OTHER)
    expect_view(page, "pair", ONE.replace("/", "%2F"))
    page.get_by_test_id("pair-swap").click()
    expect_pair(page, OTHER, ONE)
    close(page)
    row = page.get_by_test_id("run-list").locator(f'[data-run="{OTHER}"]')
    row.hover()
    row.get_by_test_id("run-actions").click()
    page.get_by_test_id("run-actions-compare").click()
    expect_pair(page, OTHER, ONE)
    close(page)
    page.get_by_label("Filter runs").first.press("c")  # a letter of a text is no command
    expect(panel(page)).to_have_count(0)


def test_another_run_is_chosen_and_curves_open_for_both(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, f"/dashboard?{PAIR}&pair={ONE}&pair={OTHER}")
    curves = page.get_by_test_id("pair-curves")
    expect(curves.locator("figure").first.locator("path").first).to_be_visible()
    page.get_by_test_id("pair-run-1").click()
    page.get_by_test_id("pair-run-1-filter").fill("run_03")
    page.get_by_test_id("pair-run-1-filter").press("Enter")
    expect_pair(page, ONE, f"{SWEEP}/run_03")
    page.get_by_test_id("pair-all-curves").click()
    expect(page.get_by_test_id("scalars")).to_be_visible()
    expect(panel(page)).to_have_count(0)
    expect_view(page, "run", f"{SWEEP}/run_03".replace("/", "%2F"))


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveViewer]:
    """Two runs of scalars; one of them has a commit, and a scalar of its own."""
    base = tmp_path_factory.mktemp("bare")
    for name, scale in (("one", 1.0), ("other", 2.0)):
        with mindscope.SummaryRecord(base / "logs" / name) as record:
            if name == "one":
                record.add_value("custom_lineage_data", "facts", {"env/git_commit": "a" * 40})
                record.add_value("scalar", "extra", 1.0)
            for step in range(1, 4):
                record.add_value("scalar", "loss", scale / step)
                record.add_value("scalar", "same", 1.0)
                record.record(step)
    with running_viewer(base / "logs", base) as live:
        eventually(lambda: all(live.runs().get(run, {}).get("tags") for run in ("one", "other")))
        yield live


def test_what_was_not_recorded_is_a_line_that_says_how_to_record_it(bare: LiveViewer, open_page: OpenPage):
    page = open_page(bare, "/?pair=one&pair=other")
    for subject, hint in {
        "pipeline": "collect_dataset_graph",
        "graph": "collect_graph",
        "environment": "SummaryCollector",
    }.items():
        expect(page.get_by_test_id(f"pair-{subject}-missing")).to_contain_text("Both runs")
        expect(page.get_by_test_id(f"pair-{subject}-missing")).to_contain_text(hint)
    expect(page.get_by_test_id("pair-code-missing")).to_contain_text("No git commit recorded: other.")
    expect(page.get_by_test_id("pair-curves-missing")).to_contain_text("1 scalar in one run only: extra.")
    expect(page.get_by_test_id("pair-curves")).to_have_attribute("data-differing", "1")
    expect(page.get_by_test_id("pair-curves").locator("figure")).to_have_count(2)
    page.get_by_test_id("pair-run-1").click()
    page.get_by_test_id("pair-run-1-rows").get_by_text("one", exact=True).click()
    expect(panel(page)).to_contain_text("This is one run")


def test_a_link_to_a_run_that_is_gone_says_so(bare: LiveViewer, open_page: OpenPage):
    page = open_page(bare, "/?pair=one&pair=nowhere")
    expect(panel(page)).to_contain_text("Not in this directory: nowhere")
