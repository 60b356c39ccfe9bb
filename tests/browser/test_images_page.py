# SPDX-License-Identifier: Apache-2.0
"""The pictures of the logs, as a person sees and handles them: their pixels against the files' own."""

from __future__ import annotations

import io
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import BrowserContext, Locator, Page, Route, expect

import mindscope
from tests.event_log import TENSORBOARD_NAME, tensorboard_event, tensorboard_version
from tests.server.live_viewer import DATA, LiveViewer, eventually, running_viewer

from .held_requests import HeldRequests
from .scalars_page import card, expect_view, full

OpenPage = Callable[[LiveViewer, str], Page]
CUSTOM_LOOP = "/images?run=mindspore%2Fcustom_loop"
PIXELS = """image => {
  const canvas = new OffscreenCanvas(image.naturalWidth, image.naturalHeight).getContext("2d");
  canvas.drawImage(image, 0, 0);
  const { data, width, height } = canvas.getImageData(0, 0, image.naturalWidth, image.naturalHeight);
  return { width, height, reds: [...data].filter((_, index) => index % 4 === 0) };
}"""


def picture(within: Locator) -> Locator:
    """The loaded picture of a card."""
    found = within.get_by_test_id("picture").first
    expect(found).to_have_attribute("data-loaded", "true")
    return found


def reds(within: Locator) -> np.ndarray[Any, Any]:
    shown = picture(within).evaluate(PIXELS)
    return np.array(shown["reds"]).reshape(shown["height"], shown["width"])


def step_to(within: Locator, key: str, testid: str = "card-step") -> None:
    within.get_by_test_id(testid).press(key)


@pytest.fixture(scope="module")
def greys(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[LiveViewer, Path]]:
    """Two runs of pictures that are all of one grey, ten times the step; run b has a step more."""
    base = tmp_path_factory.mktemp("greys")
    for run, steps in (("a", (1, 2, 3)), ("b", (1, 2, 3, 9))):
        with mindscope.SummaryRecord(base / "logs" / run) as record:
            for step in steps:
                record.add_value("image", "grey", np.full((1, 1, 4, 6), 10 * step / 255, np.float32))
                record.record(step)
    with running_viewer(base / "logs", base) as live:
        eventually(lambda: len(live.runs()) == 2 and all(run["tags"] for run in live.runs().values()))
        yield live, base / "logs"


def png(grey: int) -> bytes:
    buffer = io.BytesIO()
    Image.new("L", (6, 4), grey).save(buffer, "PNG")
    return buffer.getvalue()


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveViewer]:
    """A picture of twelve steps, 150 tags of one step, and a run of a damaged picture and pairs of pictures."""
    base = tmp_path_factory.mktemp("many")
    with mindscope.SummaryRecord(base / "logs" / "run") as record:
        for step in range(1, 13):
            record.add_value("image", "a/grey", np.full((1, 1, 4, 6), 10 * step / 255, np.float32))
            for number in range(150 if step == 1 else 0):
                record.add_value("image", f"b/{number:03d}", np.full((1, 1, 4, 6), number / 255, np.float32))
            record.record(step)
    (base / "logs" / "other").mkdir()
    whole = png(70)
    image = {"height": 4, "width": 6, "colorspace": 1, "encoded_image_string": whole}
    damaged = image | {"encoded_image_string": whole[:-13] + b"?" + whole[-12:]}
    events = [
        tensorboard_event(1, {"tag": "input", "image": image}),
        tensorboard_event(7, {"tag": "input", "image": damaged}),
    ]
    for step in (1, 2):
        pair = {
            "dtype": 7,
            "tensor_shape": {"dim": [{"size": 4}]},
            "string_val": [b"6", b"4", png(50 * step), png(100 * step)],
        }
        metadata = {"plugin_data": {"plugin_name": "images"}}
        events.append(tensorboard_event(step, {"tag": "a/pair", "tensor": pair, "metadata": metadata}))
    path = base / "logs" / "other" / TENSORBOARD_NAME.format(1)
    path.write_bytes(tensorboard_version() + b"".join(events))
    with running_viewer(base / "logs", base) as live:
        eventually(lambda: live.runs().get("run", {}).get("tags", {}).get("image") == 151)
        eventually(lambda: live.runs().get("other", {}).get("tags", {}).get("image") == 2)
        yield live


