# SPDX-License-Identifier: Apache-2.0
"""Real logs: what MindSpore's own protobuf classes and TensorBoard's own reader find in them is what ``Run`` gives."""

from __future__ import annotations

import json
import math
from collections import Counter
from hashlib import sha1
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mindscope.graph import DatasetNode, Graph, Role
from mindscope.lineage import EvalLineage, TrainLineage
from mindscope.reading import Run, open_run, open_runs
from mindscope.types import Histogram, Image, Kind, Landscape, Tensor
from tests.event_log import DATA

Oracle = dict[str, Any]
KINDS = {
    "scalar_value": Kind.SCALAR,
    "image": Kind.IMAGE,
    "tensor": Kind.TENSOR,
    "histogram": Kind.HISTOGRAM,
    "loss_landscape": Kind.LANDSCAPE,
}


def number(text: float | str) -> float:
    return float(text.replace("Infinity", "inf")) if isinstance(text, str) else text


def same_bits(got: Any, want: list[float]) -> bool:
    return np.array_equal(np.asarray(got, np.float32).view(np.uint32), np.array(want, np.float32).view(np.uint32))


def mindspore_runs() -> list[tuple[str, list[tuple[str, Oracle]]]]:
    """Run directories below the data with the oracles of their event files, the oldest first."""
    runs: dict[str, list[tuple[str, Oracle]]] = {}
    for path in sorted((DATA / "mindspore").glob("*.expected.json")):
        log = path.name.removesuffix(".expected.json")
        for name, oracle in json.loads(path.read_text())["files"].items():
            directory, _, file = f"{log}/{name}".rpartition("/")
            runs.setdefault(directory, []).append((file, oracle))
    return list(runs.items())


MINDSPORE_RUNS = mindspore_runs()
each_run = pytest.mark.parametrize(("directory", "files"), MINDSPORE_RUNS, ids=[id for id, _ in MINDSPORE_RUNS])


def test_every_run_has_an_oracle() -> None:
    assert len(MINDSPORE_RUNS) == 17
    assert {directory for directory, _ in MINDSPORE_RUNS} == set(open_runs(DATA / "mindspore"))


@each_run
def test_files_and_records(directory: str, files: list[tuple[str, Oracle]]) -> None:
    run = open_run(DATA / "mindspore" / directory)
    got = {facts.name: (facts.size_bytes, facts.records, facts.read_bytes) for facts in run.store.files}
    assert got == {name: (oracle["bytes"], oracle["records"], oracle["bytes"]) for name, oracle in files}
    assert run.damages == ()
    for oracle in (oracle for _, oracle in files):
        assert oracle["errors"] == []


@each_run
def test_tags_steps_and_values(directory: str, files: list[tuple[str, Oracle]]) -> None:
    run = open_run(DATA / "mindspore" / directory)
    tags = {(KINDS[each["plugin"]], each["tag"]): each for _, oracle in files for each in oracle.get("tags", [])}
    got = {(kind, tag) for kind in KINDS.values() for tag in run.tags(kind)}
    assert got == set(tags)
    for (kind, tag), want in tags.items():
        if kind is Kind.SCALAR:
            check_scalars(run, tag, want)
        else:
            check_values(run, kind, tag, want)


def check_scalars(run: Run, tag: str, want: Oracle) -> None:
    every = run.scalars(tag, overwritten=True)
    assert len(every) == want["n"]
    assert every.step.tolist()[: len(want["steps"])] == want["steps"]
    assert same_bits(every.value[: len(want["values"])], [number(value) for value in want["values"]])
    assert same_bits(every.value[[0, -1]], [number(want["first"]), number(want["last"])])
    shown = run.scalars(tag)
    assert shown.step.tolist() == sorted(set(every.step.tolist()))
    newest = dict(zip(every.step.tolist(), every.value.tolist(), strict=True))
    assert same_bits(shown.value, [newest[step] for step in shown.step.tolist()])


def check_values(run: Run, kind: Kind, tag: str, want: Oracle) -> None:
    every = run.values(kind, tag, overwritten=True)
    assert len(every) == want["n"]
    assert every.step.tolist()[: len(want["steps"])] == want["steps"]
    assert run.values(kind, tag).step.tolist() == sorted(set(every.step.tolist()))
    for sample, oracle in ((every[0], want["first"]), (every[-1], want["last"])):
        CHECKS[kind](sample.value, oracle)


