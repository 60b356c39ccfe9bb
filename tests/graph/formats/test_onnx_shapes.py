# SPDX-License-Identifier: Apache-2.0
"""Shapes that an ONNX model does not give, against those that the package onnx infers of the whole model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mindscope.graph import Graph, Role, read_graph_file
from mindscope.graph.formats.onnx.files import without_large_tensors
from mindscope.graph.formats.onnx.shapes import inferred_types

onnx: Any = pytest.importorskip("onnx", reason="onnx is not installed")
from onnx import TensorProto, helper, numpy_helper, shape_inference  # noqa: E402

FLOAT = TensorProto.FLOAT


def weight(name: str, *shape: int) -> Any:
    return numpy_helper.from_array(np.ones(shape, np.float32), name)


def settings(name: str, *values: int) -> Any:
    return numpy_helper.from_array(np.array(values, np.int64), name)


def model(nodes: list[Any], tensors: list[Any], given: tuple[int | str, ...], gives: str) -> Any:
    inputs = [helper.make_tensor_value_info("x", FLOAT, given)]
    outputs = [helper.make_tensor_value_info(gives, FLOAT, None)]
    graph = helper.make_graph(nodes, "net", inputs, outputs, tensors)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])


def lenet() -> Any:
    make = helper.make_node
    nodes = [
        make("Conv", ["x", "w1", "b1"], ["c1"], kernel_shape=[5, 5], pads=[2, 2, 2, 2]),
        make("Relu", ["c1"], ["r1"]),
        make("MaxPool", ["r1"], ["p1"], kernel_shape=[2, 2], strides=[2, 2]),
        make("Conv", ["p1", "w2", "b2"], ["c2"], kernel_shape=[5, 5]),
        make("Relu", ["c2"], ["r2"]),
        make("MaxPool", ["r2"], ["p2"], kernel_shape=[2, 2], strides=[2, 2]),
        make("Flatten", ["p2"], ["f"]),
        make("Gemm", ["f", "w3", "b3"], ["g1"], transB=1),
        make("Relu", ["g1"], ["r3"]),
        make("Gemm", ["r3", "w4", "b4"], ["g2"], transB=1),
    ]
    tensors = [weight("w1", 6, 1, 5, 5), weight("b1", 6), weight("w2", 16, 6, 5, 5), weight("b2", 16)]
    tensors += [weight("w3", 84, 400), weight("b3", 84), weight("w4", 10, 84), weight("b4", 10)]
    return model(nodes, tensors, (64, 1, 28, 28), "g2")


def attention() -> Any:
    """Sizes of the input become shapes, as exporters write them; the batch is unknown."""
    make = helper.make_node
    nodes = [
        make("LayerNormalization", ["x", "scale", "shift"], ["n"], axis=-1),
        make("MatMul", ["n", "qkv"], ["all"]),
        make("Split", ["all"], ["q", "k", "v"], axis=-1, num_outputs=3),
        make("Shape", ["q"], ["sizes"]),
        make("Slice", ["sizes", "zero", "two"], ["outer"]),
        make("Concat", ["outer", "heads"], ["split"], axis=0),
        make("Reshape", ["q", "split"], ["qh"]),
        make("Transpose", ["qh"], ["qt"], perm=[0, 2, 1, 3]),
        make("Reshape", ["k", "split"], ["kh"]),
        make("Transpose", ["kh"], ["kt"], perm=[0, 2, 3, 1]),
        make("MatMul", ["qt", "kt"], ["scores"]),
        make("Softmax", ["scores"], ["weights"], axis=-1),
        make("ReduceMean", ["weights"], ["mean"], axes=[1], keepdims=0),
    ]
    tensors = [weight("scale", 64), weight("shift", 64), weight("qkv", 64, 192)]
    tensors += [settings("zero", 0), settings("two", 2), settings("heads", 4, 16)]
    made = model(nodes, tensors, ("batch", 10, 64), "mean")
    made.opset_import[0].version = 17
    for node in made.graph.node:
        if node.op_type == "Split":
            del node.attribute[:]
            node.attribute.append(helper.make_attribute("axis", -1))
    return made


def shapes(graph: Any) -> dict[str, tuple[int, ...]]:
    """What onnx infers; -1 for sizes without a number."""
    values = [*graph.value_info, *graph.output]
    known = [value for value in values if value.type.tensor_type.HasField("shape")]
    return {
        value.name: tuple(
            size.dim_value if size.HasField("dim_value") else -1 for size in value.type.tensor_type.shape.dim
        )
        for value in known
    }


@pytest.mark.parametrize("made", [lenet(), attention()], ids=["lenet", "attention"])
def test_shapes_are_those_that_onnx_infers(made: Any, tmp_path: Path) -> None:
    onnx.save(made, tmp_path / "net.onnx")
    graph = read_graph_file(tmp_path / "net.onnx")
    want = shapes(shape_inference.infer_shapes(made, data_prop=True).graph)
    read = {node.name: node.type.shape for node in graph.nodes if node.role is Role.OPERATION}
    assert read == {name: want.get(name) for name in read}
    assert len(want) >= len(read)
    assert graph.inputs[0].type.shape == tuple(
        size.dim_value or -1 for size in made.graph.input[0].type.tensor_type.shape.dim
    )


def test_large_weights_are_left_out_and_others_kept() -> None:
    made = lenet()
    small = onnx.load_model_from_string(without_large_tensors(made.SerializeToString()))
    data = {tensor.name: (list(tensor.dims), len(tensor.raw_data)) for tensor in small.graph.initializer}
    assert data["w3"] == ([84, 400], 0)
    assert data["b1"] == ([6], 24)
    for tensor in (*small.graph.initializer, *made.graph.initializer):
        tensor.ClearField("raw_data")
    assert small == made


def refused() -> Any:
    """A product of matrices that do not fit."""
    return model([helper.make_node("MatMul", ["x", "w"], ["y"])], [weight("w", 3, 5)], (2, 4), "y")


def test_a_model_that_onnx_refuses_or_can_not_read_keeps_its_graph(tmp_path: Path) -> None:
    onnx.save(refused(), tmp_path / "wrong.onnx")
    graph = read_graph_file(tmp_path / "wrong.onnx")
    (node,) = graph.operations
    assert (node.op_type, node.type.shape) == ("MatMul", None)
    assert (code(graph), graph.shape_problem) == ("onnx_shapes_unknown", (
        "onnx infers no shape for 1 of 1 operators; the first of them is MatMul."
        " onnx.shape_inference.infer_shapes(model, strict_mode=True) says why."
    ))  # fmt: skip
    for encoded in (b"soup" * 100, b"\xff"):
        types, problem = inferred_types(encoded)
        assert problem is not None
        assert (types, problem.code) == ({}, "onnx_inference_failed")
        assert "onnx.checker" in problem


def code(graph: Graph) -> str | None:
    return None if graph.shape_problem is None else graph.shape_problem.code


def test_it_is_said_why_shapes_are_missing_and_only_then(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "net.onnx"
    onnx.save(lenet(), path)
    assert code(read_graph_file(path)) is None
    monkeypatch.setattr("mindscope.graph.formats.onnx.shapes.LARGEST_MODEL", 100)
    assert code(read_graph_file(path)) == "onnx_model_too_large"
    monkeypatch.undo()
    monkeypatch.setattr("mindscope.graph.formats.onnx.shapes.DEADLINE_S", 0.0)
    assert code(read_graph_file(path)) == "onnx_inference_ended"
    monkeypatch.setattr("mindscope.graph.formats.onnx.shapes.find_spec", lambda _: None)
    assert code(read_graph_file(path)) == "onnx_not_installed"
    onnx.save(shape_inference.infer_shapes(lenet()), path)
    assert code(read_graph_file(path)) is None


def test_without_onnx_a_model_has_the_shapes_that_it_gives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(name: str) -> None:
        return None

    monkeypatch.setattr("mindscope.graph.formats.onnx.shapes.find_spec", nothing)
    onnx.save(lenet(), tmp_path / "net.onnx")
    graph = read_graph_file(tmp_path / "net.onnx")
    assert {node.type.shape for node in graph.operations} == {None}
    assert code(graph) == "onnx_not_installed"
    assert "pip install 'mindscope[onnx]'" in str(graph.shape_problem)
