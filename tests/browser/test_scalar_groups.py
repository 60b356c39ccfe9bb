# SPDX-License-Identifier: Apache-2.0
"""What a person sees and does with groups, baselines and the table of figures on the scalars page."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import mean, median, stdev
from typing import Any

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, expect

import mindscope
from tests.server.live_viewer import DATA, GrowingLog, LiveViewer, eventually, running_viewer

from .patience import until
from .scalars_page import (
    card,
    choose_baseline,
    drag,
    expect_view,
    full,
    group_by,
    open_settings,
    point_at,
    tip_rows,
    wait_until_drawn,
)

OpenPage = Callable[[LiveViewer, str], Page]
STEPS = 10
LASTS = {"adam/1": 1.0, "adam/2": 2.0, "adam/3": 6.0, "sgd/1": 10.0, "sgd/2": 20.0}
PAIR = "run=mindspore%2Fcustom_loop&run=tensorboard%2Ftb_all%2Frun_a"
SWEEP = "/scalars?" + "&".join(f"run=mindspore%2Flineage_sweep%2Frun_{number:02}" for number in range(1, 13))


@pytest.fixture(scope="module")
def sweep(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveViewer]:
    """Five runs in two directories, whose loss falls to a value of their own."""
    folder = tmp_path_factory.mktemp("sweep")
    for name, last in LASTS.items():
        log = GrowingLog(folder / "logs" / name)
        for step in range(STEPS):
            log.scalar(step, last + STEPS - 1 - step)
    with running_viewer(folder / "logs", folder) as live:
        eventually(lambda: [run["last_step"] for run in live.runs().values()] == [STEPS - 1] * len(LASTS))
        yield live


def expect_cells(page: Page, group: str, want: list[str]) -> None:
    """Waits for the first numbers of the tip's row of a group."""
    numbers = tip_rows(page).filter(has_text=group).locator("td.number")
    until(page, lambda: numbers.all_inner_texts()[: len(want)] == want)


def listed_colors(page: Page) -> list[str]:
    """Of the swatches beside the page, run by run."""
    swatches = page.get_by_test_id("run-list").locator("[data-run] button.picker")
    expect(swatches).to_have_count(len(LASTS))
    return swatches.evaluate_all('all => all.map((one) => one.style.getPropertyValue("--color"))')


def swatches_of(page: Page, group: str) -> Locator:
    """One beside each run of a group."""
    return page.get_by_test_id("run-list").get_by_role("button", name=f"Color of {group}", exact=True)


def the_color_of_a_group_reaches(mine: Page, theirs: Page) -> None:
    """It is not their browser that keeps it. That they take it back comes to me."""
    chosen = re.compile(r"var\(--series-6\)")
    mine.bring_to_front()
    swatches_of(mine, "sgd").first.click()
    mine.get_by_role("button", name="Color 7").click()
    for page in (mine, theirs):
        expect(swatches_of(page, "sgd").first).to_have_attribute("style", chosen)
    theirs.evaluate("localStorage.clear()")
    theirs.reload()
    expect(swatches_of(theirs, "sgd").last).to_have_attribute("style", chosen)
    theirs.bring_to_front()
    swatches_of(theirs, "sgd").last.click()
    theirs.get_by_role("button", name="Reset color").click()
    for page in (mine, theirs):
        expect(swatches_of(page, "sgd").first).not_to_have_attribute("style", chosen)
    mine.bring_to_front()


def test_runs_are_grouped_by_directory_with_mean_band_and_count(sweep: LiveViewer, open_page: OpenPage):
    theirs = open_page(sweep, "/scalars?group=directory")
    page = open_page(sweep, "/scalars")
    until(page, lambda: len(set(listed_colors(page))) == len(LASTS))
    group_by(page, grouping="Directory")
    expect_view(page, "group", "directory")
    expect(swatches_of(page, "sgd")).to_have_count(2)
    the_color_of_a_group_reaches(page, theirs)
    until(page, lambda: [*Counter(listed_colors(page)).values()] == [3, 2])
    group_by(page, spread="Min to max")
    for _ in range(2):
        wait_until_drawn(card(page, "loss"))
        point_at(card(page, "loss"), "End")
        expect(tip_rows(page)).to_have_count(2)
        expect_cells(page, "adam", [f"{mean([1, 2, 6]):.0f}", "1", "6", "3", "9"])
        expect_cells(page, "sgd", ["15", "10", "20", "2", "9"])
        page.reload()
    group_by(page, center="Median", spread="Quartiles")
    expect_view(page, "spread", None)
    wait_until_drawn(card(page, "loss"))
    point_at(card(page, "loss"), "End")
    expect(tip_rows(page)).to_have_count(2)
    expect_cells(page, "adam", [f"{median([1, 2, 6]):.0f}", "1.500", "4"])