def check_histogram(got: Histogram, want: Oracle) -> None:
    assert (got.left.size, got.total) == (want["buckets"], want["count"])
    assert (got.nan_count, got.positive_infinity_count, got.negative_infinity_count) == (
        want["nan"],
        want["pinf"],
        want["ninf"],
    )
    assert (got.minimum, got.maximum, got.sum) == (want["min"], want["max"], want["sum"])
    assert got.count.sum() == want["bucket_count_sum"]
    if want["buckets"]:
        left, width, count = want["first_bucket"]
        assert (got.left[0], got.right[0], got.count[0]) == (left, left + width, count)


def check_image(got: tuple[Image, ...], want: Oracle) -> None:
    (image,) = got
    assert (image.height, image.width, image.channels) == (want["h"], want["w"], want["c"])
    assert (len(image.encoded), image.encoded[:4].hex()) == (want["len"], want["magic"])
    assert sha1(image.encoded).hexdigest() == want["sha1"]
    assert image.pixels().shape[:2] == (want["h"], want["w"])


def check_tensor(got: Tensor, want: Oracle) -> None:
    assert list(got.value.shape) == want["dims"]
    assert got.value.dtype.name == want["dtype"].removeprefix("DT_").lower()
    assert got.value.size == want["n_float_data"]
    values = got.value.reshape(-1).astype(np.float64)
    assert (np.isnan(values).sum(), np.isposinf(values).sum(), np.isneginf(values).sum()) == (
        want["nan"],
        want["pinf"],
        want["ninf"],
    )
    assert same_bits(values[:3], [number(value) for value in want["first3"]])
    finite = values[np.isfinite(values)]
    if finite.size and want["min"] is not None:
        assert same_bits([finite.min(), finite.max()], [want["min"], want["max"]])


def check_landscape(got: Landscape, want: Oracle) -> None:
    for axis in "xyz":
        check_points(getattr(got, axis), want["landscape"][axis])
    path = want["loss_path"]
    if path is None:
        assert (got.path_intervals, got.path_x, got.path_y, got.path_z) == ((), None, None, None)
    else:
        assert list(got.path_intervals) == path["intervals"]
        for axis in "xyz":
            check_points(getattr(got, f"path_{axis}"), path["points"][axis])
    assert {"decomposition": got.decomposition, "unit": got.unit, "step_per_epoch": got.step_per_epoch} == want[
        "metadata"
    ]
    point = [want["convergence_point"][axis]["values_first_last"][0] for axis in "xyz"]
    assert got.convergence_point is not None
    assert same_bits(got.convergence_point, point)


def check_points(got: Any, want: Oracle) -> None:
    assert list(got.shape) == want["dims"]
    assert same_bits(got.reshape(-1)[[0, -1]], want["values_first_last"])


CHECKS: dict[Kind, Any] = {
    Kind.HISTOGRAM: check_histogram,
    Kind.IMAGE: check_image,
    Kind.TENSOR: check_tensor,
    Kind.LANDSCAPE: check_landscape,
}


@each_run
def test_graphs(directory: str, files: list[tuple[str, Oracle]]) -> None:
    graphs = list(open_run(DATA / "mindspore" / directory).graphs().values())
    oracles = [each for _, oracle in files for each in oracle.get("graphs", [])]
    assert len(graphs) == len(oracles)
    for graph, want in zip(graphs, oracles, strict=True):
        check_graph(graph, want)


def check_graph(got: Graph, want: Oracle) -> None:
    assert (got.name, len(got.operations)) == (want["name"], want["nodes"])
    kinds = Counter(f"{each.kind}_edge".upper() for node in got.operations for each in node.inputs)
    assert kinds == want["edges"]
    assert got.edge_count == sum(want["edges"].values())
    assert Counter(node.op_type for node in got.operations) == want["op_types"]
    assert len({node.scope for node in got.operations}) == want["scopes"]
    listed = [each for each in got.nodes if each.role in (Role.PARAMETER, Role.INPUT)]  # one list in the file
    assert [each.name for each in listed] == want["parameter_names"]
    assert len(listed) == want["parameters"]
    assert len([each for each in listed if each.value is not None]) == want["parameters_with_default_val"]
    assert [each.name for each in got.outputs] == want["outputs"]
    assert len(got.constants) == want["const_vals"]
    check_first_node(got, want["first_node"])
    assert not got.nodes_of(Role.UNRESOLVED)


