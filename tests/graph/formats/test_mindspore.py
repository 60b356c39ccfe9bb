# SPDX-License-Identifier: Apache-2.0
"""GraphProto messages, as bytes and back, as neutral graphs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mindscope.errors import FormatError
from mindscope.formats import wire
from mindscope.formats.mindspore_schemas import DATA_TYPES, GRAPH
from mindscope.graph import EdgeKind, Graph, Role, TensorType, read_mindspore_graph
from mindscope.reading import open_run

FLOAT32 = DATA_TYPES.index("FLOAT32")
TENSOR = DATA_TYPES.index("TENSOR")
SLICE = DATA_TYPES.index("SLICE")


def tensor_type(*sizes: int) -> dict[str, Any]:
    shape = {"dim": [{"size": size} for size in sizes]}
    return {"data_type": TENSOR, "tensor_type": {"elem_type": FLOAT32, "shape": shape}}


def read(message: dict[str, Any]) -> Graph:
    return read_mindspore_graph(wire.encode(GRAPH, message))


def attribute(value: dict[str, Any]) -> Any:
    (node,) = read({"node": [{"name": "1", "attribute": [{"name": "a", "value": value}]}]}).operations
    return node.attributes["a"]


def test_nodes_edges_and_types() -> None:
    graph = read(
        {
            "name": "net",
            "node": [
                {
                    "name": "1",
                    "op_type": "Conv2D",
                    "scope": "Default/net",
                    "full_name": "Default/net/Conv2D-op0",
                    "input": [{"name": "x"}, {"name": "w", "type": 0}, {"name": "2", "type": 1}],
                    "output_type": tensor_type(32, -1),
                },
                {"name": "2", "op_type": "UpdateState", "output_type": {"data_type": SLICE}},
            ],
            "parameters": [{"name": "x", "type": tensor_type()}, {"name": "w"}],
            "outputs": [{"name": "1", "type": tensor_type(3)}],
        }
    )
    first, second = graph.operations
    assert (first.name, first.op_type, first.scope) == ("1", "Conv2D", "Default/net")
    assert (first.full_name, first.type) == ("Default/net/Conv2D-op0", TensorType("float32", (32, -1)))
    assert [(each.node.name, each.kind) for each in first.inputs] == [
        ("x", EdgeKind.DATA),
        ("w", EdgeKind.DATA),
        ("2", EdgeKind.CONTROL),
    ]
    assert (second.op_type, second.scope, second.type) == ("UpdateState", "", TensorType("slice"))
    assert second.consumers == (first,)
    assert [(each.name, each.type) for each in graph.inputs] == [("x", TensorType("float32", ()))]
    assert [(each.name, each.type) for each in graph.parameters] == [("w", TensorType())]
    assert list(graph.outputs) == [first]
    assert graph.name == "net"
    assert graph.edge_count == 3


def test_nodes_without_a_name_are_called_by_their_number() -> None:
    graph = read({"node": [{"op_type": "a"}, {"name": "2"}, {"op_type": "call"}, {"name": "5"}, {}]})
    assert [node.name for node in graph.operations] == ["1", "2", "3", "5", "nameless_5"]


def test_calls_of_a_real_graph_with_control_flow_are_found_by_their_users() -> None:
    """A while loop and a branch, trained by MindSpore 2.10.0: two calls stand in the file without a name."""
    (graph,) = open_run(Path(__file__).parent / "control_flow").graphs().values()
    calls = [node for node in graph.operations if not node.op_type]
    assert {node.name for node in calls} == {"7", "13"}
    sources = [each.node.name for node in graph.operations for each in node.inputs]
    assert not graph.nodes_of(Role.UNRESOLVED)
    assert [sources.count(node.name) for node in calls] == [2, 2]
    assert (len(graph.operations), graph.edge_count) == (32, 84)


@pytest.mark.parametrize(
    ("value", "want"),
    [
        ({"dtype": 5, "int_val": -7}, -7),
        ({"dtype": 1, "bool_val": False}, False),
        ({"dtype": 9, "uint_val": 1 << 63}, 1 << 63),
        ({"dtype": 12, "double_val": 0.1}, 0.1),
        ({"dtype": 13, "str_val": "same"}, "same"),
        ({"dtype": 31, "values": [{"int_val": 1}, {"values": [{"str_val": "x"}]}]}, [1, ["x"]]),
        ({"dict_val": [{"key": "a", "value": {"int_val": 1}}, {"key": "b"}]}, {"a": 1, "b": None}),
        ({"dtype": 39, "type_val": {"data_type": FLOAT32}}, "float32"),
        ({"dtype": FLOAT32}, "float32"),
        ({"str_vals": ["a", "b"]}, ["a", "b"]),
        ({"tensor_val": {"dims": [2], "data_type": FLOAT32}}, None),
        ({}, None),
    ],
)
def test_attributes_become_plain_values(value: dict[str, Any], want: Any) -> None:
    got = attribute(value)
    assert got == want
    assert type(got) is type(want)


def test_tensors_in_attributes_become_arrays() -> None:
    got = attribute({"tensor_val": {"dims": [1, 2], "data_type": FLOAT32, "float_data": [1.0, 2.0]}})
    np.testing.assert_array_equal(got, np.array([[1.0, 2.0]], np.float32))
    several = attribute({"tensor_vals": [{"dims": [1], "data_type": FLOAT32, "float_data": [3.0]}]})
    assert [array.tolist() for array in several] == [[3.0]]


def test_graphs_in_attributes_become_graphs() -> None:
    inner = {"name": "body", "node": [{"name": "1"}]}

    def attribute_of_first(value: dict[str, Any]) -> Any:
        return read({"node": [{"name": "1", "attribute": [{"name": "a", "value": value}]}]}).nodes[0].attributes["a"]

    assert attribute_of_first({"graph": inner}).name == "body"
    assert [each.name for each in attribute_of_first({"graphs": [inner, inner]})] == ["body", "body"]


def test_constants_tell_their_type_even_when_they_are_empty() -> None:
    graph = read(
        {
            "const_vals": [
                {"key": "c1", "value": {"dtype": 5, "int_val": 3}},
                {"key": "c2", "value": {"tensor_val": {"dims": [2, 3], "data_type": FLOAT32}}},
                {"key": "c3"},
            ]
        }
    )
    assert [(each.name, each.value, each.type) for each in graph.constants] == [
        ("c1", 3, TensorType()),
        ("c2", None, TensorType("float32", (2, 3))),
        ("c3", None, TensorType()),
    ]


def test_initial_values_of_parameters_are_kept() -> None:
    default = {"tensor_val": {"dims": [1], "data_type": FLOAT32, "float_data": [0.5]}}
    (parameter,) = read({"parameters": [{"name": "w", "type": tensor_type(1), "default_val": default}]}).parameters
    assert parameter.value.tolist() == [0.5]


def test_a_tensor_that_contradicts_its_shape_is_refused() -> None:
    with pytest.raises(FormatError, match="needs 5"):
        attribute({"tensor_val": {"dims": [5], "data_type": FLOAT32, "float_data": [1.0]}})


def test_an_empty_message_is_an_empty_graph() -> None:
    graph = read({})
    assert (graph.name, list(graph.nodes), graph.edge_count, list(graph.outputs)) == ("", [], 0, [])
    assert [scope.path for scope in graph.scopes] == [""]
