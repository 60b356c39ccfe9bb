# SPDX-License-Identifier: Apache-2.0
"""Large graphs, odd ones and damaged ones."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindscope.formats import wire
from mindscope.formats.mindspore_schemas import GRAPH
from mindscope.formats.tensorboard_schemas import GRAPH as GRAPH_DEF
from mindscope.graph import read_mindspore_graph, read_tensorboard_graph
from mindscope.graph.formats.assemble import MOST_LEVELS
from mindscope.graph.formats.builder import NewInput, NewNode, build_graph

NAMES = st.sampled_from(["a", "b/c", "<x>", 'q"uote', "é", "", "a:b", "//", "^z", "line\nbreak", "名/字"])


def mindspore_graph(count: int) -> bytes:
    """A chain in 24 blocks of eight parts."""
    nodes = [
        {
            "name": str(number + 1),
            "op_type": f"Op{number % 7}",
            "scope": f"Default/block{number * 24 // count}/part{number % 8}",
            "input": [{"name": str(max(number, 1))}, {"name": "w"}],
        }
        for number in range(count)
    ]
    return wire.encode(GRAPH, {"node": nodes, "parameters": [{"name": "w"}]})


def test_a_large_graph_has_every_node_edge_and_scope() -> None:
    graph = read_mindspore_graph(mindspore_graph(20_000))
    assert (len(graph.operations), graph.edge_count, len(graph.parameters)) == (20_000, 40_000, 1)
    assert len(graph.scopes) == 2 + 24 + 24 * 8
    assert graph.scopes[0].size == graph.scope("Default").size == 20_000
    assert sum(scope.size for scope in graph.scope("Default").children) == 20_000
    assert len(graph.node("w").consumers) == 20_000
    assert [each.node.name for each in graph.node("777").inputs] == ["776", "w"]


@given(st.lists(st.tuples(NAMES, NAMES, st.lists(NAMES, max_size=4)), max_size=8))
def test_any_names_are_read_by_all_readers(nodes: list[tuple[str, str, list[str]]]) -> None:
    """The columns say what a dictionary of the nodes says; the first of equal names is meant."""
    plain = [NewNode(name, op, "", tuple(NewInput(each) for each in inputs)) for name, op, inputs in nodes]
    message = {
        "node": [
            {"name": name, "op_type": op, "input": [{"name": each} for each in inputs]} for name, op, inputs in nodes
        ]
    }
    built, read = build_graph("g", plain), read_mindspore_graph(wire.encode(GRAPH, message))
    for place, (name, op_type, inputs) in enumerate(nodes):
        for node in (built.operations[place], read.operations[place]):
            assert node.op_type == op_type
            assert [each.node.name for each in node.inputs] == inputs
            assert not name or node.name == name
            known = {name: first for first, (name, _, _) in reversed(list(enumerate(nodes))) if name}
            assert [each.node.index for each in node.inputs if each.node.name in known] == [
                known[each] for each in inputs if each in known
            ]


def test_a_damaged_node_costs_only_itself() -> None:
    message: dict[str, Any] = {
        "node": [{"name": "1", "op_type": "Add"}, {"name": "2", "op_type": "MARK"}, {"name": "3"}]
    }
    encoded = bytearray(wire.encode(GRAPH, message))
    encoded[encoded.index(b"MARK") - 1] = 0x7F  # the length of its type
    graph = read_mindspore_graph(bytes(encoded))
    assert [node.name for node in graph.operations] == ["1", "2", "3"]
    assert graph.damaged_nodes.tolist() == [1]
    assert str(graph.damage) == "1 of 3 nodes of the graph  can’t be read completely."
    assert not graph.is_cut


@pytest.mark.parametrize("read", [read_mindspore_graph, read_tensorboard_graph])
def test_a_graph_that_is_cut_has_what_stands_before(read: Any) -> None:
    schema = GRAPH if read is read_mindspore_graph else GRAPH_DEF
    encoded = wire.encode(schema, {"node": [{"name": f"n{number}"} for number in range(100)]})
    graph = read(encoded[:-3])
    assert (len(graph.operations), graph.is_cut) == (99, True)
    assert str(graph.damage) == "The graph  breaks off after 99 nodes."


@pytest.mark.parametrize("read", [read_mindspore_graph, read_tensorboard_graph])
def test_no_bytes_stop_a_reader(read: Any) -> None:
    chance = random.Random(4)
    whole = mindspore_graph(30)
    for _ in range(300):
        broken = bytearray(whole)
        for _ in range(chance.randrange(1, 6)):
            broken[chance.randrange(len(broken))] = chance.randrange(256)
        graph = read(bytes(broken))
        assert all(0 <= node.index < len(graph.node_columns) for node in graph.operations)
        assert all(each.node.name is not None for node in graph.nodes for each in node.inputs)


def test_cycles_and_self_loops_are_edges() -> None:
    graph = build_graph(
        "g", [NewNode("a", "A", "", (NewInput("b"), NewInput("a"))), NewNode("b", "B", "", (NewInput("a"),))]
    )
    assert [[each.node.name for each in node.inputs] for node in graph.nodes] == [["b", "a"], ["a"]]
    assert [[each.name for each in node.consumers] for node in graph.nodes] == [["a", "b"], ["a"]]


def test_scopes_are_at_most_so_deep() -> None:
    deep = "/".join(str(level) for level in range(20_000))
    graph = build_graph("g", [NewNode("a", "A", deep), NewNode("b", "B", "0/1")])
    assert len(graph.scopes) == MOST_LEVELS + 2
    assert graph.operations[0].scope == deep
    assert graph.scope("0/1").size == 2