class StepRequests:
    """Requests for the picture of each step of ``a/grey``: ``asked`` in their order, and held for steps in ``held``."""

    def __init__(self, context: BrowserContext, live: LiveViewer) -> None:
        listed = live.http.get("/api/images", params={"run": "run", "tag": "a/grey"}).json()
        self._steps = dict(zip(listed["id"], listed["step"], strict=True))
        self._routes: dict[int, Route] = {}
        self.asked: list[int] = []
        self.dropped: list[int] = []
        self.is_holding = False
        context.route("**/api/image?*grey*", self._take)
        context.on("requestfailed", lambda request: self.dropped.append(self._step_of(request.url)))

    def _step_of(self, url: str) -> int:
        return self._steps[parse_qs(urlsplit(url).query)["id"][0]]

    def _take(self, route: Route) -> None:
        step = self._step_of(route.request.url)
        self.asked.append(step)
        if self.is_holding:
            self._routes[step] = route
        else:
            route.continue_()

    def let_go(self, step: int) -> None:
        self._routes.pop(step).continue_()


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
    assert reds(shown)[0, 0] == 10
    step_to(shown, "ArrowRight")
    expect(shown.get_by_test_id("step")).to_have_text("Step 2")
    until(page, lambda: requests.asked == [1, 2, 3])  # the next one in this direction, though nobody wants it yet
    assert reds(shown)[0, 0] == 20
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
    requests.let_go(4)
    until(page, lambda: page.evaluate("greys") == [30, 40])
    requests.let_go(12)
    assert reds(shown)[0, 0] == 120
    assert page.evaluate("greys") == [30, 40, 120]


def test_only_pictures_in_sight_are_asked_for(many: LiveViewer, context: BrowserContext, open_page: OpenPage):
    held = HeldRequests(context, "**/api/image?*")
    asked: list[str] = []
    dropped: list[str] = []
    context.on("request", lambda request: "/api/image?" in request.url and asked.append(request.url))
    context.on("requestfailed", lambda request: dropped.append(request.url))
    page = open_page(many, "/images?run=run")
    until(page, lambda: any("b%2F000" in url for url in asked))
    page.get_by_test_id("images").evaluate("cards => cards.scrollTo(0, cards.scrollHeight)")
    until(page, lambda: any("b%2F000" in url for url in dropped))
    until(page, lambda: any("b%2F149" in url for url in asked))
    held.release()
    assert reds(card(page, "b/149"))[0, 0] == 149
    assert len(asked) < 60


def until(page: Page, condition: Callable[[], bool]) -> None:
    """Waits for what the browser tells, which it does while the page is waited for."""
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline, "did not happen within 30 s"
        page.wait_for_timeout(10)


def test_a_damaged_picture_says_step_file_and_byte(many: LiveViewer, open_page: OpenPage, complaints: list[str]):
    page = open_page(many, "/images?run=other")
    shown = card(page, "input")
    expect(shown.get_by_test_id("picture-problem")).to_have_text(
        re.compile(rf"at step 7 is damaged at byte \d+ of {re.escape(TENSORBOARD_NAME.format(1))}: the checksum")
    )
    step_to(shown, "ArrowLeft")
    assert reds(shown)[0, 0] == 70
    expect(shown.get_by_test_id("picture-problem")).to_have_count(0)
    complaints.clear()  # the browser reports the refused picture


