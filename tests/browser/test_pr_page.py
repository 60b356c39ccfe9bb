# SPDX-License-Identifier: Apache-2.0
"""Precision-recall curves as a person meets them, against TensorBoard's own reader."""

from __future__ import annotations

import csv
import io
import json
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import BrowserContext, Locator, Page, Request, expect
from tensorboard.backend.event_processing.data_provider import MultiplexerDataProvider
from tensorboard.backend.event_processing.plugin_event_multiplexer import EventMultiplexer
from tensorboard.context import RequestContext
from tensorboard.plugins.base_plugin import TBContext

import mindscope
from tests.event_log import TENSORBOARD_NAME, append, tensorboard_event, tensorboard_version
from tests.server.live_viewer import DATA, LiveViewer, eventually, running_viewer

from .patience import until
from .scalars_page import card, expect_view, full, to_number

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # of the sanitizer that it brings along
    from tensorboard.plugins.pr_curve.pr_curves_plugin import PrCurvesPlugin

OpenPage = Callable[[LiveViewer, str], Page]
RUNS = ("adam/1", "adam/2", "sgd/1")
CURVES = "svg svg path"
"""What is drawn inside of the plotting area."""
TAGS = ("val/cat", "val/dog")


def curve(run: str, tag: str, step: int) -> np.ndarray[Any, Any]:
    """The six rows of a classifier that learns; nothing scores as high as the last thresholds."""
    rng = np.random.default_rng([RUNS.index(run), TAGS.index(tag), step])
    labels = rng.random(200) > 0.5
    scores = np.clip(labels * step / 40 + rng.random(200) * 0.6, 0, 0.9)
    thresholds = np.linspace(0, 1, 21)
    taken = scores[None] >= thresholds[:, None]
    positive, negative = (taken & labels).sum(1), (taken & ~labels).sum(1)
    counts = [positive, negative, negative[0] - negative, positive[0] - positive]
    precision = positive / np.maximum(1e-7, positive + negative)
    return np.stack([*counts, precision, positive / positive[0]]).astype(np.float32)


def log_of(base: Path, run: str) -> Path:
    return base / run / TENSORBOARD_NAME.format(1)


def write(base: Path, run: str, step: int) -> None:
    for tag in TAGS:
        rows = curve(run, tag, step)
        sizes = {"dim": [{"size": size} for size in rows.shape]}
        tensor = {"dtype": 1, "tensor_shape": sizes, "tensor_content": rows.tobytes()}
        value = {"tag": tag, "tensor": tensor, "metadata": {"plugin_data": {"plugin_name": "pr_curves"}}}
        append(log_of(base, run), tensorboard_event(step, value))


@pytest.fixture
def classifiers(tmp_path: Path) -> Iterator[LiveViewer]:
    for run in RUNS:
        log_of(tmp_path / "logs", run).parent.mkdir(parents=True)
        append(log_of(tmp_path / "logs", run), tensorboard_version())
        for step in (0, 10):
            write(tmp_path / "logs", run, step)
    with running_viewer(tmp_path / "logs", tmp_path) as live:
        eventually(lambda: [run["tags"].get("pr_curve") for run in live.runs().values()] == [len(TAGS)] * len(RUNS))
        yield live


def drawn_by_tensorboard(base: Path, tag: str) -> dict[str, dict[str, Any]]:
    """The newest curve of each run, as its plugin hands it to its page."""
    events = EventMultiplexer()
    events.AddRunsFromDirectory(str(base))
    events.Reload()
    plugin = PrCurvesPlugin(TBContext(data_provider=MultiplexerDataProvider(events, str(base))))
    found = plugin.pr_curves_impl(RequestContext(), "", list(RUNS), tag)
    return {run: curves[-1] for run, curves in found.items()}


def drawn_points(paths: Locator) -> list[int]:
    """How many points each curve has."""
    drawn = paths.evaluate_all("all => all.map(one => one.getAttribute('d'))")
    return [path.count("M") + path.count("L") for path in drawn]


def told(cells: Locator) -> list[float]:
    """The numbers of a row of the tip, behind color and run."""
    return [to_number(text) for text in cells.all_inner_texts()[2:]]


def drive_cards(page: Page, last: int) -> None:
    """Steps are played to the last, and a card is pinned, put back and enlarged."""
    shown = card(page, TAGS[1])
    page.get_by_test_id("common-step").press("Home")
    expect(shown.get_by_test_id("step")).to_have_text("Step 0")
    page.get_by_test_id("common-step-play").click()
    expect(shown.get_by_test_id("step")).to_have_text(f"Step {last}")
    expect(page.get_by_test_id("common-step-play")).to_have_accessible_name("Play the steps")
    shown.hover()
    shown.get_by_test_id("pin").click()
    pinned = page.locator("[data-group=pinned]").get_by_test_id("card")
    expect(pinned).to_have_attribute("data-tag", TAGS[1])
    shown.hover()
    shown.get_by_test_id("pin").click()
    expect(pinned).to_have_count(0)
    width = page.get_by_test_id("tag-group").first.evaluate("group => group.clientWidth")
    expect(shown).not_to_have_css("width", f"{width}px")
    page.get_by_test_id("chart-size").click()
    page.get_by_test_id("chart-size-large").click()
    expect(shown).to_have_css("width", f"{width}px")


