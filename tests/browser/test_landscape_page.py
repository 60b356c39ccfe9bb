# SPDX-License-Identifier: Apache-2.0
"""Loss landscapes: gestures, displays, paths, several at once, live ones, and files."""

from __future__ import annotations

import csv
import io
import json
import re
import shlex
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import BrowserContext, Locator, Page, expect

import mindscope
from mindscope.types import Landscape, LandscapeFacts
from tests.server.live_viewer import DATA, LiveViewer, eventually, running_viewer

from .patience import until

OpenPage = Callable[[LiveViewer, str], Page]
MINDSPORE = "mindspore/landscape/unit_step"
X = np.linspace(-1.0, 1.0, 21)
LOSSES = 0.5 + np.add.outer(X**2, 2 * X**2)
STEPS = (1, 2, 3, 4)
PATH_X = np.array([0.8, 0.4, 0.1, 0.0])
TAG = "landscape_[1, 4]"
COLORS = """canvas => {
  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d");
  copy.drawImage(canvas, 0, 0);
  const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
  let colored = 0;
  for (let i = 0; i < data.length; i += 4)
    colored += data[i + 3] > 40 && Math.max(...data.subarray(i, i + 3)) - Math.min(...data.subarray(i, i + 3)) > 24;
  return colored;
}"""


def landscape(losses: np.ndarray[Any, Any] = LOSSES, done: int | None = None, **facts: Any) -> Landscape:
    known = {
        "method": "pca",
        "path_distances": np.array([0.3, 0.2, 0.05, 0.0]),
        "path_lengths": np.array([1.0, 0.8, 0.5, 0.0]),
        "explained_variance": (0.7, 0.13),
        "normalization": "as_trained",
        "num_samples": 512,
        "evaluation": "grouped",
        "dtype": "float32",
        "points_done": losses.size if done is None else done,
        "points_total": losses.size,
        "weight_norm": 2.0,
        "direction_products": (1.0, 0.0, 1.0),
    }
    return Landscape(
        X,
        X,
        losses,
        path_intervals=STEPS,
        path_x=PATH_X,
        path_y=PATH_X / 2,
        path_z=0.5 + PATH_X**2 * 1.5,
        convergence_point=(0.0, 0.0, 0.5),
        unit="epoch",
        step_per_epoch=10,
        facts=LandscapeFacts(**{**known, **facts}),
    )


def record(directory: Path, *landscapes: Landscape, tag: str = TAG) -> None:
    with mindscope.SummaryRecord(directory) as recorder:
        for step in range(0, 60, 5):
            recorder.add_value("scalar", "loss/auto", 2 / (1 + step))
            recorder.record(step)
        for each in landscapes:
            recorder.add_value("landscape", tag, each)
            recorder.record(60)


def add(recorder: mindscope.SummaryRecord, each: Landscape) -> None:
    recorder.add_value("landscape", TAG, each)
    recorder.record(60)
    recorder.flush()


def with_holes() -> np.ndarray[Any, Any]:
    losses = LOSSES.copy()
    losses[3:6, 4:6] = np.nan
    losses[10, 10], losses[0, 0] = np.inf, -np.inf
    return losses


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveViewer]:
    base = tmp_path_factory.mktemp("landscapes")
    record(base / "a", landscape())
    record(base / "b", landscape(LOSSES * 3))
    record(base / "holes", landscape(with_holes()))
    with running_viewer(base, tmp_path_factory.mktemp("viewer")) as live:
        eventually(lambda: len(live.runs()) == 3 and all("landscape" in run["tags"] for run in live.runs().values()))
        yield live


def surface(page: Page, index: int = 0) -> Locator:
    """The picture in three dimensions, after it was drawn."""
    chart = page.get_by_test_id("landscape-surface").nth(index)
    expect(chart.locator("canvas")).to_have_attribute("data-detail", "fine")
    return chart


def camera(page: Page) -> tuple[float, ...]:
    return tuple(float(part) for part in parse_qs(urlsplit(page.url).query).get("camera", ["-55,32,1"])[0].split(","))


def pixels(chart: Locator) -> str:
    return chart.locator("canvas").first.evaluate("canvas => canvas.toDataURL()")


def choose(page: Page, kind: str) -> bytes:
    page.get_by_test_id("landscape-download").first.click()
    with page.expect_download() as download:
        page.get_by_test_id(f"landscape-download-{kind}").first.click()
    return Path(download.value.path()).read_bytes()


