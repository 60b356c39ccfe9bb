# SPDX-License-Identifier: Apache-2.0
"""Costs of nodes with known answers, parts that views hide, scopes with the same structure."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mindscope.graph import Graph, Role, TensorType
from mindscope.graph.algorithms.classes import scope_classes
from mindscope.graph.algorithms.costs import node_flops, output_bytes, parameter_counts
from mindscope.graph.algorithms.parts import NodePart, node_parts
from mindscope.graph.formats.builder import NewInput, NewNode, build_graph
from mindscope.reading import open_run
from tests.event_log import DATA


def weight(name: str, *shape: int, dtype: str = "float32") -> NewNode:
    return NewNode(name, "", role=Role.PARAMETER, type=TensorType(dtype, shape))


def operation(name: str, op_type: str, shape: tuple[int, ...] | None, *inputs: str, scope: str = "") -> NewNode:
    type = TensorType("float32" if shape is not None else "", shape)
    return NewNode(name, op_type, scope, tuple(NewInput(each) for each in inputs), type=type)


@pytest.mark.parametrize(
    ("op_type", "output", "inputs", "want"),
    [
        ("Conv2D", (8, 6, 24, 24), [(8, 1, 28, 28), (6, 1, 5, 5)], 2 * 8 * 6 * 24 * 24 * 25),
        ("aten::_convolution", (2, 8, 9, 9), [(2, 4, 9, 9), (8, 2, 3, 3)], 2 * 2 * 8 * 81 * 2 * 9),
        ("Conv2DBackpropFilter", (6, 1, 5, 5), [(8, 6, 24, 24), (8, 1, 28, 28)], 2 * 8 * 6 * 24 * 24 * 25),
        ("MatMul", (32, 10), [(32, 84), (10, 84)], 2 * 32 * 10 * 84),
        ("addmm", (32, 10), [(10,), (32, 84), (84, 10)], 2 * 32 * 10 * 84),
        ("BatchMatMul", (4, 3, 7, 5), [(4, 3, 7, 6), (4, 3, 6, 5)], 2 * 4 * 3 * 7 * 5 * 6),
        ("matmul.default", (4, 7, 5), [(4, 7, 6), (6, 5)], 2 * 4 * 7 * 5 * 6),
        ("linear", (4, 7, 5), [(4, 7, 6), (5, 6), (5,)], 2 * 4 * 7 * 5 * 6),
        ("scaled_dot_product_attention", (2, 3, 5, 8), [(2, 3, 5, 8), (2, 3, 7, 8), (2, 3, 7, 8)], 2 * 2 * 30 * 7 * 8),
        ("ReLU", (4, 5), [(4, 5)], 0),
        ("Load", (4, 5), [(4, 5)], 0),
        ("getitem", (4, 5), [(4, 5)], 0),
        ("ReLU", None, [(4, 5)], 0),
        ("Conv2D", (8, 24, 24, 6), [(8, 28, 28, 1), (5, 5, 1, 6)], 2 * 8 * 6 * 24 * 24 * 25),
        ("conv_transpose2d", (2, 5, 33, 33), [(2, 3, 16, 16), (3, 5, 3, 3)], 2 * 2 * 3 * 256 * 5 * 9),
        ("lstm", None, [(4, 20, 32), (1, 4, 64), (1, 4, 64), (256, 32), (256, 64), (256,)], 2 * 80 * 256 * 96),
        ("my_product", (4, 5), [(4, 5)], math.nan),
        ("MatMul", (-1, 5), [(4, 5), (5, 5)], math.nan),
        ("cond", (4, 5), [(4,)], math.nan),
        ("", None, [(4,)], math.nan),
        ("Conv2D", (8, 6), [], math.nan),
        ("MatMul", (0, 10), [(0, 84), (10, 84)], math.nan),
    ],
)
def test_operations(op_type: str, output: tuple[int, ...] | None, inputs: list[tuple[int, ...]], want: float) -> None:
    taken = [weight(f"w{place}", *shape) for place, shape in enumerate(inputs)]
    graph = build_graph("g", [*taken, operation("n", op_type, output, *(each.name for each in taken))])
    np.testing.assert_equal(node_flops(graph)[-1], want)


def test_bytes_and_parameters() -> None:
    graph = build_graph(
        "g",
        [
            weight("w", 3, 4),
            weight("half", 3, 4, dtype="bfloat16"),
            weight("odd", 2, dtype="no such type"),
            operation("n", "Add", (5,), "w"),
            operation("unknown", "Add", None),
        ],
    )
    np.testing.assert_equal(output_bytes(graph), [48, 24, math.nan, 20, math.nan])
    np.testing.assert_equal(parameter_counts(graph), [12, 12, 2, 0, 0])


def test_lenet_of_mindspore_counts_as_by_hand() -> None:
    """LeNet5 on batches of 32: its two convolutions and three dense layers, forward and backward."""
    (graph,) = open_run(DATA / "mindspore" / "ops").graphs().values()
    flops = node_flops(graph)
    (convolution, *_) = (node for node in graph.operations if node.op_type == "Conv2D")
    assert convolution.shape is not None
    batch, channels, height, width = convolution.shape
    weights = convolution.inputs[1].node.shape or ()
    assert flops[convolution.index] == 2 * batch * channels * height * width * math.prod(weights[1:])
    assert not np.isnan(flops[[node.index for node in graph.operations if node.op_type == "MatMul"]]).any()


def test_parts_of_a_real_graph() -> None:
    (graph,) = open_run(DATA / "mindspore" / "ops").graphs().values()
    parts = node_parts(graph)
    for node in graph.operations:
        part = NodePart(int(parts[node.index]))
        assert (NodePart.PASS_THROUGH in part) == (
            node.op_type in {"Load", "UpdateState", "MakeTuple", "TupleGetItem", "Depend"}
        )
        assert (NodePart.GRADIENT in part) == node.scope.startswith("Gradients")
        assert (NodePart.OPTIMIZER in part) == ("optimizer" in node.scope or node.op_type == "Adam")


def layers(count: int, odd: int = -1, change: str = "type") -> Graph:
    nodes = [operation("x", "Input", (4,))]
    before = "x"
    for layer in range(count):
        scope = f"net/layer{layer}"
        kind = "Gelu" if layer == odd and change == "type" else "ReLU"
        inner = f"{scope}/other" if layer == odd and change == "label" else f"{scope}/inner"
        taken = (before, before) if layer == odd and change == "edge" else (before, "x")
        size = 5 if layer == odd and change == "shape" else 4
        nodes += [
            operation(f"{layer}a", "Linear", (size,), *taken, scope=scope),
            operation(f"{layer}b", kind, (4,), f"{layer}a", scope=inner),
        ]
        before = f"{layer}b"
    return build_graph("net", nodes)


def classes_by_path(graph: Graph) -> dict[str, int]:
    return dict(zip([scope.path for scope in graph.scopes], scope_classes(graph).tolist(), strict=True))


def test_repeated_layers_have_one_class() -> None:
    classes = classes_by_path(layers(12))
    assert len({classes[f"net/layer{layer}"] for layer in range(1, 12)}) == 1
    assert len({classes[f"net/layer{layer}/inner"] for layer in range(12)}) == 1
    assert classes["net/layer1"] not in (0, classes["net/layer1/inner"], classes["net"])


@pytest.mark.parametrize("change", ["type", "label", "edge", "shape"])
def test_a_layer_that_differs_has_a_class_of_its_own(change: str) -> None:
    classes = classes_by_path(layers(8, odd=3, change=change))
    assert [classes[f"net/layer{layer}"] == classes["net/layer6"] for layer in (2, 3, 5)] == [True, False, True]


def test_a_scope_without_nodes_has_no_class() -> None:
    graph = build_graph("g", [operation("a", "A", None, scope="outer/inner")]).subgraph("outer")
    assert scope_classes(graph).all()
    assert scope_classes(build_graph("g", [])).tolist() == [0]
