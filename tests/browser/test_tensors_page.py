# SPDX-License-Identifier: Apache-2.0
"""Tensors as a person looks through them: slices, numbers and maps against the arrays of the logs."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Locator, Page, Request, expect

import mindscope
from tests.server.live_viewer import DATA, LiveViewer, eventually, running_viewer

from .patience import body, until
from .scalars_page import card, expect_view, full, to_number

OpenPage = Callable[[LiveViewer, str], Page]
CUSTOM_LOOP = "run=mindspore%2Fcustom_loop"
ODD = np.array([[1.5, np.nan, -2.0], [np.inf, 0.25, -np.inf]], np.float32)
OUTLIER = np.where(np.arange(400) == 210, 1e6, np.arange(400) / 400).reshape(20, 20)
WHOLE = np.array([[2**53 + 1, -(2**63)], [0, 2**63 - 1]], np.int64)
TALL = np.arange(200_000 * 40, dtype=np.float32).reshape(200_000, 40)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveViewer]:
    """Tensors of every odd shape and number, and one of eight million elements."""
    base = tmp_path_factory.mktemp("tensors")
    with mindscope.SummaryRecord(base / "logs" / "run") as record:
        record.add_value("tensor", "odd", ODD)
        record.add_value("tensor", "tall", TALL)
        record.add_value("tensor", "outlier", OUTLIER)
        record.add_value("tensor", "whole", WHOLE)
        record.add_value("tensor", "square", np.eye(600, dtype=np.float32))
        record.add_value("tensor", "none", np.zeros((0, 3), np.float32))
        record.add_value("tensor", "one", np.float32(9.75))
        record.record(1)
    with running_viewer(base / "logs", base) as live:
        eventually(lambda: live.runs().get("run", {}).get("tags", {}).get("tensor") == 7)
        yield live


def cell(page: Page, row: int, column: int) -> Locator:
    return full(page).locator(f"[data-cell='{row},{column}']")


def slice_box(page: Page, dimension: int) -> Locator:
    return full(page).get_by_test_id(f"slice-{dimension}")


def newest(tag: str) -> np.ndarray:
    return mindscope.open_run(DATA / "mindspore" / "custom_loop").tensors(tag)[-1].value.value


def test_a_card_says_dtype_shape_and_range(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, f"/tensors?{CUSTOM_LOOP}")
    run = mindscope.open_run(DATA / "mindspore" / "custom_loop")
    for tag in run.tags("tensor"):
        shown = card(page, tag)
        array = run.tensors(tag)[-1].value.value
        shown.scroll_into_view_if_needed()
        expect(shown.get_by_test_id("facts")).to_contain_text(str(array.dtype))
        expect(shown.get_by_test_id("facts")).to_contain_text(" × ".join(map(str, array.shape)))
        expect(shown.get_by_test_id("step")).to_have_text("Step 48")
        expect(shown.get_by_test_id("preview-slice")).to_have_count(int(array.ndim > 2))
        if array.ndim > 2:
            expect(shown.get_by_test_id("preview-slice")).to_have_text(
                f"Slice [{', '.join('0' * (array.ndim - 2))}, :, :]"
            )
    expect(card(page, "t_int64")).to_contain_text("stored as float32")
    shown = card(page, "fc2.bias")
    shown.get_by_test_id("card-step").press("Home")
    expect(shown.get_by_test_id("step")).to_have_text("Step 16")
    page.get_by_test_id("restore-all").click()
    expect(shown.get_by_test_id("step")).to_have_text("Step 48")
    shown.get_by_test_id("card-step").press("Home")
    expect(shown.get_by_test_id("step")).to_have_text("Step 16")
    shown.get_by_test_id("card-step-play").click()
    expect(shown.get_by_test_id("step")).to_have_text("Step 48")
    expect(shown.get_by_test_id("card-step-play")).to_have_accessible_name("Play the steps")
    width = page.get_by_test_id("tag-group").first.evaluate("group => group.clientWidth")
    expect(shown).not_to_have_css("width", f"{width}px")
    page.get_by_test_id("chart-size").click()
    page.get_by_test_id("chart-size-large").click()
    expect(shown).to_have_css("width", f"{width}px")


def test_cards_of_odd_shapes_say_what_they_hold(made: LiveViewer, open_page: OpenPage):
    """None is drawn as if it were a map, and no digit of a whole number is made up."""
    page = open_page(made, "/tensors")
    expect(card(page, "none")).to_contain_text("No elements")
    expect(card(page, "one").locator(".one")).to_have_text("9.75")
    expect(card(page, "odd").get_by_test_id("legend")).to_contain_text("1 NaN")
    shown = card(page, "whole")
    shown.scroll_into_view_if_needed()
    expect(shown.get_by_test_id("colors")).to_have_text(re.compile("\u22129.223e18\\s+9.223e18"))
    shown.get_by_test_id("preview").press("Enter")
    for (row, column), number in np.ndenumerate(WHOLE):
        expect(cell(page, row, column)).to_have_text(str(number).replace("-", "\u2212"))
    lowest = full(page).get_by_test_id("statistics").locator("tbody tr").nth(2).get_by_role("cell").first
    expect(lowest).to_have_attribute("title", "\u22129223372036854775808")


@pytest.mark.parametrize(("address", "within"), [("/tensors", card), ("/tensors?full=square&as=heat", None)])
def test_a_square_matrix_is_drawn_square(
    made: LiveViewer, open_page: OpenPage, address: str, within: Callable[[Page, str], Locator] | None
):
    """Also when its cells stand for blocks, which are not square themselves."""
    page = open_page(made, address)
    shown = within(page, "square") if within else full(page)
    shown.scroll_into_view_if_needed()
    canvas = shown.locator("canvas").first
    expect(canvas).to_be_visible()
    until(page, lambda: size_of(canvas)[0] > 50)
    width, height = size_of(canvas)
    assert width == pytest.approx(height, rel=0.02)


def size_of(drawn: Locator) -> tuple[float, float]:
    box = drawn.bounding_box()
    return (box["width"], box["height"]) if box else (0, 0)


def test_an_outlier_does_not_flatten_the_colors(made: LiveViewer, open_page: OpenPage):
    page = open_page(made, "/tensors?full=outlier&as=heat")
    colors = full(page).get_by_test_id("colors")
    expect(colors).to_have_attribute("data-clipped", "true")
    expect(colors).to_have_text(re.compile(r"0\s+≥ 0\.9"))
    expect(colors).to_have_attribute("title", re.compile("max 1\u2009000\u2009000"))
    wait_for_colors(page, "> 100")
    assert "≥ 0.9" in saved(page, "svg")[0].decode()
    full(page).get_by_test_id("tensor-colors").get_by_text("Full range").click()
    expect(colors).to_have_attribute("data-clipped", "false")
    expect(colors).to_have_text(re.compile("0\\s+1\u2009000\u2009000"))
    expect_view(page, "colors", "whole")
    wait_for_colors(page, "== 2")


def wait_for_colors(page: Page, condition: str) -> None:
    """Until the number of different colors of the map is as ``condition`` says: it is painted after its legend."""
    until(page, lambda: full(page).locator("canvas").evaluate(f"canvas => ({DIFFERENT_COLORS})(canvas) {condition}"))


DIFFERENT_COLORS = """canvas => {
  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d", { willReadFrequently: true });
  copy.drawImage(canvas, 0, 0);
  const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
  return new Set(new Uint32Array(data.buffer)).size;
}"""


def test_a_slice_shows_the_very_values_and_stands_in_the_address(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, f"/tensors?{CUSTOM_LOOP}")
    card(page, "t3d_f16").hover()
    card(page, "t3d_f16").get_by_test_id("full").click()
    array = newest("t3d_f16")
    expect(cell(page, 2, 3)).to_be_visible()
    expect(cell(page, 1, 2)).to_have_text(str(array[0, 1, 2]).replace("-", "\u2212"))
    slice_box(page, 0).fill("-1")
    slice_box(page, 0).press("Enter")
    slice_box(page, 2).fill("::-2")
    slice_box(page, 2).press("Enter")
    expect(cell(page, 0, 2)).to_have_count(0)
    expect(cell(page, 2, 1)).to_have_text(str(array[-1, 2, ::-2][1]).replace("-", "\u2212"))
    expect(full(page).get_by_role("columnheader").nth(1)).to_have_text("3")
    expect_view(page, "slice", "-1%2C%3A%2C%3A%3A-2")
    page.reload()
    expect(cell(page, 2, 1)).to_have_text(str(array[-1, 2, ::-2][1]).replace("-", "\u2212"))


def test_a_bad_slice_names_dimension_and_text(viewer: LiveViewer, open_page: OpenPage, complaints: list[str]):
    page = open_page(viewer, f"/tensors?{CUSTOM_LOOP}&full=t3d_f16")
    slice_box(page, 1).fill("soup")
    slice_box(page, 1).press("Enter")
    problem = full(page).get_by_test_id("slice-problem")
    expect(problem).to_contain_text("Dimension 1: “soup” is not a slice. Use an index such as 3 or -1")
    expect(slice_box(page, 1)).to_have_attribute("aria-invalid", "true")
    expect(slice_box(page, 0)).to_have_attribute("aria-invalid", "false")
    slice_box(page, 1).fill("7")
    slice_box(page, 1).press("Enter")
    expect(problem).to_contain_text("Dimension 1: index 7 is out of range; use -3 to 2")
    slice_box(page, 1).fill(":")
    slice_box(page, 1).press("Enter")
    expect(problem).to_have_count(0)
    complaints.clear()  # the browser reports the refused requests


def test_decimals_and_exponents_change_what_is_read(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, f"/tensors?{CUSTOM_LOOP}&full=fc2.bias")
    value = float(str(newest("fc2.bias")[0]))
    expect(cell(page, 0, 0)).to_have_text(str(newest("fc2.bias")[0]).replace("-", "\u2212"))
    full(page).get_by_test_id("decimals").fill("2")
    full(page).get_by_test_id("decimals").press("Enter")
    expect(cell(page, 0, 0)).to_have_text(f"{value:.2f}".replace("-", "\u2212"))
    full(page).get_by_test_id("scientific").get_by_text("1e").click()
    expect(cell(page, 0, 0)).to_contain_text("e")
    assert to_number(cell(page, 0, 0).inner_text()) == pytest.approx(value, rel=1e-2)
    expect_view(page, "numbers", "scientific")
    expect_view(page, "decimals", "2")


def test_the_step_of_the_tensor_is_chosen(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, f"/tensors?{CUSTOM_LOOP}&full=fc2.bias")
    values = mindscope.open_run(DATA / "mindspore" / "custom_loop").tensors("fc2.bias")
    expect(cell(page, 0, 0)).to_be_visible()
    page.get_by_test_id("common-step").press("Home")
    expect_view(page, "step", "16")
    expect(cell(page, 0, 0)).to_have_text(str(values[0].value.value[0]).replace("-", "\u2212"))


def test_statistics_of_slice_and_whole_stand_side_by_side(made: LiveViewer, open_page: OpenPage):
    page = open_page(made, "/tensors?full=odd&slice=0,:")
    table = full(page).get_by_test_id("statistics").locator("tbody tr")
    for number in range(2):
        expect(table.nth(1).get_by_role("cell").nth(number)).not_to_have_text("…")
    rows = {
        row.get_by_role("rowheader").inner_text(): [each.inner_text() for each in row.get_by_role("cell").all()]
        for row in table.all()
    }
    assert rows["Count"] == ["3", "6"]
    assert rows["Min"] == ["\u22122.0", "\u22122.0"]
    assert rows["Max"] == ["1.5", "1.5"]
    assert rows["NaN"] == ["1", "1"]
    assert rows["+Inf"] == ["0", "1"]
    assert rows["\u2212Inf"] == ["0", "1"]


def test_what_is_no_number_is_shown_apart(made: LiveViewer, open_page: OpenPage):
    page = open_page(made, "/tensors?full=odd")
    expect(cell(page, 0, 1)).to_have_text("NaN")
    expect(cell(page, 1, 0)).to_have_text("+Inf")
    full(page).get_by_test_id("tensor-mode").get_by_text("Heat map").click()
    legend = full(page).get_by_test_id("legend")
    for name in ("NaN", "+Inf", "\u2212Inf", "\u22122", "1.5", "↓ dimension 0: 0 – 1", "→ dimension 1: 0 – 2"):
        expect(legend).to_contain_text(name)
    heat = full(page).get_by_test_id("heat-map")
    heat.focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowDown"):
        heat.press(key)
    expect(page.get_by_test_id("heat-tip")).to_contain_text("0.25")
    expect_view(page, "as", "heat")


def test_a_histogram_counts_what_numpy_counts(made: LiveViewer, open_page: OpenPage):
    page = open_page(made, "/tensors?full=tall&as=histogram&slice=0,:")
    chart = full(page).get_by_test_id("bucket-chart")
    chart.focus()
    chart.press("ArrowRight")
    expect(page.get_by_test_id("bucket-tip")).to_contain_text("Count")
    counts, edges = np.histogram(TALL[0], 60)
    expect(page.get_by_test_id("bucket-tip")).to_contain_text(f"[{edges[0]:g}, {edges[1]:g}")
    expect(page.get_by_test_id("bucket-tip").locator("dd").nth(1)).to_have_text(str(counts[0]))
    full(page).get_by_test_id("tensor-extent").get_by_text("Whole tensor").click()
    expect_view(page, "of", "whole")
    chart.press("ArrowRight")
    expect(page.get_by_test_id("bucket-tip").locator("dd").nth(1)).to_contain_text("133 3")


def test_a_large_tensor_is_read_by_windows_and_reaches_its_end(made: LiveViewer, open_page: OpenPage):
    page = open_page(made, "/tensors?full=tall")
    windows: list[Request] = []
    page.on("requestfinished", lambda asked: "/window" in asked.url and windows.append(asked))
    table = full(page).get_by_test_id("tensor-table")
    expect(cell(page, 0, 0)).to_have_text("0.0")
    assert full(page).locator("[data-cell]").count() < 3000
    table.focus()
    page.keyboard.press("End")
    expect(cell(page, 199_999, 0)).to_have_text("7999960")
    until(page, lambda: windows)
    assert max(len(body(window)) for window in windows) < 200_000


def saved(page: Page, kind: str) -> tuple[bytes, str]:
    """Content and name of the file of a kind that the menu offers."""
    full(page).get_by_test_id("download").click()
    with page.expect_download() as download:
        page.get_by_test_id(f"download-{kind}").click()
    return Path(download.value.path()).read_bytes(), download.value.suggested_filename


def test_slices_are_downloaded(made: LiveViewer, open_page: OpenPage):
    page = open_page(made, "/tensors?full=odd&slice=1,:")
    expect(cell(page, 0, 0)).to_be_visible()
    assert saved(page, "csv")[0].split() == [b"inf", b"0.25", b"-inf"]
    assert json.loads(saved(page, "json")[0])["values"] == ["inf", 0.25, "-inf"]
    whole, name = saved(page, "whole")
    np.testing.assert_array_equal(np.load(io.BytesIO(whole)), ODD)
    assert name == "run_odd.npy"
    expect(full(page).get_by_test_id("statistics")).not_to_contain_text("…")
    rows = dict(line.split(",", 1) for line in saved(page, "statistics")[0].decode().splitlines())
    assert (rows["minimum"], rows["nan"], rows["positive_infinity"]) == ("0.25,-2", "0,1", "1,1")


def test_maps_and_histograms_are_downloaded_as_pictures(made: LiveViewer, open_page: OpenPage):
    page = open_page(made, "/tensors?full=odd&as=heat")
    expect(full(page).get_by_test_id("legend")).to_be_visible()
    drawing = saved(page, "svg")[0].decode()
    for part in ("odd · run", "data:image/png;base64,", "NaN", "+Inf", "1.5"):
        assert part in drawing
    assert saved(page, "png")[0].startswith(b"\x89PNG")
    full(page).get_by_test_id("tensor-mode").get_by_text("Histogram").click()
    expect(full(page).get_by_test_id("bucket-chart").locator("path")).not_to_have_count(0)
    drawing = saved(page, "svg")[0].decode()
    assert "odd · run" in drawing
    assert "oklch" not in drawing
    assert saved(page, "png")[0].startswith(b"\x89PNG")
    rows = saved(page, "buckets")[0].decode().split()
    assert rows[0] == "left,right,count"
    assert sum(int(row.split(",")[2]) for row in rows[1:]) == 3


def test_a_new_step_appears_by_itself(tmp_path: Path, open_page: OpenPage):
    with (
        mindscope.SummaryRecord(tmp_path / "logs" / "run") as record,
        running_viewer(tmp_path / "logs", tmp_path) as live,
    ):
        for step in (1, 2):
            record.add_value("tensor", "t", np.full((2, 2), float(step), np.float32))
            record.record(step)
            record.flush()
            if step == 1:
                page = open_page(live, "/tensors?full=t")
                expect(cell(page, 0, 0)).to_have_text("1.0")
        expect(cell(page, 0, 0)).to_have_text("2.0")


def test_an_empty_page_says_how_to_fill_it(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, "/tensors?run=mindspore%2Flineage_sweep%2Frun_01")
    expect(page.get_by_test_id("empty")).to_contain_text('record.add_value("tensor"')