def test_a_hyper_parameter_groups(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, SWEEP)
    group_by(page, "optimizer")
    expect_view(page, "group_by", "optimizer")
    wait_until_drawn(card(page, "loss/auto"))
    card(page, "loss/auto").hover()
    card(page, "loss/auto").get_by_test_id("full").click()
    rows = full(page).get_by_test_id("chart-table").locator("tbody tr")
    sweep = mindscope.open_runs(DATA / "mindspore" / "lineage_sweep").values()
    want = Counter(f"optimizer = {run.lineage.row()['optimizer']}" for run in sweep)
    expect(rows).to_have_count(len(want))
    for name, count in want.items():
        row = rows.and_(page.locator(f"[data-key='{name}']"))
        expect(row.locator("[data-column=runs]")).to_have_text(str(count))
    full(page).get_by_test_id("chart-table-download").click()
    with page.expect_download() as download:
        page.get_by_test_id("chart-table-download-csv").click()
    figures = csv.DictReader(Path(download.value.path()).read_text().splitlines())
    assert {figure["group"]: int(figure["runs"]) for figure in figures} == want
    saved = {}
    wait_until_drawn(full(page))
    for kind in ("csv", "json", "svg", "png"):
        full(page).get_by_test_id("download").click()
        with page.expect_download() as download:
            page.get_by_test_id(f"download-{kind}").click()
        saved[kind] = Path(download.value.path()).read_bytes()
    groups = json.loads(saved["json"])
    assert {group["group"]: group["runs"] for group in groups} == want
    points = list(csv.DictReader(saved["csv"].decode().splitlines()))
    assert [float(point["mean"]) for point in points] == [value for group in groups for value in group["mean"]]
    assert all(f">{name}<" in saved["svg"].decode() for name in want)
    pixels = np.asarray(Image.open(io.BytesIO(saved["png"])).convert("RGB")).astype(int)
    assert (np.ptp(pixels, axis=2) > 24).sum() > 100, "a picture of lines in colors"


def test_a_baseline_draws_differences_and_is_left_although_it_is_not_shown(sweep: LiveViewer, open_page: OpenPage):
    page = open_page(sweep, "/scalars")
    choose_baseline(page, "adam/2")
    expect_view(page, "baseline", "adam%2F2")
    wait_until_drawn(card(page, "loss"))
    point_at(card(page, "loss"), "End")
    expect(tip_rows(page)).to_have_count(5)
    for run, last in LASTS.items():
        row = tip_rows(page).filter(has_text=run)
        expect(row.locator("td.value")).to_have_text(f"{last - 2:.0f}".replace("-", "\u2212"))
    page.get_by_test_id("run-list").locator("[data-run='sgd/1']").hover()
    page.get_by_role("button", name="Show only sgd/1").click()
    expect(page.get_by_test_id("baseline")).to_have_text("\u2212 adam/2")
    expect(card(page, "loss")).to_contain_text("8")
    page.get_by_test_id("baseline").click()
    expect(page.get_by_test_id("baseline-rows").get_by_role("button", name="No baseline")).to_be_focused()
    page.keyboard.press("Enter")
    expect_view(page, "baseline", None)
    expect(card(page, "loss")).to_contain_text("10")


def test_a_group_is_the_baseline_of_groups(sweep: LiveViewer, open_page: OpenPage):
    page = open_page(sweep, "/scalars?group=directory")
    choose_baseline(page, "adam")
    expect_view(page, "baseline", "adam")
    for center, away in (("Mean", mean([1, 2, 6])), ("Median", median([1, 2, 6]))):
        group_by(page, center=center)
        expect(card(page, "loss")).to_contain_text(f"{15 - away:.0f}")
        wait_until_drawn(card(page, "loss"))
        point_at(card(page, "loss"), "End")
        expect(tip_rows(page).filter(has_text="sgd").locator("td.value")).to_have_text(f"{15 - away:.0f}")
        expect(tip_rows(page).filter(has_text="adam").locator("td.value")).to_have_text("0")
    group_by(page, grouping="None")
    expect_view(page, "baseline", None)
    page = open_page(sweep, "/scalars?group=directory&baseline=gone")
    expect(card(page, "loss")).to_contain_text("“gone” is not a group")


