# SPDX-License-Identifier: Apache-2.0
"""Graphs of networks: what is in them, both fallbacks, and that MindSpore parses them."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Any

import pytest

from mindscope.errors import ValueRejectedError
from mindscope.formats import wire
from mindscope.formats.mindspore_schemas import GRAPH
from mindscope.graph import EdgeKind, Graph, Role, read_mindspore_graph
from mindscope.reading import open_run

torch = pytest.importorskip("torch")
import torch.distributed.fsdp as fsdp  # noqa: E402
from torch import fx, nn  # noqa: E402

from mindscope.torch import SummaryRecord as TorchRecord  # noqa: E402
from mindscope.torch.graphs import graph_of  # noqa: E402
from mindscope.torch.summary.operators import ScalarSummary  # noqa: E402

pytestmark = pytest.mark.framework


class LeNet5(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1, self.conv2 = nn.Conv2d(1, 6, 5), nn.Conv2d(6, 16, 5)
        self.head = nn.Sequential(nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 10))

    def forward(self, x: Any) -> Any:
        x = torch.max_pool2d(torch.relu(self.conv1(x)), 2)
        x = torch.max_pool2d(torch.relu(self.conv2(x)), 2)
        return self.head(x.flatten(1))


class Residual(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv, self.norm, self.mean = nn.Conv2d(3, 3, 3, padding=1), nn.BatchNorm2d(3), ScalarSummary()

    def forward(self, x: Any) -> Any:
        branch = self.norm(self.conv(x))
        self.mean("mean", branch.mean())
        self.mean("most", branch.max())
        return x + branch


class Branching(nn.Module):
    """Control flow that depends on data: neither tracer follows it."""

    def __init__(self) -> None:
        super().__init__()
        self.low, self.high = nn.Linear(2, 2), nn.Sequential(nn.Linear(2, 2), nn.Tanh())

    def forward(self, x: Any) -> Any:
        return self.low(x) if x.sum() < 0 else self.high(x)


class Unexportable(nn.Module):
    """NumPy in between stops export, and fx does not see it."""

    def __init__(self) -> None:
        super().__init__()
        self.linear, self.batch = nn.Linear(2, 2), nn.BatchNorm1d(2)

    def forward(self, x: Any) -> Any:
        if isinstance(x, torch.Tensor):
            x.numpy().tolist()[0][0].hex()
        return self.batch(self.linear(x)).relu()


def read(message: Any) -> Graph:
    """The graph as a viewer reads it, out of its bytes."""
    return read_mindspore_graph(wire.encode(GRAPH, message))


def dangling(graph: Graph) -> list[str]:
    """Inputs that name nothing in the graph."""
    return [node.name for node in graph.nodes_of(Role.UNRESOLVED)]


def test_lenet() -> None:
    graph = read(graph_of(LeNet5(), torch.randn(2, 1, 32, 32)))
    assert (graph.name, len(graph.operations), graph.edge_count, dangling(graph)) == ("LeNet5", 10, 18, [])
    assert [node.op_type for node in graph.operations] == (
        "conv2d relu max_pool2d conv2d relu max_pool2d flatten linear relu linear".split()
    )
    first, last = graph.operations[0], graph.operations[-1]
    assert (first.scope, first.dtype, first.shape) == ("Default/conv1-Conv2d", "float32", (2, 6, 28, 28))
    assert [each.node.name for each in first.inputs] == ["x", "conv1.weight", "conv1.bias"]
    assert (last.scope, last.full_name) == (
        "Default/head-Sequential/2-Linear",
        "Default/head-Sequential/2-Linear/linear-op0",
    )
    assert graph.operations[2].attributes["kernel_size"] == [2, 2]
    assert {each.name: each.shape for each in graph.parameters}["conv2.weight"] == (16, 6, 5, 5)
    assert [(each.name, each.shape) for each in graph.outputs] == [("10", (2, 10))]


def test_residual_net_with_statistics_and_summaries_in_order() -> None:
    net = Residual()
    before = {name: value.clone() for name, value in net.state_dict().items()}
    graph = read(graph_of(net, (torch.randn(2, 3, 4, 4),)))
    assert dangling(graph) == []
    assert "norm.running_mean" in {each.name for each in graph.constants}
    summaries = [node for node in graph.operations if node.op_type == "mindscope.keep_value"]
    assert [node.attributes["name"] for node in summaries] == ["mean", "most"]
    assert [edge.kind for edge in summaries[1].inputs] == [EdgeKind.DATA, EdgeKind.CONTROL]
    assert summaries[1].inputs[1].node == summaries[0]
    add = graph.operations[-1]
    assert (add.op_type, add.scope, len(add.inputs)) == ("add", "Default", 2)
    assert all(torch.equal(before[name], value) for name, value in net.state_dict().items())


def test_transformer() -> None:
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    graph = read(graph_of(layer, torch.randn(2, 5, 8)))
    assert (graph.name, dangling(graph)) == ("TransformerEncoderLayer", [])
    assert {"Default/self_attn-MultiheadAttention", "Default/linear1-Linear"} <= {
        node.scope for node in graph.operations
    }
    assert "scaled_dot_product_attention" in {node.op_type for node in graph.operations}
    assert len(graph.parameters) == len(list(layer.parameters()))


def test_conditional_graphs_are_inside_the_node() -> None:
    class Conditional(nn.Module):
        def forward(self, x: Any) -> Any:
            return torch.cond(x.sum() > 0, torch.sin, torch.cos, (x,))

    graph = read(graph_of(Conditional(), torch.randn(3)))
    (node,) = [node for node in graph.operations if node.op_type == "cond"]
    inner = [value for value in node.attributes.values() if isinstance(value, Graph)]
    assert [each.operations[0].op_type for each in inner] == ["sin", "cos"]


def test_control_flow_on_data_falls_back_to_structure_and_says_why() -> None:
    graph = read(graph_of(Branching(), torch.randn(1, 2)))
    assert graph.name.startswith("Branching (module structure; torch.export: ")
    assert "torch.fx: TraceError" in graph.name
    assert [(node.op_type, node.scope) for node in graph.operations] == [
        ("Linear", "Default/low-Linear"),
        ("Linear", "Default/high-Sequential/0-Linear"),
        ("Tanh", "Default/high-Sequential/1-Tanh"),
    ]
    assert (graph.edge_count, len(graph.parameters), dangling(graph)) == (4, 4, [])


def test_a_trace_that_fails_prints_nothing(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    class Summarized(Branching):
        def forward(self, x: Any) -> Any:
            ScalarSummary()("mean", x.mean())
            return super().forward(x)

    network = Summarized()
    with TorchRecord(tmp_path, network=network) as record:
        for step in range(3):
            network(torch.ones(1, 2))
            record.record(step)
    assert (capfd.readouterr(), caplog.records) == (("", ""), [])
    run = open_run(tmp_path)
    assert (run.dropped, run.scalars("mean").step.tolist()) == (0, [0, 1, 2])


def test_what_export_refuses_is_traced_and_says_why() -> None:
    net = Unexportable()
    graph = read(graph_of(net, torch.randn(3, 2)))
    assert graph.name.startswith("Unexportable (torch.fx; torch.export: ")
    assert [(node.op_type, node.scope, node.shape) for node in graph.operations] == [
        ("Linear", "Default/linear-Linear", (3, 2)),
        ("BatchNorm1d", "Default/batch-BatchNorm1d", (3, 2)),
        ("relu", "Default", (3, 2)),
    ]
    assert net.batch.num_batches_tracked == torch.tensor(0)


class Numbered(nn.ParameterList):
    """Whose parameters are called 0, 1 and 2, as nodes are."""

    def __init__(self, is_traceable: bool) -> None:
        super().__init__([nn.Parameter(torch.ones(2)) for _ in range(3)])
        self._is_traceable = is_traceable

    def forward(self, x: Any) -> Any:
        if not self._is_traceable and x.sum() < 0:
            return x
        return x * self[0] + self[1] - self[2]


@pytest.mark.parametrize("is_traceable", [True, False])
def test_nodes_are_not_called_as_parameters_are(is_traceable: bool) -> None:
    graph = read(graph_of(Numbered(is_traceable), torch.randn(2)))
    names = [each.name for each in (*graph.operations, *graph.parameters)]
    assert len(set(names)) == len(names)
    assert {"0", "1", "2"} <= {each.name for each in graph.parameters}
    assert dangling(graph) == []
    if is_traceable:
        sources = {node.op_type: [each.node.name for each in node.inputs] for node in graph.operations}
        assert sources["mul"] == ["x", "0"]
        assert sources["add"] == [graph.operations[0].name, "1"]
        assert sources["sub"] == [graph.operations[1].name, "2"]


def test_mindspore_parses_the_graphs() -> None:
    proto = pytest.importorskip("mindspore.train.anf_ir_pb2")
    for net, x in ((LeNet5(), torch.randn(2, 1, 32, 32)), (Residual(), torch.randn(2, 3, 4, 4))):
        message = graph_of(net, x)
        parsed = proto.GraphProto.FromString(wire.encode(GRAPH, message))
        assert [node.name for node in parsed.node] == [node["name"] for node in message["node"]]
        assert parsed.node[0].output_type.data_type == proto.DT_TENSOR


def test_operations_have_the_line_that_calls_them() -> None:
    graph = read(graph_of(LeNet5(), torch.randn(2, 1, 32, 32)))
    lines = Path(__file__).read_text().splitlines()
    for node in graph.operations:
        place, _, function = str(node.attributes["source"]).partition(" in ")
        file, _, line = place.rpartition(":")
        assert (Path(file).name, function) == ("test_graphs.py", "forward")
        assert any(word in lines[int(line) - 1] for word in ("max_pool2d", "head"))
    moved = graph_of(LeNet5(), torch.randn(2, 1, 32, 32))
    for node in moved["node"]:
        for attribute in node["attribute"]:
            if attribute["name"] == "source":
                attribute["value"]["str_val"] = "elsewhere:1 in forward"
    assert not graph.diff(read(moved))


def test_the_structure_has_the_types_of_the_first_step(tmp_path: Path) -> None:
    network = Branching()
    with TorchRecord(str(tmp_path), network=network) as record:
        network(torch.full((3, 2), 9.0))
        record.record(1)
    (graph,) = open_run(tmp_path).graphs().values()
    assert graph.name.startswith("Branching (module structure; torch.export: ")
    assert [(node.op_type, node.dtype, node.shape) for node in graph.operations] == [
        ("Linear", "", None),  # was not called
        ("Linear", "float32", (3, 2)),
        ("Tanh", "float32", (3, 2)),
    ]


def exported(network: nn.Module) -> Any:
    return torch.export.export(network, (torch.randn(2, 1, 32, 32),), strict=False)


@pytest.mark.parametrize(
    ("given", "name", "types"),
    [
        (lambda: (LeNet5(), torch.randn(2, 1, 32, 32)), "LeNet5", {"conv2d", "linear"}),
        (lambda: exported(LeNet5()), "mine", {"conv2d", "linear"}),
        (lambda: exported(LeNet5()).module(), "mine", {"conv2d", "linear"}),
        (lambda: fx.symbolic_trace(LeNet5()), "mine", {"Conv2d", "Linear"}),
        (lambda: fx.symbolic_trace(LeNet5()).graph, "mine", {"Conv2d", "Linear"}),
        (LeNet5, "LeNet5 (torch.fx; no inputs to export it with)", {"Conv2d", "Linear"}),
        (lambda: torch.compile(LeNet5(), backend="eager"), "LeNet5 (torch.fx", {"Conv2d", "Linear"}),
        (Unexportable, "Unexportable (torch.fx; no inputs to export it with)", {"Linear", "BatchNorm1d"}),
    ],
)
def test_programs_and_networks_are_recorded_as_graphs(given: Any, name: str, types: set[str], tmp_path: Path) -> None:
    with TorchRecord(tmp_path, raise_exception=True) as record:
        record.add_value("graph", "mine", given())
        record.record(1)
    graph = next(iter(open_run(tmp_path).graphs().values()))
    assert graph.name.startswith(name)
    assert types <= {node.op_type for node in graph.operations}
    assert dangling(graph) == []


@pytest.mark.parametrize("value", [(1, 2), (LeNet5(), 1, 2), object(), torch.zeros(2)])
def test_what_is_no_graph_is_rejected(value: Any, tmp_path: Path) -> None:
    with TorchRecord(tmp_path, raise_exception=True) as record, pytest.raises(ValueRejectedError, match="GraphProto"):
        record.add_value("graph", "", value)


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
def test_scripted_modules_do_not_stop_a_recorder(tmp_path: Path) -> None:
    scripted = torch.jit.script(nn.Sequential(nn.Linear(2, 2), nn.ReLU()))
    network = nn.Sequential(scripted, nn.Linear(2, 1))
    with TorchRecord(str(tmp_path), network=network) as record:
        network(torch.randn(3, 2)).sum().backward()
        record.record(1)
    (graph,) = open_run(tmp_path).graphs().values()
    assert len(graph.operations) >= 2
    for whole in (scripted, torch.jit.trace(nn.Linear(2, 1), torch.randn(3, 2))):
        with TorchRecord(str(tmp_path / "whole"), network=whole) as record:
            whole(torch.randn(3, 2))
            record.record(1)


def test_modules_that_are_traced_as_a_whole_list_their_weights() -> None:
    graph = read(graph_of(Unexportable(), torch.randn(3, 2)))
    linear, batch = graph.operations[:2]
    assert [each.node.name for each in linear.inputs] == ["x", "linear.weight", "linear.bias"]
    assert [each.node.name for each in batch.inputs] == [linear.name, "batch.weight", "batch.bias"]
    assert [each.shape for each in graph.parameters] == [(2, 2), (2,), (2,), (2,)]
    assert [each.shape for each in graph.inputs] == [(3, 2)]


WRAPPED = [
    "compiled",
    "compiled in place",
    "quantized",
    "data parallel",
    "sharded",
    "FSDP",
    "FSDP, flat",
    "FSDP, parts",
]
"""The last three are wrapped by the first FSDP of torch: the network, with flat parameters, and one of its layers."""


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning", "ignore::FutureWarning")
@pytest.mark.parametrize("kind", WRAPPED)
def test_wrapped_networks_still_have_a_graph_and_train(kind: str, tmp_path: Path) -> None:
    plain = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
    network: Any = plain
    is_distributed = kind in ("data parallel", "sharded") or kind.startswith("FSDP")
    if is_distributed:
        store = torch.distributed.FileStore(str(tmp_path / "store"), 1)
        torch.distributed.init_process_group("gloo", store=store, rank=0, world_size=1)
    try:
        if kind == "compiled":
            network = torch.compile(plain, backend="eager")
        elif kind == "compiled in place":
            plain.compile(backend="eager")
        elif kind == "quantized":
            network = torch.ao.quantization.quantize_dynamic(plain, {nn.Linear}, dtype=torch.qint8)
        elif kind == "data parallel":
            network = nn.parallel.DistributedDataParallel(plain)
        elif kind == "sharded":
            fsdp.fully_shard(plain)
        elif kind == "FSDP, parts":
            plain[0] = fsdp.FullyShardedDataParallel(plain[0], device_id="cpu")
        else:
            network = fsdp.FullyShardedDataParallel(plain, use_orig_params=kind == "FSDP", device_id="cpu")
        with TorchRecord(str(tmp_path / "run"), network=network) as record:
            output = network(torch.randn(3, 4))
            record.record(1)
        if kind != "quantized":
            output.sum().backward()
            assert all(each.grad is not None for each in network.parameters())
    finally:
        network = plain = output = None  # the reducer must not be the last to hold the group: torch can hang then
        gc.collect()
        if is_distributed:
            torch.distributed.destroy_process_group()
    (graph,) = open_run(tmp_path / "run").graphs().values()
    layers = [node for node in graph.operations if node.op_type != "Sequential"]  # which has the flat parameter
    assert len(graph.operations) == 3 + (kind == "FSDP, flat")
    if kind in ("compiled", "compiled in place", "data parallel", "sharded"):
        assert graph.name == "Sequential"
    elif kind == "quantized":
        assert graph.name.startswith("Sequential (torch.fx; torch.export: ")
    elif kind.startswith("FSDP"):
        assert graph.name == "Sequential (module structure; FSDP can't be traced)"
        assert [node.op_type for node in layers] == ["Linear", "ReLU", "Linear"]
    assert [node.shape for node in layers] == [(3, 8), (3, 8), (3, 2)]


def test_a_large_network_without_data() -> None:
    with torch.device("meta"):
        layer = nn.TransformerEncoderLayer(1024, 16, 4096, batch_first=True)
        network, x = nn.TransformerEncoder(layer, 4, enable_nested_tensor=False), torch.randn(2, 16, 1024)
    graph = read(graph_of(network, x))
    assert (graph.name, len(graph.operations)) == ("TransformerEncoder", 4 * 35)
    assert all(node.shape is not None for node in graph.operations)
