# SPDX-License-Identifier: Apache-2.0
"""Bodies of operations that run other graphs: they open as scopes, in all formats, and count once."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest

from mindscope.formats import wire
from mindscope.formats.mindspore_schemas import GRAPH as MINDSPORE_GRAPH
from mindscope.formats.onnx_schemas import GRAPH as ONNX_GRAPH
from mindscope.formats.onnx_schemas import MODEL
from mindscope.formats.tensorboard_schemas import GRAPH as GRAPH_DEF
from mindscope.graph import Graph, Node, Role, read_graph_file, read_mindspore_graph, read_onnx_model
from mindscope.graph import read_tensorboard_graph as read_graph_def
from mindscope.graph.algorithms.classes import scope_classes
from mindscope.graph.algorithms.costs import node_flops
from mindscope.graph.data.columns import ScopeKind
from mindscope.graph.formats.bodies import MOST_CALLED, MOST_LEVELS

GEMM = 2 * 2 * 8 * 8


def kinds(graph: Graph) -> dict[str, ScopeKind]:
    """Return the scopes that are no modules."""
    columns = graph.scope_columns
    return {scope.path: ScopeKind(columns.kind[scope.index]) for scope in graph.scopes if columns.kind[scope.index]}


def inside(graph: Graph, scope: str) -> list[tuple[str, list[str]]]:
    """Return the operations directly in a scope with what they read."""
    return [
        (node.op_type, [source(each.node) for each in node.inputs])
        for node in graph.scope(scope).nodes
        if node.role is Role.OPERATION
    ]


def source(node: Node) -> str:
    return node.op_type if node.role is Role.OPERATION else node.name


def onnx_graph(name: str, nodes: list[Any], outputs: str, inputs: str = "") -> dict[str, Any]:
    return {
        "name": name,
        "node": nodes,
        "input": [{"name": each} for each in inputs.split()],
        "output": [{"name": each} for each in outputs.split()],
    }


def onnx_node(op_type: str, inputs: str, outputs: str, domain: str = "", **bodies: Any) -> dict[str, Any]:
    attributes = [{"name": name, "g": body, "type": 5} for name, body in bodies.items()]
    names = ["" if each == "-" else each for each in inputs.split()]
    return {"op_type": op_type, "input": names, "output": outputs.split(), "attribute": attributes, "domain": domain}


def onnx_model(nodes: list[Any], inputs: str = "x", outputs: str = "y", **fields: Any) -> Graph:
    return read_onnx_model(wire.encode(MODEL, {"graph": onnx_graph("net", nodes, outputs, inputs), **fields}))


def test_a_body_reads_values_of_all_graphs_around_it_and_gives_them_back() -> None:
    inner = onnx_graph("inner", [onnx_node("Add", "b carried", "s")], "s")
    empty = onnx_graph("empty", [], "x")
    choice = onnx_node("If", "go", "z", then_branch=inner, else_branch=empty)
    body = onnx_graph("body", [onnx_node("Cast", "i", "f"), choice], "go z", "i go carried")
    graph = onnx_model([onnx_node("Split", "x", "a b"), onnx_node("Loop", "- cond a", "y", body=body)], "x cond")
    assert kinds(graph) == {
        "y-Loop": ScopeKind.LOOP,
        "y-Loop/body": ScopeKind.BODY,
        "y-Loop/body/z-If": ScopeKind.CALL,
        "y-Loop/body/z-If/then_branch": ScopeKind.BRANCH,
        "y-Loop/body/z-If/else_branch": ScopeKind.BRANCH,
    }
    assert inside(graph, "y-Loop") == [("Loop", ["go", "If"])]
    assert inside(graph, "y-Loop/body/z-If") == [("If", ["go", "Add", "x"])]  # the other branch gives x back
    (add,) = graph.scope("y-Loop/body/z-If/then_branch").nodes
    assert [(each.node.name, each.output) for each in add.inputs] == [("a", 1), ("carried", 0)]
    carried = add.inputs[1].node
    assert (carried.role, carried.scope) == (Role.INPUT, "y-Loop/body")
    assert [each.node.name for each in carried.inputs] == ["a"]
    assert [each.name for each in graph.inputs] == ["x", "cond"]
    assert graph.summary.input_count == 2
    assert [each.name for each in graph.find("add")] == ["s"]
    assert not graph.nodes_of(Role.UNRESOLVED)


def test_a_function_opens_at_each_call_and_reads_the_values_of_the_call() -> None:
    square = {"name": "Square", "domain": "f", "input": ["v"], "output": ["w"], "node": [onnx_node("Mul", "v v", "w")]}
    twice = {
        "name": "Twice",
        "domain": "f",
        "input": ["v"],
        "output": ["w"],
        "node": [onnx_node("Square", "v", "w", "f")],
    }
    calls = [onnx_node("Twice", "x", "a", "f"), onnx_node("Twice", "a", "y", "f"), onnx_node("Square", "y", "z")]
    graph = onnx_model(calls, functions=[twice, square])
    assert inside(graph, "a-Twice/Twice/w-Square/Square") == [("Mul", ["x", "x"])]
    assert inside(graph, "y-Twice/Twice/w-Square/Square") == [("Mul", ["Twice", "Twice"])]
    assert [each.name for each in graph.functions] == ["Twice", "Square"]
    assert graph.node("z").scope == ""  # of another domain
    assert len(set(scope_classes(graph)[[graph.scope(f"{each}-Twice").index for each in "ay"]])) == 1  # a stack


def test_functions_that_call_themselves_or_too_many_others_stay_closed() -> None:
    itself = {"name": "A", "domain": "f", "input": ["v"], "output": ["w"], "node": [onnx_node("B", "v", "w", "f")]}
    other = {"name": "B", "domain": "f", "input": ["v"], "output": ["w"], "node": [onnx_node("A", "v", "w", "f")]}
    graph = onnx_model([onnx_node("A", "x", "y", "f")], functions=[itself, other])
    assert list(kinds(graph)) == ["y-A", "y-A/A", "y-A/A/w-B", "y-A/A/w-B/B"]
    doubling = [
        {
            "name": f"F{level}",
            "domain": "f",
            "input": ["v"],
            "output": ["w"],
            "node": [onnx_node(f"F{level + 1}", "v", "u", "f"), onnx_node(f"F{level + 1}", "u", "w", "f")],
        }
        for level in range(40)
    ]
    graph = onnx_model([onnx_node("F0", "x", "y", "f")], functions=doubling)
    assert len(graph.nodes) < MOST_CALLED * 2


def test_bodies_in_bodies_of_any_depth_are_read_up_to_a_limit() -> None:
    """The innermost of 10,000 conditions."""
    graph = wire.encode(ONNX_GRAPH, onnx_graph("last", [onnx_node("Neg", "x", "v")], "v"))
    node, body = (
        wire.parse_schemas(
            """
        Node: 1 repeated string input, 2 repeated string output, 4 string op_type, 5 repeated Attribute attribute
        Attribute: 1 string name, 6 bytes g, 20 int32 type
        Graph: 1 repeated bytes node, 12 repeated Value output
        Value: 1 string name
        """
        ),
        None,
    )
    for _ in range(10_000):
        attribute = {"name": "then_branch", "g": graph, "type": 5}
        body = wire.encode(
            node["Node"], {"input": ["flag"], "output": ["v"], "op_type": "If", "attribute": [attribute]}
        )
        graph = wire.encode(node["Graph"], {"node": [body], "output": [{"name": "v"}]})
    model = wire.parse_schemas("Model: 7 bytes graph")["Model"]
    read = read_onnx_model(wire.encode(model, {"graph": graph}))
    assert len(read.operations) == MOST_LEVELS + 1
    assert [each.op_type for each in read.operations] == ["If"] * (MOST_LEVELS + 1)
    assert read.summary.unknown_flops == 1  # the one that stays closed


def test_an_attribute_with_odd_names_and_a_cut_body_lose_nothing_else() -> None:
    body = onnx_graph("b", [onnx_node("Neg", "x", "n")], "n missing")
    names = {"": body, "a/b": body, "\x00": body}
    odd = onnx_node("If", "x x", "y", "", **names)
    graph = onnx_model([odd, onnx_node("Abs", "y", "z")])
    assert list(kinds(graph)) == ["y-If", "y-If/body", "y-If/a_b", "y-If/\x00"]
    whole = wire.encode(MODEL, {"graph": onnx_graph("net", [odd], "y", "x")})
    for size in range(len(whole)):
        cut = read_onnx_model(whole[:size])
        assert all(each.node.name for node in cut.nodes for each in node.inputs)


def test_branches_are_no_stack_even_if_they_are_equal() -> None:
    body = onnx_graph("b", [onnx_node("Neg", "x", "n"), onnx_node("Abs", "n", "m")], "m")
    graph = onnx_model([onnx_node("If", "x", "y", then_branch=body, else_branch=body)])
    classes = scope_classes(graph)
    assert classes[graph.scope("y-If/then_branch").index] != classes[graph.scope("y-If/else_branch").index]


def test_a_difference_in_a_body_is_one_of_its_nodes() -> None:
    def net(op_type: str) -> Graph:
        body = onnx_graph("b", [onnx_node("Neg", "x", "n"), onnx_node(op_type, "n", "m")], "m")
        return onnx_model([onnx_node("If", "x", "y", then_branch=body), onnx_node("Exp", "y", "z")])

    assert not net("Abs").diff(net("Abs"))
    diff = net("Abs").diff(net("Sin"))
    assert diff.counts.changed == 1
    assert [each.before[0].op_type for each in diff] == ["Abs"]


def test_functions_of_a_graph_def_open_where_nodes_call_them() -> None:
    def function(name: str, nodes: list[Any], returned: str, inputs: str = "a") -> dict[str, Any]:
        arguments = [{"name": each, "type": 1} for each in inputs.split()]
        signature = {"name": name, "input_arg": arguments, "output_arg": [{"name": "out", "type": 1}]}
        return {"signature": signature, "node_def": nodes, "ret": {"out": returned}}

    library = [
        function("cond", [{"name": "less", "op": "Less", "input": ["i", "v"]}], "less:z:0", "i v"),
        function("body", [{"name": "sum", "op": "AddV2", "input": ["v", "w"]}], "sum:z:0", "i v w"),
        function("neg", [{"name": "n", "op": "Neg", "input": ["a"]}], "n:y:0"),
        function("same", [{"name": "i", "op": "Identity", "input": ["a"]}], "i:output:0"),
    ]
    library[0]["signature"]["input_arg"].append({"name": "w", "type": 1})
    funcs = {name: {"func": {"name": name}} for name in ("cond", "body")}
    branches = {"branches": {"list": {"func": [{"name": "neg"}, {"name": "same"}]}}}
    nodes = [
        {"name": "net/x", "op": "Placeholder"},
        {"name": "net/w", "op": "VarHandleOp"},
        {"name": "net/while", "op": "While", "input": ["net/x", "net/x:1", "net/w", "^net/x"], "attr": funcs},
        {"name": "net/case", "op": "Case", "input": ["net/x", "net/while:1"], "attr": branches},
        {
            "name": "net/call",
            "op": "StatefulPartitionedCall",
            "input": ["net/case"],
            "attr": {"f": {"func": {"name": "neg"}}},
        },
    ]
    graph = read_graph_def(wire.encode(GRAPH_DEF, {"node": nodes, "library": {"function": library}}))
    assert kinds(graph) == {
        "net/while": ScopeKind.LOOP,
        "net/while/cond": ScopeKind.BODY,
        "net/while/body": ScopeKind.BODY,
        "net/case": ScopeKind.CALL,
        "net/case/branches_0": ScopeKind.BRANCH,
        "net/case/branches_1": ScopeKind.BRANCH,
        "net/call-StatefulPartitionedCall": ScopeKind.CALL,
        "net/call-StatefulPartitionedCall/f": ScopeKind.BODY,
    }
    assert inside(graph, "net/while/cond") == [("Less", ["i", "v"])]
    assert inside(graph, "net/while/body") == [("AddV2", ["v", "net/w"])]  # a weight is the same in each iteration
    assert inside(graph, "net/case/branches_0") == [("Neg", ["While"])]
    assert inside(graph, "net/case") == [("Case", ["net/x", "Neg", "Identity"])]
    assert inside(graph, "net/call-StatefulPartitionedCall/f") == [("Neg", ["Case"])]
    assert [each.name for each in graph.inputs] == ["net/x"]


# ---- real exporters -------------------------------------------------------------------------------------------------


def _condition() -> tuple[Any, tuple[Any, ...]]:
    import torch

    class Condition(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.before, self.heavy, self.after = (torch.nn.Linear(8, 8) for _ in range(3))

        def forward(self, x: Any) -> Any:
            x = torch.relu(self.before(x))

            def large(y: Any) -> Any:
                return self.heavy(self.heavy(y)).sin()

            def small(y: Any) -> Any:
                return self.after(y).cos()

            return self.after(torch.cond(x.sum() > 0, large, small, (x,)))

    return Condition().eval(), (torch.ones(2, 8),)


def _loop() -> tuple[Any, tuple[Any, ...]]:
    import torch
    import torch._higher_order_ops as operators

    while_loop: Any = cast(Any, operators).while_loop

    class Loop(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = torch.nn.Linear(8, 8)

        def forward(self, x: Any) -> Any:
            first = torch.zeros((), dtype=torch.int64)

            def goes_on(i: Any, y: Any) -> Any:
                return i < 5

            def body(i: Any, y: Any) -> Any:
                return i + 1, torch.tanh(self.layer(y))

            return while_loop(goes_on, body, (first, x))[1] + 1

    return Loop().eval(), (torch.ones(2, 8),)


def _exported(make: Callable[[], tuple[Any, tuple[Any, ...]]], tmp_path: Path) -> Graph:
    torch = pytest.importorskip("torch")
    pytest.importorskip("onnxscript")
    path = tmp_path / "net.onnx"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the exporter
        network, inputs = make()
        torch.onnx.export(network, inputs, str(path), dynamo=True, verbose=False)
    return read_graph_file(path)


def _captured(make: Callable[[], tuple[Any, tuple[Any, ...]]], tmp_path: Path) -> Graph:
    pytest.importorskip("torch")
    from mindscope.torch.graphs import graph_of

    return read_mindspore_graph(wire.encode(MINDSPORE_GRAPH, graph_of(*make())))


@pytest.mark.framework
@pytest.mark.parametrize("read", [_exported, _captured])
def test_a_condition_of_pytorch_counts_its_larger_branch(tmp_path: Path, read: Any) -> None:
    graph = read(_condition, tmp_path)
    assert sorted(kinds(graph).values()) == [ScopeKind.CALL, ScopeKind.BRANCH, ScopeKind.BRANCH]
    assert graph.summary.flops == GEMM * 4  # before, heavy twice, after; not the branch with one product
    assert (graph.summary.unknown_flops, graph.summary.parameters) == (0, 3 * 72)
    assert node_flops(graph)[graph.operations.indices].sum() == GEMM * 5
    assert not graph.nodes_of(Role.UNRESOLVED)
    products = [node for node in graph.operations if node.op_type in ("Gemm", "linear")]
    weights = [{each.node.name for each in node.inputs if each.node.role is Role.PARAMETER} for node in products]
    assert sorted(map(sorted, weights)) == sorted(
        sorted([f"{name}.bias", f"{name}.weight"]) for name in ("before", "heavy", "heavy", "after", "after")
    )


@pytest.mark.framework
@pytest.mark.parametrize("read", [_exported, _captured])
def test_a_loop_of_pytorch_counts_one_iteration_and_says_that_it_is_at_least_that(tmp_path: Path, read: Any) -> None:
    graph = read(_loop, tmp_path)
    assert ScopeKind.LOOP in kinds(graph).values()
    assert (graph.summary.flops, graph.summary.unknown_flops, graph.summary.parameters) == (GEMM, 1, 72)
    (product,) = [node for node in graph.operations if node.op_type in ("Gemm", "linear")]
    assert {each.node.name for each in product.inputs[1:]} == {"layer.weight", "layer.bias"}
    assert [each.shape for each in graph.inputs] == [(2, 8)]
    assert graph.summary.inputs == [(2, 8)]
    assert not graph.nodes_of(Role.UNRESOLVED)
