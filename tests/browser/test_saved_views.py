# SPDX-License-Identifier: Apache-2.0
"""Every page is saved as a file, and the file is looked at without a server and without a network."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, BrowserContext, Locator, Page, Route, expect

from mindscope import open_run
from tests.browser.test_accessibility import serious
from tests.document_blocks import blocks
from tests.server.live_viewer import DATA, LiveViewer

from .patience import until

OpenPage = Callable[[LiveViewer, str], Page]
Save = Callable[[str], Page]
RUN_A = "run=tensorboard%2Ftb_all%2Frun_a"
CUSTOM_LOOP = "run=mindspore%2Fcustom_loop"
"""How long a sound of the file is, once the browser has read it."""
DURATION = """sound => sound.readyState > 0 ? sound.duration
  : new Promise(tell => sound.addEventListener("loadedmetadata", () => tell(sound.duration)))"""
SWEEP = "&".join(f"run=mindspore%2Flineage_sweep%2Frun_{number:02d}" for number in (1, 2, 3))


@pytest.fixture
def offline(browser: Browser) -> Iterator[BrowserContext]:
    """A browser of its own for files, which reaches nobody."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme="dark", offline=True)
    yield context
    context.close()


@pytest.fixture
def save(
    viewer: LiveViewer, open_page: OpenPage, offline: BrowserContext, complaints: list[str], tmp_path: Path
) -> Save:
    """Saves the view at an address of the real logs by the keyboard, and opens the file."""

    def save_(address: str) -> Page:
        page = open_page(viewer, address)
        expect(page.get_by_test_id("save-view")).to_be_enabled()
        with page.expect_download() as download:
            page.get_by_test_id("save-view").press("Enter")
        file = tmp_path / download.value.suggested_filename
        download.value.save_as(file)
        page.close()
        return opened(offline, file, complaints)

    return save_


def opened(offline: BrowserContext, file: Path, complaints: list[str]) -> Page:
    alone = offline.new_page()
    alone.on("console", lambda message: complaints.append(message.text))
    alone.on("pageerror", lambda error: complaints.append(str(error)))
    mine = (file.as_uri(), "data:")
    alone.on("request", lambda request: request.url.startswith(mine) or complaints.append(request.url))
    alone.goto(file.as_uri())
    return alone


def cards(page: Page) -> list[dict[str, Any]]:
    """The numbers of a file, as a program reads them."""
    return json.loads(page.locator("#values").text_content() or "")["cards"]


def figure(page: Page, title: str) -> Locator:
    return page.get_by_role("figure").filter(has=page.get_by_role("heading", name=title, exact=True))


def oracle(log: str, *path: str) -> Any:
    found = json.loads((DATA / f"{log}.expected.json").read_text())
    for key in path:
        found = found[key]
    return found


def tag_of(log: str, tag: str) -> dict[str, Any]:
    return next(one for file in oracle(log, "files").values() for one in file.get("tags", []) if one["tag"] == tag)


def test_charts_are_drawn_and_tell_their_values(save: Save):
    page = save(f"/scalars?{RUN_A}&smoothing=0.5&chart=%5B%22lr%22,%22loss%2Ftrain%22,%22nan%22%5D")
    expect(page.get_by_role("heading", level=1)).to_have_text("Scalars")
    expect(page.get_by_role("figure")).to_have_count(4)
    expect(page.locator(".settings")).to_contain_text("Smoothing")
    composed = figure(page, "lr · loss/train · nan").get_by_role("img")
    for axis in ("lr", "loss/train", "nan"):
        expect(composed.locator("g[transform] text").filter(has_text=axis)).to_be_visible()
    learning = figure(page, "lr")
    rates = oracle("tensorboard/tb_all", "run_a", "lr", "values")
    expect(learning.get_by_role("row").filter(has_text="run_a")).to_contain_text(f"{rates[-1]:.5g}")
    learning.get_by_role("img").press("ArrowLeft")
    expect(page.locator(".tip")).to_contain_text("299")
    expect(page.locator(".tip")).to_contain_text(f"{rates[-1]:.5g}")
    (line,) = next(card for card in cards(page) if card["title"] == "lr")["parts"][0]["lines"]
    assert line["value"] == pytest.approx(rates, rel=1e-6)
    expect(figure(page, "nan")).to_contain_text("NaN at step 1")
    assert serious(page) == []
    is_whole_without_scripts(page)


