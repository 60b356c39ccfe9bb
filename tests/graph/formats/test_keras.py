# SPDX-License-Identifier: Apache-2.0
"""Models in the JSON of several versions of Keras, written by hand after its public format."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mindscope.analysis.graph_preview import preview_graphs
from mindscope.errors import FormatError
from mindscope.formats import wire
from mindscope.formats.tensorboard_schemas import GRAPH
from mindscope.graph import Graph, TensorType, read_keras_model
from mindscope.reading import open_run
from mindscope.types import DamageKind, Kind
from tests.event_log import TENSORBOARD_NAME, append, tensorboard_event, tensorboard_version


def layer(class_name: str, name: str, *calls: Any, **config: Any) -> dict[str, Any]:
    """A layer of a functional model."""
    return {
        "class_name": class_name,
        "config": {"name": name, **config},
        "name": name,
        "inbound_nodes": list(calls),
    }


def step(class_name: str, name: str, **config: Any) -> dict[str, Any]:
    """A layer of a sequential model."""
    return {"class_name": class_name, "config": {"name": name, **config}}


def functional(name: str, layers: list[Any], inputs: list[Any], outputs: list[Any], class_name: str = "Functional"):
    ends = {"input_layers": inputs, "output_layers": outputs}
    return {"class_name": class_name, "config": {"name": name, "layers": layers, **ends}, "name": name}


def keras_tensor(name: str, output: int, *shape: int | None) -> dict[str, Any]:
    history = {"shape": list(shape), "dtype": "float32", "keras_history": [name, 0, output]}
    return {"class_name": "__keras_tensor__", "config": history}


def call(*tensors: dict[str, Any], **named: Any) -> dict[str, Any]:
    return {"args": list(tensors), "kwargs": named}


def read(model: dict[str, Any]) -> Graph:
    return read_keras_model(json.dumps(model))


def inputs(graph: Graph) -> dict[str, list[tuple[str, int]]]:
    return {node.name: [(each.node.name, each.output) for each in node.inputs] for node in graph.nodes}


def test_a_functional_model_of_keras_2() -> None:
    graph = read(
        functional(
            "net",
            [
                layer("InputLayer", "x", batch_input_shape=[None, 28], dtype="float32"),
                layer("InputLayer", "y", batch_input_shape=[None, 3], dtype="int32"),
                layer("Dense", "dense", [["x", 0, 0, {}]], units=8, activation="relu"),
                layer("Concatenate", "join", [["dense", 0, 0, {}], ["y", 0, 0, {}]], axis=-1),
                layer("LSTM", "lstm", [["join", 0, 0, {}]], return_state=True),
                layer("Add", "add", [["lstm", 0, 1, {}], ["lstm", 0, 2, {}]]),
            ],
            [["x", 0, 0], ["y", 0, 0]],
            [["add", 0, 0], ["dense", 0, 0]],
            "Model",
        )
    )
    assert graph.name == "net"
    assert inputs(graph) == {
        "x": [],
        "y": [],
        "dense": [("x", 0)],
        "join": [("dense", 0), ("y", 0)],
        "lstm": [("join", 0)],
        "add": [("lstm", 1), ("lstm", 2)],
    }
    types = {"x": TensorType("float32", (-1, 28)), "y": TensorType("int32", (-1, 3))}
    assert {each.name: each.type for each in graph.inputs} == types
    assert [each.name for each in graph.outputs] == ["add", "dense"]
    dense = graph.nodes[2]
    assert (dense.name, dense.op_type, dense.scope, dense.full_name) == ("dense", "Dense", "", "dense")
    assert dense.attributes == {"units": 8, "activation": "relu"}


def test_arguments_by_name_constants_and_shared_layers() -> None:
    """As Keras of TensorFlow 2.4 writes operators, calls with one tensor, and layers that are called twice."""
    graph = read(
        functional(
            "net",
            [
                layer("InputLayer", "a", batch_input_shape=[None, 4]),
                layer("InputLayer", "b", batch_input_shape=[None, 4]),
                layer("Dense", "shared", [["a", 0, 0, {}]], [["b", 0, 0, {}]]),
                layer("TFOpLambda", "tf.math.add", ["shared", 0, 0, {"y": ["shared", 1, 0], "name": None}]),
                layer("TFOpLambda", "tf.multiply", ["tf.math.add", 0, 0, {"y": 2}]),
                layer("Attention", "attention", [["tf.multiply", 0, 0, {"mask": ["a", 0, 0]}]]),
                layer("Op", "op", [["_CONSTANT_VALUE", -1, 5.0, {}], ["attention", 0, 0, {}]]),
            ],
            [["a", 0, 0], ["b", 0, 0]],
            [["op", 0, 0]],
        )
    )
    assert inputs(graph)["shared"] == [("a", 0), ("b", 0)]
    assert inputs(graph)["tf.math.add"] == [("shared", 0), ("shared", 0)]
    assert inputs(graph)["tf.multiply"] == [("tf.math.add", 0)]
    assert inputs(graph)["attention"] == [("tf.multiply", 0), ("a", 0)]
    assert inputs(graph)["op"] == [("attention", 0)]


def test_a_functional_model_of_keras_3() -> None:
    policy = {"module": "keras", "class_name": "DTypePolicy", "config": {"name": "float32"}, "registered_name": None}
    graph = read(
        functional(
            "functional_1",
            [
                layer("InputLayer", "x", batch_shape=[None, 28], dtype="float32", sparse=False),
                layer("Dense", "dense", call(keras_tensor("x", 0, None, 28)), units=8, dtype=policy),
                layer(
                    "MultiHeadAttention",
                    "attention",
                    call(keras_tensor("dense", 0, None, 8), value=keras_tensor("x", 0, None, 28), mask=None),
                ),
            ],
            ["x", 0, 0],
            ["attention", 0, 0],
        )
    )
    assert inputs(graph) == {"x": [], "dense": [("x", 0)], "attention": [("dense", 0), ("x", 0)]}
    assert {each.name: each.type for each in graph.inputs} == {"x": TensorType("float32", (-1, 28))}
    assert [each.name for each in graph.outputs] == ["attention"]
    assert graph.nodes[1].type == TensorType("float32", (-1, 8))


@pytest.mark.parametrize("is_old", [True, False], ids=["2.0", "2.3"])
def test_a_sequential_model_is_a_chain(is_old: bool) -> None:
    layers = [step("Conv2D", "conv", filters=8), step("Flatten", "flatten"), step("Dense", "dense", units=10)]
    graph = read({"class_name": "Sequential", "config": layers if is_old else {"name": "sequential", "layers": layers}})
    assert inputs(graph) == {"conv": [], "flatten": [("conv", 0)], "dense": [("flatten", 0)]}
    assert graph.name == ("" if is_old else "sequential")
    assert [each.name for each in graph.outputs] == ["dense"]
    assert not graph.inputs


def test_nested_models_are_scopes_and_edges_reach_into_them() -> None:
    inner = functional(
        "inner",
        [
            layer("InputLayer", "left", batch_input_shape=[None, 4]),
            layer("InputLayer", "right", batch_input_shape=[None, 4]),
            layer("Add", "add", [["left", 0, 0, {}], ["right", 0, 0, {}]]),
            layer("Subtract", "less", [["left", 0, 0, {}], ["right", 0, 0, {}]]),
        ],
        [["left", 0, 0], ["right", 0, 0]],
        [["add", 0, 0], ["less", 0, 0]],
    )
    tail = {"class_name": "Sequential", "config": {"name": "tail", "layers": [step("Dense", "a"), step("Dense", "b")]}}
    graph = read(
        functional(
            "net",
            [
                layer("InputLayer", "x"),
                layer("InputLayer", "y"),
                {**inner, "inbound_nodes": [[["x", 0, 0, {}], ["y", 0, 0, {}]]]},
                {**tail, "name": "tail", "inbound_nodes": [[["inner", 1, 1, {}]], [["x", 0, 0, {}]]]},
                layer("Add", "end", [["inner", 1, 0, {}], ["tail", 1, 0, {}]]),
            ],
            [["x", 0, 0], ["y", 0, 0]],
            [["end", 0, 0], ["tail", 2, 0]],
        )
    )
    assert inputs(graph) == {
        "x": [],
        "y": [],
        "inner/left": [("x", 0)],
        "inner/right": [("y", 0)],
        "inner/add": [("inner/left", 0), ("inner/right", 0)],
        "inner/less": [("inner/left", 0), ("inner/right", 0)],
        "tail/a": [("inner/less", 0), ("x", 0)],
        "tail/b": [("tail/a", 0)],
        "end": [("inner/add", 0), ("tail/b", 0)],
    }
    assert {node.name: node.scope for node in graph.nodes}["tail/b"] == "tail"
    assert [each.name for each in graph.inputs] == ["x", "y", "inner/left", "inner/right"]
    assert [each.name for each in graph.outputs] == ["end", "tail/b"]


def test_a_model_that_begins_a_chain_passes_its_input_on() -> None:
    deep = {"name": "deep", "layers": [step("InputLayer", "in"), step("Dense", "first")]}
    middle = {"name": "middle", "layers": [{"class_name": "Sequential", "config": deep}, step("Dense", "second")]}
    layers = [step("Rescaling", "scale"), {"class_name": "Sequential", "config": middle}]
    graph = read({"class_name": "Sequential", "config": {"name": "net", "layers": layers}})
    assert inputs(graph) == {
        "scale": [],
        "middle/deep/in": [("scale", 0)],
        "middle/deep/first": [("middle/deep/in", 0)],
        "middle/second": [("middle/deep/first", 0)],
    }


@pytest.mark.parametrize("text", ["", "[]", '"x"', "{}", '{"config": {}}', '{"config": {"layers": 3}}'])
def test_what_is_no_model_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"Expecting value|no Keras model"):
        read_keras_model(text)


def test_deep_nesting_is_an_error_of_ours() -> None:
    with pytest.raises(FormatError):
        read_keras_model('{"config": {"layers": [' * 2000)


MODEL = {
    "class_name": "Sequential",
    "config": {"name": "net", "layers": [step("Flatten", "flatten"), step("Dense", "dense", units=10)]},
    "keras_version": "3.5.0",
    "backend": "tensorflow",
}


def keras_value(text: str) -> dict[str, Any]:
    """As the TensorBoard callback of Keras writes a model."""
    tensor = {"dtype": 7, "tensor_shape": {}, "string_val": [text.encode()]}
    return {"tag": "keras", "metadata": {"plugin_data": {"plugin_name": "graph_keras_model"}}, "tensor": tensor}


def test_a_run_has_the_model_among_its_graphs(tmp_path: Path) -> None:
    network = {"node": [{"name": "w", "op": "Const"}, {"name": "y", "op": "Neg", "input": ["w"]}]}
    log = tmp_path / TENSORBOARD_NAME.format(1)
    append(log, tensorboard_version() + tensorboard_event(0, graph_def=wire.encode(GRAPH, network)))
    append(log, tensorboard_event(0, keras_value(json.dumps(MODEL))))
    append(log, tensorboard_event(1, keras_value(json.dumps(MODEL)[:-9])))
    run = open_run(tmp_path)
    traced, model = run.graphs().values()
    assert [node.name for node in traced.nodes] == ["w", "y"]
    assert inputs(model) == inputs(read(MODEL))
    assert run.kinds == (Kind.GRAPH,)
    assert [(damage.kind, damage.file) for damage in run.damages] == [(DamageKind.MESSAGE, log.name)]
    outline = preview_graphs([model])
    assert (outline.name, outline.nodes, outline.edges) == ("net", 2, 1)
    assert {scope.name for scope in outline.scopes} == {"Flatten", "Dense"}