def test_all_curves_in_sight_come_together_and_are_those_of_tensorboard(
    classifiers: LiveViewer, open_page: OpenPage, context: BrowserContext, tmp_path: Path
):
    asked: list[Request] = []
    context.on("request", lambda request: asked.append(request))
    page = open_page(classifiers, "/pr-curves")
    for tag in TAGS:
        want = drawn_by_tensorboard(tmp_path / "logs", tag)
        paths = card(page, tag).get_by_test_id("pr-chart").locator(CURVES)
        expect(paths).to_have_count(len(RUNS))
        points = [len(want[run]["precision"]) for run in RUNS]
        until(page, lambda paths=paths, points=points: drawn_points(paths) == points)
    questions = [json.loads(one.post_data or "") for one in asked if "/api/pr_curve" in one.url]
    first = [[one for one in question["series"] if one["since"] is None] for question in questions]
    named = [(one["run"], one["tag"]) for question in first for one in question]
    assert sorted(named) == sorted((run, tag) for run in RUNS for tag in TAGS)
    assert len([*filter(None, first)]) <= len(TAGS)

    expect(card(page, TAGS[0]).get_by_test_id("step")).to_have_text("Step 10")
    write(tmp_path / "logs", RUNS[0], 20)
    expect(card(page, TAGS[0]).get_by_test_id("step")).to_have_text("Step 20")
    page.get_by_test_id("common-step").press("Home")
    expect(card(page, TAGS[1]).get_by_test_id("step")).to_have_text("Step 0")
    expect_view(page, "step", "0")
    page.get_by_test_id("tag-filter").fill("dog")
    expect(page.get_by_test_id("card")).to_have_count(1)
    page.get_by_test_id("restore-all").click()
    expect(page.get_by_test_id("card")).to_have_count(len(TAGS))
    expect(card(page, TAGS[1]).get_by_test_id("step")).to_have_text("Step 20")
    drive_cards(page, last=20)

    card(page, TAGS[0]).hover()
    card(page, TAGS[0]).get_by_test_id("full").click()
    figures = full(page).get_by_test_id("pr-table").locator("[data-key]")
    expect(figures).to_have_count(len(RUNS))
    wanted = {}
    for run, one in drawn_by_tensorboard(tmp_path / "logs", TAGS[0]).items():
        precision, recall = np.array(one["precision"]), np.array(one["recall"])
        average = (-np.diff(recall, append=0) * precision).sum()
        best = (2 * precision * recall / (precision + recall)).max()
        row = figures.and_(page.locator(f"[data-key='{run}']")).get_by_role("cell")
        expect(row).to_contain_text([str(one["step"]), f"{average:.4f}", f"{best:.4f}"])
        wanted[run] = [one["step"], average, best]
    full(page).get_by_test_id("pr-table-download").click()
    with page.expect_download() as download:
        page.get_by_test_id("pr-table-download-csv").click()
    rows = {row["run"]: row for row in csv.DictReader(Path(download.value.path()).read_text().splitlines())}
    assert list(rows) == list(RUNS)
    for run, row in rows.items():
        assert [float(row[key]) for key in ("step", "average precision", "best F1")] == pytest.approx(wanted[run])
        both = float(row["precision"]), float(row["recall"])
        assert 2 * both[0] * both[1] / sum(both) == pytest.approx(wanted[run][2])


def expect_square(chart: Locator) -> None:
    """The plotting area is as long across as down, and the title of the precision is beside it."""
    left, across, down = chart.locator("svg svg").evaluate(
        "area => [area.x, area.width, area.height].map(place => place.baseVal.value)"
    )
    whole = chart.locator("svg").first.bounding_box()
    title = chart.get_by_text("Precision", exact=True).bounding_box()
    assert whole
    assert title
    assert across == pytest.approx(down, abs=1)
    assert across > 100
    assert 0 < whole["x"] + left - title["x"] < 90


def test_a_curve_says_its_counts_at_every_threshold_and_is_downloaded(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, "/pr-curves?run=tensorboard%2Ftb_all%2Frun_a")
    curves = mindscope.open_run(DATA / "tensorboard" / "tb_all" / "run_a").pr_curves("pr")
    chart = card(page, "pr").get_by_test_id("pr-chart")
    expect(chart.locator(CURVES)).to_have_count(1)
    expect_square(chart)
    card(page, "pr").get_by_test_id("card-step").press("Home")
    expect(card(page, "pr").get_by_test_id("step")).to_have_text(f"Step {curves[0].step}")
    chart.focus()
    for _ in range(11):
        chart.press("ArrowRight")
    cells = page.get_by_test_id("pr-tip").locator("tbody tr").first.get_by_role("cell")
    true_positives, false_positives, true_negatives, false_negatives, precision, recall = curves[0].value.value[:, 10]
    want = [10 / 126, precision, recall, true_positives, false_positives, true_negatives, false_negatives]
    until(page, lambda: told(cells) == pytest.approx(want, rel=1e-3, abs=5e-5))

    card(page, "pr").get_by_test_id("full").click()
    shown = full(page)
    expect(shown.get_by_test_id("pr-chart").locator(CURVES)).to_have_count(1)
    newest = curves[-1].value.value
    both = newest[4] + newest[5]
    score = (2 * newest[4] * newest[5] / np.where(both > 0, both, 1)).max()
    expect(shown.get_by_test_id("pr-table").get_by_role("cell").nth(2)).to_have_text(f"{score:.4f}")
    for kind in ("csv", "json", "svg", "png"):
        shown.get_by_test_id("download").click()
        with page.expect_download() as download:
            page.get_by_test_id(f"download-{kind}").click()
        content = Path(download.value.path()).read_bytes()
        if kind == "csv":
            rows = list(csv.DictReader(io.StringIO(content.decode())))
            np.testing.assert_allclose([float(row["precision"]) for row in rows], newest[4])
        elif kind == "json":
            np.testing.assert_allclose(json.loads(content)[0]["recall"], newest[5])
        else:
            assert content.startswith(b"<svg" if kind == "svg" else b"\x89PNG")