def test_the_table_holds_figures_of_whole_series_and_its_order_is_in_the_address(
    sweep: LiveViewer, open_page: OpenPage
):
    page = open_page(sweep, "/scalars?figures=first,last,minimum,maximum,mean&show=table")
    rows = page.get_by_test_id("scalar-table-rows").get_by_role("row")
    expect(rows).to_have_count(5)
    expect(rows.first).to_contain_text("5.5000")
    last = page.get_by_test_id("scalar-table").get_by_role("columnheader", name="loss Last")
    last.get_by_role("button").first.click()
    expect(last).to_have_attribute("aria-sort", "ascending")
    last.get_by_role("button").first.click()
    expect(rows.first).to_have_attribute("data-key", "sgd/2")
    expect_view(page, "sort", "-scalar%2Floss+last")
    page.reload()
    expect(rows.first).to_have_attribute("data-key", "sgd/2")
    figures = [f"scalar/loss {figure}" for figure in ("first", "last", "minimum", "maximum", "mean")]
    for kind in ("csv", "json"):
        page.get_by_test_id("scalar-download").click()
        with page.expect_download() as download:
            page.get_by_test_id(f"scalar-download-{kind}").click()
        text = Path(download.value.path()).read_text()
        if kind == "csv":
            header, first, *_ = csv.reader(text.splitlines())
            assert header == ["run", *figures]
            assert first == ["sgd/2", "29", "20", "20", "29", "24.5"]
        else:
            assert json.loads(text)[0] == {
                "run": "sgd/2",
                **dict(zip(figures, (29, 20, 20, 29, 24.5), strict=True)),
            }


def test_the_table_of_groups_says_how_figures_lie_and_unfolds(sweep: LiveViewer, open_page: OpenPage):
    page = open_page(sweep, "/scalars?group=directory&show=table")
    table = page.get_by_test_id("scalar-table")
    rows = page.get_by_test_id("scalar-table-rows").get_by_role("row")
    expect(rows).to_have_count(2)
    expect(table.get_by_role("columnheader")).to_have_text(["Run", "Last", "Min", "Max"])
    lasts = [LASTS[f"adam/{number}"] for number in (1, 2, 3)]
    cell = rows.first.get_by_role("cell").first
    expect(cell).to_have_text(f"{mean(lasts):.0f} \u00b1 {stdev(lasts):.2f}")
    expect(cell).to_have_attribute("title", "1 \u2026 6 in 3 runs")
    rows.first.get_by_role("button", name="adam").click()
    expect(rows).to_have_count(5)
    expect(rows.nth(3).get_by_role("cell").first).to_have_text("6")
    expect_view(page, "toggled", "adam")
    table.get_by_role("columnheader", name="loss Last").get_by_role("button").first.dblclick()
    expect(rows.first).to_contain_text("sgd")
    page.get_by_test_id("unfold").check()
    expect(rows).to_have_count(7)
    expect_view(page, "unfolded", "all")
    page.get_by_test_id("figures").click()
    page.get_by_test_id("figure-list").get_by_label("Min", exact=True).uncheck()
    expect(table.get_by_role("columnheader")).to_have_text(["Run", "Last", "Max"])
    expect_view(page, "figures", "last%2Cmaximum")


