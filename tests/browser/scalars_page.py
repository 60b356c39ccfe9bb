# SPDX-License-Identifier: Apache-2.0
"""What a person sees and does on the scalars page."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Locator, Page, expect

from .patience import until

COLORED_PIXELS = """chart => {
  let colored = 0;
  for (const canvas of chart.querySelectorAll("canvas")) {
    if (canvas.width * canvas.height === 0) continue;
    const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
    copy.drawImage(canvas, 0, 0);
    const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
    for (let i = 0; i < data.length; i += 4) {
      const [red, green, blue] = [data[i], data[i + 1], data[i + 2]];
      if (data[i + 3] > 40 && Math.max(red, green, blue) - Math.min(red, green, blue) > 24) colored++;
    }
  }
  return colored;
}"""
COLORED_AROUND = """(chart, [across, down, reach]) => {
  const area = chart.querySelector("[data-testid=plot-area]").getBoundingClientRect();
  const whole = chart.getBoundingClientRect();
  const left = area.left - whole.left + across * area.width - reach;
  const top = area.top - whole.top + down * area.height - reach;
  let colored = 0;
  for (const canvas of chart.querySelectorAll("canvas")) {
    if (canvas.width * canvas.height === 0) continue;
    const scale = canvas.width / whole.width;
    const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
    copy.drawImage(canvas, 0, 0);
    const { data } = copy.getImageData(left * scale, top * scale, 2 * reach * scale, 2 * reach * scale);
    for (let i = 0; i < data.length; i += 4) {
      const [red, green, blue] = [data[i], data[i + 1], data[i + 2]];
      if (data[i + 3] > 40 && Math.max(red, green, blue) - Math.min(red, green, blue) > 24) colored++;
    }
  }
  return colored;
}"""


def card(page: Page, tag: str) -> Locator:
    return page.locator(f'[data-testid="card"][data-tag={quoted(tag)}]')


def quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def to_number(text: str) -> float:
    """What the page writes with thin spaces and a minus sign of its own."""
    return float(text.replace("\u2212", "-").replace("\u2009", ""))


def full(page: Page) -> Locator:
    return page.get_by_test_id("full-screen")


def colored_pixels(within: Locator) -> int:
    """How much of a chart is line: axes, grid and text are grey."""
    return within.get_by_test_id("chart").evaluate(COLORED_PIXELS)


def wait_until_drawn(within: Locator) -> None:
    """Brings a chart into view, as a chart reads its curve only there."""
    within.scroll_into_view_if_needed()
    expect(within.get_by_test_id("chart")).to_be_visible()
    until(within.page, lambda: colored_pixels(within) > 20)


def wait_until_colored_at(within: Locator, across: float, down: float, is_colored: bool = True) -> None:
    """Something colored, or nothing, is drawn around a place of the plotting area, given in shares of its size."""
    chart, place = within.get_by_test_id("chart"), [across, down, 5]
    until(within.page, lambda: (chart.evaluate(COLORED_AROUND, place) >= 6) == is_colored)


def point_at(within: Locator, key: str) -> Locator:
    """Move the chart's cursor with a key; gives the nearest row of the tip."""
    within.get_by_test_id("chart").focus()
    within.page.keyboard.press(key)
    return tip_rows(within.page).first


def tip_rows(page: Page) -> Locator:
    return page.get_by_test_id("tip").locator("tbody tr")


def show_all_controls(page: Page) -> None:
    """What doesn't fit in the row of the toolbar, in rows below it."""
    more = page.get_by_test_id("more-controls")
    if more.count() > 0 and more.get_attribute("aria-pressed") == "false":
        more.click()
        expect(more).to_have_attribute("aria-pressed", "true")


def open_settings(page: Page) -> Locator:
    """The panel beside the charts, which stays open."""
    panel = page.get_by_test_id("scalar-settings")
    if panel.count() == 0:
        page.get_by_test_id("settings").click()
    expect(panel).to_be_visible()
    return panel


def group_by(page: Page, *parameters: str, grouping: str = "", center: str = "", spread: str = "") -> None:
    """Tick parameters, or choose a grouping in words, and how lines and bands are made."""
    page.get_by_test_id("group-by").click()
    menu = page.get_by_test_id("group-settings")
    if grouping:
        menu.get_by_test_id("grouping").get_by_text(grouping, exact=True).click()
    for name in parameters:
        menu.get_by_test_id("group-by-list").get_by_role("checkbox", name=name, exact=True).check()
    if center:
        menu.get_by_test_id("center").get_by_text(center, exact=True).click()
    if spread:
        menu.get_by_test_id("spread").get_by_label(spread, exact=True).check()
    page.keyboard.press("Escape")
    expect(menu).to_have_count(0)


def choose_baseline(page: Page, name: str) -> None:
    show_all_controls(page)
    page.get_by_test_id("baseline").click()
    page.get_by_test_id("baseline-rows").get_by_role("button", name=name, exact=True).click()


def drag(within: Locator, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Drag over the plotting area, from and to shares of its width and height. The address tells the new box."""
    area = within.get_by_test_id("plot-area")
    box = area.bounding_box()
    assert box is not None
    mouse, before = within.page.mouse, within.page.url
    mouse.move(box["x"] + box["width"] * start[0], box["y"] + box["height"] * start[1])
    mouse.down()
    mouse.move(box["x"] + box["width"] * end[0], box["y"] + box["height"] * end[1], steps=4)
    mouse.up()
    expect(within.page).not_to_have_url(before)


def view_in(url: str) -> dict[str, list[str]]:
    return parse_qs(urlsplit(url).query)


def shown_zoom(page: Page) -> list[float]:
    """The box in the address: left, right, bottom, top."""
    return [float(number) for number in view_in(page.url)["zoom"][0].split(",")]


def expect_view(page: Page, name: str, value: str | re.Pattern[str] | None) -> None:
    """The address holds ``name=value``, or no ``name``; the beginning of a value is given as a pattern."""
    if value is None:
        expect(page).not_to_have_url(re.compile(rf"[?&]{name}="))
    elif isinstance(value, re.Pattern):
        expect(page).to_have_url(re.compile(rf"[?&]{name}={value.pattern}"))
    else:
        expect(page).to_have_url(re.compile(rf"[?&]{name}={re.escape(value)}(&|$)"))
