# SPDX-License-Identifier: Apache-2.0
"""Runs are named by what tells them apart."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from tests.server.live_viewer import GrowingLog, LiveViewer, eventually, running_viewer

from .scalars_page import card, point_at, tip_rows, wait_until_drawn

OpenPage = Callable[[LiveViewer, str], Page]
RATES = ("0.005", "0.02", "0.05")
IS_CUT = (
    "name => name.scrollWidth > name.clientWidth || [...name.children].some(one => one.scrollWidth > one.clientWidth)"
)


def beside(page: Page, run: str) -> Locator:
    return page.get_by_test_id("run-list").locator(f'[data-run="{run}"]')


def test_what_all_runs_share_is_left_out_of_their_names(tmp_path: Path, open_page: OpenPage):
    """The names of a sweep differ at their ends, where there was no room for them."""
    runs = [f"projects/vision/lenet-20261122-013331-baseline-lr{rate}" for rate in RATES]
    for run in runs:
        GrowingLog(tmp_path / "logs" / run).scalar(1, 1.0)
    with running_viewer(tmp_path / "logs", tmp_path) as live:
        eventually(lambda: len(live.runs()) == len(runs) and all(run["tags"] for run in live.runs().values()))
        page = open_page(live, "/")
        for run, rate in zip(runs, RATES, strict=True):
            row = page.get_by_test_id("runs-table").locator(f'[data-run="{run}"]')
            expect(row.get_by_text(f"lr{rate}", exact=True)).to_be_visible()
        page.get_by_role("navigation").get_by_role("link", name="Scalars").click()
        for run, rate in zip(runs, RATES, strict=True):
            expect(beside(page, run).get_by_text(f"lr{rate}", exact=True)).to_be_visible()
            name = beside(page, run).get_by_title(run, exact=True).last
            expect(name).to_have_text(f"lr{rate}")
            assert not name.evaluate(IS_CUT)
        page.get_by_test_id("run-naming").click()
        page.get_by_test_id("run-naming-path").click()
        page.reload()
        expect(beside(page, runs[0])).to_contain_text(runs[0])


def test_shared_ends_that_are_cut_leave_a_sign(tmp_path: Path, open_page: OpenPage):
    """Chromium writes no sign at all where text that is cut begins with an empty element."""
    runs = [f"resnet50-imagenet-{name}-bs256-2026-11-20" for name in ("baseline-lr0.1", "cosine-lr0.05")]
    for run in (*runs, "vit/seed-3"):
        GrowingLog(tmp_path / "logs" / run).scalar(1, 1.0)
    with running_viewer(tmp_path / "logs", tmp_path) as live:
        eventually(lambda: len(live.runs()) == 3 and all(run["tags"] for run in live.runs().values()))
        page = open_page(live, "/scalars")
        for run in runs:
            lead = beside(page, run).locator(".shared").first
            expect(lead).to_have_text("resnet50-imagenet-")
            assert lead.evaluate("lead => lead.scrollWidth > lead.clientWidth")
            assert lead.evaluate("lead => lead.clientWidth >= 20")
            expect(lead.locator(":empty")).to_have_count(0)
            end = beside(page, run).locator(".shared").last
            expect(end).to_have_text("-bs256-2026-11-20")
            assert end.evaluate("end => end.scrollWidth > end.clientWidth && end.clientWidth >= 14")
            assert not beside(page, run).locator(".start").evaluate(IS_CUT)


def test_a_seed_between_long_parts_is_not_cut(tmp_path: Path, open_page: OpenPage):
    made = [("bs256_lr0.1", seed, "randaugment") for seed in range(3)] + [("bs512_lr0.2", 0, "none")]
    runs = {f"resnet50_imagenet_{lead}_cosine_seed{seed}_augment_{end}": seed for lead, seed, end in made}
    for run in runs:
        GrowingLog(tmp_path / "logs" / run).scalar(1, 1.0)
    with running_viewer(tmp_path / "logs", tmp_path) as live:
        eventually(lambda: len(live.runs()) == 4 and all(run["tags"] for run in live.runs().values()))
        page = open_page(live, "/scalars")
        for run, seed in runs.items():
            part = beside(page, run).get_by_text(f"seed{seed}_", exact=True)
            expect(part).to_be_visible()
            row = beside(page, run).locator(".name").first.bounding_box()
            box = part.bounding_box()
            assert box is not None
            assert row is not None
            assert box["x"] + box["width"] <= row["x"] + row["width"]
            assert not part.evaluate("part => part.scrollWidth > part.clientWidth && part.clientWidth > 0")


def test_runs_are_named_by_their_parameters(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, "/scalars?tag=loss")
    first = beside(page, "mindspore/lineage_sweep/run_01")
    expect(first).to_contain_text("run_01")
    page.get_by_test_id("run-naming").click()
    page.get_by_test_id("run-naming-parameters").click()
    expect(first).to_contain_text("learning_rate 0.001")
    expect(first).not_to_contain_text("run_01")
    expect(first.get_by_title("mindspore/lineage_sweep/run_01", exact=True).last).to_be_visible()
    expect(beside(page, "mindspore/custom_loop")).to_contain_text("custom_loop")


SWEEP = [f"sweep/lr={lr},bs=64,seed={seed}/version_0" for lr in ("0.1", "0.01") for seed in (1, 2, 3)]
LONG_TAG = "train/loss/ToOptimizer_Momentum_cross_entropy_with_label_smoothing"


def test_a_legend_names_every_run_by_what_differs_on_up_to_three_lines(tmp_path: Path, open_page: OpenPage):
    for run in SWEEP:
        GrowingLog(tmp_path / "logs" / run).scalar(1, 1.0)
    with running_viewer(tmp_path / "logs", tmp_path) as live:
        eventually(lambda: len(live.runs()) == len(SWEEP) and all(run["tags"] for run in live.runs().values()))
        page = open_page(live, "/scalars?runs=all")
        legend = page.get_by_test_id("legend-values").first
        lines = legend.locator(".last")
        expect(lines).to_have_count(len(SWEEP))
        names = {text.split("\u00a0")[0].strip() for text in lines.all_text_contents()}
        assert names == {f"lr={lr}…seed={seed}" for lr in ("0.1", "0.01") for seed in (1, 2, 3)}
        inside = legend.evaluate(
            """legend => [...legend.children].every(line => {
                const [outer, inner] = [legend, line].map(one => one.getBoundingClientRect());
                return inner.right <= outer.right + 1 && inner.bottom <= outer.bottom + 1;
            })"""
        )
        assert inside
        assert legend.evaluate("legend => legend.clientHeight") in (20, 40, 60)


def test_a_title_has_the_whole_width_and_buttons_come_with_the_pointer(tmp_path: Path, open_page: OpenPage):
    GrowingLog(tmp_path / "logs" / "run").scalar(1, 1.0, tag=LONG_TAG)
    with running_viewer(tmp_path / "logs", tmp_path) as live:
        eventually(lambda: len(live.runs()) == 1 and all(run["tags"] for run in live.runs().values()))
        page = open_page(live, "/scalars")
        card = page.get_by_test_id("card").first
        title = card.locator("header h3")
        expect(title).to_have_text(LONG_TAG)
        assert title.evaluate("title => title.closest('header').clientWidth - title.clientWidth") <= 20
        full = card.get_by_test_id("full")
        icon = full.locator("svg")
        expect(icon).to_be_hidden()
        full.focus()
        expect(icon).to_be_visible()
        full.blur()
        expect(icon).to_be_hidden()
        card.hover()
        expect(icon).to_be_visible()
        full.click()
        expect(page.get_by_test_id("full-screen").or_(page.get_by_role("dialog")).first).to_contain_text(LONG_TAG)


MANY_SETTINGS = [
    "resnet50-lr0.01-warmup500-cosine-labelsmooth0.1-mixup0.2-cutmix1.0-droppath0.1-seed1-a100",
    "vit-large-patch16-224-" + "-".join(f"setting{number}=0.{number}" for number in range(10)) + "-end",
]


def test_a_tooltip_names_runs_on_up_to_three_lines_before_it_cuts_them(tmp_path: Path, open_page: OpenPage):
    for run in MANY_SETTINGS:
        GrowingLog(tmp_path / "logs" / run).scalar(1, 1.0)
        assert len(run) > 85
    with running_viewer(tmp_path / "logs", tmp_path) as live:
        eventually(lambda: len(live.runs()) == 2 and all(run["tags"] for run in live.runs().values()))
        page = open_page(live, "/scalars?runs=all")
        wait_until_drawn(card(page, "loss"))
        point_at(card(page, "loss"), "End")
        whole, cut = (tip_rows(page).locator(f'[title="{run}"]') for run in MANY_SETTINGS)
        expect(whole).to_have_text(MANY_SETTINGS[0])
        expect(cut).to_have_text(re.compile(r"^vit-large-patch16-224-.*….*setting9=0\.9-end$"))
        for name in (whole, cut):
            line = name.evaluate("name => parseFloat(getComputedStyle(name).lineHeight)")
            assert name.evaluate("name => name.scrollHeight <= name.clientHeight + 1")
            assert line < name.evaluate("name => name.clientHeight") <= 3 * line + 1
        page.set_viewport_size({"width": 390, "height": 844})
        page.goto(page.url.split("?")[0] + "?runs=all&axis=relative")
        wait_until_drawn(card(page, "loss"))
        point_at(card(page, "loss"), "End")
        expect(whole).to_be_visible()
        assert whole.evaluate("name => name.clientWidth") >= 110


def test_the_list_of_runs_is_dragged_or_moved_with_the_keys(tmp_path: Path, open_page: OpenPage):
    GrowingLog(tmp_path / "logs" / "run").scalar(1, 1.0)
    with running_viewer(tmp_path / "logs", tmp_path) as live:
        page = open_page(live, "/scalars")
        side, grip = page.get_by_test_id("run-list"), page.get_by_test_id("side-grip")

        def width() -> int:
            return round(side.evaluate("side => side.closest('aside').getBoundingClientRect().width"))

        expect(grip).to_have_attribute("aria-valuenow", "256")
        assert width() == 256
        box = grip.bounding_box()
        assert box
        page.mouse.move(box["x"] + 4, box["y"] + 300)
        page.mouse.down()
        page.mouse.move(box["x"] + 104, box["y"] + 310)
        page.mouse.up()
        expect(grip).to_have_attribute("aria-valuenow", "356")
        assert width() == 356
        grip.press("ArrowLeft")
        expect(grip).to_have_attribute("aria-valuenow", "340")
        page.reload()
        expect(grip).to_have_attribute("aria-valuenow", "340")
        page.set_viewport_size({"width": 1000, "height": 700})
        for _ in range(11):
            grip.press("ArrowRight")
        expect(grip).to_have_attribute("aria-valuenow", "500")
        assert width() == 500
        grip.dblclick()
        expect(grip).to_have_attribute("aria-valuenow", "256")
