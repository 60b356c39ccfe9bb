# SPDX-License-Identifier: Apache-2.0
"""GraphDef messages as neutral graphs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mindscope.formats import wire
from mindscope.formats.tensorboard_schemas import GRAPH
from mindscope.graph import Graph, read_meta_graph, read_tensorboard_graph

FLOAT, INT32, FLOAT_REF = 1, 3, 101


def read(message: dict[str, Any]) -> Graph:
    return read_tensorboard_graph(wire.encode(GRAPH, message))


def attribute(value: dict[str, Any]) -> Any:
    (node,) = read({"node": [{"name": "n", "op": "Op", "attr": {"a": value}}]}).operations
    return node.attributes["a"]


@pytest.mark.parametrize(
    ("text", "name", "kind", "output"),
    [
        ("a/b", "a/b", "data", 0),
        ("a/b:2", "a/b", "data", 2),
        ("a:12345678", "a", "data", 12345678),
        ("^a/b", "a/b", "control", 0),
        ("split:output:1", "split", "data", 1),
        ("odd:name", "odd:name", "data", 0),
        ("odd:", "odd:", "data", 0),
        ("odd:1234567890", "odd:1234567890", "data", 0),
        ("", "", "data", 0),
    ],
)
def test_inputs(text: str, name: str, kind: str, output: int) -> None:
    (node,) = read({"node": [{"name": "n", "op": "Op", "input": [text]}]}).operations
    (only,) = node.inputs
    assert (only.node.name, str(only.kind), only.output) == (name, kind, output)


def test_scopes_types_and_roles() -> None:
    shape = {"dim": [{"size": -1}, {"size": 3}]}
    graph = read(
        {
            "node": [
                {"name": "in/x", "op": "Placeholder", "attr": {"dtype": {"type": FLOAT}, "shape": {"shape": shape}}},
                {"name": "w", "op": "VariableV2", "device": "/cpu:0", "attr": {"dtype": {"type": FLOAT_REF}}},
                {"name": "c", "op": "Const", "attr": {"value": {"tensor": {"dtype": INT32, "int_val": [4]}}}},
                {
                    "name": "net/layer/add",
                    "op": "Add",
                    "input": ["in/x", "w", "c"],
                    "attr": {"T": {"type": FLOAT}, "_output_shapes": {"list": {"shape": [shape, {}]}}},
                },
            ]
        }
    )
    x, w, _, add = graph.nodes
    assert (x.scope, add.scope, w.scope) == ("in", "net/layer", "")
    assert (add.dtype, add.shape, w.dtype, w.device) == ("float32", (-1, 3), "float32", "/cpu:0")
    assert [(each.name, each.shape) for each in graph.inputs] == [("in/x", (-1, 3))]
    assert [(each.name, each.shape) for each in graph.parameters] == [("w", None)]
    assert [(each.name, each.value.tolist()) for each in graph.constants] == [("c", 4)]
    assert [each.name for each in graph.outputs] == ["net/layer/add"]


def test_functions_are_graphs_of_their_own() -> None:
    function = {"signature": {"name": "f"}, "node_def": [{"name": "a", "op": "Op"}, {"name": "b", "op": "Op"}]}
    graph = read({"node": [{"name": "call", "op": "f"}], "library": {"function": [function]}})
    assert [(each.name, len(each.nodes)) for each in graph.functions] == [("f", 2)]
    assert [(each.name, each.scope) for each in graph.nodes] == [
        ("call", "call-f"),
        ("a", "call-f/f"),
        ("b", "call-f/f"),
    ]


@pytest.mark.parametrize(
    ("value", "want"),
    [
        ({"s": b"SAME"}, "SAME"),
        ({"s": b"\xff\xfe"}, b"\xff\xfe"),
        ({"i": -3}, -3),
        ({"f": 0.5}, 0.5),
        ({"b": True}, True),
        ({"type": FLOAT}, "float32"),
        ({"shape": {"dim": [{"size": 2}]}}, (2,)),
        ({"shape": {"unknown_rank": True}}, None),
        ({"func": {"name": "f"}}, "f"),
        ({"list": {"i": [1, 2]}}, [1, 2]),
        ({"list": {"type": [FLOAT, INT32]}}, ["float32", "int32"]),
        ({"list": {"s": [b"a"]}}, ["a"]),
        ({"list": {}}, []),
        ({}, None),
    ],
)
def test_attributes_become_plain_values(value: dict[str, Any], want: Any) -> None:
    got = attribute(value)
    assert got == want
    assert type(got) is type(want)


def test_tensors_in_attributes_become_arrays() -> None:
    tensor = {"dtype": FLOAT, "tensor_shape": {"dim": [{"size": 3}]}, "float_val": [1.0]}
    np.testing.assert_array_equal(attribute({"tensor": tensor}), np.ones(3, np.float32))


def test_a_meta_graph_without_a_graph_is_empty() -> None:
    graph = read_meta_graph(b"")
    assert (graph.name, len(graph.nodes), graph.edge_count) == ("", 0, 0)
