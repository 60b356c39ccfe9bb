# SPDX-License-Identifier: Apache-2.0
"""Pictures over the steps of a training: which is asked for, which is shown, and what is said of them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import numpy as np
from playwright.sync_api import BrowserContext, Page, Route, expect

import mindscope
from tests.event_log import TENSORBOARD_NAME
from tests.server.live_viewer import DATA, LiveViewer, eventually, running_viewer

from .held_requests import HeldRequests
from .images_page import CUSTOM_LOOP, expect_grey, picture, reds, step_to
from .patience import body, until
from .scalars_page import card, expect_view

OpenPage = Callable[[LiveViewer, str], Page]


class StepRequests:
    """Requests for the picture of each step of ``a/grey``, in their order: ``asked``, and ``dropped`` by the page."""

    def __init__(self, context: BrowserContext, live: LiveViewer) -> None:
        listed = live.http.get("/api/images", params={"run": "run", "tag": "a/grey"}).json()
        self._steps = dict(zip(listed["id"], listed["step"], strict=True))
        self._routes: dict[int, Route] = {}
        self.asked: list[int] = []
        self.dropped: list[int] = []
        self.is_holding = False
        context.route("**/api/image?*grey*", self._take)
        context.on("request", lambda request: self._note(self.asked, request.url))
        context.on("requestfailed", lambda request: self._note(self.dropped, request.url))

    def _note(self, steps: list[int], url: str) -> None:
        """A request that is dropped at once is told, but never comes to be held."""
        if "/api/image?" in url:
            steps.append(self._step_of(url))

    def _step_of(self, url: str) -> int:
        return self._steps[parse_qs(urlsplit(url).query)["id"][0]]

    def _take(self, route: Route) -> None:
        if self.is_holding:
            self._routes[self._step_of(route.request.url)] = route
        else:
            route.continue_()

    def let_go(self, page: Page, step: int) -> None:
        until(page, lambda: self._routes.pop(step, None)).continue_()


NOTE_GREYS = """card => {
  const greys = window.greys = [];
  new MutationObserver(() => {
    const image = card.querySelector("[data-testid=picture]");
    const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
    canvas.drawImage(image, 0, 0);
    const [red] = canvas.getImageData(0, 0, 1, 1).data;
    if (greys.at(-1) !== red) greys.push(red);
  }).observe(card, { childList: true, subtree: true });
}"""
"""Keeps the grey of every picture that the card shows from now on."""


def test_a_fast_slider_shows_the_nearest_picture_and_never_an_older_one_later(
    many: LiveViewer, context: BrowserContext, open_page: OpenPage
):
    requests = StepRequests(context, many)
    page = open_page(many, "/images?tag=grey&step=1")
    shown = card(page, "a/grey")
    expect_grey(shown, 10)
    step_to(shown, "ArrowRight")
    expect(shown.get_by_test_id("step")).to_have_text("Step 2")
    until(page, lambda: requests.asked == [1, 2, 3])  # the next one in this direction, though nobody wants it yet
    expect_grey(shown, 20)
    shown.evaluate(NOTE_GREYS)
    requests.is_holding = True
    for _ in range(4):
        step_to(shown, "ArrowRight")
    step_to(shown, "End")
    until(page, lambda: requests.asked[3:] == [4, 5, 6, 12])
    until(page, lambda: requests.dropped == [5, 6])
    expect(shown.get_by_test_id("step")).to_have_text("Step 12")
    expect(shown.get_by_test_id("picture")).to_have_attribute("data-loaded", "false")
    until(page, lambda: page.evaluate("greys") == [30])  # the nearest one that is here
    requests.let_go(page, 4)
    until(page, lambda: page.evaluate("greys") == [30, 40])
    requests.let_go(page, 12)
    expect_grey(shown, 120)
    assert page.evaluate("greys") == [30, 40, 120]


def test_only_pictures_in_sight_are_asked_for(many: LiveViewer, context: BrowserContext, open_page: OpenPage):
    held = HeldRequests(context, "**/api/image?*")
    asked: list[str] = []
    dropped: list[str] = []
    context.on("request", lambda request: "/api/image?" in request.url and asked.append(request.url))
    context.on("requestfailed", lambda request: dropped.append(request.url))
    page = open_page(many, "/images?run=run")
    until(page, lambda: any("b%2F000" in url for url in asked))
    page.get_by_test_id("media").evaluate("cards => cards.scrollTo(0, cards.scrollHeight)")
    until(page, lambda: any("b%2F000" in url for url in dropped))
    until(page, lambda: any("b%2F149" in url for url in asked))
    held.release()
    expect_grey(card(page, "b/149"), 149)
    assert len(asked) < 60


def test_a_damaged_picture_says_step_file_and_byte(many: LiveViewer, open_page: OpenPage, complaints: list[str]):
    page = open_page(many, "/images?run=damaged")
    shown = card(page, "input")
    expect(shown.get_by_test_id("picture-problem")).to_have_text(
        re.compile(rf"at step 7 is damaged at byte \d+ of {re.escape(TENSORBOARD_NAME.format(1))}: the checksum")
    )
    step_to(shown, "ArrowLeft")
    expect_grey(shown, 70)
    expect(shown.get_by_test_id("picture-problem")).to_have_count(0)
    complaints.clear()  # the browser reports the refused picture


def test_every_pixel_is_that_of_the_log(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, f"{CUSTOM_LOOP}&size=original")  # a strip is unfolded at a scale
    run = mindscope.open_run(DATA / "mindspore" / "custom_loop")
    expect(page.get_by_test_id("card")).to_have_count(len(run.tags("image")))
    for tag in run.tags("image"):
        want = run.images(tag)[-1]
        pixels = want.value[0].pixels()
        got = reds(card(page, tag))
        np.testing.assert_array_equal(got, pixels if pixels.ndim == 2 else pixels[:, :, 0])
        expect(card(page, tag).get_by_test_id("step")).to_have_text(f"Step {want.step}")


def test_the_slider_of_a_card_moves_only_this_card(greys: LiveViewer, open_page: OpenPage):
    page = open_page(greys, "/images")
    first, second = page.get_by_test_id("card").nth(0), page.get_by_test_id("card").nth(1)
    expect_grey(first, 30)
    expect_grey(second, 90)
    step_to(second, "ArrowLeft")
    expect(second.get_by_test_id("step")).to_have_text("Step 3")
    expect_grey(second, 30)
    step_to(second, "Home")
    expect(second.get_by_test_id("step")).to_have_text("Step 1")
    expect(first.get_by_test_id("step")).to_have_text("Step 3")


def test_a_pinned_tag_stands_first_and_stays(greys: LiveViewer, open_page: OpenPage):
    page = open_page(greys, "/images")
    page.get_by_test_id("card").nth(0).hover()
    page.get_by_test_id("card").nth(0).get_by_test_id("pin").click()
    pinned = page.locator("[data-group=pinned]")
    expect(pinned.get_by_test_id("card")).to_have_count(2)
    page.reload()
    expect(pinned.get_by_test_id("card")).to_have_count(2)
    pinned.get_by_test_id("card").nth(1).hover()
    pinned.get_by_test_id("card").nth(1).get_by_test_id("pin").click()
    expect(pinned).to_have_count(0)
    eventually(lambda: not any(greys.http.get("/api/annotations").json()["pins"].values()))


def test_all_cards_at_one_step_and_the_address_says_which(greys: LiveViewer, open_page: OpenPage):
    page = open_page(greys, "/images")
    picture(page.get_by_test_id("card").nth(1))
    step_to(page.get_by_test_id("media-toolbar"), "Home", "common-step")
    step_to(page.get_by_test_id("media-toolbar"), "ArrowRight", "common-step")
    expect_view(page, "step", "2")
    page.reload()
    for number in range(2):
        expect(page.get_by_test_id("card").nth(number).get_by_test_id("step")).to_have_text("Step 2")
        expect_grey(page.get_by_test_id("card").nth(number), 20)


def test_playing_goes_through_the_steps_to_the_end(greys: LiveViewer, open_page: OpenPage):
    page = open_page(greys, "/images?step=1")
    step = page.get_by_test_id("card").nth(1).get_by_test_id("step")
    expect(step).to_have_text("Step 1")
    page.get_by_test_id("common-step-play").click()
    expect(step).to_have_text("Step 9")
    expect(page.get_by_label("Play the steps").first).to_be_visible()
    expect_view(page, "step", None)


def test_a_live_page_is_told_only_of_new_values(tmp_path: Path, open_page: OpenPage):
    with (
        mindscope.SummaryRecord(tmp_path / "logs" / "run") as record,
        running_viewer(tmp_path / "logs", tmp_path) as live,
    ):

        def write(step: int) -> None:
            record.add_value("image", "grey", np.full((1, 1, 4, 6), 10 * step / 255, np.float32))
            record.record(step)
            record.flush()

        for step in (1, 2, 3):
            write(step)
        eventually(lambda: live.runs().get("run", {}).get("last_step") == 3)
        page = open_page(live, "/images")
        expect(card(page, "grey").get_by_test_id("step")).to_have_text("Step 3")
        with page.expect_request_finished(
            lambda asked: "/api/images?" in asked.url and json.loads(body(asked))["values"] == 4
        ) as found:
            write(4)
        told = json.loads(body(found.value))
        assert (told["kept"], told["step"]) == (3, [4])
        expect(card(page, "grey").get_by_test_id("step")).to_have_text("Step 4")
        expect(card(page, "grey")).to_contain_text("4 / 4")


def test_a_new_step_appears_by_itself_and_a_chosen_one_stays(tmp_path: Path, open_page: OpenPage):
    with (
        mindscope.SummaryRecord(tmp_path / "logs" / "run") as record,
        running_viewer(tmp_path / "logs", tmp_path) as live,
    ):

        def write(step: int) -> None:
            record.add_value("image", "grey", np.full((1, 1, 4, 6), 10 * step / 255, np.float32))
            record.record(step)
            record.flush()

        write(1)
        page = open_page(live, "/images")
        shown = card(page, "grey")
        expect(shown.get_by_test_id("step")).to_have_text("Step 1")
        write(2)
        expect(shown.get_by_test_id("step")).to_have_text("Step 2")
        expect_grey(shown, 20)
        step_to(shown, "Home")
        write(3)
        expect(shown).to_contain_text("1 / 3")
        expect(shown.get_by_test_id("step")).to_have_text("Step 1")


def test_an_empty_page_says_how_to_fill_it(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, "/images?run=mindspore%2Flineage_sweep%2Frun_01")
    expect(page.get_by_test_id("empty")).to_contain_text('record.add_value("image"')
    page.get_by_test_id("show-holders").click()
    expect(page.get_by_test_id("card").first).to_be_visible()
    expect_view(page, "run", "mindspore%2Flineage_sweep%2Frun_01")


def test_a_run_without_graphs_leads_to_runs_that_have_some(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, "/graph?run=tensorboard%2Ftb_all%2Frun_a%2Fmulti_a")
    expect(page.get_by_test_id("empty")).to_contain_text("*.onnx")
    page.get_by_test_id("show-holders").click()
    expect(page.get_by_test_id("graph-menu")).to_be_visible()
