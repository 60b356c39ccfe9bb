# SPDX-License-Identifier: Apache-2.0
"""ONNX models: written by hand, by PyTorch's exporters, damaged and large."""

from __future__ import annotations

import os
import random
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mindscope.errors import FormatError
from mindscope.formats import wire
from mindscope.formats.onnx_schemas import DTYPES, MODEL, SCHEMAS
from mindscope.graph import Graph, Role, TensorType, find_graph_files, read_graph_file, read_onnx_model
from mindscope.graph.algorithms.structure import structure_of
from mindscope.graph.formats.onnx.files import read_without_weights
from mindscope.reading import open_run

FLOAT, INT64, FLOAT16 = 1, 7, 10


def info(name: str, *sizes: int | str, dtype: int = FLOAT) -> dict[str, Any]:
    dim = [{"dim_value": size} if isinstance(size, int) else {"dim_param": size} for size in sizes]
    return {"name": name, "type": {"tensor_type": {"elem_type": dtype, "shape": {"dim": dim}}}}


def weight(name: str, *sizes: int, dtype: int = FLOAT, **fields: Any) -> dict[str, Any]:
    return {"name": name, "dims": list(sizes), "data_type": dtype, **fields}


def node(op_type: str, inputs: list[str], outputs: list[str], name: str = "", **attributes: Any) -> dict[str, Any]:
    return {
        "op_type": op_type,
        "input": inputs,
        "output": outputs,
        **({"name": name} if name else {}),
        "attribute": [{"name": key, **value} for key, value in attributes.items()],
    }


def encoded(graph: dict[str, Any], **model: Any) -> bytes:
    return wire.encode(MODEL, {"ir_version": 10, "graph": graph, **model})


NET = {
    "name": "net",
    "node": [
        node("Conv", ["x", "w", ""], ["h"], "/stem/conv/Conv", pads={"ints": [1, -1], "type": 7}, auto={"s": b"SAME"}),
        node("Split", ["h", "sizes"], ["a", "b"], "/stem/Split"),
        node("Add", ["b", "a"], ["y"]),
    ],
    "initializer": [
        weight("w", 4, 1, 3, 3, raw_data=bytes(144)),
        weight("sizes", 2, dtype=INT64, raw_data=np.array([1, 3]).tobytes()),
    ],
    "input": [info("x", "batch", 1, 8, 8), info("w", 4, 1, 3, 3)],
    "output": [info("y", "batch", 2, 8, 8)],
    "value_info": [info("h", "batch", 4, 8, 8, dtype=FLOAT16)],
}


def test_nodes_edges_types_and_scopes() -> None:
    graph = read_onnx_model(encoded(NET))
    assert (graph.name, graph.damage, len(graph.operations), graph.edge_count) == ("net", None, 3, 6)
    conv, split, add = graph.operations
    assert (conv.name, conv.full_name, conv.scope) == ("h", "/stem/conv/Conv", "stem/conv")
    assert conv.type == TensorType("float16", (-1, 4, 8, 8))
    assert [each.node.name for each in conv.inputs] == ["x", "w"]
    assert [(each.node, each.output) for each in add.inputs] == [(split, 1), (split, 0)]
    assert conv.attributes == {"pads": [1, -1], "auto": "SAME"}
    assert (add.full_name, add.type) == ("y", TensorType("float32", (-1, 2, 8, 8)))
    assert [(each.name, each.shape) for each in graph.parameters] == [("w", (4, 1, 3, 3))]
    assert [(each.name, each.value.tolist()) for each in graph.constants] == [("sizes", [1, 3])]
    assert [(each.name, each.shape) for each in graph.inputs] == [("x", (-1, 1, 8, 8))]
    assert [each.name for each in graph.outputs] == ["y"]
    assert graph.parameters[0].value is None
    assert [scope.path for scope in graph.scopes] == ["", "stem", "stem/conv"]