def test_a_surface_turns_and_zooms_by_pointer_wheel_and_keys(logs: LiveViewer, open_page: OpenPage):
    page = open_page(logs, "/landscape?run=a")
    chart = surface(page)
    assert chart.locator("canvas").evaluate(COLORS) > 20_000
    usual = pixels(chart)
    box = chart.bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 100, y + 50, steps=4)
    page.mouse.up()
    until(page, lambda: camera(page) == (-95, 52, 1))
    until(page, lambda: pixels(surface(page)) != usual)
    page.mouse.wheel(0, -100)
    until(page, lambda: camera(page)[2] == pytest.approx(1.15))
    chart.focus()
    for key in ("ArrowRight", "ArrowUp", "+"):
        page.keyboard.press(key)
    until(page, lambda: camera(page) == pytest.approx((-87, 60, 1.3225), abs=0.01))
    turned = camera(page)
    page.reload()
    surface(page)
    assert camera(page) == turned
    page.get_by_test_id("landscape-reset").click()
    until(page, lambda: "camera" not in page.url)
    surface(page).focus()
    page.keyboard.press("ArrowLeft")
    until(page, lambda: "camera" in page.url)
    page.keyboard.press("0")
    until(page, lambda: "camera" not in page.url)
    until(page, lambda: pixels(surface(page)) == usual)


def test_the_first_screen_says_which_end_is_flat(logs: LiveViewer, open_page: OpenPage):
    """LOSSES rise by (x² + 2 y²), a mean of 1.5 R² at a distance R; those of b three times as much."""
    page = open_page(logs, "/landscape?run=a&run=b")
    expect(page.get_by_test_id("landscape-flat")).to_have_text(
        "Flattest: a. At 10 % of the weights' norm from the last checkpoint, the loss rises by 0.0600. "
        "Sharpest: b, by 0.180, 3.0 times as much."
    )
    table = page.get_by_test_id("landscape-flatness")
    expect(table.locator("tbody tr")).to_have_text([re.compile(r"a\s*0\.0600"), re.compile(r"b\s*0\.180")])
    page = open_page(logs, "/landscape?run=a")
    expect(page.get_by_test_id("landscape-flat")).to_have_text(
        "At 10 % of the weights' norm from the last checkpoint, "
        "the loss rises by 0.0600 on average and by 0.0800 at most."
    )


def test_nothing_is_drawn_while_nothing_changes(logs: LiveViewer, open_page: OpenPage):
    page = open_page(logs, "/landscape?run=a")
    frames = "() => document.querySelector('[data-testid=landscape-surface] canvas').dataset.frames"
    surface(page)
    page.get_by_test_id("landscape-panel-toggle").focus()
    drawn = page.evaluate(frames)
    page.evaluate(
        "() => new Promise(done => { let n = 60; (function next() { n-- ? requestAnimationFrame(next) : done() })() })"
    )
    assert page.evaluate(frames) == drawn


def test_the_path_is_played_and_says_how_far_it_left_the_plane(logs: LiveViewer, open_page: OpenPage):
    page = open_page(logs, "/landscape?run=a&landscape_form=contours")
    expect(page.get_by_test_id("landscape-quality")).to_have_text(
        "The plane explains 83 % of the variance of the checkpoints. "
        "Checkpoints are up to 30 % of their distance away from this plane."
    )
    slider, text = page.get_by_test_id("landscape-step"), page.get_by_test_id("landscape-step-text")
    expect(text).to_have_text("Path up to epoch 4")
    front = page.get_by_test_id("landscape-plane").locator("canvas").nth(1)
    whole = front.screenshot()
    slider.press("Home")
    expect(text).to_have_text("Path up to epoch 1")
    assert parse_qs(urlsplit(page.url).query)["landscape_step"] == ["1"]
    until(page, lambda: front.screenshot() != whole)
    page.get_by_test_id("landscape-speed").select_option("8")
    page.get_by_test_id("landscape-step-play").click()
    expect(text).to_have_text("Path up to epoch 4")
    until(page, lambda: front.screenshot() == whole)
    chart = page.get_by_test_id("landscape-plane")
    box = chart.bounding_box()
    assert box
    # the first checkpoint, at (0.8, 0.4) of a plane from -1 to 1; axes take room at the left and below
    tip = page.get_by_test_id("landscape-tip")
    hits = []
    for across in np.arange(0.8, 0.97, 0.01):
        page.mouse.move(box["x"] + float(across) * box["width"], box["y"] + 0.29 * box["height"])
        hits.append(tip.inner_text() if tip.count() else "")
    assert any("epoch 1" in text and "0.3000 (30 %)" in text for text in hits), hits