def test_every_control_of_full_screen(many: LiveViewer, open_page: OpenPage):
    page = open_page(many, "/images?full=a%2Fpair&tag=pair")
    panel = full(page).get_by_test_id("panel")
    assert reds(panel)[0, 0] == 100
    full(page).get_by_test_id("next-picture").click()
    expect_view(page, "picture", "1")
    expect(full(page)).to_contain_text("2 / 2")
    eventually(lambda: reds(panel)[0, 0] == 200)
    with page.expect_download() as download:
        panel.hover()
        panel.get_by_test_id("download").click()
    assert int(np.asarray(Image.open(download.value.path()))[0, 0]) == 200
    full(page).get_by_test_id("previous-picture").click()
    eventually(lambda: reds(panel)[0, 0] == 100)
    page.get_by_test_id("adjust").click()
    page.get_by_test_id("contrast").press("ArrowRight")
    expect_view(page, "contrast", "1.01")
    page.keyboard.press("Escape")
    page.get_by_test_id("compare").get_by_text("Side by side").click()
    expect(full(page).get_by_test_id("comparison")).to_contain_text("B · Step 1")
    full(page).get_by_test_id("other-step").press("ArrowRight")
    expect(full(page).get_by_test_id("comparison")).to_contain_text("B · Step 2")
    expect_view(page, "side", "2")
    page.get_by_test_id("restore-all").click()
    expect_view(page, "side", None)
    expect_view(page, "contrast", None)


def test_every_pixel_is_that_of_the_log(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, CUSTOM_LOOP)
    run = mindscope.open_run(DATA / "mindspore" / "custom_loop")
    expect(page.get_by_test_id("card")).to_have_count(len(run.tags("image")))
    for tag in run.tags("image"):
        want = run.images(tag)[-1]
        pixels = want.value[0].pixels()
        got = reds(card(page, tag))
        np.testing.assert_array_equal(got, pixels if pixels.ndim == 2 else pixels[:, :, 0])
        expect(card(page, tag).get_by_test_id("step")).to_have_text(f"Step {want.step}")


def test_small_pictures_keep_their_pixels(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, CUSTOM_LOOP)
    shown = picture(card(page, "rgb_float_neg"))
    expect(shown).to_have_css("image-rendering", "pixelated")
    width, height = map(int, str(shown.get_attribute("data-size")).split("×"))
    for scale, size in ((1, "original"), (4, "4")):
        page.get_by_test_id("fit").get_by_text(f"{scale}:1").click()
        expect_view(page, "size", size)
        expect(shown).to_have_css("width", f"{scale * width}px")
        expect(shown).to_have_css("height", f"{scale * height}px")
    expect(shown).to_have_css("image-rendering", "pixelated")


def test_the_slider_of_a_card_moves_only_this_card(greys: tuple[LiveViewer, Path], open_page: OpenPage):
    page = open_page(greys[0], "/images")
    first, second = page.get_by_test_id("card").nth(0), page.get_by_test_id("card").nth(1)
    assert reds(first)[0, 0] == 30
    assert reds(second)[0, 0] == 90
    step_to(second, "ArrowLeft")
    expect(second.get_by_test_id("step")).to_have_text("Step 3")
    assert reds(second)[0, 0] == 30
    step_to(second, "Home")
    expect(second.get_by_test_id("step")).to_have_text("Step 1")
    expect(first.get_by_test_id("step")).to_have_text("Step 3")


def test_a_pinned_tag_stands_first_and_stays(greys: tuple[LiveViewer, Path], open_page: OpenPage):
    page = open_page(greys[0], "/images")
    page.get_by_test_id("card").nth(0).hover()
    page.get_by_test_id("card").nth(0).get_by_test_id("pin").click()
    pinned = page.locator("[data-group=pinned]")
    expect(pinned.get_by_test_id("card")).to_have_count(2)
    page.reload()
    expect(pinned.get_by_test_id("card")).to_have_count(2)
    pinned.get_by_test_id("card").nth(1).hover()
    pinned.get_by_test_id("card").nth(1).get_by_test_id("pin").click()
    expect(pinned).to_have_count(0)


def test_all_cards_at_one_step_and_the_address_says_which(greys: tuple[LiveViewer, Path], open_page: OpenPage):
    page = open_page(greys[0], "/images")
    picture(page.get_by_test_id("card").nth(1))
    step_to(page.get_by_test_id("image-toolbar"), "Home", "common-step")
    step_to(page.get_by_test_id("image-toolbar"), "ArrowRight", "common-step")
    expect_view(page, "step", "2")
    page.reload()
    for number in range(2):
        expect(page.get_by_test_id("card").nth(number).get_by_test_id("step")).to_have_text("Step 2")
        assert reds(page.get_by_test_id("card").nth(number))[0, 0] == 20