def test_what_a_subgraph_takes_from_outside_is_read_inside_of_it() -> None:
    inner = {"name": "else", "node": [node("Sub", ["outer", "i"], ["r"])], "input": [info("i")], "output": [info("r")]}
    branch = {
        "name": "then",
        "node": [
            node("Neg", ["outer"], ["out"]),
            node("Loop", ["out", "x"], ["z"], body={"g": inner}),
        ],
        "output": [info("z", 1)],
    }
    net = {
        "node": [node("Abs", ["x"], ["outer"]), node("If", ["flag"], ["y"], then_branch={"g": branch})],
        "input": [info("x"), info("flag")],
    }
    graph = read_onnx_model(encoded(net))
    choice = graph.operations[1]
    assert [each.node.name for each in choice.inputs] == ["flag", "z"]
    assert [(each.op_type, each.scope) for each in graph.operations[1:]] == [
        ("If", "y-If"),
        ("Neg", "y-If/then_branch"),
        ("Loop", "y-If/then_branch/z-Loop"),
        ("Sub", "y-If/then_branch/z-Loop/body"),
    ]
    *_, neg, loop, sub = graph.operations
    assert [[each.node.name for each in node.inputs] for node in (neg, loop, sub)] == [
        ["outer"],
        ["x", "r"],
        ["outer", "i"],
    ]
    assert [each.node.name for each in sub.inputs[1].node.inputs] == ["out"]  # the value of the first iteration
    assert [each.name for each in graph.inputs] == ["x", "flag"]
    nested = choice.attributes["then_branch"]
    assert isinstance(nested, Graph)
    assert [each.op_type for each in nested.operations] == ["Neg", "Loop", "Sub"]
    assert [each.name for each in nested.inputs] == ["outer", "x"]
    assert not graph.nodes_of(Role.UNRESOLVED)


def test_functions_are_graphs_of_their_own() -> None:
    function = {"name": "Gelu", "domain": "f", "input": ["x"], "output": ["y"], "node": [node("Erf", ["x"], ["y"])]}
    graph = read_onnx_model(encoded({"node": [node("Gelu", ["a"], ["b"])]}, functions=[function]))  # of another domain
    (called,) = graph.functions
    assert (called.name, [each.name for each in called.inputs]) == ("Gelu", ["x"])
    assert [each.op_type for each in called.operations] == ["Erf"]
    assert [each.name for each in called.outputs] == ["y"]
    assert [each.name for each in graph.nodes_of(Role.UNRESOLVED)] == ["a"]


def test_values_of_constants() -> None:
    def value(**tensor: Any) -> Any:
        return read_onnx_model(encoded({"node": [node("Constant", [], ["c"], value={"t": tensor})]})).constants[0].value

    assert value(data_type=FLOAT, dims=[2], float_data=[1.5, 2.0]).tolist() == [1.5, 2]
    assert value(data_type=FLOAT16, dims=[1], int32_data=[0x3C00]).tolist() == [1]
    assert value(data_type=16, dims=[], int32_data=[0x3F80]) == 1
    assert value(data_type=14, dims=[1], float_data=[1, 2]).tolist() == [1 + 2j]
    assert value(data_type=8, dims=[1], string_data=[b"a"]) == [b"a"]
    assert value(data_type=22, dims=[2], raw_data=b"\x12") == "1 bytes of int4"
    external = {"external_data": [{"key": "location", "value": "w.bin"}, {"key": "offset", "value": "8"}]}
    assert value(data_type=FLOAT, dims=[9], data_location=1, **external) == "location: w.bin, offset: 8"
    with pytest.raises(FormatError):
        value(data_type=FLOAT, dims=[3], raw_data=b"1234")
    typed = read_onnx_model(encoded({"node": [node("Constant", [], ["c"], value={"t": weight("", 2, 3)})]}))
    assert typed.constants[0].type == TensorType("float32", (2, 3))


def test_odd_names_and_missing_ones() -> None:
    names = ['<"a">', "//", "x/", "名/字", "line\nbreak", "", "a" * 70_000]
    graph = read_onnx_model(
        encoded({"node": [node("Op", names, [name], name) for name in names] + [node("End", [], [])]})
    )
    assert [each.full_name for each in graph.operations] == [*names[:5], "nameless_6", names[6], "nameless_8"]
    assert graph.operations[3].scope == "名"
    assert all([each.node.name for each in n.inputs] == [name for name in names if name] for n in graph.operations[:7])
    twice = read_onnx_model(encoded({"node": [node("A", [], ["v"]), node("B", [], ["v"]), node("C", ["v"], ["c"])]}))
    assert twice.operations[2].inputs[0].node.op_type == "A"


