# SPDX-License-Identifier: Apache-2.0
"""The address of each tab of a profile shows somebody else what its user chose; a wrong one breaks nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.server.live_viewer import LiveViewer

from .patience import until
from .profile_tabs import ASCEND, BLOCKS, OLD, SNAPSHOT, TRACE, at
from .profile_tabs import profiles as profiles

OpenPage = Callable[[LiveViewer, str], Page]


def texts(found: Locator) -> list[str]:
    return [text.strip() for text in found.all_inner_texts()]


def rows(page: Page, testid: str) -> list[str]:
    return texts(page.get_by_test_id(testid).get_by_role("rowheader"))


def choose_further_table(page: Page) -> None:
    page.get_by_test_id("further-table-choice").select_option("l2_cache")
    page.get_by_test_id("further-table").get_by_role("button", name="Hit Rate").click()


def choose_rows(page: Page) -> None:
    page.get_by_test_id("profile-group").select_option("name")
    page.get_by_test_id("profile-table").get_by_role("button", name="Name", exact=True).click()
    page.get_by_test_id("profile-filter").fill("a")
    page.get_by_test_id("profile-columns").click()
    page.get_by_role("checkbox", name="Share", exact=True).uncheck()


def choose_kernel(page: Page) -> None:
    page.get_by_test_id("profile-group").select_option("name")
    page.get_by_test_id("profile-table").get_by_test_id("profile-row-details").last.click()
    expect(page.get_by_test_id("profile-row")).to_contain_text("gemm")


def choose_modules(page: Page) -> None:
    page.get_by_role("button", name="Net_0", exact=True).first.click()


def choose_flame(page: Page) -> None:
    flame = page.get_by_test_id("flame")
    flame.press("ArrowRight")
    flame.press("ArrowDown")
    flame.press("Enter")


def choose_step(page: Page) -> None:
    page.get_by_test_id("steps-table").get_by_role("button", name="2", exact=True).click()
    page.get_by_test_id("step-lines-legend").get_by_role("button", name="Compute").click()


def choose_operation(page: Page) -> None:
    page.get_by_test_id("pipeline-operations").get_by_role("button", name="MapOp_2").click()


def choose_page_of_blocks(page: Page) -> None:
    page.get_by_test_id("memory-next").click()
    expect(page.get_by_test_id("memory-blocks").locator("tbody tr")).to_have_count(BLOCKS - 100)
    page.get_by_test_id("memory-blocks").get_by_role("button").last.click()
    expect(page.get_by_test_id("memory-block")).to_contain_text("loop.py")


def choose_memory_flame(page: Page) -> None:
    choose_flame(page)
    page.get_by_test_id("memory-flame-of").get_by_text("Allocated").click()


def choose_range(page: Page) -> None:
    page.get_by_test_id("timeline-step").select_option("1")
    page.get_by_test_id("timeline-process").first.click()
    page.get_by_test_id("timeline-panels").get_by_text("Statistics").click()
    page.get_by_test_id("range-statistics").get_by_role("button", name="Count").click()


def choose_call(page: Page) -> None:
    page.get_by_test_id("diff-state").select_option("all")
    page.get_by_test_id("diff-calls").locator("[aria-expanded=true]").first.click()


def choose_metric(page: Page) -> None:
    page.get_by_test_id("rank-metric").select_option("idle")
    page.get_by_test_id("collectives").get_by_role("button", name="Count").click()


def see_further(page: Page) -> Any:
    return texts(page.get_by_test_id("further-table").locator("[data-key]"))


def see_rows(page: Page) -> Any:
    heads = texts(page.get_by_test_id("profile-table").get_by_role("columnheader"))
    return rows(page, "profile-table"), heads, page.get_by_test_id("profile-filter").input_value()


def see_kernel(page: Page) -> Any:
    return rows(page, "profile-table"), texts(page.get_by_test_id("profile-row").locator("h2"))


def see_modules(page: Page) -> Any:
    return rows(page, "modules-table")


def see_flame(page: Page) -> Any:
    return [each.evaluate("canvas => canvas.clientHeight") for each in page.get_by_test_id("flame").all()]


def see_step(page: Page) -> Any:
    hidden = page.get_by_test_id("step-lines-legend").locator("[aria-pressed=false]")
    return texts(page.get_by_test_id("one-step").locator("h2")), texts(hidden)


def see_operation(page: Page) -> Any:
    return texts(page.get_by_test_id("queue-chart").locator("strong"))


def see_blocks(page: Page) -> Any:
    sizes = texts(page.get_by_test_id("memory-blocks").locator("tbody tr td:first-child"))
    return sizes, texts(page.get_by_test_id("memory-block").locator("h2"))


def see_range(page: Page) -> Any:
    step = page.get_by_test_id("timeline-step").locator("option:checked")
    folded = page.get_by_test_id("timeline-process")
    statistics = page.get_by_test_id("range-statistics").locator("[data-key]")
    return texts(step), [each.get_attribute("aria-expanded") for each in folded.all()], texts(statistics)


def see_calls(page: Page) -> Any:
    return texts(page.get_by_test_id("diff-calls").locator("tbody tr"))


def see_metric(page: Page) -> Any:
    metric = page.get_by_test_id("rank-metric").locator("option:checked")
    return texts(metric), texts(page.get_by_test_id("collectives").locator("[aria-sort=descending]"))


CHOICES: dict[str, tuple[str, str, Callable[[Page], None], Callable[[Page], Any]]] = {
    "overview": ("other", ASCEND, choose_further_table, see_further),
    "operators": ("other", TRACE, choose_rows, see_rows),
    "kernels": ("rank_0", TRACE, choose_kernel, see_kernel),
    "modules": ("rank_0", TRACE, choose_modules, see_modules),
    "modules&rows_group=flame": ("rank_0", TRACE, choose_flame, see_flame),
    "steps": ("other", OLD, choose_step, see_step),
    "pipeline": ("other", OLD, choose_operation, see_operation),
    "memory": ("other", SNAPSHOT, choose_page_of_blocks, see_blocks),
    "memory&memory_panel=flame": ("other", SNAPSHOT, choose_memory_flame, see_flame),
    "timeline": ("rank_0", TRACE, choose_range, see_range),
    "compare": ("rank_0", TRACE, choose_call, see_calls),
    "ranks": ("rank_0", TRACE, choose_metric, see_metric),
}
"""By tab, some in two views: a profile, what is chosen, and what is seen of it."""


@pytest.mark.parametrize("tab", CHOICES)
def test_a_copied_address_shows_the_same(open_page: OpenPage, profiles: LiveViewer, tab: str) -> None:
    run, profile, choose, see = CHOICES[tab]
    page = open_page(profiles, at(run, profile, tab))
    until(page, lambda: any(see(page)))
    before, plain = see(page), page.url
    choose(page)
    until(page, lambda: see(page) != before and page.url != plain)
    page.wait_for_timeout(400)  # a range is written into the address after it stops
    after, copied = see(page), page.url.removeprefix(f"http://127.0.0.1:{profiles.port}")
    other = open_page(profiles, copied)
    until(other, lambda: see(other) == after)
    until(other, lambda: parse_qs(urlsplit(other.url).query) == parse_qs(urlsplit(page.url).query))


HUGE = "999999999999999"
GARBAGE = (
    f"&timeline={HUGE}~9&timeline=-9~{HUGE}&timeline_slice={HUGE}&timeline_area=1~{HUGE}~{HUGE}.x&timeline_regex=%5B"
    f"&timeline_closed=%00&timeline_panel=statistics&rows_width=9:x&rows_column=x&rows_fixed=x"
    f"&rows_hidden=share&modules_open=%22&modules_turned=zzzzzzz.%20&flame_range=zzzzzzz&flame_memory=0&flame_modules=a"
    f"&memory={HUGE}~1&memory_at={HUGE}&memory_page={HUGE}&memory_device=tape&memory_by=x&memory_panel=x"
    f"&profile_step={HUGE}&profile_hidden=~~x&profile_operation=%3Cb%3E&compared=x&compared_sort=x&calls_turned=a.b"
    f"&rank_metric=x&link_kind=x&further_table=x&table_order=steps~-x&table_order=collectives~%2Bx&baseline_profile=%5B"
)


@pytest.mark.parametrize("tab", [tab for tab in CHOICES if "&" not in tab])
def test_a_wrong_address_is_ignored(open_page: OpenPage, profiles: LiveViewer, tab: str) -> None:
    run, profile, _, see = CHOICES[tab]
    page = open_page(profiles, at(run, profile, tab, GARBAGE))
    if tab == "pipeline":
        expect(page.get_by_test_id("pipeline-operations")).to_be_visible()
        return
    expect(page.get_by_test_id("profile-tabs")).to_be_visible()
    if tab == "steps":
        expect(page.get_by_test_id("steps-table")).to_be_visible()
    else:
        until(page, lambda: any(see(page)))
    alerts = page.get_by_role("alert")  # a wrong regular expression is said beside its box
    expect(alerts.filter(has_not_text="Showing all")).to_have_count(0)


def test_rows_that_a_profile_lacks_are_said(open_page: OpenPage, profiles: LiveViewer, complaints: list[str]) -> None:
    page = open_page(profiles, at("other", TRACE, "operators", "&rows_group=color&rows_sort=-taste"))
    problem = page.get_by_test_id("profile-rows-problem")
    expect(problem).to_contain_text("color")
    problem.get_by_role("button").click()
    expect(page.get_by_test_id("profile-table")).to_be_visible()
    complaints.clear()  # the console has the refused requests
