# SPDX-License-Identifier: Apache-2.0
"""Tensors that a Debugger records of a network of PyTorch, on the graphs that a collector and add_graph record."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from torch import nn
from torch.utils.tensorboard import SummaryWriter

import mindscope
from mindscope.analysis.graph_tensors import join_tensors
from mindscope.debug.model.tensors import Phase, Role
from mindscope.graph import Graph
from mindscope.torch import Debugger, SummaryCollector

pytestmark = [pytest.mark.framework, pytest.mark.timeout(300)]


class Block(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.norm, self.fc = nn.LayerNorm(8), nn.Linear(8, 8)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + torch.relu(self.fc(self.norm(x)))


class Network(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.blocks = nn.ModuleList([Block(), Block()])
        self.head = nn.Linear(8, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for block in self.blocks:
            x = block(x)
        return torch.log(self.head(x).exp() + 1)


def record(run: Path, level: str, is_traced: bool) -> tuple[Graph, dict[str, set[str]]]:
    """The graph of a training of two steps, and the paths of the items of each operator and parameter."""
    network, x = Network(), torch.randn(4, 8)
    optimizer = torch.optim.SGD(network.parameters(), lr=0.01)
    if is_traced:
        with SummaryWriter(str(run)) as writer:
            writer.add_graph(network, x)
    with SummaryCollector(run, collect_freq=1, collect_specified_data={"collect_graph": not is_traced}) as collector:
        for step in (1, 2):
            with Debugger(run, network, level=level, first_step=step) as debugger:
                loss = network(x).square().mean()
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                debugger.step(loss)
            collector.step(loss, network=network, optimizer=optimizer, input_data=x)
    opened = mindscope.open_run(run)
    (graph,) = opened.graphs().values()
    tensors = opened.debug.source.tensors
    joined, found = join_tensors(graph, tensors), dict[str, set[str]]()
    for place, tensor in enumerate(tensors):
        is_parameter = tensor.role in (Role.PARAMETER, Role.GRADIENT)
        if is_parameter or tensor.phase is Phase.FORWARD:
            name = f"{tensor.module}.{tensor.slot}" if is_parameter else tensor.operator
            found.setdefault(name, set()).update(item_name(graph, item) for item in joined.items_of(place))
    return graph, found


def item_name(graph: Graph, item: int) -> str:
    scopes = graph.scopes
    if item < len(scopes):
        return scopes[item].path
    node = graph.nodes[item - len(scopes)]
    return f"{node.scope}/{node.op_type or node.name}".lstrip("/")


def test_modules_are_the_scopes_of_a_collector(tmp_path: Path) -> None:
    _, found = record(tmp_path, "module", False)
    block = "Default/blocks-ModuleList/1-Block"
    assert found["blocks.1/Block"] == {block}
    assert found["blocks.1.fc/Linear"] == {f"{block}/fc-Linear/linear"}  # its only operation
    assert found["blocks.1.fc.weight"] == {"blocks.1.fc.weight", f"{block}/fc-Linear/linear"}
    assert found["Network"] == {"Default"}


def test_operators_are_the_nodes_of_a_collector(tmp_path: Path) -> None:
    _, found = record(tmp_path, "operator", False)
    block = "Default/blocks-ModuleList/0-Block"
    assert found["blocks.0/aten::relu"] == {f"{block}/relu"}
    assert found["blocks.0/aten::add"] == {f"{block}/add"}
    assert found["blocks.0.norm/aten::native_layer_norm"] == {f"{block}/norm-LayerNorm/layer_norm"}
    assert found["blocks.0.fc/aten::addmm"] == {f"{block}/fc-Linear/linear"}
    assert found["aten::log"] == {"Default/log"}
    assert found["aten::mean"] == set()  # of the loss, which is not in the graph


@pytest.mark.filterwarnings("ignore:`torch.jit.trace:DeprecationWarning")
def test_modules_are_the_scopes_of_a_trace(tmp_path: Path) -> None:
    _, found = record(tmp_path, "module", True)
    assert found["blocks.1.fc/Linear"] >= {"Network/Block[1]/Linear[fc]/aten::linear"}
    assert found["blocks.1/Block"] >= {"Network/Block[1]"}
    assert found["head.weight"] >= {"Network/Linear[head]/aten::linear"}
