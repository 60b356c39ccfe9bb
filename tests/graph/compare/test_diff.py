# SPDX-License-Identifier: Apache-2.0
"""Differences between graphs: properties that hold for any graph, and known replacements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindscope.graph import Change, Graph, GraphDiff, Role, Status, TensorType
from mindscope.graph.formats.builder import NewInput, NewNode, build_graph
from mindscope.reading import open_run
from tests.event_log import DATA

TYPES = ["Conv", "ReLU", "Add", "Mul"]


@st.composite
def networks(draw: st.DrawFn) -> list[NewNode]:
    """Operations that each take up to three earlier nodes, with weights, in a few scopes; or with a cycle."""
    count = draw(st.integers(1, 25))
    nodes = [NewNode("x", "", role=Role.INPUT)]
    for number in range(count):
        scope = draw(st.sampled_from(["", "a", "a/b", "c"]))
        sources = draw(st.lists(st.integers(0, number), min_size=1, max_size=3))
        type = TensorType("float32", (draw(st.integers(1, 2)),))
        inputs = [NewInput(nodes[source].name) for source in sources]
        attributes = {"axis": draw(st.integers(0, 2))} if draw(st.booleans()) else {}
        op_type = draw(st.sampled_from(TYPES))
        nodes.append(NewNode(f"n{number}", op_type, scope, tuple(inputs), attributes, type))
    weights = draw(st.integers(0, 4))
    for number in range(weights):
        place = draw(st.integers(1, count))
        nodes[place] = replace(nodes[place], inputs=(*nodes[place].inputs, NewInput(f"w{number}")))
    if draw(st.booleans()):
        nodes[1] = replace(nodes[1], inputs=(*nodes[1].inputs, NewInput(nodes[count].name, is_control=True)))
    return [*nodes, *(NewNode(f"w{number}", "", role=Role.PARAMETER) for number in range(weights))]


def graph_of(nodes: Sequence[NewNode]) -> Graph:
    return build_graph("net", nodes)


def with_names(nodes: Sequence[NewNode], name: Callable[[str], str], scope: Callable[[str], str]) -> list[NewNode]:
    return [
        replace(
            node,
            name=name(node.name),
            scope=scope(node.scope),
            inputs=tuple(replace(each, source=name(each.source)) for each in node.inputs),
        )
        for node in nodes
    ]


def check(diff: GraphDiff) -> None:
    """What holds for every difference."""
    before, after = diff.before, diff.after
    assert (len(diff.after_of), len(diff.before_of)) == (len(before.nodes), len(after.nodes))
    assert np.all((diff.after_of < 0) == (diff.before_status == Status.REMOVED))
    assert np.all((diff.before_of < 0) == (diff.after_status == Status.ADDED))
    counts = diff.counts
    entries = list(diff)
    assert len(entries) == counts.changed + counts.added + counts.removed + counts.fused + counts.split
    for entry in entries:
        want = {Status.ADDED: (0, 1), Status.REMOVED: (1, 0), Status.CHANGED: (1, 1)}
        assert want.get(entry.status, (len(entry.before), len(entry.after))) == (len(entry.before), len(entry.after))
    same = np.flatnonzero(diff.before_status == Status.SAME)
    assert all(before.nodes[int(row)].op_type == after.nodes[int(diff.after_of[row])].op_type for row in same)
    assert sorted(diff.after_of[same].tolist()) == np.flatnonzero(diff.after_status == Status.SAME).tolist()


@given(networks())
def test_a_graph_does_not_differ_from_itself(nodes: list[NewNode]) -> None:
    diff = graph_of(nodes).diff(graph_of(nodes))
    check(diff)
    assert not diff
    assert diff.after_of.tolist() == list(range(len(nodes)))
    assert not diff.changes.any()
    assert not diff.edge_removed.any()
    assert not diff.edge_added.any()


@given(networks(), st.booleans())
def test_a_renamed_graph_has_no_differences_but_names(nodes: list[NewNode], has_names: bool) -> None:
    renamed = with_names(nodes, lambda name: f"<{hash(name)}>", lambda scope: f"outer/{scope}".strip("/"))
    if has_names:
        renamed = with_names(nodes, lambda name: f"outer/{name}", lambda scope: f"outer/{scope}".strip("/"))
    diff = graph_of(nodes).diff(graph_of(renamed))
    check(diff)
    assert (diff.counts.added, diff.counts.removed, diff.counts.fused, diff.counts.split) == (0, 0, 0, 0)
    assert not diff
    assert np.all(diff.changes == Change.NAME)


@given(networks(), st.data())
def test_inserted_nodes_are_the_added_ones(nodes: list[NewNode], data: st.DataObject) -> None:
    """Each is put before an input of a node. Only its consumers change; the reverse removes it."""
    longer = list(nodes)
    count = data.draw(st.integers(1, 4))
    for number in range(count):
        place = data.draw(st.sampled_from([row for row, node in enumerate(longer) if node.inputs]))
        node = longer[place]
        which = data.draw(st.integers(0, len(node.inputs) - 1))
        new = NewNode(f"new{number}", data.draw(st.sampled_from([*TYPES, "New"])), node.scope, (node.inputs[which],))
        inputs = (*node.inputs[:which], NewInput(new.name), *node.inputs[which + 1 :])
        longer[place] = replace(node, inputs=inputs)
        longer.insert(data.draw(st.integers(0, place)), new)
    diff, reverse = graph_of(nodes).diff(graph_of(longer)), graph_of(longer).diff(graph_of(nodes))
    check(diff)
    assert (diff.counts.added, diff.counts.removed) == (count, 0)
    check(reverse)
    assert (reverse.counts.added, reverse.counts.removed) == (0, count)
    assert reverse.after_of.tolist() == diff.before_of.tolist()
    assert reverse.counts.changed == diff.counts.changed


@settings(max_examples=40)
@given(networks(), networks())
def test_reversed_graphs_have_the_reverse_difference(nodes: list[NewNode], others: list[NewNode]) -> None:
    diff, reverse = graph_of(nodes).diff(graph_of(others)), graph_of(others).diff(graph_of(nodes))
    check(diff)
    check(reverse)
    if len(nodes) != len(others):
        assert reverse.after_of.tolist() == diff.before_of.tolist()
        assert (reverse.counts.fused, reverse.counts.split) == (diff.counts.split, diff.counts.fused)


def layers(count: int, *, fused: Sequence[int] = (), activation: str = "ReLU") -> list[NewNode]:
    """Convolution, normalization and activation; some layers as one operation."""
    nodes, last = [NewNode("x", "", role=Role.INPUT)], "x"
    for number in range(count):
        weight, scope = NewNode(f"w{number}", "", role=Role.PARAMETER), f"layer{number}"
        nodes.append(weight)
        for op_type in ("ConvFused",) if number in fused else ("Conv", "BatchNorm", activation):
            inputs = (NewInput(last), *((NewInput(weight.name),) if op_type.startswith("Conv") else ()))
            last = f"{scope}/{op_type}"
            nodes.append(NewNode(last, op_type, scope, inputs))
    return [*nodes, NewNode("loss", "Loss", "", (NewInput(last),))]


@pytest.mark.parametrize("fused", [(0,), (2,), (0, 1, 2, 3), (1, 3)])
def test_fused_operations_are_found(fused: tuple[int, ...]) -> None:
    before, after = graph_of(layers(4)), graph_of(layers(4, fused=fused))
    diff = before.diff(after)
    check(diff)
    assert diff.counts._asdict() == {
        "same": len(before.nodes) - 3 * len(fused),
        **{"changed": 0, "added": 0, "removed": 0, "fused": len(fused), "split": 0},
    }
    for number, entry in zip(fused, diff, strict=True):
        assert entry.status is Status.FUSED
        assert [node.name.partition("/")[2] for node in entry.before] == ["Conv", "BatchNorm", "ReLU"]
        assert [node.name for node in entry.after] == [f"layer{number}/ConvFused"]
    reverse = after.diff(before)
    check(reverse)
    assert (reverse.counts.split, reverse.counts.fused, reverse.counts.changed) == (len(fused), 0, 0)
    assert [len(entry.after) for entry in reverse] == [3] * len(fused)


def test_another_type_in_the_same_place_is_a_change() -> None:
    diff = graph_of(layers(3)).diff(graph_of(layers(3, activation="GELU")))
    check(diff)
    assert (diff.counts.changed, diff.counts.added, diff.counts.removed) == (3, 0, 0)
    assert [entry.changes & Change.TYPE for entry in diff] == [Change.TYPE] * 3


def test_what_changed_is_named() -> None:
    def net(axis: int, dtype: str, size: int, source: str) -> Graph:
        type = TensorType(dtype, (size,))
        return graph_of(
            [
                NewNode("x", "", role=Role.INPUT),
                NewNode("z", "", role=Role.INPUT),
                NewNode("a", "Sum", "", (NewInput("x"),), {"axis": axis, "keep": True}),
                NewNode("b", "Cast", "", (NewInput("a"),), type=type),
                NewNode("c", "Add", "", (NewInput("b"), NewInput(source))),
            ]
        )

    diff = net(0, "float32", 4, "x").diff(net(1, "float16", 8, "z"))
    check(diff)
    changes = {entry.before[0].name: entry for entry in diff}
    assert {name: entry.changes for name, entry in changes.items()} == {
        "a": Change.ATTRIBUTES,
        "b": Change.DTYPE | Change.SHAPE,
        "c": Change.INPUTS,
    }
    assert changes["a"].attributes == {"axis": (0, 1)}
    assert [int(each) for each in (diff.edge_removed.sum(), diff.edge_added.sum())] == [1, 1]


def test_a_removed_layer_of_many_equal_ones_is_one_layer() -> None:
    long, short = graph_of(layers(24)), graph_of(layers(23))
    diff = long.diff(short)
    check(diff)
    assert (diff.counts.removed, diff.counts.added) == (4, 0)
    assert {node.op_type for node in diff.removed} == {"Conv", "BatchNorm", "ReLU", ""}


@pytest.mark.parametrize("run", ["mindspore/ops", "tensorboard/tb_all/run_a"])
def test_real_graphs_and_their_scopes(run: str) -> None:
    for graph in open_run(DATA / run).graphs().values():
        assert not graph.diff(graph)
        for scope in graph.scopes[1:4]:
            diff = graph.diff(graph.subgraph(scope.path))
            check(diff)
            assert {node.role for node in diff.added} <= {Role.INPUT}  # what the scope takes from outside


def test_graphs_without_nodes() -> None:
    empty, full = graph_of([]), graph_of(layers(1))
    assert not empty.diff(empty)
    assert len(empty.diff(full).added) == len(full.nodes)
    assert len(full.diff(empty).removed) == len(full.nodes)


def test_large_graphs_without_anything_in_common() -> None:
    """A chain without names and scopes; a star; hubs; nodes that are all alike."""
    chain = graph_of([NewNode(str(row), "A", "", (NewInput(str(max(row - 1, 0))),)) for row in range(5000)])
    star = graph_of([NewNode(str(row), "A", "", (NewInput("0"),)) for row in range(5000)])
    other = graph_of([NewNode(str(row), "B", "", (NewInput(str(row // 2)),)) for row in range(5000)])
    for diff in (chain.diff(star), star.diff(chain), chain.diff(other), other.diff(star)):
        check(diff)
    assert chain.diff(star).counts.added == 0