def test_a_program_reads_the_numbers_as_documented(
    save: Save, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    save(f"/scalars?{RUN_A}")
    monkeypatch.chdir(tmp_path)
    ((_, _, code),) = blocks(DATA.parents[1] / "docs" / "saved-views.md")
    exec(code, {})
    rates = oracle("tensorboard/tb_all", "run_a", "lr", "values")
    (printed,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("lr ")]
    assert float(printed.split()[-1]) == pytest.approx(rates[-1], rel=1e-6)


def is_whole_without_scripts(page: Page) -> None:
    browser = page.context.browser
    assert browser
    context = browser.new_context(java_script_enabled=False, offline=True)
    alone = context.new_page()
    alone.goto(page.url)
    expect(figure(alone, "lr").get_by_role("img")).to_be_visible()
    expect(figure(alone, "lr").get_by_role("row")).to_have_count(2)
    context.close()


def test_groups_and_figures_of_runs_are_compared(save: Save):
    page = save(f"/scalars?{SWEEP}&group=directory")
    losses = figure(page, "loss/auto")
    expect(losses.get_by_role("row").filter(has_text="mindspore/lineage_sweep")).to_contain_text("3")
    (line,) = cards(page)[0]["parts"][0]["lines"]
    assert line["count"][0] == 3
    assert all(low <= value <= high for low, value, high in zip(line["low"], line["value"], line["high"], strict=True))
    page = save(f"/scalars?{SWEEP}&show=table&figures=first")
    first = oracle("mindspore/lineage_sweep", "files")
    values = [
        tag["first"]
        for name, file in first.items()
        if re.match(r"run_0[123]/", name)
        for tag in file.get("tags", [])
        if tag["tag"] == "loss/auto"
    ]
    shown = cards(page)[0]["parts"][0]["rows"]
    assert [row[1] for row in shown] == pytest.approx(values)
    expect(page.get_by_role("row").filter(has_text="run_03")).to_contain_text(f"{values[-1]:.5g}")


def test_histograms_keep_their_counts(save: Save):
    page = save(f"/histograms?{CUSTOM_LOOP}&shape=both&theme=dark")
    expect(page.get_by_role("figure")).to_have_count(4)
    expect(figure(page, "fc1.weight").get_by_role("img")).to_have_count(2)
    weights = next(card for card in cards(page) if card["title"] == "fc1.weight")["parts"][0]["values"]
    want = tag_of("mindspore/custom_loop", "fc1.weight")
    assert [step["step"] for step in weights["steps"]] == want["steps"]
    assert sum(weights["steps"][-1]["count"]) == want["last"]["count"]


def test_pictures_are_held_as_they_were_logged(save: Save):
    page = save(f"/images?{CUSTOM_LOOP}&full=rgb_uint8&difference=16&brightness=2")
    expect(page.locator(".settings")).to_contain_text("Brightness200 %")
    pair = page.locator(".difference")
    expect(pair).to_have_css("filter", "brightness(2) contrast(1)")
    expect(pair.get_by_role("img").last).to_have_js_property("naturalWidth", 60)
    want = tag_of("mindspore/custom_loop", "rgb_uint8")
    shown = [digest(pair.get_by_role("img").nth(place)) for place in (0, 1)]
    assert shown == [want["last"]["sha1"], want["first"]["sha1"]]


def digest(picture: Locator) -> str:
    """Of the bytes that a picture of the file holds."""
    source = picture.get_attribute("src") or ""
    return hashlib.sha1(base64.b64decode(source.partition(",")[2])).hexdigest()


def test_tensors_are_shown_with_their_statistics(save: Save):
    page = save(f"/tensors?{CUSTOM_LOOP}&full=t3d_f16&decimals=3")
    want = tag_of("mindspore/custom_loop", "t3d_f16")["last"]
    expect(page.get_by_role("row").filter(has_text="Min")).to_contain_text(f"{want['min']:.4g}".replace("-", "\u2212"))
    table, statistics = cards(page)[0]["parts"]
    assert [len(row) for row in table["rows"]] == [5, 5, 5]
    assert float(next(row for row in statistics["rows"] if row[0] == "Max")[2]) == pytest.approx(want["max"], rel=1e-3)


def test_texts_sounds_and_pr_curves_are_in_the_file(save: Save):
    page = save(f"/texts?{RUN_A}")
    expect(page.get_by_role("figure")).to_have_count(1)
    page = save(f"/audio?{RUN_A}")
    expect(page.get_by_role("figure").get_by_role("img")).to_be_visible()
    assert page.locator("audio").evaluate(DURATION) == pytest.approx(1.0)
    page = save(f"/pr-curves?{RUN_A}")
    expect(page.get_by_role("columnheader", name="AP")).to_be_visible()
    box = page.locator(".drawing > svg").evaluate("area => [area.width, area.height].map(side => side.baseVal.value)")
    assert box[0] == pytest.approx(box[1], rel=0.01)
    page.get_by_role("img").press("ArrowRight")
    expect(page.locator(".tip")).to_contain_text("Recall")


CUT = """() => [...document.querySelectorAll(".table")].filter((one) => one.scrollWidth > one.clientWidth
  && getComputedStyle(one).overflowX !== "auto" || one.getBoundingClientRect().right > innerWidth).length"""
GAPS = "cells => cells.map(cell => parseFloat(getComputedStyle(cell).paddingLeft))"


def test_tables_are_whole_at_1200_px(save: Save):
    """Those of cards fit, a wide one scrolls in its card; neighboring cells do not touch."""
    for address, figures in (
        (f"/scalars?{SWEEP}&{CUSTOM_LOOP}", 2),
        (f"/lineage/models?{SWEEP}", 1),
    ):
        page = save(address)
        page.set_viewport_size({"width": 1200, "height": 900})
        expect(page.get_by_role("figure").nth(figures - 1)).to_be_visible()
        assert page.locator(".table").count() >= figures
        assert page.evaluate(CUT) == 0
        assert min(page.locator("tbody td").evaluate_all(GAPS)) >= 8


def test_tables_and_previews_are_in_the_file(save: Save, viewer: LiveViewer):
    page = save(f"/lineage/models?{SWEEP}")
    expect(page.get_by_role("row").filter(has_text="run_02")).to_contain_text("0.01")
    page = save("/")
    expect(page.get_by_role("rowheader")).to_have_count(len(viewer.runs()))
    page = save("/dashboard?run=mindspore%2Flandscape%2Funit_step")
    expect(page.get_by_role("heading", level=3)).to_have_count(6)
    expect(figure(page, "Loss landscape").get_by_role("img")).to_have_js_property("complete", True)
    assert serious(page) == []
    first = next(iter(open_run(DATA / "mindspore" / "landscape" / "unit_step").landscapes()))
    page = save(f"/dashboard?run=mindspore%2Flandscape%2Funit_step&preview_landscape={quote(first, safe='')}")
    expect(figure(page, "Loss landscape")).to_contain_text(first)


def test_a_saved_surface_turns_without_a_server(save: Save):
    page = save("/landscape?run=mindspore%2Flandscape%2Funit_step")
    shown = figure(page, "landscape_[6, 12]")
    canvas = shown.locator("canvas")
    drawn = "canvas => canvas.toDataURL()"
    usual = canvas.evaluate(drawn)
    canvas.press("ArrowLeft")
    until(page, lambda: canvas.evaluate(drawn) != usual)
    canvas.press("0")
    until(page, lambda: canvas.evaluate(drawn) == usual)
    box = canvas.bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(shown.locator(".surface-said")).to_contain_text(re.compile(r"Loss 2\.\d+ · Direction 1"))
    (part,) = (part for part in cards(page)[0]["parts"] if part["kind"] == "surface")
    landscape = open_run(DATA / "mindspore" / "landscape" / "unit_step").landscapes()["landscape_[6, 12]"]
    assert [*chain(*part["values"][0]["losses"])] == pytest.approx(landscape.z.reshape(-1))
    assert serious(page) == []
    assert page.context.browser
    with page.context.browser.new_context(java_script_enabled=False, offline=True) as context:
        alone = context.new_page()
        alone.goto(page.url)
        expect(alone.get_by_role("figure").get_by_role("img")).to_be_visible()


def test_what_fails_is_named_and_what_takes_long_is_stopped(
    viewer: LiveViewer, open_page: OpenPage, complaints: list[str]
):
    page = open_page(viewer, f"/scalars?{RUN_A}")
    held: list[Route] = []
    expect(page.get_by_test_id("card").first).to_be_visible()
    page.route("**/api/curves", lambda route: held.append(route))
    page.get_by_test_id("save-view").click()
    state = page.get_by_test_id("save-state")
    expect(state).to_contain_text("1 of 3: loss/train")
    page.get_by_test_id("save-cancel").click()
    expect(state).to_have_count(0)
    page.unroute("**/api/curves")
    page.route("**/api/curves", lambda route: route.abort())
    page.get_by_test_id("save-view").click()
    expect(state).to_have_attribute("data-state", "failed")
    expect(state).to_contain_text("Could not load loss/train")
    complaints.clear()