def test_playing_goes_through_the_steps_to_the_end(greys: tuple[LiveViewer, Path], open_page: OpenPage):
    page = open_page(greys[0], "/images?step=1")
    step = page.get_by_test_id("card").nth(1).get_by_test_id("step")
    expect(step).to_have_text("Step 1")
    page.get_by_test_id("common-step-play").click()
    expect(step).to_have_text("Step 9")
    expect(page.get_by_label("Play the steps").first).to_be_visible()
    expect_view(page, "step", None)


def test_brightness_and_contrast_change_what_is_seen_and_go_back(greys: tuple[LiveViewer, Path], open_page: OpenPage):
    page = open_page(greys[0], "/images?brightness=2&contrast=0.5")
    pictures = page.locator(".pictures").first
    expect(pictures).to_have_css("filter", "brightness(2) contrast(0.5)")
    page.get_by_test_id("adjust").click()
    expect(page.get_by_test_id("brightness-number")).to_have_value("200")
    page.get_by_test_id("brightness").press("ArrowRight")
    expect_view(page, "brightness", "2.01")
    page.get_by_test_id("reset-adjust").click()
    expect(pictures).to_have_css("filter", "none")
    expect_view(page, "brightness", None)


def test_runs_stand_side_by_side_at_the_same_step(greys: tuple[LiveViewer, Path], open_page: OpenPage):
    """The steps of the toolbar are those of the panels; when they are closed, those of the cards again."""
    page = open_page(greys[0], "/images")
    opener = page.get_by_test_id("card").nth(0).get_by_role("button", name="Full screen").last
    picture(page.get_by_test_id("card").nth(0))
    opener.press("ArrowLeft")
    expect(page.get_by_test_id("card").nth(0).get_by_test_id("step")).to_have_text("Step 2")
    opener.press("Enter")
    panels = full(page).get_by_test_id("panel")
    expect(panels).to_have_count(2)
    picture(panels.nth(1)).hover()
    expect(panels.nth(1).get_by_test_id("pixel")).to_have_text("x 3 y 2 · 20 20 20")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    for number in range(2):
        expect(panels.nth(number).get_by_test_id("step")).to_have_text("Step 2")
        assert reds(panels.nth(number))[0, 0] == 20
    page.keyboard.press("Escape")
    expect(full(page)).to_have_count(0)
    expect(opener).to_be_focused()
    expect(page.get_by_test_id("common-step")).to_have_attribute("max", "3")