def test_a_chart_of_groups_is_zoomed_scaled_and_restored(sweep: LiveViewer, open_page: OpenPage):
    page = open_page(sweep, "/scalars?group=directory")
    shown = card(page, "loss")
    wait_until_drawn(shown)
    for start, end in (((0.2, 0.5), (0.8, 0.51)), ((0.3, 0.5), (0.7, 0.51))):
        drag(shown, start, end)
        wait_until_drawn(shown)
    shown.get_by_test_id("zoom-back").click()
    expect(shown.get_by_test_id("zoom-back")).to_be_visible()
    shown.get_by_test_id("zoom-restore").click()
    expect(shown.get_by_test_id("zoom-back")).to_have_count(0)
    shown.hover()
    shown.get_by_test_id("log").click()
    expect(shown.get_by_test_id("log")).to_have_attribute("aria-pressed", "true")
    open_settings(page).get_by_test_id("axis").get_by_text("Relative").click()
    page.get_by_test_id("y-scale").get_by_text("Log").click()
    expect_view(page, "axis", "relative")
    page.get_by_test_id("settings").click()
    expect(page.get_by_test_id("scalar-settings")).to_have_count(0)
    page.get_by_test_id("restore-all").click()
    for name in ("axis", "y", "zoom", "group"):
        expect_view(page, name, None)
    shown.hover()
    shown.get_by_test_id("thresholds").click()
    panel = page.get_by_test_id("threshold-panel")
    panel.get_by_test_id("threshold-limit-0").fill("13.5")
    panel.get_by_test_id("threshold-add").click()
    expect(panel.get_by_test_id("threshold-rule")).to_have_value("value > 13.5")
    page.keyboard.press("Escape")
    expect(panel).to_have_count(0)
    group_by(page, grouping="Directory")
    wait_until_drawn(shown)
    expect(shown.get_by_test_id("thresholds")).to_have_attribute("aria-pressed", "true")
    shown.hover()
    shown.get_by_test_id("download").click()
    with page.expect_download() as download:
        page.get_by_test_id("download-svg").click()
    assert "&gt; 13.5<" in Path(download.value.path()).read_text(), "groups are held against thresholds, too"
    shown.get_by_test_id("thresholds").click()
    panel.get_by_test_id("threshold-remove").click()
    expect(panel.get_by_test_id("threshold")).to_have_count(0)
    eventually(lambda: not any(sweep.http.get("/api/annotations").json()["thresholds"].values()))
    page.keyboard.press("Escape")
    expect(panel).to_have_count(0)
    page.get_by_test_id("scalar-show").get_by_text("Table").click()
    expect(page.get_by_test_id("scalar-table")).to_be_visible()


HEADS = """table => {
  const left = (one) => one.getBoundingClientRect().left;
  const names = table.querySelector("[data-column=run]").getBoundingClientRect().right;
  const groups = [...table.querySelectorAll("[data-band^='tag ']")];
  return groups.map((group) => [left(group.querySelector("span")), left(group), names]);
}"""
"""Of each tag in the head: where its name and its columns begin, and where the column of the runs ends."""


@pytest.mark.parametrize("width", [1440, 1920])
@pytest.mark.parametrize("parameters", ["", "&parameters=all"])
def test_tags_are_named_above_their_columns(viewer: LiveViewer, open_page: OpenPage, width: int, parameters: str):
    """A name begins where its first column begins, or stays in sight at the runs' names while it is scrolled."""
    page = open_page(viewer, f"/scalars?{PAIR}&show=table{parameters}")
    page.set_viewport_size({"width": width, "height": 800})
    table = page.get_by_test_id("scalar-table")
    expect(table.locator("[data-band^='tag ']").first).to_be_visible()
    for left in (0, 300):
        table.evaluate("(table, left) => { table.scrollLeft = left }", left)
        heads = table.evaluate(HEADS)
        assert len(heads) >= 2
        assert all(name >= group + 11 for name, group, _ in heads)
        assert all(name == pytest.approx(group + 12, abs=2) for name, group, names in heads if group > names)


def test_only_the_parameters_that_differ_are_columns(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, SWEEP + "&show=table")
    page.set_viewport_size({"width": 2600, "height": 800})
    columns = page.get_by_test_id("scalar-table").get_by_role("columnheader")
    expect(columns.filter(has_text="optimizer")).to_have_count(1)
    names = columns.all_inner_texts()
    values = [names.index(name) for name in names if name.strip() in ("First", "Last", "Min", "Max")]
    assert values, names
    assert max(values) < next(at for at, name in enumerate(names) if "optimizer" in name), "values come first"
    expect(columns.filter(has_text="loss_function")).to_have_count(0)
    page.get_by_test_id("all-parameters").check()
    expect(columns.filter(has_text="loss_function")).to_have_count(1)
    expect_view(page, "parameters", "all")
    row = page.get_by_test_id("scalar-table-rows").locator("[data-key$=run_05]")
    expect(row.get_by_role("cell", name="Adam", exact=True)).to_be_visible()
    expect(row.get_by_role("cell", name="0.001", exact=True)).to_be_visible()


