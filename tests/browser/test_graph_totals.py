# SPDX-License-Identifier: Apache-2.0
"""What the page says of whole networks and their scopes, against PyTorch's own counts and shapes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from mindscope.formats import wire
from mindscope.formats.mindspore_schemas import GRAPH
from tests.server.live_viewer import LiveViewer, eventually, running_viewer

from .test_graph_page import choose, opened

OpenPage = Callable[[LiveViewer, str], Page]


def networks() -> dict[str, tuple[Any, Any]]:
    """A network and its input, by the name of its class."""
    torch = pytest.importorskip("torch")
    nn = torch.nn

    class LeNet(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            pool = nn.MaxPool2d(2)
            self.features = nn.Sequential(nn.Conv2d(1, 6, 5), nn.ReLU(), pool, nn.Conv2d(6, 16, 5), nn.ReLU(), pool)
            self.head = nn.Sequential(nn.Flatten(), nn.Linear(256, 120), nn.ReLU(), nn.Linear(120, 10))

        def forward(self, x: Any) -> Any:
            return self.head(self.features(x))

    class Block(nn.Module):
        def __init__(self, before: int, after: int, stride: int) -> None:
            super().__init__()
            self.conv1 = nn.Conv2d(before, after, 3, stride, 1, bias=False)
            self.conv2 = nn.Conv2d(after, after, 3, 1, 1, bias=False)
            self.bn1, self.bn2 = nn.BatchNorm2d(after), nn.BatchNorm2d(after)
            short = nn.Sequential(nn.Conv2d(before, after, 1, stride, bias=False), nn.BatchNorm2d(after))
            self.downsample = short if stride > 1 else nn.Identity()

        def forward(self, x: Any) -> Any:
            branch = self.bn2(self.conv2(torch.relu(self.bn1(self.conv1(x)))))
            return torch.relu(branch + self.downsample(x))

    class ResNet18(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.stem = nn.Sequential(
                nn.Conv2d(3, 64, 7, 2, 3, bias=False), nn.BatchNorm2d(64), nn.ReLU(), nn.MaxPool2d(3, 2, 1)
            )
            sizes = ((64, 64, 1), (64, 64, 1), (64, 128, 2), (128, 128, 1))
            sizes += ((128, 256, 2), (256, 256, 1), (256, 512, 2), (512, 512, 1))
            self.layers = nn.Sequential(*(Block(*size) for size in sizes))
            self.fc = nn.Linear(512, 1000)

        def forward(self, x: Any) -> Any:
            return self.fc(self.layers(self.stem(x)).mean((2, 3)))

    return {"LeNet": (LeNet(), torch.zeros(64, 1, 28, 28)), "ResNet18": (ResNet18().eval(), torch.zeros(2, 3, 64, 64))}


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveViewer]:
    from mindscope.torch import SummaryRecord

    base = tmp_path_factory.mktemp("logs")
    for name, (network, inputs) in networks().items():
        with SummaryRecord(base / name) as record:
            record.add_value("graph", "graph", (network, inputs))
            record.record(1)
    with running_viewer(base, tmp_path_factory.mktemp("viewer")) as live:
        eventually(lambda: all(run["tags"] for run in live.runs().values()) and len(live.runs()) == 2)
        yield live


def fact(panel: Locator, name: str) -> Locator:
    return panel.locator(f"dt:text-is('{name}') + dd")


@pytest.mark.parametrize(
    ("name", "count", "sentence", "layer"),
    [
        ("LeNet", 34622, "LeNet: 34.6k parameters, 35 MFLOPs, 64×1×28×28 → 64×10", "features.0"),
        (
            "ResNet18",
            11689512,
            "ResNet18: 11.7M parameters, 594 MFLOPs, 2×3×64×64 → 2×1000, 8 blocks (Block)",
            "layers.2.downsample.0",
        ),
    ],
)
def test_the_page_begins_with_a_sentence_and_the_layers(
    recorded: LiveViewer, open_page: OpenPage, name: str, count: int, sentence: str, layer: str
) -> None:
    assert sum(parameter.numel() for parameter in networks()[name][0].parameters()) == count
    page = open_page(recorded, f"/graph?run={name}")
    opened(page)
    expect(page.get_by_test_id("graph-sentence").locator("p").first).to_have_text(sentence)
    expect(page.get_by_test_id("graph-sentence-note")).to_have_count(0)
    row = page.get_by_test_id("graph-table").get_by_role("row").filter(has_text=layer).first
    expect(row).to_contain_text("Conv2d")
    row.get_by_role("button").click()
    panel = page.get_by_test_id("graph-panel")
    expect(panel.get_by_role("heading", level=2)).to_have_text("conv2d")
    expect(fact(panel, "Type")).to_have_text("conv2d")
    choose(page, "color", "parameters")
    expect(page.get_by_test_id("graph-legend")).to_contain_text(re.compile(r"\d[kM]"))


def test_a_search_lists_its_hits_under_their_scopes(recorded: LiveViewer, open_page: OpenPage) -> None:
    page = open_page(recorded, "/graph?run=ResNet18")
    opened(page)
    page.get_by_test_id("graph-search").fill("layers.2.conv1")
    hits = page.get_by_test_id("graph-hits")
    expect(hits).to_contain_text("layers.2.conv1")
    expect(hits.get_by_role("button", name="conv2d")).to_have_count(1)
    expect(hits).to_contain_text("Parameter 128×64×3×3")
    hits.get_by_role("button", name="conv2d").click()
    expect(page.get_by_test_id("graph-path")).to_contain_text("conv1: Conv2d")
    page.get_by_test_id("graph-search").fill("")
    expect(hits).to_have_count(0)
    expect(page.get_by_test_id("graph-table")).to_be_visible()


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveViewer]:
    """Graph files: weights of known and of unknown size, a model whose shapes onnx infers, and one that it can't."""
    onnx: Any = pytest.importorskip("onnx", reason="onnx is not installed")
    from tests.graph.formats.test_mindspore import tensor_type
    from tests.graph.formats.test_onnx_shapes import lenet, refused

    base = tmp_path_factory.mktemp("logs")
    (base / "run").mkdir()
    node = {"name": "1", "op_type": "MatMul", "scope": "net", "input": [{"name": "w"}, {"name": "v"}]}
    for name, type in (("known", {"type": tensor_type(5, 5)}), ("unknown", {})):
        parameters = [{"name": "w", "type": tensor_type(4, 4)}, {"name": "v", **type}]
        graph = {"node": [{**node, "output_type": tensor_type(4, 4)}], "parameters": parameters}
        (base / "run" / f"{name}.pb").write_bytes(wire.encode(GRAPH, graph))
    onnx.save(lenet(), base / "run" / "lenet.onnx")
    onnx.save(refused(), base / "run" / "refused.onnx")
    with running_viewer(base, tmp_path_factory.mktemp("viewer")) as live:
        eventually(lambda: any(run["contents"] for run in live.runs().values()))
        yield live


