# SPDX-License-Identifier: Apache-2.0
"""The difference of two profiles, and of ranges of the steps of one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from urllib.parse import parse_qsl, urlsplit

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.profile.kineto_events import Events
from tests.server.live_viewer import LiveViewer, eventually, running_viewer

MS = 1000.0
STEP_MS = 20
SLOW, FAST = "slow.1.pt.trace.json", "fast.1.pt.trace.json"


def training(wait: float, product: float, extra: tuple[str, ...] = ()) -> Events:
    """Four steps: a wait for the batch, a module with a product, other operators of 1 ms."""
    events = Events()
    for step in range(4):
        begin = step * 4 * STEP_MS * MS
        work = begin + wait * MS
        events.add("user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", begin, wait * MS)
        events.add("python_function", "nn.Module: Linear_0", work, (product + 1) * MS)
        events.op("aten::mm", work, product * MS + step)
        for place, name in enumerate(extra):
            events.op(name, work + (product + 2 + 2 * place) * MS, MS)
        events.step(step, begin, (wait + product + 4) * MS)
    return events


@pytest.fixture(scope="module")
def profiles(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveViewer]:
    base = tmp_path_factory.mktemp("profiles")
    (base / "run").mkdir()
    os.utime(training(9, 5, ("aten::item",)).write(base / "run" / SLOW), (1e9, 1e9))
    training(1, 5).write(base / "run" / FAST)
    with running_viewer(base, tmp_path_factory.mktemp("viewer")) as live:
        eventually(lambda: any(run["contents"] for run in live.runs().values()))
        yield live


def wait_for_query(page: Page, wanted: dict[str, str]) -> None:
    """The address follows the page after a moment."""
    page.wait_for_url(lambda url: wanted.items() <= dict(parse_qsl(urlsplit(url).query)).items())


def test_a_call_tree_without_matching_calls_says_so(context: BrowserContext, profiles: LiveViewer) -> None:
    page = context.new_page()
    page.goto(f"http://127.0.0.1:{profiles.port}/profile?profile_tab=compare&compared_state=added")
    expect(page.get_by_test_id("profile-compare")).to_contain_text("Nothing changed")
    expect(page.get_by_test_id("diff-calls")).to_have_count(0)


def test_a_phone_shows_the_change_of_each_row(context: BrowserContext, profiles: LiveViewer) -> None:
    page = context.new_page()
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"http://127.0.0.1:{profiles.port}/profile?profile_tab=compare")
    for table in (page.get_by_test_id("diff-parts"), page.get_by_test_id("diff-calls")):
        for name in ("Baseline", "Compared", "Change"):
            head = table.get_by_role("columnheader", name=name, exact=True)
            expect(head).to_be_visible()
            box = head.bounding_box()
            assert box is not None
            assert box["x"] + box["width"] <= 390, name


def test_a_profile_is_compared_with_the_one_before(context: BrowserContext, profiles: LiveViewer) -> None:
    page = context.new_page()
    page.goto(f"http://127.0.0.1:{profiles.port}/profile?profile_tab=compare")
    headline = page.get_by_test_id("diff-headline")
    expect(headline).to_contain_text("18.00 ms → 10.00 ms (−44.4 %), of which Waiting for data −8.000 ms")
    expect(page.get_by_test_id("diff-baseline").locator("option:checked")).to_have_text("slow.1")
    calls = page.get_by_test_id("diff-calls").locator("tbody tr")
    expect(calls.nth(0)).to_contain_text("enumerate(DataLoader)")
    expect(calls.nth(0)).to_contain_text("Faster")
    expect(page.get_by_test_id("diff-calls").get_by_role("columnheader").last).to_have_text("State")  # of the self time
    expect(page.get_by_test_id("diff-bar")).not_to_contain_text(".pt.trace.json")
    expect(calls.filter(has_text="aten::item")).to_contain_text("Gone")

    page.get_by_test_id("diff-swap").click()
    expect(headline).to_contain_text("10.00 ms → 18.00 ms (+80.0 %), of which Waiting for data +8.000 ms")
    expect(calls.filter(has_text="aten::item")).to_contain_text("Added")

    page.get_by_test_id("diff-tables").get_by_text("Operators").click()
    page.get_by_test_id("diff-state").select_option("all")
    table = page.get_by_test_id("diff-table")
    expect(table.locator("[data-key]")).to_have_count(2)
    page.get_by_test_id("diff-filter").fill("Linear_0")
    expect(table.locator("[data-key]")).to_have_count(1)
    table.get_by_role("button", name="Module").click()
    wanted = {
        "compared": "operators",
        "compared_state": "all",
        "compared_filter": "Linear_0",
        "compared_sort": "module",
    }
    wait_for_query(page, wanted)

    page.reload()  # as a copied address or a saved view does
    expect(headline).to_contain_text("10.00 ms → 18.00 ms")
    expect(table.locator("[data-key]")).to_have_count(1)
    expect(table.get_by_role("columnheader", name="Module")).to_have_attribute("aria-sort", "ascending")
    table.get_by_text("aten::mm").click()
    expect(page.get_by_test_id("profile-tabs").get_by_role("radio", checked=True)).to_have_accessible_name("Timeline")


def test_ranges_of_steps_are_compared(context: BrowserContext, profiles: LiveViewer) -> None:
    page = context.new_page()
    page.goto(f"http://127.0.0.1:{profiles.port}/profile?profile_tab=compare")
    page.get_by_test_id("diff-baseline").select_option(label="this profile")
    page.get_by_test_id("diff-halves").click()
    expect(page.get_by_test_id("diff-headline")).to_contain_text("10.00 ms → 10.00 ms (0 %)")
    expect(page.get_by_test_id("diff-baseline-steps-last")).to_have_value("1")
    page.get_by_test_id("diff-steps-first").select_option("3")
    expect(page.get_by_test_id("diff-steps-last")).to_have_value("3")
    wait_for_query(page, {"compared_steps": "3~3"})
    expect(page.get_by_role("status").filter(has_text="one compared step")).to_be_visible()
