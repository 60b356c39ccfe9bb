# SPDX-License-Identifier: Apache-2.0
"""All ranks of a training: who is waited for, and the way from there to a timeline."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.profile.kineto_events import Events
from tests.profile.ranks.test_summaries import cluster
from tests.server.live_viewer import LiveViewer, eventually, running_viewer

from .patience import until

STEP_US = 10_000
STEPS = 4


def write_rank(path: Path, rank: int, compute_us: float) -> None:
    """Steps that compute, then wait in an allreduce; the clock of the last rank is two seconds ahead."""
    events = Events()
    for step in range(STEPS):
        at = STEP_US * step + (2_000_000 if rank == 2 else 0)
        events.step(step, at, 9_500)
        events.op("aten::mm", at, compute_us)
        events.add("user_annotation", "gloo:all_reduce", at + compute_us, 9_000 - compute_us, tid=7)
    path.parent.mkdir(parents=True)
    events.write(path, distributedInfo={"rank": rank, "world_size": 3})


@pytest.fixture(scope="module")
def trainings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveViewer]:
    base = tmp_path_factory.mktemp("trainings")
    for rank, compute in enumerate((2_000, 7_000, 2_000)):
        write_rank(base / f"rank_{rank}" / "host.1.pt.trace.json", rank, compute)
    with running_viewer(base, tmp_path_factory.mktemp("viewer")) as live:
        eventually(lambda: len([run for run in live.runs().values() if run["contents"]]) == 3)
        yield live


def address(page: Page) -> dict[str, list[str]]:
    return parse_qs(urlsplit(page.url).query)


def test_the_slow_rank_leads_to_its_timeline(context: BrowserContext, trainings: LiveViewer) -> None:
    page = context.new_page()
    page.goto(f"http://127.0.0.1:{trainings.port}/profile?runs=all")
    page.get_by_test_id("profile-tabs").get_by_text("Ranks", exact=True).click()
    ranks = page.get_by_test_id("ranks")
    expect(ranks.get_by_test_id("stragglers")).to_contain_text("4 of 4 collectives: the others wait 5.000\u2009ms")
    expect(ranks.locator("[data-code=slow_rank]")).to_contain_text("Rank 1 is slow")
    expect(ranks.get_by_test_id("clocks").locator("[data-key]").first).to_contain_text("+2.000000000\u2009s")
    expect(ranks.get_by_test_id("collectives").locator("[data-key]")).to_have_count(1)

    page.get_by_test_id("rank-metric").select_option("synchronizing")
    until(page, lambda: address(page).get("rank_metric") == ["synchronizing"])
    heat = page.get_by_test_id("rank-heat")
    box = heat.bounding_box()
    assert box is not None
    heat.hover(position={"x": 70, "y": 25})
    expect(page.get_by_test_id("rank-tip")).to_contain_text("Rank 0")
    expect(page.get_by_test_id("rank-tip")).to_contain_text("step 0")
    heat.click(position={"x": 70, "y": 20 + 22 + 10})
    expect(page.get_by_test_id("timeline-tracks")).to_be_visible()
    until(
        page,
        lambda: address(page).get("profile") == ['["rank_1","host.1.pt.trace.json"]'] and "timeline" in address(page),
    )
    begin, end = map(int, address(page)["timeline"][0].split("~"))
    assert begin <= 0 < 9_500_000 <= end < 10_000_000, "the first step"

    page.get_by_test_id("profile-tabs").get_by_text("Ranks", exact=True).click()
    page.get_by_test_id("straggler-open").click()
    expect(page.get_by_test_id("timeline-tracks")).to_be_visible()
    until(page, lambda: address(page).get("profile") == ['["rank_1","host.1.pt.trace.json"]'])


def test_one_rank_alone_says_how_to_compare(context: BrowserContext, trainings: LiveViewer) -> None:
    page = context.new_page()
    page.goto(f"http://127.0.0.1:{trainings.port}/profile?run=rank_2&profile_tab=ranks")
    expect(page.get_by_text("Only rank 2 has a profile.")).to_be_visible()
    expect(page.get_by_test_id("ranks-missing")).to_contain_text("No profile of 2 ranks: 0–1")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_pipeline_stages_have_room_for_all_columns(context: BrowserContext, tmp_path: Path, language: str) -> None:
    cluster(tmp_path / "logs" / "cluster")
    with running_viewer(tmp_path / "logs", tmp_path) as live:
        eventually(lambda: len(live.runs()) == 1)
        page = context.new_page()
        page.add_init_script(f"localStorage.setItem('mindscope.settings', JSON.stringify({{language: '{language}'}}))")
        for width in (1400, 1024, 390):
            page.set_viewport_size({"width": width, "height": 900})
            page.goto(f"http://127.0.0.1:{live.port}/profile?runs=all")
            page.get_by_test_id("profile-tabs").get_by_text("Ranks" if language == "en" else "多卡", exact=True).click()
            stages = page.get_by_test_id("stages")
            expect(stages.locator("tbody tr")).to_have_count(2)
            assert stages.evaluate("table => table.scrollWidth <= table.parentElement.clientWidth")
