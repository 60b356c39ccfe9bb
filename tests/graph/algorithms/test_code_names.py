# SPDX-License-Identifier: Apache-2.0
"""Names of modules as in code, and the scopes that a page shows of real and of built graphs."""

from __future__ import annotations

import numpy as np
import pytest

from mindscope.graph.algorithms.code_names import CodeName, code_name, is_of_pytorch, shown_scopes
from mindscope.graph.algorithms.parts import NodePart, node_parts
from mindscope.graph.formats.builder import NewNode, build_graph
from mindscope.reading import open_run
from tests.event_log import DATA


@pytest.mark.parametrize(
    ("label", "around", "want"),
    [
        ("conv1-Conv2d", "", ("conv1", "Conv2d")),
        ("0-Linear", "layers-Sequential", ("0", "Linear")),
        ("Conv2d[conv1]", "", ("conv1", "Conv2d")),
        ("layer1.0", "layer1", ("0", "")),
        ("layer1.", "layer1", ("layer1.", "")),
        ("layer10", "layer1", ("layer10", "")),
        ("block-", "", ("block-", "")),
        ("a\nb-Net", "", ("a\nb", "Net")),
        ("", "", ("", "")),
    ],
)
def test_names(label: str, around: str, want: tuple[str, str]) -> None:
    assert code_name(label, around) == CodeName(*want)


def test_a_training_shows_its_forward_part_and_the_rest_in_one_scope() -> None:
    (graph,) = open_run(DATA / "mindspore" / "ops").graphs().values()
    parts = node_parts(graph)
    shown = shown_scopes(graph, parts)
    inside = [scope.label for scope in graph.scopes if shown.parent[scope.index] == shown.rest]
    assert graph.scopes[shown.rest].path == "Default"
    assert {"Gradients", "optimizer-Adam"} <= set(inside)
    top = [scope.label for scope in graph.scopes if shown.parent[scope.index] == 0 and scope.index != shown.rest]
    assert top == ["network-LossWithSummary"]
    for node in graph.operations:
        scope = int(shown.of_node[node.index])
        while shown.parent[scope] > 0:
            scope = int(shown.parent[scope])
        if scope == shown.rest:
            assert parts[node.index] & (NodePart.GRADIENT | NodePart.OPTIMIZER)


def test_a_graph_without_a_forward_part_keeps_its_scopes() -> None:
    nodes = [NewNode("a", "Add", "Default/net"), NewNode("b", "Adam", "Default/optimizer-Adam")]
    for some in (nodes[:1], nodes[1:], []):
        assert shown_scopes(build_graph("g", some), node_parts(build_graph("g", some))).rest == -1
    graph = build_graph("g", [NewNode("a", "Add", "net")])
    shown = shown_scopes(graph, node_parts(graph))
    np.testing.assert_equal(shown.parent, graph.scope_columns.parent)


def test_graphs_of_pytorch_are_known_by_their_operations() -> None:
    assert is_of_pytorch(build_graph("Net", [NewNode("1", "conv2d"), NewNode("2", "relu"), NewNode("3", "Custom")]))
    assert is_of_pytorch(build_graph("Net (module structure; it was not traced)", [NewNode("1", "Linear")]))
    assert not is_of_pytorch(build_graph("Net", [NewNode("1", "Conv2D"), NewNode("2", "ReLU")]))
    assert not is_of_pytorch(build_graph("", []))