def test_keys_read_the_losses_of_a_map(logs: LiveViewer, open_page: OpenPage):
    page = open_page(logs, "/landscape?run=a&landscape_form=map")
    chart = page.get_by_test_id("landscape-plane")
    until(page, lambda: chart.locator("canvas").first.evaluate(COLORS) > 20_000)
    chart.focus()
    tip = page.get_by_test_id("landscape-tip")
    page.keyboard.press("ArrowRight")
    expect(tip).to_contain_text("0.5000")
    for _ in range(5):
        page.keyboard.press("ArrowUp")
    expect(tip).to_contain_text("0.7500")  # 0.5 + 0.5²
    page.keyboard.press("ArrowRight")
    expect(tip).to_contain_text("0.7700")  # + 2 · 0.1²
    page.keyboard.press("Escape")
    expect(tip).to_have_count(0)


def test_missing_points_are_counted_and_kept_in_files(logs: LiveViewer, open_page: OpenPage):
    page = open_page(logs, "/landscape?run=holes&landscape_form=map")
    legend = page.get_by_test_id("landscape-legend")
    expect(legend).to_contain_text("6 NaN")
    expect(legend).to_contain_text("2 infinite")
    rows = list(csv.DictReader(io.StringIO(choose(page, "csv").decode())))
    grid = [row for row in rows if row["part"] == "grid"]
    losses = np.array([float(row["loss"]) for row in grid]).reshape(LOSSES.shape)
    np.testing.assert_allclose(losses, with_holes(), rtol=1e-6)
    assert [float(row["x"]) for row in rows if row["part"] == "path"] == pytest.approx(PATH_X)
    saved = json.loads(choose(page, "json"))
    assert saved["losses"][10][10] == "Infinity"
    assert saved["path"]["distances"] == pytest.approx([0.3, 0.2, 0.05, 0.0])
    svg = choose(page, "svg").decode()
    assert svg.startswith("<svg")
    assert "Direction 1" in svg
    with Image.open(io.BytesIO(choose(page, "png"))) as picture:
        assert len(picture.convert("RGB").getcolors(1 << 20) or ()) > 10
    page.get_by_text("3-D surface", exact=True).click()
    surface(page)
    expect(page.get_by_test_id("landscape-download-svg")).to_have_count(0)
    with Image.open(io.BytesIO(choose(page, "png"))) as picture:
        assert len(picture.convert("RGB").getcolors(1 << 20) or ()) > 500


def test_several_runs_share_a_scale_and_are_overlaid_on_a_common_plane_only(logs: LiveViewer, open_page: OpenPage):
    page = open_page(logs, "/landscape?run=a&run=b")
    legends = page.get_by_test_id("landscape-legend")
    expect(legends).to_have_count(2)
    for index in range(2):
        expect(legends.nth(index)).to_contain_text("0.5000")
        expect(legends.nth(index)).to_contain_text("10.50")
    page.get_by_test_id("landscape-options").click()
    page.get_by_test_id("landscape-isShared").click()
    expect(legends.first).to_contain_text("3.500")
    page.keyboard.press("Escape")
    page.get_by_test_id("landscape-full").first.click()
    expect(legends).to_have_count(1)
    page.keyboard.press("Escape")
    expect(legends).to_have_count(2)
    expect(page.get_by_test_id("landscape-other-planes")).to_have_count(0)
    page.get_by_text("Overlaid", exact=True).click()
    expect(page.get_by_test_id("landscape-other-planes")).to_contain_text("the same coordinates are different weights")
    command = page.get_by_test_id("landscape-other-planes").locator("code")
    expect(command).to_have_text(re.compile(r"^mindscope landscape \S+/a \S+/b --model MODULE:FUNCTION --data"))
    expect(page.get_by_test_id("landscape-card")).to_have_count(2)
    page.get_by_test_id("landscape-choose").click()
    page.get_by_test_id("landscape-list").get_by_label(f"b · {TAG}").uncheck()
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("landscape-other-planes")).to_have_count(0)
    expect(page.get_by_test_id("landscape-card")).to_have_count(1)
    surface(page)
    expect(page.get_by_test_id("landscape-panel").locator("section:has(dl)")).to_have_count(1)
    assert json.loads(parse_qs(urlsplit(page.url).query)["landscape"][0]) == ["a", TAG]


def test_intervals_of_a_run_on_other_planes_offer_the_command_for_a_common_one(tmp_path: Path, open_page: OpenPage):
    base, run = tmp_path / "logs", "a $(b)"  # a shell must not run a part of a name
    record(base / run, landscape())
    record(
        base / run, replace(landscape(), path_intervals=tuple(step + 10 for step in STEPS)), tag="landscape_[11, 14]"
    )
    with running_viewer(base, tmp_path) as live:
        eventually(lambda: live.runs().get(run, {}).get("tags", {}).get("landscape") == 2)
        page = open_page(live, "/landscape?run=a%20%24%28b%29&landscape_layout=overlay")
        page.get_by_test_id("landscape-choose").click()
        boxes = page.get_by_test_id("landscape-list").get_by_role("checkbox")
        expect(boxes).to_have_count(2)
        for box in boxes.all():
            box.check()
        page.keyboard.press("Escape")
        page.get_by_text("Overlaid", exact=True).click()
        notice = page.get_by_test_id("landscape-other-planes")
        expect(notice.locator("code")).to_contain_text(
            f"mindscope landscape {shlex.quote(f'{base}/{run}')} --model MODULE:FUNCTION"
        )
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        notice.get_by_role("button", name="Copy the command").click()
        expect(notice.get_by_role("button", name="Command copied")).to_be_visible()
        assert page.evaluate("navigator.clipboard.readText()") == notice.locator("code").inner_text()


