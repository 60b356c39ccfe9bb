# SPDX-License-Identifier: Apache-2.0
"""Everything that a step recorded on one page: one slider, kinds, curves of the same prefix, former addresses."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, expect

from mindscope import SummaryRecord
from tests.event_log import TENSORBOARD_NAME, tensorboard_event, tensorboard_version
from tests.server.live_viewer import LiveViewer, eventually, running_viewer

from .images_page import expect_grey
from .scalars_page import expect_view

OpenPage = Callable[[LiveViewer, str], Page]
LEFT = "chart => parseFloat(chart.style.getPropertyValue('--crosshair'))"


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveViewer]:
    """A run with a loss at 11 steps, an image and a tensor at steps 0, 5 and 10, and a text at steps 0 and 10."""
    base = tmp_path_factory.mktemp("mixed")
    run = base / "logs" / "run"
    with SummaryRecord(str(run)) as record:
        for step in range(11):
            record.add_value("scalar", "eval/loss", 1 / (1 + step))
            record.add_value("scalar", "train/loss", 1 / (1 + step))
            if step % 5 == 0:
                record.add_value("image", "eval/input", np.full((1, 1, 4, 6), 20 * step / 255, np.float32))
                record.add_value("tensor", "eval/logits", np.full((2, 2), step, np.float32))
            record.record(step)
    metadata = {"plugin_data": {"plugin_name": "text"}}
    texts = [
        {"tag": "eval/answer", "metadata": metadata, "tensor": {"dtype": 7, "string_val": [b"digit %d" % step]}}
        for step in (0, 10)
    ]
    events = [tensorboard_event(step, text) for step, text in zip((0, 10), texts, strict=True)]
    (run / TENSORBOARD_NAME.format(1)).write_bytes(tensorboard_version() + b"".join(events))
    with running_viewer(base / "logs", base) as live:
        eventually(lambda: live.runs().get("run", {}).get("tags", {}).get("text") == 1)
        yield live


def card(page: Page, tag: str) -> Locator:
    return page.locator(f"[data-testid=card][data-tag='{tag}']")


def test_one_slider_moves_all_that_a_step_recorded(mixed: LiveViewer, open_page: OpenPage):
    page = open_page(mixed, "/media?run=run")
    image, text, slider = card(page, "eval/input"), card(page, "eval/answer"), page.get_by_test_id("common-step")
    expect_grey(image, 200)
    expect(text.get_by_test_id("text")).to_have_text("digit 10")
    expect(card(page, "eval/loss")).to_have_count(0)
    page.get_by_test_id("media-curves").click()
    expect_view(page, "curves", "shown")
    expect(card(page, "train/loss")).to_have_count(0)
    curve = card(page, "eval/loss").get_by_test_id("chart")
    expect(curve).to_have_attribute("style", re.compile(r"--crosshair: [1-9]"))
    last = curve.evaluate(LEFT)
    slider.press("Home")
    expect_grey(image, 0)
    expect(text.get_by_test_id("text")).to_have_text("digit 0")
    expect(card(page, "eval/logits").get_by_test_id("step")).to_have_text("Step 0")
    expect(page.get_by_test_id("common-step-text")).to_have_text("Step 0")
    first = curve.evaluate(LEFT)
    slider.press("ArrowRight")
    expect_grey(image, 100)
    assert first < curve.evaluate(LEFT) < last


def test_a_card_says_that_it_shows_another_step(mixed: LiveViewer, open_page: OpenPage):
    page = open_page(mixed, "/media?run=run&step=5")
    text, image = card(page, "eval/answer"), card(page, "eval/input")
    expect(text.get_by_test_id("text")).to_have_text("digit 0")
    expect(text.get_by_test_id("step")).to_have_text("Step 0")
    expect(text.get_by_test_id("other-step-shown")).to_have_text("none at 5")
    expect(image.get_by_test_id("step")).to_have_text("Step 5")
    expect(image.get_by_test_id("other-step-shown")).to_have_count(0)


@pytest.mark.parametrize(
    ("address", "kind", "tags"),
    [
        ("/images", "image", ["eval/input"]),
        ("/texts", "text", ["eval/answer"]),
        ("/tensors", "tensor", ["eval/logits"]),
        ("/steps", None, ["eval/answer", "eval/input", "eval/logits"]),
    ],
)
def test_former_addresses_open_with_their_kind_chosen(
    mixed: LiveViewer, open_page: OpenPage, address: str, kind: str | None, tags: list[str]
):
    page = open_page(mixed, f"{address}?run=run&step=5&tag=eval")
    expect(page).to_have_url(re.compile(rf"/media\?run=run&step=5&tag=eval{f'&kind={kind}' if kind else ''}$"))
    cards = page.get_by_test_id("media").get_by_test_id("card")
    expect(cards).to_have_count(len(tags))
    assert [one.get_attribute("data-tag") for one in cards.all()] == tags
    expect(page.get_by_test_id("common-step-text")).to_have_text("Step 5")
    expect(page.get_by_test_id("text-way")).to_have_count(1 if "eval/answer" in tags else 0)
    page.get_by_test_id("media-kind").get_by_text("Tensors").click()
    expect_view(page, "kind", "tensor")
    expect(cards).to_have_count(1)
    page.get_by_test_id("media-kind").get_by_text("All").click()
    expect(cards).to_have_count(3)


def test_a_curve_fills_the_page_and_gives_it_back(mixed: LiveViewer, open_page: OpenPage):
    page = open_page(mixed, "/media?run=run&curves=shown&full=eval%2Floss")
    expect(page.get_by_test_id("full-screen").get_by_test_id("chart").last).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_test_id("full-screen")).to_have_count(0)
    expect(card(page, "eval/loss")).to_be_visible()