def seen_grey(page: Page, within: Locator) -> int:
    """The red of the middle of what is on the screen."""
    shot = np.asarray(Image.open(io.BytesIO(within.screenshot())).convert("RGB"))
    return int(shot[shot.shape[0] // 2, shot.shape[1] // 4, 0])


def test_the_difference_of_two_steps_is_seen(greys: tuple[LiveViewer, Path], open_page: OpenPage):
    page = open_page(greys[0], "/images?full=grey&step=1&run=b&difference=9")
    pair = full(page).locator(".pair")
    expect(pair.get_by_test_id("picture")).to_have_count(2)
    for number in range(2):
        expect(pair.get_by_test_id("picture").nth(number)).to_have_attribute("data-loaded", "true")
    assert seen_grey(page, pair) == 80
    expect(full(page).get_by_test_id("measure")).to_have_text("Differ by up to 80 of 255, in 100 % of the pixels")
    page.get_by_test_id("gain").get_by_text("×4").click()
    expect_view(page, "gain", "4")
    eventually(lambda: seen_grey(page, pair) == 255)
    page.get_by_test_id("compare").get_by_text("Swipe").click()
    expect_view(page, "swipe", "9")
    page.get_by_test_id("swipe").press("Home")
    assert seen_grey(page, pair) == 90
    page.get_by_test_id("swipe").press("End")
    assert seen_grey(page, pair) == 10
    page.get_by_test_id("compare").get_by_text("Side by side").click()
    assert seen_grey(page, pair) == 10
    page.get_by_test_id("compare").get_by_text("One picture").click()
    expect(full(page).get_by_test_id("comparison")).to_have_count(0)
    expect_view(page, "side", None)


def seen_pair(page: Page, want: int) -> None:
    """Waits until the middle of the pair on the screen is of one grey."""
    pair = full(page).locator(".pair").first
    for number in range(2):
        expect(pair.get_by_test_id("picture").nth(number)).to_have_attribute("data-loaded", "true")
    eventually(lambda: seen_grey(page, pair) == want)


def test_runs_are_compared_at_the_same_step(greys: tuple[LiveViewer, Path], open_page: OpenPage):
    page = open_page(greys[0], "/images?full=grey&step=2")
    page.get_by_test_id("compare").get_by_text("Difference").click()
    page.get_by_test_id("against").select_option("a")
    expect(full(page).get_by_test_id("panel")).to_have_count(1)
    expect(full(page).get_by_test_id("comparison")).to_contain_text("b · Step 2")
    expect(full(page).get_by_test_id("comparison")).to_contain_text("a · Step 2")
    expect_view(page, "difference_run", "a")
    seen_pair(page, 0)
    expect(full(page).get_by_test_id("measure")).to_have_text("Both pictures are the same")
    page.get_by_test_id("common-step").press("End")
    expect(full(page).get_by_test_id("comparison")).to_contain_text("b · Step 9")
    expect(full(page).get_by_test_id("comparison")).to_contain_text("a · Step 3")
    seen_pair(page, 60)
    page.get_by_test_id("compare").get_by_text("Swipe").click()
    page.get_by_test_id("swipe").press("Home")
    seen_pair(page, 30)
    page.get_by_test_id("swipe").press("End")
    seen_pair(page, 90)
    page.reload()
    expect_view(page, "swipe_run", "a")
    expect(full(page).get_by_test_id("comparison")).to_contain_text("a · Step 3")
    page.get_by_test_id("against").select_option("")
    expect(full(page).get_by_test_id("panel")).to_have_count(2)
    expect_view(page, "swipe", "1")


def test_an_image_that_arrives_after_its_card_has_gone_is_let_go(
    greys: tuple[LiveViewer, Path], context: BrowserContext, open_page: OpenPage
):
    page = open_page(greys[0], "/images?full=grey&step=2&difference=1")
    expect(full(page).get_by_test_id("panel")).to_have_count(2)
    seen_pair(page, 10)
    pictures = HeldRequests(context, "**/api/image?*")
    page.get_by_test_id("common-step").press("End")
    expect(full(page).get_by_test_id("comparison").last).to_contain_text("Step 9")
    page.get_by_test_id("against").select_option("a")
    expect(full(page).get_by_test_id("panel")).to_have_count(1)
    pictures.release()
    seen_pair(page, 60)


def test_blinking_shows_one_after_the_other(greys: tuple[LiveViewer, Path], open_page: OpenPage):
    page = open_page(greys[0], "/images?full=grey&run=b&step=1&blink=9")
    for grey in (10, 90, 10):
        seen_pair(page, grey)


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
        with page.expect_response("**/api/images?*since=*") as answer:
            write(4)
        told = answer.value.json()
        assert (told["kept"], told["step"], told["values"]) == (3, [4], 4)
        expect(card(page, "grey").get_by_test_id("step")).to_have_text("Step 4")
        expect(card(page, "grey")).to_contain_text("4 / 4")


def test_a_picture_is_downloaded_as_it_is_in_the_log(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, CUSTOM_LOOP)
    picture(card(page, "input"))
    card(page, "input").hover()
    with page.expect_download() as download:
        card(page, "input").get_by_test_id("download").click()
    want = mindscope.open_run(DATA / "mindspore" / "custom_loop").images("input")[-1]
    assert Path(download.value.path()).read_bytes() == want.value[0].encoded
    assert download.value.suggested_filename == f"input_{want.step}.png"


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
        assert reds(shown)[0, 0] == 20
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