def test_the_comparison_has_the_columns_of_the_table_of_runs(viewer: LiveViewer, open_page: OpenPage):
    """What is hidden, added and sorted there is so here."""
    page = open_page(viewer, SWEEP + "&show=table&hidden=optimizer&with=metric/Accuracy&sort=-metric/Accuracy")
    page.set_viewport_size({"width": 2600, "height": 800})
    table = page.get_by_test_id("scalar-table")
    expect(table.get_by_role("columnheader", name="Accuracy", exact=True)).to_have_attribute("aria-sort", "descending")
    expect(table.get_by_role("columnheader", name="optimizer", exact=True)).to_have_count(0)
    best = mindscope.open_runs(DATA / "mindspore" / "lineage_sweep").lineage().best("Accuracy")
    assert best is not None
    rows = page.get_by_test_id("scalar-table-rows").get_by_role("row")
    expect(rows.first).to_have_attribute("data-key", f"mindspore/lineage_sweep/{best['run']}")
    page.get_by_test_id("columns").click()
    page.get_by_test_id("columns-list-filter").fill("Last")
    page.get_by_test_id("columns-list-rows").get_by_role("checkbox").first.uncheck()
    expect(table.get_by_role("columnheader", name=re.compile(" Last$"))).to_have_count(0)


def test_settings_of_groups_are_sets_or_ranges_of_values(tmp_path: Path, open_page: OpenPage):
    """As in the list of runs: a shared value, a set of a few, or a range of many; no mean that no run has."""
    settings: dict[str, dict[str, Any]] = {
        "big/a": {"lr": 0.1, "optimizer": "SGD", "depth": 3},
        "big/b": {"lr": 0.2, "optimizer": "Adam", "depth": 3},
        "big/c": {"lr": 0.6, "optimizer": "SGD", "depth": 3},
        "many/a": {"lr": 1.0, "optimizer": "SGD"},
        "small/a": {"lr": 0.01, "optimizer": "SGD", "depth": 5},
        "small/b": {"optimizer": "SGD"},
    } | {f"many/{seed}": {"lr": 1.0 + seed} for seed in range(1, 6)}
    for place, (run, each) in enumerate(settings.items()):
        log = GrowingLog(tmp_path / "logs" / run)
        for step in range(place % 2, 10, 2):
            log.scalar(step, 1.0 + 2 * (place % 2))
        (tmp_path / "logs" / run / "params.json").write_text(json.dumps(each))
    with running_viewer(tmp_path / "logs", tmp_path) as live:
        eventually(lambda: len(live.runs()) == len(settings))
        page = open_page(live, "/scalars?group=directory&show=table&sort=%2Blr")
        table, rows = page.get_by_test_id("scalar-table"), page.get_by_test_id("scalar-table-rows")

        def cell(group: str, column: str) -> Locator:
            place = table.locator(f"[role=columnheader][data-column='{column}']").get_attribute("aria-colindex")
            return rows.locator(f"[data-key='group {group}'] [aria-colindex='{place}']")

        expect(table.locator("[data-column=lr]")).to_be_visible()
        expect(cell("big", "lr")).to_have_text("0.1, 0.2, 0.6")
        expect(cell("big", "lr")).to_have_attribute("title", "0.1 (1)\n0.2 (1)\n0.6 (1)")
        expect(cell("many", "lr")).to_have_text("1 … 6")
        expect(cell("big", "optimizer")).to_have_text("SGD, Adam")
        expect(cell("big", "optimizer")).to_have_attribute("title", "SGD (2)\nAdam (1)")
        expect(cell("big", "depth")).to_have_text("3")
        expect(cell("small", "lr")).to_have_text("0.01")
        expect(cell("small", "lr")).to_have_attribute("title", "0.01 (1)\n1 run without a value")
        keys = "rows => rows.map(row => row.dataset.key)"
        assert rows.get_by_role("row").evaluate_all(keys) == ["group small", "group big", "group many"]
        groups_of_two_parameters_and_steps(page)


def groups_of_two_parameters_and_steps(page: Page) -> None:
    """The groups of two parameters; the runs of one of them log at different steps."""
    page.get_by_test_id("scalar-show").get_by_text("Charts", exact=True).click()
    expect(card(page, "loss").get_by_test_id("interpolated")).to_have_text("Interpolated")
    group_by(page, grouping="None")
    group_by(page, "optimizer", "depth", spread="95% CI of mean")
    until(page, lambda: "group_by=optimizer&group_by=depth" in page.url)
    wait_until_drawn(card(page, "loss"))
    point_at(card(page, "loss"), "End")
    want = ["Adam, depth = 3", "SGD, depth = 3", "SGD, depth = 5", "SGD, depth = –", "–, depth = –"]
    expect(tip_rows(page)).to_have_count(len(want))
    for group in want:
        expect(tip_rows(page).filter(has_text=f"optimizer = {group}")).to_have_count(1)
