# SPDX-License-Identifier: Apache-2.0
"""What is filtered in the list of runs is what is drawn, and the list says how many of how many."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.server.live_viewer import GrowingLog, LiveViewer, eventually, running_viewer

from .barriers import serious
from .scalars_page import card, expect_view, group_by, wait_until_drawn

OpenPage = Callable[[LiveViewer, str], Page]
OLD, NEW = 10, 40
"""Runs of which the first ones are not shown unasked."""


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveViewer]:
    """The newest runs are the last ones by name; one old run has a tag of its own."""
    room = tmp_path_factory.mktemp("many")
    for number in range(OLD + NEW):
        log = GrowingLog(room / "logs" / f"run_{number:02}")
        for step in (1, 2):
            log.scalar(step, step / (number + 1), wall_time=1000.0 + 100 * number + step)
    GrowingLog(room / "logs" / "run_03").scalar(1, 1.0, "early", wall_time=1300.0)
    with running_viewer(room / "logs", room) as live:
        eventually(lambda: len(live.runs()) == OLD + NEW and all(run["tags"] for run in live.runs().values()))
        yield live


def listed(page: Page) -> Locator:
    return page.get_by_test_id("run-list").locator("[data-run]")


def curves(page: Page, tag: str = "loss") -> Locator:
    return card(page, tag).get_by_role("group", name=f"Curves of {tag}")


def test_what_is_filtered_is_what_is_drawn(many: LiveViewer, open_page: OpenPage):
    """In one action, on every page, and in the address; clearing the filter brings the others back."""
    page = open_page(many, "/scalars")
    expect(curves(page)).to_have_attribute("aria-label", re.compile(r"\b40 runs"))
    page.get_by_test_id("run-filter").fill("run_0")
    expect(listed(page)).to_have_count(OLD)
    expect(curves(page)).to_have_attribute("aria-label", re.compile(r"\b10 runs"))
    wait_until_drawn(card(page, "early"))
    expect_view(page, "find", "run_0")
    page.reload()
    expect(listed(page)).to_have_count(OLD)
    page.get_by_role("navigation").get_by_role("link", name="Runs").click()
    expect(page.get_by_test_id("runs-table-rows").locator("[data-run]")).to_have_count(OLD)
    page.get_by_role("navigation").get_by_role("link", name="Scalars").click()
    expect(curves(page)).to_have_attribute("aria-label", re.compile(r"\b10 runs"))
    page.get_by_test_id("run-filter").fill("")
    expect(curves(page)).to_have_attribute("aria-label", re.compile(r"\b40 runs"))


def test_the_drawn_ones_of_many_runs_stand_on_top(many: LiveViewer, open_page: OpenPage):
    page = open_page(many, "/scalars")
    count = page.get_by_test_id("run-count")
    expect(count).to_have_text("40 of 50 shown: newest first")
    expect(listed(page).first).to_have_attribute("data-run", f"run_{OLD}")
    listed(page).first.get_by_role("checkbox").uncheck()
    expect(count).to_have_text("39 of 50 shown")
    expect(listed(page).first).to_have_attribute("data-run", f"run_{OLD}")
    assert serious(page) == []
    page.goto(page.url.split("?")[0])
    page.get_by_test_id("show-all-runs").click()
    expect(count).to_have_text("50 of 50 shown")
    expect(page.get_by_test_id("show-all-runs")).to_have_count(0)
    expect(curves(page)).to_have_attribute("aria-label", re.compile(r"\b50 runs"))


def test_what_is_chosen_is_shown_although_the_filter_hides_it(many: LiveViewer, open_page: OpenPage):
    page = open_page(many, "/scalars?find=run_4&run=run_41&run=run_05")
    expect(curves(page)).to_have_attribute("aria-label", re.compile(r"\b1 run\b"))
    page.get_by_test_id("search").fill("run_05")
    page.keyboard.press("Enter")
    expect(page.get_by_test_id("run-filter")).to_have_value("")
    expect_view(page, "run", "run_05")
    expect(curves(page)).to_have_attribute("aria-label", re.compile(r"\b1 run\b"))


@pytest.mark.parametrize("path", ["scalars", "images", "dashboard"])
def test_a_filter_that_matches_no_run_can_be_cleared(many: LiveViewer, open_page: OpenPage, path: str):
    page = open_page(many, f"/{path}?find=nix")
    empty = page.get_by_test_id("no-match")
    expect(empty).to_contain_text("No runs match the filter")
    expect(page.get_by_role("button", name="Show all runs")).to_have_count(0)
    empty.get_by_role("button", name="Clear filter").click()
    expect(page.get_by_test_id("run-filter")).to_have_value("")
    expect(page.get_by_test_id("run-count")).to_contain_text(f"of {OLD + NEW}")


def test_a_parameter_of_many_numbers_groups_by_ranges(viewer: LiveViewer, open_page: OpenPage):
    """Twelve runs with nine rates were nine groups, most of one run."""
    page = open_page(viewer, "/scalars?find=lineage_sweep&show=table")
    group_by(page, "learning_rate")
    groups = page.get_by_test_id("scalar-table-rows").get_by_role("rowheader")
    expect(groups.first).to_contain_text(re.compile(r"learning_rate = 0\.001 … 0\.00\d"))
    assert groups.count() <= 5
