# SPDX-License-Identifier: Apache-2.0
"""Groups of seeds, charts of train with val, one chart a value of a parameter, and tables under charts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.server.live_viewer import GrowingLog, LiveViewer, eventually, running_viewer

from .patience import until
from .scalars_page import (
    card,
    choose_baseline,
    expect_view,
    full,
    open_settings,
    point_at,
    tip_rows,
    view_in,
    wait_until_colored_at,
    wait_until_drawn,
)

OpenPage = Callable[[LiveViewer, str], Page]
STEPS = 10


@pytest.fixture(scope="module")
def seeds(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveViewer]:
    """Two rates, batches and seeds; the loss is ``10 * lr + batch + seed - step``, that of val twice as much."""
    folder = tmp_path_factory.mktemp("seeds")
    for lr, batch, seed in product((1, 2), (100, 200), (0, 1)):
        run = folder / "logs" / f"{lr}_{batch}_{seed}"
        log = GrowingLog(run)
        for step in range(STEPS):
            for factor, tag in ((1, "train/loss"), (2, "val/loss")):
                log.scalar(step, factor * (10.0 * lr + batch + seed - step), tag)
        (run / "params.json").write_text(json.dumps({"lr": lr, "batch": batch, "seed": seed}))
    with running_viewer(folder / "logs", folder) as live:
        eventually(lambda: [run["last_step"] for run in live.runs().values()] == [STEPS - 1] * 8)
        yield live


def table_cells(within: Locator, column: str) -> Locator:
    return within.get_by_test_id("chart-table").locator(f"[data-column={column}]")


@pytest.mark.parametrize(
    ("address", "seen"),
    [
        ("group_by=lr&group_by=batch&spread=confidence&center=median", "By lr × batch"),
        ("group=directory&baseline=%2F", "By directory"),
        ("axis=relative&y=log&tag=train", "Group by"),
        ("show=table&figures=first&group_by=lr", "By lr"),
    ],
)
def test_an_old_address_of_the_comparison_opens_the_same_view(
    seeds: LiveViewer, open_page: OpenPage, address: str, seen: str
):
    page = open_page(seeds, f"/compare?{address}")
    expect(page.get_by_test_id("group-by")).to_have_text(seen)
    expect(page.get_by_role("link", name="Scalars")).to_have_attribute("aria-current", "page")
    for name, values in parse_qs(address).items():
        until(page, lambda name=name, values=values: view_in(page.url).get(name) == values)
    assert urlsplit(page.url).path == "/scalars"
    if "show=table" in address:
        expect(page.get_by_test_id("scalar-table").get_by_role("columnheader", name="train/loss First")).to_be_visible()
    else:
        wait_until_drawn(card(page, "train/loss"))


def test_seeds_are_bands_by_all_other_parameters_in_three_clicks(seeds: LiveViewer, open_page: OpenPage):
    page = open_page(seeds, "/scalars")
    page.get_by_test_id("group-by").click()
    page.get_by_test_id("all-but-seed").click()
    page.get_by_test_id("spread").get_by_label("95% CI of mean").click()
    expect(page.get_by_test_id("group-by")).to_have_text("By lr × batch")
    expect_view(page, "spread", "confidence")
    page.keyboard.press("Escape")
    wait_until_drawn(card(page, "train/loss"))
    point_at(card(page, "train/loss"), "Home")
    expect(tip_rows(page)).to_have_count(4)
    expect(tip_rows(page).filter(has_text="lr = 1, batch = 100").locator("td.value")).to_have_text("110.5")


def test_train_and_val_are_together_in_groups_and_differences(seeds: LiveViewer, open_page: OpenPage):
    page = open_page(seeds, "/scalars?group_by=lr&baseline=lr%20=%201&value_tables=all")
    page.get_by_test_id("pairs").click()
    both = card(page, "train/loss · val/loss")
    wait_until_drawn(both)
    title = both.get_by_role("heading")
    expect(title).to_contain_text("── train/loss")
    expect(title).to_contain_text("╌╌ val/loss")
    expect(table_cells(both, "tag")).to_have_text(["train/loss", "train/loss", "val/loss", "val/loss"])
    expect(table_cells(both, "difference")).to_have_text(["0", "10", "0", "20"])
    expect(table_cells(both, "value")).to_have_text(["151.5", "161.5", "303", "323"])
    point_at(both, "End")
    expect(tip_rows(page)).to_have_count(4)
    page.keyboard.press("Escape")
    saved = {}
    for kind in ("csv", "json"):
        both.get_by_test_id("download").click()
        with page.expect_download() as download:
            page.get_by_test_id(f"download-{kind}").click()
        saved[kind] = Path(download.value.path()).read_text()
    assert saved["csv"].startswith("group,tag,x,count,mean")
    assert {group["tag"] for group in json.loads(saved["json"])} == {"train/loss", "val/loss"}


def test_a_parameter_has_one_chart_a_value_with_one_range(seeds: LiveViewer, open_page: OpenPage):
    page = open_page(seeds, "/scalars?group_by=lr&tag=val")
    page.get_by_test_id("group-by").click()
    page.get_by_test_id("facet").select_option("batch")
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("group-by")).to_have_text("By lr · charts by batch")
    expect(page.get_by_test_id("card")).to_have_count(2)
    for batch, height in ((100, 0.911), (200, 0.089)):
        facet = card(page, f"val/loss · batch = {batch}")
        wait_until_drawn(facet)
        wait_until_colored_at(facet, 0.5, height)
    facet.hover()
    facet.get_by_test_id("full").click()
    expect(full(page)).to_have_attribute("aria-label", "val/loss · batch = 200")
    expect(table_cells(full(page), "value")).to_have_text(["403", "423"])
    page.reload()
    expect(table_cells(full(page), "value")).to_have_text(["403", "423"])
    choose_baseline(page, "lr = 1")
    expect(table_cells(full(page), "difference")).to_have_text(["0", "20"])


def test_of_many_facets_some_are_charts_and_their_number_is_said(tmp_path: Path, open_page: OpenPage):
    for number in range(14):
        log = GrowingLog(tmp_path / "logs" / f"group_{number:02}" / "a")
        log.scalar(0, float(number))
    with running_viewer(tmp_path / "logs", tmp_path) as live:
        eventually(lambda: len(live.runs()) == 14)
        page = open_page(live, "/scalars?facet=/")
        expect(page.get_by_test_id("card")).to_have_count(12)
        notice = page.get_by_test_id("hidden-facets")
        expect(notice).to_contain_text("14 values: charts show the first 12")
        notice.get_by_role("button").click()
        expect(page.get_by_test_id("card")).to_have_count(1)
        expect_view(page, "facet", None)


def test_a_table_under_a_chart_follows_the_cursor(seeds: LiveViewer, open_page: OpenPage):
    page = open_page(seeds, "/scalars?run=1_100_0&run=2_200_1&smoothing=0.5")
    shown, other = card(page, "train/loss"), card(page, "val/loss")
    wait_until_drawn(shown)
    shown.hover()
    shown.get_by_test_id("own").click()
    page.get_by_test_id("own-table").check()
    page.keyboard.press("Escape")
    expect_view(page, "value_table", "on%2Ctrain%2Floss")
    for _ in range(2):
        expect(table_cells(shown, "value")).to_have_text(["101", "212"])
        expect(table_cells(shown, "step")).to_have_text(["9", "9"])
        expect(table_cells(other, "value")).to_have_count(0)
        page.reload()
        wait_until_drawn(shown)
    before = shown.bounding_box()
    point_at(other, "Home")
    expect(table_cells(shown, "value")).to_have_text(["110", "221"])
    expect(table_cells(shown, "smoothed")).to_have_text(["110", "221"])
    assert shown.bounding_box() == before
    page.keyboard.press("Escape")
    shown.get_by_test_id("chart-table").locator("tbody tr").first.hover()
    expect(table_cells(shown, "value")).to_have_text(["101", "212"])
    choose_baseline(page, "1_100_0")
    expect(table_cells(shown, "difference")).to_have_text(["0", "111"])
    expect(table_cells(shown, "value")).to_have_text(["101", "212"])
    open_settings(page).get_by_test_id("value-tables").check()
    expect_view(page, "value_tables", "all")
    expect_view(page, "value_table", None)
    expect(table_cells(other, "difference")).to_have_text(["0", "222"])
