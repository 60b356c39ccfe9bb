# SPDX-License-Identifier: Apache-2.0
"""Nodes before, after and between nodes, and critical paths, against networkx."""

from __future__ import annotations

from typing import Any

import networkx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindscope.graph import Graph, Nodes
from mindscope.graph.algorithms.costs import node_flops
from mindscope.graph.formats.builder import NewInput, NewNode, build_graph
from mindscope.reading import open_run
from tests.event_log import DATA


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Up to twelve nodes with any edges, also cycles and loops."""
    count = draw(st.integers(1, 12))
    inputs = [draw(st.lists(st.integers(0, count - 1), max_size=3)) for _ in range(count)]
    nodes = [
        NewNode(str(row), "Op", "", tuple(NewInput(str(each)) for each in taken)) for row, taken in enumerate(inputs)
    ]
    return build_graph("g", nodes)


def indices(nodes: Nodes) -> list[int]:
    return nodes.indices.tolist()


@given(graphs())
def test_before_after_and_between_are_those_of_networkx(graph: Graph) -> None:
    other = graph.to_networkx()
    after = {node: networkx.descendants(other, node) | {node} for node in other.nodes}
    for first in other.nodes:
        assert indices(graph.nodes[first].downstream) == sorted(after[first])
        assert indices(graph.nodes[first].upstream) == [node for node in other.nodes if first in after[node]]
        for last in other.nodes:
            want = [node for node in other.nodes if node in after[first] and last in after[node]]
            assert indices(graph.between(graph.nodes[first], str(last))) == want


@given(graphs(), st.data())
def test_the_critical_path_is_that_of_the_condensed_graph(graph: Graph, data: st.DataObject) -> None:
    costs = np.array(data.draw(st.lists(st.integers(0, 9), min_size=12, max_size=12)), float)[: len(graph.nodes)]
    condensed: Any = networkx.condensation(graph.to_networkx())
    for node, members in condensed.nodes(data="members"):
        for source in condensed.predecessors(node):
            condensed.edges[source, node]["weight"] = sum(costs[each] for each in members)
    for node, members in list(condensed.nodes(data="members")):
        condensed.add_edge("start", node, weight=sum(costs[each] for each in members))
    want = networkx.dag_longest_path_length(condensed)
    path = graph.critical_path(costs)
    assert path.total == want == sum(costs[each] for each in indices(path.nodes))
    assert len(set(indices(path.nodes))) == len(path.nodes)


def test_unknown_costs_count_as_nothing() -> None:
    graph = build_graph("g", [NewNode("a", "A"), NewNode("b", "B", "", (NewInput("a"),))])
    assert graph.critical_path(np.array([np.nan, 2.0])).total == 2
    assert build_graph("g", []).critical_path(np.empty(0)) == (pytest.approx([]), 0.0)


def test_a_long_chain_and_a_real_graph() -> None:
    nodes = [NewNode(str(row), "Op", "", (NewInput(str(row - 1)),) if row else ()) for row in range(20_000)]
    chain = build_graph("chain", nodes)
    assert len(chain.node("19999").upstream) == len(chain.between("0", "19999")) == 20_000
    assert chain.critical_path(np.ones(20_000)).total == 20_000
    assert len(chain.between("19999", "0")) == 0
    (graph,) = open_run(DATA / "mindspore" / "ops").graphs().values()
    path = graph.critical_path(node_flops(graph))
    edges = {(each.node.index, node.index) for node in graph.nodes for each in node.inputs}
    steps = list(zip(indices(path.nodes)[:-1], indices(path.nodes)[1:], strict=True))
    assert set(steps) <= edges
    assert path.total == np.nansum(node_flops(graph)[path.nodes.indices])
