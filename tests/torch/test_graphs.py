# SPDX-License-Identifier: Apache-2.0
"""Graphs of networks: what is in them, both fallbacks, and that MindSpore parses them."""

from __future__ import annotations

from typing import Any

import pytest

from mindscope.formats import wire
from mindscope.formats.mindspore_schemas import GRAPH
from mindscope.graph import Edge, EdgeKind, Graph, read_mindspore_graph

torch = pytest.importorskip("torch")
from torch import nn  # noqa: E402

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
    return read_mindspore_graph(wire.decode(GRAPH, wire.encode(GRAPH, message)))


def dangling(graph: Graph) -> list[str]:
    """Inputs and outputs that name nothing in the graph."""
    known = {each.name for group in (graph.nodes, graph.parameters, graph.constants) for each in group}
    used = [edge.source for node in graph.nodes for edge in node.inputs] + [each.name for each in graph.outputs]
    return [name for name in used if name not in known]


def test_lenet() -> None:
    graph = read(graph_of(LeNet5(), torch.randn(2, 1, 32, 32)))
    assert (graph.name, len(graph.nodes), graph.edge_count, dangling(graph)) == ("LeNet5", 10, 18, [])
    assert [node.op_type for node in graph.nodes] == (
        "conv2d relu max_pool2d conv2d relu max_pool2d flatten linear relu linear".split()
    )
    first, last = graph.nodes[0], graph.nodes[-1]
    assert (first.scope, first.output_dtype, first.output_shape) == ("Default/conv1-Conv2d", "float32", (2, 6, 28, 28))
    assert first.inputs == (Edge("x"), Edge("conv1.weight"), Edge("conv1.bias"))
    assert (last.scope, last.full_name) == (
        "Default/head-Sequential/2-Linear",
        "Default/head-Sequential/2-Linear/linear-op0",
    )
    assert graph.nodes[2].attributes["kernel_size"] == [2, 2]
    assert {each.name: each.shape for each in graph.parameters}["conv2.weight"] == (16, 6, 5, 5)
    assert [(each.name, each.shape) for each in graph.outputs] == [("10", (2, 10))]


def test_residual_net_with_statistics_and_summaries_in_order() -> None:
    net = Residual()
    before = {name: value.clone() for name, value in net.state_dict().items()}
    graph = read(graph_of(net, (torch.randn(2, 3, 4, 4),)))
    assert dangling(graph) == []
    assert "norm.running_mean" in {each.name for each in graph.constants}
    summaries = [node for node in graph.nodes if node.op_type == "mindscope.keep_value"]
    assert [node.attributes["name"] for node in summaries] == ["mean", "most"]
    assert [edge.kind for edge in summaries[1].inputs] == [EdgeKind.DATA, EdgeKind.CONTROL]
    assert summaries[1].inputs[1].source == summaries[0].name
    add = graph.nodes[-1]
    assert (add.op_type, add.scope, len(add.inputs)) == ("add", "Default", 2)
    assert all(torch.equal(before[name], value) for name, value in net.state_dict().items())


def test_transformer() -> None:
    layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    graph = read(graph_of(layer, torch.randn(2, 5, 8)))
    assert (graph.name, dangling(graph)) == ("TransformerEncoderLayer", [])
    assert {"Default/self_attn-MultiheadAttention", "Default/linear1-Linear"} <= {node.scope for node in graph.nodes}
    assert "scaled_dot_product_attention" in {node.op_type for node in graph.nodes}
    assert len(graph.parameters) == 1 + len(list(layer.parameters()))


def test_conditional_graphs_are_inside_the_node() -> None:
    class Conditional(nn.Module):
        def forward(self, x: Any) -> Any:
            return torch.cond(x.sum() > 0, lambda x: x.sin(), lambda x: x.cos(), (x,))

    graph = read(graph_of(Conditional(), torch.randn(3)))
    (node,) = [node for node in graph.nodes if node.op_type == "cond"]
    inner = [value for value in node.attributes.values() if isinstance(value, Graph)]
    assert [each.nodes[0].op_type for each in inner] == ["sin", "cos"]


def test_control_flow_on_data_falls_back_to_structure_and_says_why() -> None:
    graph = read(graph_of(Branching(), torch.randn(1, 2)))
    assert graph.name.startswith("Branching (module structure; torch.export: ")
    assert "torch.fx: TraceError" in graph.name
    assert [(node.op_type, node.scope) for node in graph.nodes] == [
        ("Linear", "Default/low-Linear"),
        ("Linear", "Default/high-Sequential/0-Linear"),
        ("Tanh", "Default/high-Sequential/1-Tanh"),
    ]
    assert (graph.edge_count, len(graph.parameters), dangling(graph)) == (4, 4, [])


def test_what_export_refuses_is_traced_and_says_why() -> None:
    net = Unexportable()
    graph = read(graph_of(net, torch.randn(3, 2)))
    assert graph.name.startswith("Unexportable (torch.fx; torch.export: ")
    assert [(node.op_type, node.scope, node.output_shape) for node in graph.nodes] == [
        ("Linear", "Default/linear-Linear", (3, 2)),
        ("BatchNorm1d", "Default/batch-BatchNorm1d", (3, 2)),
        ("relu", "Default", (3, 2)),
    ]
    assert float(net.batch.num_batches_tracked) == 0


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
    names = [each.name for each in (*graph.nodes, *graph.parameters)]
    assert len(set(names)) == len(names)
    assert {"0", "1", "2"} <= {each.name for each in graph.parameters}
    assert dangling(graph) == []
    if is_traceable:
        sources = {node.op_type: [edge.source for edge in node.inputs] for node in graph.nodes}
        assert sources["mul"] == ["x", "0"]
        assert sources["add"] == [graph.nodes[0].name, "1"]
        assert sources["sub"] == [graph.nodes[1].name, "2"]


def test_mindspore_parses_the_graphs() -> None:
    proto = pytest.importorskip("mindspore.train.anf_ir_pb2")
    for net, x in ((LeNet5(), torch.randn(2, 1, 32, 32)), (Residual(), torch.randn(2, 3, 4, 4))):
        message = graph_of(net, x)
        parsed = proto.GraphProto.FromString(wire.encode(GRAPH, message))
        assert [node.name for node in parsed.node] == [node["name"] for node in message["node"]]
        assert parsed.node[0].output_type.data_type == proto.DT_TENSOR