def test_packed_sizes_are_read_too() -> None:
    packed = wire.parse_schemas("Packed: 1 packed int64 dims, 2 int32 data_type, 8 string name")["Packed"]
    tensor = wire.encode(packed, {"dims": [3, 4], "data_type": FLOAT, "name": "w"})
    graph = wire.parse_schemas("Graph: 5 repeated bytes initializer")["Graph"]
    model = wire.parse_schemas("Model: 7 bytes graph")["Model"]
    read = read_onnx_model(wire.encode(model, {"graph": wire.encode(graph, {"initializer": [tensor]})}))
    assert [(each.name, each.shape) for each in read.parameters] == [("w", (3, 4))]
    assert read.damage is None


def test_damage_costs_only_what_is_damaged() -> None:
    whole = encoded(NET)
    for size in range(len(whole)):
        graph = read_onnx_model(whole[:size])
        assert all(each.node.name for each_node in graph.nodes for each in each_node.inputs)
    chance = random.Random(3)
    for _ in range(300):
        broken = bytearray(whole)
        for _ in range(chance.randrange(1, 5)):
            broken[chance.randrange(len(broken))] = chance.randrange(256)
        graph = read_onnx_model(bytes(broken))
        assert len(graph.node_columns.role) == len(graph.nodes)


def test_a_model_of_many_nodes() -> None:
    nodes = [node("Op", [f"v{row}", "w"], [f"v{row + 1}"], f"/block{row // 100}/op{row}") for row in range(20_000)]
    graph = read_onnx_model(encoded({"node": nodes, "initializer": [weight("w", 3)], "input": [info("v0", 1)]}))
    assert (len(graph.operations), graph.edge_count, len(graph.scopes)) == (20_000, 40_000, 201)
    assert len(graph.node("w").consumers) == 20_000


def test_files_of_runs_without_their_weights(tmp_path: Path) -> None:
    """A file above 16 MiB is read without the data of weights; everything else is there."""
    small, large = tmp_path / "small.onnx", tmp_path / "large.onnx"
    net = {**NET, "initializer": [*NET["initializer"], weight("big", 5_000_000, raw_data=b"\xff" * 20_000_000)]}
    small.write_bytes(encoded(NET))
    large.write_bytes(encoded({**net, "node": [*NET["node"], node("Mul", ["y", "big"], ["z"])]}))
    (tmp_path / "other.onnx.data").touch()
    assert [path.name for path in find_graph_files(tmp_path)] == ["large.onnx", "small.onnx"]
    graph = read_graph_file(large)
    assert (graph.damage, len(graph.operations), graph.node("big").shape) == (None, 4, (5_000_000,))
    assert graph.node("sizes").value.tolist() == [1, 3]
    assert graph.operations[0].attributes["pads"] == [1, -1]
    assert list(open_run(tmp_path).graphs()) == ["large.onnx", "small.onnx"]
    cut = tmp_path / "cut.onnx"
    cut.write_bytes(large.read_bytes()[:1_5_000_000])
    assert len(read_graph_file(cut).operations) == 4
    (tmp_path / "empty.onnx").write_bytes(b"")
    with pytest.raises(FormatError, match=r"empty\.onnx"):
        read_graph_file(tmp_path / "empty.onnx")


