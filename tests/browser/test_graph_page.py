# SPDX-License-Identifier: Apache-2.0
"""The page of the computational graph against the graphs that Python has."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import copytree
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from mindscope.graph import Graph, Node, Role, Status
from mindscope.graph.algorithms.structure import shape_text
from mindscope.reading import open_run
from tests.server.live_viewer import DATA, LiveViewer, eventually, running_viewer

from .patience import until

OpenPage = Callable[[LiveViewer, str], Page]
MEASURED_PIPELINE = Path(__file__).parents[1] / "profile" / "data_pipeline"
"""A pipeline and its figures, both recorded by MindSpore 2.10."""
OPS = "/graph?run=mindspore%2Fops"
TORCH = "/graph?run=tensorboard%2Ftb_all%2Frun_a"


def graph_of(run: str) -> Graph:
    return list(open_run(DATA / run).graphs().values())[-1]


def opened(page: Page) -> Locator:
    """The picture, once the graph is laid out."""
    picture = page.get_by_test_id("graph")
    expect(picture).to_have_attribute("data-state", "shown")
    return picture


MENUS = {"run": "menu", "choose": "menu", "compare": "menu"}


def choose(page: Page, name: str, value: str) -> None:
    """Choose in a list of one of both menus, and close the menu."""
    with menu(page, MENUS.get(name, "options")):
        page.get_by_test_id(f"graph-{name}").select_option(value)


@contextmanager
def menu(page: Page, name: str) -> Generator[None]:
    """Open a menu of the toolbar for a while."""
    page.get_by_test_id(f"graph-{name}").click()
    yield
    page.keyboard.press("Escape")


LATE_SIZES = """
window.ResizeObserver = class extends ResizeObserver {
  constructor(callback) { super((...found) => setTimeout(() => callback(...found), 2000)); }
};
"""


def test_a_picture_that_is_laid_out_before_its_room_is_measured_is_shown(
    viewer: LiveViewer, context: BrowserContext, open_page: OpenPage
):
    context.add_init_script(LATE_SIZES)
    picture = opened(open_page(viewer, "/graph?run=mindspore%2Fops"))
    picture.page.wait_for_timeout(2500)
    expect(picture.page.get_by_test_id("graph-minimap")).to_be_visible()
    expect(picture).to_have_attribute("data-state", "shown")


def op_types(graph: Graph) -> list[str]:
    return [node.op_type for node in graph.nodes if node.role is Role.OPERATION]


def boxes(page: Page) -> int:
    text = page.get_by_test_id("graph-status").inner_text()
    found = re.match(r"(\d+) box", text)
    assert found, text
    return int(found[1])


def in_address(page: Page, name: str) -> str | None:
    return parse_qs(urlsplit(page.url).query, keep_blank_values=True).get(name, [None])[0]


def find(page: Page, text: str) -> None:
    """Searches, and goes to the first hit."""
    box = page.get_by_test_id("graph-search")
    box.fill(text)
    box.press("Enter")


def test_the_card_leads_to_the_page_and_a_scope_opens_in_place(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, "/dashboard?run=mindspore%2Fops")
    page.get_by_test_id("card-graph").get_by_role("link").click()
    picture = opened(page)
    graph = graph_of("mindspore/ops")
    status = page.get_by_test_id("graph-status")
    expect(status).to_contain_text(f"{len(graph.operations)} operations · {len(graph.scopes) - 1} scopes")
    shown: dict[int, int] = {}
    for depth in (2, 1, 3, 0):
        last = boxes(page)
        choose(page, "depth", str(depth))
        until(page, lambda last=last: boxes(page) != last)
        shown[depth] = boxes(page)
    assert shown[0] < shown[1] < shown[2] < shown[3]
    until(page, lambda: in_address(page, "scopes") == "")
    before = boxes(page)
    picture.focus()
    page.keyboard.press("ArrowDown")
    expect(page.get_by_test_id("graph-panel")).to_be_visible()
    find(page, "Conv2D-op0")
    expect(page.get_by_test_id("graph-path")).to_contain_text("conv1: Conv2d")
    until(page, lambda: boxes(page) > before)
    until(page, lambda: "net-LeNet5" in (in_address(page, "scopes") or ""))


def test_search_counts_all_hits_and_steps_through_them(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, OPS)
    opened(page)
    graph = graph_of("mindspore/ops")
    want = sum("matmul" in f"{node.full_name.rpartition('/')[2]} {node.op_type}".lower() for node in graph.nodes)
    want += sum("matmul" in scope.label.lower() for scope in graph.scopes)
    page.keyboard.press("/")
    box = page.get_by_test_id("graph-search")
    expect(box).to_be_focused()
    box.fill("matmul")
    searched = page.get_by_role("search")
    expect(searched).to_contain_text(f"{want} hits")
    box.press("Enter")
    expect(searched).to_contain_text(f"1 of {want}")
    expect(page.get_by_test_id("graph-path")).to_contain_text(re.compile("matmul", re.IGNORECASE))
    first = page.get_by_test_id("graph-path").inner_text()
    box.press("Enter")
    expect(searched).to_contain_text(f"2 of {want}")
    box.press("Shift+Enter")
    expect(page.get_by_test_id("graph-path")).to_have_text(first, use_inner_text=True)
    box.press("Shift+Enter")
    expect(searched).to_contain_text(f"{want} of {want}")
    page.get_by_role("search").get_by_role("button", name="Regular expression").click()
    box.fill("^Conv2D$")
    convolutions = sum(node.op_type == "Conv2D" for node in graph.nodes)
    expect(searched).to_contain_text(f"{convolutions} hits")


def test_a_node_shows_its_facts_and_leads_to_its_neighbors(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, OPS)
    opened(page)
    graph = graph_of("mindspore/ops")
    node = next(node for node in graph.operations if node.op_type == "Conv2D")
    find(page, node.full_name)
    panel = page.get_by_test_id("graph-panel")
    expect(panel.get_by_role("heading", level=2)).to_have_text(node.full_name.rpartition("/")[2])
    expect(panel.get_by_test_id("graph-inputs").get_by_role("button")).to_have_count(len(node.inputs))
    outputs = panel.get_by_test_id("graph-outputs").get_by_role("button")
    expect(outputs).to_have_count(len(node.consumers))
    for name in node.attributes:
        expect(panel.get_by_test_id("graph-attributes")).to_contain_text(name)
    consumer = node.consumers[0]
    outputs.first.click()
    expect(panel.get_by_role("heading", level=2)).to_have_text((consumer.full_name or consumer.name).rpartition("/")[2])
    panel.get_by_test_id("graph-inputs").get_by_role("button").first.click()
    page.get_by_test_id("graph-panel-close").click()
    expect(panel).to_have_count(0)


def test_the_address_has_the_graph_with_scopes_and_selection(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, TORCH)
    opened(page)
    choose(page, "depth", "1")
    until(page, lambda: in_address(page, "scopes") is not None)
    find(page, "aten::_convolution")
    expect(page.get_by_test_id("graph-path")).to_contain_text("0: Conv2d")
    choose(page, "color", "dtype")
    until(page, lambda: "Conv2d" in (in_address(page, "node") or "") and in_address(page, "graph_color") == "dtype")
    shown, path = boxes(page), page.get_by_test_id("graph-path").inner_text()
    page.reload()
    opened(page)
    expect(page.get_by_test_id("graph-path")).to_have_text(path, use_inner_text=True)
    with menu(page, "options"):
        expect(page.get_by_test_id("graph-color")).to_have_value("dtype")
    assert boxes(page) == shown


def test_an_address_with_a_node_only_expands_the_scopes_around_it(viewer: LiveViewer, open_page: OpenPage):
    name = "Default/network-LossWithSummary/net-LeNet5/conv1-Conv2d/Conv2D-op0"
    page = open_page(viewer, f"{OPS}&node={name}")
    opened(page)
    expect(page.get_by_test_id("graph-panel").get_by_role("heading", level=2)).to_have_text("Conv2D-op0")
    until(page, lambda: "net-LeNet5" in (in_address(page, "scopes") or ""))


def test_options_change_what_is_drawn(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, OPS)
    opened(page)
    choose(page, "depth", "3")
    until(page, lambda: in_address(page, "scopes") is not None)
    before = boxes(page)
    choose(page, "parameters", "node")
    until(page, lambda: boxes(page) > before)
    choose(page, "parameters", "consumer")
    until(page, lambda: boxes(page) == before)
    with menu(page, "options"):
        page.get_by_test_id("graph-optimizer").check()
    until(page, lambda: boxes(page) < before)
    until(page, lambda: in_address(page, "optimizer") == "hidden")


def test_keys_select_open_and_close(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, TORCH)
    picture = opened(page)
    choose(page, "depth", "0")
    until(page, lambda: in_address(page, "scopes") == "")
    find(page, "Sequential")
    selected = page.get_by_test_id("graph-selected")
    expect(selected).to_have_text("Selected Sequential, collapsed scope")
    picture.focus()
    before = boxes(page)
    page.keyboard.press("Enter")
    expect(selected).to_have_text("Selected Sequential, expanded scope")
    until(page, lambda: boxes(page) > before)
    page.keyboard.press("Escape")
    expect(selected).to_have_text("Selected Sequential, collapsed scope")
    page.keyboard.press("ArrowDown")
    expect(selected).not_to_contain_text("Selected Sequential,")
    page.keyboard.press("0")
    page.keyboard.press("+")
    expect(page.get_by_test_id("graph-scale")).to_contain_text("%")


def test_a_double_click_opens_a_scope_whose_header_stays(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, TORCH)
    page.emulate_media(reduced_motion="reduce")
    picture = opened(page)
    choose(page, "depth", "0")
    until(page, lambda: in_address(page, "scopes") == "")
    before = boxes(page)
    middle = picture.bounding_box()
    assert middle
    for part in (0.25, 0.375, 0.5, 0.625, 0.75):  # one of them is on a box
        picture.dblclick(position={"x": middle["width"] * 0.5, "y": middle["height"] * part})
        if in_address(page, "scopes"):
            break
    until(page, lambda: boxes(page) > before)

    def closes_the_selected() -> bool:  # the address follows late: a second double click may have opened another scope
        page.keyboard.press("Escape")
        return boxes(page) == before

    until(page, closes_the_selected)


def test_tables_sum_up_the_graph_and_lead_to_boxes(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, f"{OPS}&graph_table=types")
    opened(page)
    graph = graph_of("mindspore/ops")
    table = page.get_by_test_id("graph-table")
    expect(table.get_by_role("table")).to_have_attribute("aria-rowcount", str(len(kinds := set(op_types(graph))) + 1))
    row = table.get_by_role("row").filter(has=page.get_by_role("button", name="Conv2D", exact=True))
    expect(row.get_by_role("cell").first).to_have_text(str(sum(kind == "Conv2D" for kind in op_types(graph))))
    assert "Conv2D" in kinds
    row.get_by_role("button", name="Conv2D", exact=True).click()
    expect(page.get_by_test_id("graph-panel")).to_contain_text("Conv2D-op0")
    expect(page.get_by_test_id("graph-hits").get_by_role("button")).to_have_count(op_types(graph).count("Conv2D"))
    page.get_by_test_id("graph-search").fill("")
    page.get_by_test_id("graph-table-kind").get_by_text("Summary").click()
    expect(table.get_by_role("columnheader").first).to_have_text("Layer")
    all_layers = table.get_by_role("table").get_attribute("aria-rowcount")
    assert all_layers
    page.get_by_test_id("graph-table-filter").fill("fc1")
    expect(table.get_by_role("table")).not_to_have_attribute("aria-rowcount", all_layers)
    layer = table.get_by_role("row").filter(has_text="net.fc1").first
    expect(layer).to_contain_text("48.1k")
    layer.get_by_role("button").click()
    expect(page.get_by_test_id("graph-path")).to_contain_text("fc1")
    with page.expect_download() as download:
        page.get_by_test_id("graph-table-download").click()
        page.get_by_test_id("graph-table-download-csv").click()
    lines = Path(download.value.path()).read_text().splitlines()
    assert lines[0].startswith("name,type,shape,parameters,flops,dtype,trainable")
    assert any(".fc1," in line and ",48120," in line for line in lines)
    page.get_by_test_id("graph-table-kind").get_by_text("Scopes").click()
    page.get_by_test_id("graph-table-filter").fill("")
    expect(table.locator("[aria-selected=true]")).to_contain_text("fc1")
    page.get_by_test_id("graph-table-close").click()
    expect(table).to_have_count(0)


def test_all_paths_between_two_nodes_are_highlighted(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, OPS)
    picture = opened(page)
    find(page, "conv1-Conv2d/Conv2D-op0")
    expect(page.get_by_test_id("graph-path")).to_contain_text("conv1: Conv2d")
    picture.focus()
    page.keyboard.press("p")
    status = page.get_by_test_id("graph-paths-status")
    expect(status).to_contain_text("Select the node")
    find(page, "fc3-Dense/MatMul-op")
    expect(status).to_contain_text(re.compile(r"^\s*\d\d+ nodes on all paths"))
    until(page, lambda: in_address(page, "highlight") == "paths" and "fc3-Dense" in (in_address(page, "node") or ""))
    until(page, lambda: "Conv2D-op0" in (in_address(page, "to_node") or ""))
    words = status.inner_text()
    page.reload()
    opened(page)
    expect(status).to_have_text(words)
    page.get_by_test_id("graph-follow").get_by_text("Off").click()
    until(page, lambda: in_address(page, "highlight") is None)


def has_shape(node: Node) -> bool:
    return "32 x 10" in shape_text(node.shape)


def has_attribute(node: Node) -> bool:
    return "kernel_size" in node.attributes


@pytest.mark.parametrize(
    ("field", "text", "matches"), [("shape", "32 x 10", has_shape), ("attribute", "kernel_size=", has_attribute)]
)
def test_search_in_one_field(
    viewer: LiveViewer, open_page: OpenPage, field: str, text: str, matches: Callable[[Node], bool]
):
    page = open_page(viewer, OPS)
    opened(page)
    page.get_by_test_id("graph-search-fields").click()
    page.get_by_test_id(f"graph-search-{field}").check()
    for other in ("label", "type"):
        page.get_by_test_id(f"graph-search-{other}").uncheck()
    page.keyboard.press("Escape")
    page.get_by_test_id("graph-search").fill(text)
    want = sum(map(matches, graph_of("mindspore/ops").nodes))
    assert want > 0
    expect(page.get_by_role("search")).to_contain_text(f"{want} hits")


def test_two_graphs_in_one_picture_with_what_differs(viewer: LiveViewer, open_page: OpenPage):
    other = "mindspore/collector_specified"
    page = open_page(viewer, OPS)
    opened(page)
    choose(page, "compare", f'["{other}",null]')
    panel = page.get_by_test_id("graph-diff")
    diff = graph_of(other).diff(graph_of("mindspore/ops"))
    total = sum(1 for _ in diff)
    expect(panel).to_contain_text(f"{total} differences")
    expect(panel).to_contain_text(re.compile(rf"Added\s*{diff.counts.added}\b"))
    panel.get_by_test_id("graph-diff-next").click()
    expect(panel).to_contain_text(f"1 of {total}")
    expect(page.get_by_test_id("graph-panel")).to_be_visible()
    panel.get_by_test_id("graph-diff-previous").click()
    expect(panel).to_contain_text(f"{total} of {total}")
    until(page, lambda: in_address(page, "other_run") == other)
    panel.get_by_test_id("graph-diff-removed").click()
    panel.get_by_test_id("graph-diff-operations").click()
    listed = [
        each
        for each in diff
        if each.status is not Status.REMOVED and (each.after or each.before)[-1].role is Role.OPERATION
    ]
    expect(panel).to_contain_text(re.compile(rf"\b{len(listed)} difference"))
    panel.get_by_test_id("graph-diff-close").click()
    expect(panel).to_have_count(0)
    opened(page)


def test_the_data_pipeline_of_a_run_and_its_difference_to_another(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, "/graph/dataset?run=mindspore%2Fcollector_specified")
    picture = opened(page)
    picture.focus()
    page.keyboard.press("ArrowDown")
    panel = page.get_by_test_id("dataset-panel")
    expect(panel).to_contain_text("rows per epoch")
    first = panel.get_by_role("heading").inner_text()
    page.keyboard.press("ArrowDown")
    expect(panel.get_by_role("heading")).not_to_have_text(first)
    page.get_by_test_id("dataset-compare").select_option("mindspore/ops")
    expect(page.get_by_test_id("dataset-differences")).to_contain_text("~")
    until(page, lambda: in_address(page, "other_run") == "mindspore/ops")
    opened(page)
    page.get_by_test_id("dataset-download").click()
    with page.expect_download() as download:
        page.get_by_test_id("dataset-download-svg").click()
    drawing = Path(download.value.path()).read_text()
    assert all(name in drawing for name in ("MnistDataset", "Batch", "batch_size = 32"))


def test_a_picture_that_nobody_moved_fits_a_smaller_window(viewer: LiveViewer, open_page: OpenPage):
    """As when the figures of a profile come below a data pipeline."""
    page = open_page(viewer, "/graph/dataset?run=mindspore%2Flineage_sweep%2Frun_01")
    picture, map_ = opened(page), page.get_by_test_id("graph-minimap")
    expect(map_).to_have_count(0)
    high = picture.bounding_box()
    page.set_viewport_size({"width": 1280, "height": 480})
    until(page, lambda: (picture.bounding_box() or {})["height"] < (high or {})["height"] - 300)
    expect(map_).to_have_count(0)
    page.get_by_role("button", name="Zoom in").click()
    page.set_viewport_size({"width": 1280, "height": 400})
    expect(map_).to_be_visible()


@pytest.fixture
def pipeline_viewer(tmp_path: Path) -> Iterator[LiveViewer]:
    copytree(MEASURED_PIPELINE, tmp_path / "logs" / "data_pipeline")
    with running_viewer(tmp_path / "logs", tmp_path) as viewer:
        eventually(lambda: "data_pipeline" in viewer.runs())
        yield viewer


def test_a_data_pipeline_has_the_figures_of_its_profile(pipeline_viewer: LiveViewer, open_page: OpenPage):
    page = open_page(pipeline_viewer, "/graph/dataset?run=data_pipeline")
    picture = opened(page)
    operations = page.get_by_test_id("pipeline-operations")
    added = operations.get_by_role("row").filter(has=page.get_by_test_id("pipeline-note"))
    expect(added.get_by_role("button")).to_have_text(["EpochCtrlOp_0", "ShuffleOp_8"])
    operations.get_by_role("button", name="CSVOp_9").click()
    panel = page.get_by_test_id("dataset-panel")
    expect(panel.get_by_role("heading")).to_have_text("CSVDataset")
    expect(panel.get_by_test_id("dataset-measures")).to_contain_text("CSVOp_9 · Output queue 65.0")
    picture.focus()
    page.keyboard.press("ArrowDown")
    expect(panel.get_by_role("heading")).to_have_text("Zip")
    expect(operations.get_by_role("button", name="ZipOp_5")).to_have_attribute("aria-pressed", "true")
    for _ in range(3):
        page.keyboard.press("ArrowDown")
    expect(panel.get_by_role("heading")).to_have_text("Repeat")
    expect(panel.get_by_test_id("dataset-measures")).to_have_text(
        "The profile has no operation of this type in this place."
    )
    expect(page.get_by_test_id("dataset-measure")).to_have_count(0)
    expect(page.get_by_test_id("batch-waits")).to_be_visible()


def test_a_data_pipeline_without_a_profile_says_how_to_measure(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, "/graph/dataset?run=mindspore%2Fcollector_specified")
    opened(page)
    expect(page.get_by_test_id("dataset-measure")).to_contain_text("Profiler(data_process=True)")
    expect(page.get_by_test_id("pipeline")).to_have_count(0)


def test_the_graph_is_saved_as_a_drawing(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, TORCH)
    opened(page)
    page.get_by_test_id("graph-download").click()
    with page.expect_download() as download:
        page.get_by_test_id("graph-download-svg").click()
    drawing = Path(download.value.path()).read_text()
    assert drawing.startswith("<svg")
    assert all(name in drawing for name in ("Sequential", "0: Conv2d", "3: Linear"))


def test_a_run_without_a_graph_says_how_to_record_one(viewer: LiveViewer, open_page: OpenPage):
    page = open_page(viewer, "/graph?run=tensorboard%2Ftb_all%2Frun_a%2Fmulti_a")
    expect(page.get_by_test_id("empty")).to_contain_text("collect_graph")