@pytest.mark.parametrize(("name", "weights"), [("known.pb", "41"), ("unknown.pb", "≥ 16")])
def test_a_sum_of_weights_says_that_it_is_a_part(
    files: LiveViewer, open_page: OpenPage, name: str, weights: str
) -> None:
    page = open_page(files, f"/graph?run=run&graph={name}&graph_table=layers")
    opened(page)
    total = page.get_by_test_id("graph-table-total")
    expect(total).to_contain_text(f"{weights} parameters")
    assert ("≥" in total.inner_text()) == ("≥" in weights)


def test_the_summary_says_why_shapes_are_missing(files: LiveViewer, open_page: OpenPage) -> None:
    page = open_page(files, "/graph?run=run&graph=refused.onnx&graph_table=layers")
    opened(page)
    notice = page.get_by_test_id("graph-no-shapes")
    expect(notice).to_contain_text("onnx infers no shape for 1 of 1 operators; the first of them is MatMul")
    expect(notice).to_contain_text("strict_mode=True")
    page = open_page(files, "/graph?run=run&graph=lenet.onnx&graph_table=layers")
    opened(page)
    expect(page.get_by_test_id("graph-table-total")).to_contain_text("parameters")
    expect(page.get_by_test_id("graph-no-shapes")).to_have_count(0)