def test_large_data_of_nodes_are_left_out_and_a_cut_or_broken_model_stays_so(tmp_path: Path) -> None:
    """PyTorch writes weights as nodes Constant too."""
    path = tmp_path / "large.onnx"
    value = {"name": "value", "t": weight("", 5_000_000, raw_data=b"\xff" * 20_000_000), "type": 4}
    constant = {**node("Constant", [], ["c"]), "attribute": [value, {"name": "axis", "i": 3, "type": 2}]}
    path.write_bytes(encoded({**NET, "node": [*NET["node"], constant, node("Mul", ["y", "c"], ["z"])]}))
    assert len(read_without_weights(path)) < 4096
    graph = read_graph_file(path)
    attributes = graph.node("c").attributes
    assert attributes == {"value": "float32 of shape [5000000], not read", "axis": 3}
    assert (graph.damage, graph.node("c").shape, graph.node("z").op_type) == (None, (5_000_000,), "Mul")
    for cut in (18_000_000, len(path.read_bytes()) - 3):
        part = tmp_path / "cut.onnx"
        part.write_bytes(path.read_bytes()[:cut])
        assert read_graph_file(part).damage is not None, cut


def test_a_model_with_too_much_beside_its_weights_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "large.onnx"
    path.write_bytes(b"\x12\xff\xff\xff\xff\x07")  # the name of its producer
    os.truncate(path, 2_000_000_000)
    with pytest.raises(
        FormatError,
        match="it has more than 268435456 bytes without its weights",
    ):
        read_graph_file(path)


@pytest.mark.framework
def test_the_tables_are_those_of_onnx() -> None:
    onnx = pytest.importorskip("onnx")
    inner = {"Tensor": onnx.TypeProto.Tensor, "Sequence": onnx.TypeProto.Sequence}
    inner["Dimension"] = onnx.TensorShapeProto.Dimension
    for name, schema in SCHEMAS.items():
        fields = (inner.get(name) or getattr(onnx, name)).DESCRIPTOR.fields_by_name
        for field in schema.fields:
            assert fields[field.name].number == field.number, f"{name}.{field.name}"
            assert fields[field.name].is_repeated == field.is_repeated, f"{name}.{field.name}"
    numbers: dict[str, int] = dict(onnx.TensorProto.DataType.items())
    names = {"FLOAT": "float32", "DOUBLE": "float64", "FLOAT4E2M1": "float4e2m1fn", "FLOAT8E8M0": "float8e8m0fnu"}
    want = {number: names.get(name, name.lower()) for name, number in numbers.items() if 0 < number < len(DTYPES)}
    assert {number: name.replace("_", "") for number, name in enumerate(DTYPES) if number} == want


@pytest.mark.framework
@pytest.mark.parametrize("is_new", [True, False])
def test_what_pytorch_exports(tmp_path: Path, is_new: bool) -> None:
    torch = pytest.importorskip("torch")
    onnx = pytest.importorskip("onnx")
    pytest.importorskip("onnxscript")
    layers = torch.nn.Sequential(torch.nn.Conv2d(1, 4, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(144, 9))
    path = tmp_path / "net.onnx"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the exporters
        network = torch.nn.Sequential(layers).eval()
        torch.onnx.export(network, (torch.ones(2, 1, 8, 8),), str(path), dynamo=is_new, verbose=False)
    model, graph = onnx.load(str(path), load_external_data=False), read_graph_file(path)
    got = [(each.op_type, [source.node.name for source in each.inputs]) for each in graph.operations]
    assert got == [(each.op_type, list(each.input)) for each in model.graph.node]
    tensors = {each.name: tuple(each.dims) for each in model.graph.initializer}
    assert {each.name: each.shape for each in (*graph.parameters, *graph.constants)} == tensors
    assert {each.scope for each in graph.operations if each.op_type in ("Conv", "Gemm")} == (
        {"0/0", "0/3"} if is_new else {"0/0.0", "0/0.3"}
    )
    if is_new:
        assert "in forward" in graph.operations[0].attributes["pkg.torch.onnx.stack_trace"]
        assert graph.operations[0].shape == (2, 4, 6, 6)


def test_the_structure_has_names_of_tensors_where_nodes_have_others() -> None:
    structure = structure_of(read_onnx_model(encoded(NET)))
    names = [structure.texts[number] for number in structure.tensor.tolist()]
    assert names[:4] == ["h", "a", "", ""]  # the node without a name is called as its output
    split = read_onnx_model(encoded(NET)).operations[1]
    assert split.attributes["outputs"] == ["a", "b"]