def check_first_node(got: Graph, want: Oracle) -> None:
    node = got.nodes[0]
    assert (node.name, node.op_type, node.scope, node.full_name) == tuple(
        want[field] for field in ("name", "op_type", "scope", "full_name")
    )
    assert [each.node.name for each in node.inputs] == [each["name"] for each in want["input"]]
    tensor = want["output_type"].get("tensor_type")
    if tensor is not None:
        assert node.dtype == tensor["elem_type"].removeprefix("DT_").lower()
        assert node.shape == tuple(int(dim["size"]) for dim in tensor["shape"].get("dim", []))


def same_float32(got: float | None, want: float | str | None) -> bool:
    """Oracles print float32 with as many digits as tell it from its neighbors."""
    return got is want is None or (got is not None and want is not None and same_bits([got], [number(want)]))


@each_run
def test_lineage(directory: str, files: list[tuple[str, Oracle]]) -> None:
    run = open_run(DATA / "mindspore" / directory)
    events = [each for _, oracle in files if oracle["kind"] == "lineage" for each in oracle["events"]]
    lineage = run.lineage
    check_train(lineage.train, [each["train_lineage"] for each in events if "train_lineage" in each])
    check_eval(lineage.eval, [each["evaluation_lineage"] for each in events if "evaluation_lineage" in each])
    custom = [part for each in events for part in each.get("user_defined_info", {}).get("user_info", [])]
    assert lineage.custom == {
        key: value for part in custom for values in part.values() for key, value in values.items()
    }
    check_dataset_graph(run.dataset_graph, [each["dataset_graph"] for each in events if "dataset_graph" in each])


def check_train(got: TrainLineage | None, wanted: list[Oracle]) -> None:
    assert (got is None) == (not wanted)
    for want in wanted:
        assert got is not None
        hyper = want["hyper_parameters"]
        for field in ("optimizer", "loss_function", "epoch", "parallel_mode", "device_num", "batch_size"):
            assert getattr(got, field) == hyper.get(field)
        assert same_float32(got.learning_rate, hyper.get("learning_rate"))
        assert (got.dataset_path, got.dataset_size) == (
            want["train_dataset"].get("train_dataset_path"),
            want["train_dataset"].get("train_dataset_size"),
        )
        assert got.network == want["algorithm"].get("network")
        assert same_float32(got.loss, want["algorithm"].get("loss"))
        assert got.model_paths == json.loads(want["model"]["path"])
        assert got.model_path == json.loads(want["model"]["path"])["ckpt"]
        assert got.model_size == (int(want["model"]["size"]) or None)  # without a checkpoint MindSpore writes 0


def check_eval(got: EvalLineage | None, wanted: list[Oracle]) -> None:
    assert (got is None) == (not wanted)
    for want in wanted:
        assert got is not None
        assert got.metric == (json.loads(want["metric"]) if "metric" in want else None)
        assert got.dataset_path == want["valid_dataset"].get("valid_dataset_path")
        assert got.dataset_size == want["valid_dataset"].get("valid_dataset_size")


def check_dataset_graph(got: DatasetNode | None, wanted: list[Oracle]) -> None:
    assert (got is None) == (not wanted)
    if got is not None:
        check_stage(got, wanted[-1])


def check_stage(got: DatasetNode, want: Oracle) -> None:
    parameter = want.get("parameter", {})
    texts, flags, numbers = (parameter.get(name, {}) for name in ("mapStr", "mapBool", "mapInt"))
    assert got.op_type == texts["op_type"]
    told = {**texts, **flags, **numbers}
    assert {name: got.parameters[name] for name in told if name != "op_type"} | {"op_type": got.op_type} == told
    for name, values in parameter.get("mapStrList", {}).items():
        assert got.parameters[name] == [json.loads(text) for text in values["strValue"]]
    assert [each.name for each in got.operations] == [
        each["operationParam"]["mapStr"]["tensor_op_name"] for each in want.get("operations", [])
    ]
    assert (got.sampler is None) == ("sampler" not in want)
    assert len(got.children) == len(want.get("children", []))
    for child, wanted in zip(got.children, want.get("children", []), strict=True):
        check_stage(child, wanted)


