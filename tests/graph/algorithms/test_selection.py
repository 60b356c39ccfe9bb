# SPDX-License-Identifier: Apache-2.0
"""Nodes found in graphs, scopes cut out of them, and other forms of graphs."""

from __future__ import annotations

import json
import re
from typing import Any

import networkx
import numpy as np
import pytest

from mindscope.graph import Graph, Role, TensorType
from mindscope.graph.algorithms.attribute_texts import MOST_LETTERS, attribute_texts
from mindscope.graph.algorithms.output import to_dot, to_json
from mindscope.graph.formats.builder import NewInput, NewNode, build_graph
from mindscope.reading import open_run
from tests.event_log import DATA


def small() -> Graph:
    return build_graph(
        "net",
        [
            NewNode("x", "Input", role=Role.INPUT, type=TensorType("float32", (2, 3))),
            NewNode("a/conv", "Conv2D", "a", (NewInput("x"), NewInput("w"))),
            NewNode("w", "", role=Role.PARAMETER),
            NewNode("a/b/relu", "ReLU", "a/b", (NewInput("a/conv", output=1),)),
            NewNode("c/add", "Add", "c", (NewInput("a/b/relu"), NewInput("a/conv", is_control=True))),
        ],
        ["c/add"],
    )


def test_nodes_are_found_by_attribute() -> None:
    array = np.zeros((2, 3), np.float32)
    attributes: list[dict[str, Any]] = [{"pad": "same", "size": [3, 3]}, {"pad": "valid", "table": array}, {}]
    graph = build_graph("net", [NewNode(f"n{i}", "Conv", attributes=each) for i, each in enumerate(attributes)])

    def names(attribute: str | re.Pattern[str], text: str = "") -> list[str]:
        return [node.name for node in graph.find(text, attribute=attribute)]

    assert names("PAD") == ["n0", "n1"]
    assert names("pad=valid") == names("2 x 3") == ["n1"]
    assert names(re.compile(r"^size=\[3, 3\]$")) == ["n0"]
    assert names("pad", "n1") == ["n1"]
    assert names("nothing of that kind") == names("n2") == []


def test_texts_of_attributes_are_bounded() -> None:
    graph = build_graph("net", [NewNode(f"n{i}", "Conv", attributes={"a": f"{i:04}"}) for i in range(9)])
    found = attribute_texts(graph, most_bytes=20)
    assert (found.texts, found.is_cut) == (("a=0000", "a=0001", "a=0002"), True)
    long = build_graph("net", [NewNode("n", "Conv", attributes={"a": "x" * 10_000})])
    assert len(attribute_texts(long).texts[0]) == len("a=") + MOST_LETTERS


def test_nodes_are_found_by_name_type_pattern_and_scope() -> None:
    graph = small()
    assert [node.name for node in graph.find("CONV")] == ["a/conv"]
    assert [node.name for node in graph.find("a/")] == ["a/conv", "a/b/relu"]
    assert [node.name for node in graph.find(re.compile("^[wx]$"))] == ["x", "w"]
    assert [node.name for node in graph.find("", scope="a")] == ["a/conv", "a/b/relu"]
    assert [node.name for node in graph.find("", op_type="Add")] == ["c/add"]
    assert not graph.find("nothing of that kind")
    with pytest.raises(KeyError):
        graph.find("", scope="d")


def test_a_subgraph_has_what_its_scope_takes_as_inputs() -> None:
    inside = small().subgraph("a/b")
    assert [(node.name, node.role) for node in inside.nodes] == [("a/conv", Role.INPUT), ("a/b/relu", Role.OPERATION)]
    (relu,) = inside.operations
    assert [(each.node.name, each.output) for each in relu.inputs] == [("a/conv", 1)]
    assert [scope.path for scope in inside.scopes] == ["", "a", "a/b"]
    assert small().subgraph("c").outputs[0].name == "c/add"


def test_the_subgraph_of_a_real_graph_keeps_its_details() -> None:
    (graph,) = open_run(DATA / "mindspore" / "ops").graphs().values()
    for scope in graph.scopes:
        part = graph.subgraph(scope.path) if scope.path else graph
        assert len(part.operations) == scope.size
        for node in part.operations:
            whole = graph.node(node.name)
            assert (node.attributes, node.type, node.scope) == (whole.attributes, whole.type, whole.scope)
            assert [each.node.name for each in node.inputs] == [each.node.name for each in whole.inputs]


def test_networkx_and_json_have_every_node_and_edge() -> None:
    graph = small()
    other = graph.to_networkx()
    assert (other.number_of_nodes(), other.number_of_edges()) == (5, graph.edge_count)
    assert other.nodes[0]["shape"] == [2, 3]
    assert [kind for _, _, kind in other.edges(data="kind")].count("control") == 1
    assert networkx.is_directed_acyclic_graph(other)
    written = json.loads(to_json(graph))
    assert [node["op_type"] for node in written["nodes"]] == ["Input", "Conv2D", "", "ReLU", "Add"]
    data = [[0, 1, 0, "data"], [2, 1, 0, "data"], [1, 3, 1, "data"], [3, 4, 0, "data"]]
    assert written["edges"] == [*data, [1, 4, 0, "control"]]


def test_dot_nests_scopes_and_quotes_names() -> None:
    odd = build_graph('q"\\', [NewNode("s/n", 'T"\n', "s"), NewNode("s/t/m", "M", "s/t")])
    lines = list(to_dot(odd))
    assert lines[0] == 'digraph "q\\"\\\\" {'
    assert '    n0 [label="T\\"\\n"];' in lines
    assert lines.count("  }") == 2
    opened = [line for line in lines if "subgraph" in line]
    assert [re.search("label=.*;", line)[0] for line in opened] == ['label="s";', 'label="t";']  # type: ignore[index]
    assert "\n".join(lines).count("{") == "\n".join(lines).count("}")
