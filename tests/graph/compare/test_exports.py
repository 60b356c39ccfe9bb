# SPDX-License-Identifier: Apache-2.0
"""A network of PyTorch and its ONNX export are compared by common names, with what exporters fold or split."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from mindscope import SummaryRecord, open_run
from mindscope.graph import Graph, read_graph_file
from mindscope.graph.compare import synonyms
from mindscope.graph.compare.diff import Change, GraphDiff, Status
from mindscope.graph.compare.synonyms import Dialect, common_name, dialects_of
from mindscope.graph.data.columns import Role

torch = pytest.importorskip("torch")
nn, functional = torch.nn, torch.nn.functional


def lenet(width: int = 6, activation: Any = nn.ReLU) -> Any:
    convolutions = [nn.Conv2d(1, width, 5, padding=2), activation(), nn.MaxPool2d(2)]
    convolutions += [nn.Conv2d(width, 16, 5), activation(), nn.MaxPool2d(2), nn.Flatten()]
    return nn.Sequential(*convolutions, nn.Linear(400, 120), activation(), nn.Dropout(0.5), nn.Linear(120, 10))


class Residual(nn.Module):
    """A stem and two blocks as in ResNet, one with a projection; trained statistics, so that no bias is 0."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Sequential(*self.norm_after(3, 8, 7), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, 1))
        self.same = nn.Sequential(*self.norm_after(8, 8), nn.ReLU(), *self.norm_after(8, 8))
        self.wide = nn.Sequential(*self.norm_after(8, 16, 3, 2), nn.ReLU(), *self.norm_after(16, 16))
        self.projection = nn.Sequential(*self.norm_after(8, 16, 1, 2))
        self.pool, self.head = nn.AdaptiveAvgPool2d(1), nn.Linear(16, 10)
        for module in self.modules():
            if isinstance(module, nn.BatchNorm2d):
                nn.init.uniform_(module.bias)
                nn.init.uniform_(module.running_mean)

    def norm_after(self, inputs: int, outputs: int, kernel: int = 3, stride: int = 1) -> list[Any]:
        return [nn.Conv2d(inputs, outputs, kernel, stride, kernel // 2, bias=False), nn.BatchNorm2d(outputs)]

    def forward(self, images: Any) -> Any:
        x = self.stem(images)
        x = functional.relu(x + self.same(x))
        x = functional.relu(self.wide(x) + self.projection(x))
        return self.head(torch.flatten(self.pool(x), 1))


class Attention(nn.Module):
    """A block of a transformer with GELU, whose export has no operation of this name."""

    def __init__(self) -> None:
        super().__init__()
        self.embedding, self.norm = nn.Embedding(50, 32), nn.LayerNorm(32)
        self.query, self.key, self.value = nn.Linear(32, 32), nn.Linear(32, 32, bias=False), nn.Linear(32, 32)
        self.up, self.down = nn.Linear(32, 64), nn.Linear(64, 32)

    def forward(self, words: Any) -> Any:
        x = self.embedding(words)
        y = self.norm(x)
        x = x + torch.softmax(self.query(y) @ self.key(y).transpose(1, 2) / 5.6, -1) @ self.value(y)
        return x + self.down(functional.gelu(self.up(self.norm(x))))


INPUTS = {
    "lenet": (lenet, torch.zeros(2, 1, 28, 28)),
    "residual": (Residual, torch.zeros(2, 3, 32, 32)),
    "attention": (Attention, torch.zeros(2, 7, dtype=torch.int64)),
}


def recorded(network: Any, inputs: Any, directory: Path) -> Graph:
    from mindscope.torch.graphs.capture import graph_of

    with SummaryRecord(directory) as record:
        record.add_value("graph", "", graph_of(network, (inputs,)))
        record.record(0)
    (graph,) = open_run(directory).graphs().values()
    return graph


def exported(network: Any, inputs: Any, path: Path, *, dynamo: bool = False, **options: Any) -> Graph:
    if dynamo:
        pytest.importorskip("onnxscript")
        options |= {"external_data": False, "verbose": False}
    pytest.importorskip("onnx")
    torch.onnx.export(network, (inputs,), path, dynamo=dynamo, opset_version=18 if dynamo else 17, **options)
    return read_graph_file(path)


def unequal(diff: GraphDiff) -> list[tuple[str, str, Change]]:
    """What differs: types of the operations before and after."""
    return [
        (each.before[-1].op_type if each.before else "", each.after[-1].op_type if each.after else "", each.changes)
        for each in diff
        if (each.before or each.after)[-1].role is Role.OPERATION
    ]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("dynamo", [False, True], ids=["torchscript", "dynamo"])
@pytest.mark.parametrize("name", INPUTS)
def test_a_network_and_its_own_export_are_equal(tmp_path: Path, name: str, dynamo: bool) -> None:
    make, inputs = INPUTS[name]
    network = make().eval()
    ours, theirs = (
        recorded(network, inputs, tmp_path / "run"),
        exported(network, inputs, tmp_path / "a.onnx", dynamo=dynamo),
    )
    diff = ours.diff(theirs)
    assert [(str(each.status), each.before, each.after, each.changes) for each in diff] == []
    partners = {
        (a.op_type, theirs.nodes[int(b)].op_type) for a, b in zip(ours.nodes, diff.after_of, strict=True) if b >= 0
    }
    want = {
        "lenet": {("conv2d", "Conv"), ("linear", "Gemm"), ("max_pool2d", "MaxPool"), ("relu", "Relu")},
        "residual": {("batch_norm", "Conv"), ("add", "Add"), ("conv2d", "Conv"), ("linear", "Gemm")},
        "attention": {("gelu", "Erf"), ("layer_norm", "LayerNormalization"), ("linear", "MatMul"), ("add", "Add")},
    }
    assert want[name] <= partners
    assert not theirs.diff(ours)
    assert not diff.edge_removed.any()
    assert not diff.edge_added.any()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", INPUTS)
def test_exports_of_a_network_by_both_exporters_are_equal(tmp_path: Path, name: str) -> None:
    make, inputs = INPUTS[name]
    network = make().eval()
    old, new = (exported(network, inputs, tmp_path / f"{dynamo}.onnx", dynamo=dynamo) for dynamo in (False, True))
    assert [(str(each.status), each.before, each.after, each.changes) for each in old.diff(new)] == []
    assert not new.diff(old)


@pytest.mark.filterwarnings("ignore")
def test_exports_of_other_networks_by_both_exporters_differ(tmp_path: Path) -> None:
    inputs = INPUTS["lenet"][1]
    old = exported(lenet().eval(), inputs, tmp_path / "a.onnx")
    wide = old.diff(exported(lenet(8).eval(), inputs, tmp_path / "wide.onnx", dynamo=True))
    assert [row[0] for row in unequal(wide)] == ["Conv", "Relu", "MaxPool"]
    other = old.diff(exported(lenet(activation=nn.Tanh).eval(), inputs, tmp_path / "tanh.onnx", dynamo=True))
    assert unequal(other) == [("Relu", "Tanh", Change.TYPE | Change.NAME)] * 3


@pytest.mark.filterwarnings("ignore")
def test_other_networks_differ_from_an_export(tmp_path: Path) -> None:
    inputs = INPUTS["lenet"][1]
    export = exported(lenet().eval(), inputs, tmp_path / "a.onnx")
    wide = recorded(lenet(8).eval(), inputs, tmp_path / "wide").diff(export)
    assert unequal(wide) == [
        ("conv2d", "Conv", Change.SHAPE | Change.NAME),
        ("relu", "Relu", Change.SHAPE | Change.NAME),
        ("max_pool2d", "MaxPool", Change.SHAPE | Change.NAME),
    ]
    other = recorded(lenet(activation=nn.Tanh).eval(), inputs, tmp_path / "tanh").diff(export)
    assert unequal(other) == [("tanh", "Relu", Change.TYPE | Change.NAME)] * 3
    deep = nn.Sequential(*lenet(), nn.Sigmoid(), nn.Linear(10, 10)).eval()
    more = recorded(deep, inputs, tmp_path / "deep").diff(export)
    assert sorted(node.op_type for node in more.removed if node.role is Role.OPERATION) == ["linear", "sigmoid"]
    assert more.counts.added == 0
    trained = recorded(lenet().train(), inputs, tmp_path / "trained").diff(export)
    got = {(each.status, each.before[0].op_type) for each in trained}
    assert got == {(Status.REMOVED, "dropout"), (Status.CHANGED, "linear")}


@pytest.mark.filterwarnings("ignore")
def test_a_free_batch_size_is_no_difference(tmp_path: Path) -> None:
    inputs, network = INPUTS["lenet"][1], lenet().eval()
    options = {"dynamic_axes": {"images": {0: "n"}}, "input_names": ["images"]}
    diff = recorded(network, inputs, tmp_path / "run").diff(exported(network, inputs, tmp_path / "a.onnx", **options))
    assert unequal(diff) == []


def test_a_name_is_in_the_table_once_in_its_dialect() -> None:
    rows = [line.split("|") for line in synonyms._NAMES.strip().splitlines()]
    for column in (1, 2, 3):
        counts = Counter(name for row in rows for name in row[column].split())
        assert [name for name, count in counts.items() if count > 1] == []


def test_common_names_and_dialects() -> None:
    assert common_name(Dialect.PYTORCH, "aten::relu_.default") == common_name(Dialect.ONNX, "Relu") == "relu"
    assert common_name(Dialect.MINDSPORE, "BatchMatMul") == common_name(Dialect.PYTORCH, "addmm") == "matmul"
    assert common_name(Dialect.ONNX, "Unheard") == "Unheard"
    assert dialects_of(["conv2d", "relu", "Add"]) == {Dialect.PYTORCH}
    assert dialects_of(["Add", "MatMul"]) == {Dialect.MINDSPORE, Dialect.ONNX}
    assert dialects_of(["Unheard"]) == frozenset()