TENSORBOARD = json.loads((DATA / "tensorboard" / "tb_all.expected.json").read_text())
PLUGINS = {
    "scalars": Kind.SCALAR,
    "histograms": Kind.HISTOGRAM,
    "images": Kind.IMAGE,
    "text": Kind.TEXT,
    "pr_curves": Kind.PR_CURVE,
    "audio": Kind.AUDIO,
    "custom_scalars": Kind.CUSTOM_SCALARS,
    "mesh": Kind.MESH,
    "hparams": Kind.HPARAMS,
    "graph_tagged_run_metadata": Kind.RUN_METADATA,
}
RUN_GRAPH = "__run_graph__"
"""What TensorBoard's reader calls the graph of a run."""


@pytest.mark.parametrize("id", TENSORBOARD)
def test_tensorboard(id: str) -> None:
    run = open_run(DATA / "tensorboard" / "tb_all" / id)
    want = {tag: oracle for tag, oracle in TENSORBOARD[id].items() if tag not in ("__graph__", RUN_GRAPH)}
    assert run.damages == ()
    assert {(PLUGINS[oracle["plugin"]], tag) for tag, oracle in want.items()} == {
        (kind, tag) for kind in PLUGINS.values() for tag in run.tags(kind)
    }
    assert bool(run.graphs()) == TENSORBOARD[id]["__graph__"]
    for tag, oracle in want.items():
        check_tensorboard_tag(run, tag, oracle)


def check_tensorboard_tag(run: Run, tag: str, want: Oracle) -> None:
    if want["plugin"] == "scalars":
        scalars = run.scalars(tag, overwritten=True)
        assert scalars.step.tolist() == want["steps"]
        assert same_bits(scalars.value, [number(value) for value in want["values"]])
        return
    values = run.values(PLUGINS[want["plugin"]], tag, overwritten=True)
    assert (len(values), values.step.tolist()) == (want["n"], want["steps"])
    check_shape(values[0].value, want["plugin"], want["shape0"])


def check_shape(value: Any, plugin: str, shape: list[int]) -> None:
    """TensorBoard's reader turns every value into a tensor; of ours only the first axis shows in each kind."""
    if plugin == "histograms":
        assert (value.left.size, 3) == tuple(shape)
    elif plugin == "images":
        assert 2 + len(value) == shape[0]
    elif plugin == "text":
        assert [len(value)] == shape
    elif plugin in ("pr_curves", "mesh"):
        assert list(value.value.shape) == shape
    elif plugin == "audio":
        assert value.encoded.startswith(b"RIFF")
        assert len(value.encoded) > 2 * 8000
    else:
        assert value


def test_tensorboard_hparams() -> None:
    run = open_runs(DATA / "tensorboard")["tb_all/run_a/1795227663.2305825"]
    assert run.hparams == {"lr": 0.1, "bs": 32.0, "opt": "adam"}


def test_tensorboard_graph_of_torch() -> None:
    (graph,) = open_run(DATA / "tensorboard" / "tb_all" / "run_a").graphs().values()
    assert len({node.name for node in graph.operations}) == len(graph.operations) == 20
    assert {node.name for node in graph.nodes_of(Role.UNRESOLVED)} == {
        "Sequential/Conv2d[0]/weight/_0",
        "Sequential/Linear[3]/weight/_3",
    }  # torch leaves modules out
    (convolution,) = (node for node in graph.nodes if node.op_type == "aten::_convolution")
    assert (convolution.scope, convolution.shape) == ("Sequential/Conv2d[0]", (1, 8, 26, 26))


def test_texts_of_tensorboard_read_as_they_were_written() -> None:
    texts = open_run(DATA / "tensorboard" / "tb_all" / "run_a").texts("note/text_summary")
    assert [sample.value for sample in texts] == [(f"step **{step}** text",) for step in range(0, 300, 30)]


def test_not_finite_scalars_stay_what_they_are() -> None:
    value = open_run(DATA / "tensorboard" / "tb_all" / "run_a").scalars("nan").value.tolist()
    assert math.isnan(value[0])
    assert value[1:] == [math.inf, 3.0]


def test_images_of_tensorboard_decode(tmp_path: Path) -> None:
    run = open_run(DATA / "tensorboard" / "tb_all" / "run_a")
    assert [image.pixels().shape for image in run.images("sample")[0].value] == [(32, 48, 3)]
    assert len(run.images("batch")[0].value) == 1