def test_mindspores_intervals_are_chosen_below_the_real_loss(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, f"/landscape?run={MINDSPORE.replace('/', '%2F')}")
    expect(page.get_by_test_id("landscape-panel")).to_contain_text("Not known: the logs don't say how far points are")
    expect(page.get_by_test_id("landscape-flat")).to_have_count(0)
    expected = mindscope.open_run(DATA / MINDSPORE).landscapes()
    strip = page.get_by_test_id("landscape-loss")
    buttons = strip.get_by_role("button")
    expect(buttons).to_have_text(["step 1 to 5", "step 6 to 12"])
    expect(buttons.nth(1)).to_have_attribute("aria-pressed", "true")
    buttons.nth(0).click()
    expect(buttons.nth(0)).to_have_attribute("aria-pressed", "true")
    expect(buttons.nth(1)).to_have_attribute("aria-pressed", "false")
    surface(page)
    losses = expected["landscape_[1, 5]"].z
    expect(page.get_by_test_id("landscape-legend")).to_contain_text(f"{losses.min():.3f}")
    panel = page.get_by_test_id("landscape-panel")
    for text in ("MLP", "Momentum", "PCA", "6 × 6", "MindSpore's own files do not contain it"):
        expect(panel).to_contain_text(text)
    page.get_by_test_id("language").click()
    page.get_by_text("中文", exact=True).click()
    expect(panel).to_contain_text("优化器")
    expect(buttons.nth(0)).to_have_text("第 1 至 5 步")


def test_a_surface_grows_while_it_is_computed_and_keeps_the_camera(tmp_path: Path, open_page: OpenPage):
    coarse = np.full_like(LOSSES, np.nan)
    coarse[::5, ::5] = LOSSES[::5, ::5]
    base = tmp_path / "logs"
    with mindscope.SummaryRecord(base / "run") as recorder, running_viewer(base, tmp_path / "viewer") as live:
        add(recorder, landscape(coarse, done=25, seconds_left=75.0))
        page = open_page(live, "/landscape?run=run&camera=10,40,1.2")
        progress = page.get_by_test_id("landscape-progress")
        expect(progress).to_contain_text("Computing: 25 of 441 points · 1:15 left")
        expect(page.get_by_test_id("landscape-legend")).to_contain_text("416 filled in between")
        before = pixels(surface(page))
        add(recorder, landscape())
        expect(progress).to_have_count(0)
        expect(page.get_by_test_id("landscape-legend")).not_to_contain_text("filled")
        assert camera(page) == (10, 40, 1.2)
        until(page, lambda: pixels(surface(page)) != before)


def test_without_webgl_the_page_shows_contours(context: BrowserContext, logs: LiveViewer, open_page: OpenPage):
    context.add_init_script(
        "const whole = HTMLCanvasElement.prototype.getContext;"
        "HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {"
        "  return kind.startsWith('webgl') ? null : whole.call(this, kind, ...rest); };"
    )
    page = open_page(logs, "/landscape?run=a")
    expect(page.get_by_test_id("landscape-no-webgl")).to_be_visible()
    chart = page.get_by_test_id("landscape-plane")
    until(page, lambda: chart.locator("canvas").first.evaluate(COLORS) > 1000)


def test_model_lineage_opens_the_landscapes_of_selected_runs(logs: LiveViewer, open_page: OpenPage):
    page = open_page(logs, "/lineage/models?run=b")
    page.get_by_test_id("selected-actions").click()
    page.get_by_test_id("selected-actions-/landscape").click()
    expect(page.get_by_test_id("landscape-panel")).to_contain_text("epoch 1 to 4")
    expect(page.get_by_test_id("landscape-card")).to_have_count(1)


def test_runs_without_landscapes_say_what_records_them(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, "/landscape?run=mindspore%2Fops")
    empty = page.get_by_test_id("empty")
    for code in ("collect_landscape", "gen_landscapes_with_multi_process", "mindscope landscape RUN --model"):
        expect(empty).to_contain_text(code)
    page.get_by_test_id("show-holders").click()
    expect(page.get_by_test_id("landscape-card").first).to_be_visible()
