# SPDX-License-Identifier: Apache-2.0
"""Pieces of the drop-in on real objects of MindSpore."""

from __future__ import annotations

import inspect
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mindscope

mindspore: Any = pytest.importorskip("mindspore")

import mindspore.dataset as ds  # noqa: E402
import trainings  # noqa: E402
from mindspore import Tensor, nn, ops  # noqa: E402
from mindspore.dataset import transforms, vision  # noqa: E402
from mindspore.train import Callback, Loss, Model  # noqa: E402
from trainings import Convolutions, Perceptron, digits, loss_function, mnist, write_mnist  # noqa: E402

import mindscope.mindspore  # noqa: E402
from mindscope.collector.pipeline import dataset_message  # noqa: E402
from mindscope.errors import FormatError, FrameworkError  # noqa: E402
from mindscope.graph.data.dataset import DatasetNode, read_dataset_graph  # noqa: E402
from mindscope.mindspore import ArrayRows, SummaryCollector, SummaryLandscape, SummaryRecord  # noqa: E402
from mindscope.mindspore.datasets import dataset_node  # noqa: E402
from mindscope.mindspore.graphs import graph_of  # noqa: E402
from mindscope.mindspore.operator_values import OperatorValues  # noqa: E402
from mindscope.types import Message  # noqa: E402

pytestmark = [pytest.mark.framework, pytest.mark.timeout(900)]


@pytest.fixture(autouse=True)
def the_same_numbers() -> None:
    trainings.begin()


def recorded(data: Any) -> DatasetNode:
    """A pipeline as it is read from its message."""
    message: Message = dataset_message(dataset_node(data))
    return read_dataset_graph(message)


def test_public_names_are_there() -> None:
    names = mindscope.mindspore.__all__
    ours = "ArrayRows EvalLineage Profiler SummaryStep TrainLineage".split()
    wanted = sorted([*ours, "SummaryCollector", "SummaryLandscape", "SummaryRecord"])
    assert names == dir(mindscope.mindspore) == wanted
    assert all(getattr(mindscope.mindspore, name).__name__ == name for name in names)
    with pytest.raises(AttributeError, match="no attribute 'Summary'"):
        mindscope.mindspore.Summary  # noqa: B018


def signature(function: Any) -> list[tuple[str, Any]]:
    """Names and defaults, without what is ours."""
    parameters = inspect.signature(function).parameters.values()
    return [
        (each.name, each.default)
        for each in parameters
        if each.name != "queue_timeout" and each.kind is not inspect.Parameter.KEYWORD_ONLY
    ]


@pytest.mark.parametrize(("ours", "own", "methods"), [
    (SummaryCollector, mindspore.SummaryCollector, "__init__ begin step_end epoch_end end"),
    (SummaryRecord, mindspore.SummaryRecord, "__init__ add_value record set_mode flush close"),
    (SummaryLandscape, mindspore.SummaryLandscape, "__init__ gen_landscapes_with_multi_process clean_ckpt"),
])  # fmt: skip
def test_arguments_and_defaults_are_those_of_mindspore(ours: Any, own: Any, methods: str) -> None:
    for method in methods.split():
        assert signature(getattr(ours, method)) == signature(getattr(own, method)), method


LANDSCAPE = {"landscape_size": 4, "intervals": [[1, 2, 3]]}


@pytest.mark.parametrize("given", [
    {"collect_freq": 0}, {"collect_freq": "2"}, {"collect_freq": 1.5}, {"collect_tensor_freq": -1},
    {"max_file_size": 0}, {"max_file_size": "4"}, {"keep_default_action": 1}, {"summary_dir": ""}, {"summary_dir": " "},
    {"export_options": {"tensor_format": "x"}},
    {"export_options": {"other": "npy"}}, {"export_options": 1}, {"collect_specified_data": []},
    {"collect_specified_data": {"other": True}}, {"collect_specified_data": {"collect_graph": 1}},
    {"collect_specified_data": {"histogram_regular": 1}}, {"collect_specified_data": {"histogram_regular": "("}},
    {"collect_specified_data": {"collect_landscape": 3}}, {"custom_lineage_data": []},
    {"custom_lineage_data": {1: 2}}, {"custom_lineage_data": {"a": [1]}},
    *({"collect_specified_data": {"collect_landscape": LANDSCAPE | each}} for each in (
        {"landscape_size": 2}, {"landscape_size": 257}, {"landscape_size": "4"}, {"unit": "batch"}, {"unit": 1},
        {"num_samples": "1"}, {"create_landscape": {"all": True}}, {"create_landscape": {"train": 1}},
        {"intervals": [[1, 2]]}, {"intervals": 1}, {"intervals": [["1", "2", "3"]]}, {"other": 1},
    )),
])  # fmt: skip
def test_what_mindspore_refuses_is_refused_with_the_same_error(tmp_path: Path, given: dict[str, Any]) -> None:
    with pytest.raises((TypeError, ValueError)) as own:
        mindspore.SummaryCollector(**{"summary_dir": str(tmp_path / "own")} | given)
    with pytest.raises((TypeError, ValueError)) as ours:
        SummaryCollector(**{"summary_dir": str(tmp_path / "ours")} | given)
    assert ours.type is own.type


def test_samplers_and_their_weights_are_recorded(tmp_path: Path) -> None:
    files = write_mnist(tmp_path)
    weighted = ds.WeightedRandomSampler([1, 2.5, 0.25], num_samples=3)
    node = recorded(ds.MnistDataset(str(files / "train"), sampler=weighted))
    assert node.sampler is not None
    assert node.sampler.name == "WeightedRandomSampler"
    assert node.sampler.weights == (1.0, 2.5, 0.25)
    assert node.sampler.parameters["replacement"] is True
    outer = ds.DistributedSampler(2, 0)
    outer.add_child(ds.SubsetRandomSampler([4, 1, 2]))
    node = recorded(ds.MnistDataset(str(files / "train"), sampler=outer))
    assert node.sampler is not None
    assert node.sampler.parameters["num_shards"] == 2
    (child,) = node.sampler.parameters["child_sampler"]
    assert (child["sampler_name"], child["indices"]) == ("SubsetRandomSampler", [4, 1, 2])


def test_transforms_inside_of_others_are_recorded(tmp_path: Path) -> None:
    choice = transforms.RandomChoice([
        vision.Resize((8, 8)), transforms.Compose([vision.RandomCrop(4), vision.RandomHorizontalFlip(0.25)])
    ])  # fmt: skip
    data = ds.MnistDataset(str(write_mnist(tmp_path) / "train")).map([choice, vision.HWC2CHW()], ["image"])
    (outer, last) = recorded(data.batch(4)).children[0].operations
    resize, compose = outer.parameters["transforms"]
    assert (outer.name, last.name) == ("RandomChoice", "HwcToChw")
    assert resize["tensor_op_params"]["size"] == [8, 8]
    inner = compose["tensor_op_params"]["transforms"]
    assert [each["tensor_op_name"] for each in inner] == ["RandomCrop", "RandomHorizontalFlip"]
    assert inner[1]["tensor_op_params"]["prob"] == 0.25


@pytest.mark.filterwarnings("ignore")
def test_every_kind_of_stage_is_recorded() -> None:
    left = digits(32, 8).rename(["data"], ["a"]).map(lambda row: row * 2, ["a"])
    data = ds.zip((left.project(["a"]), digits(32, 8))).shuffle(4).repeat(2).skip(1).take(5)
    kinds = [node.op_type for node in recorded(data).walk()]
    assert kinds[:5] == ["Take", "Skip", "Repeat", "Shuffle", "Zip"]
    assert {"Rename", "Map", "Project", "Batch", "GeneratorDataset"} <= set(kinds)
    (function,) = next(node for node in recorded(data).walk() if node.op_type == "Map").operations
    assert function.name == "<lambda>"


class Called(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.scalar, self.histogram = ops.ScalarSummary(), ops.HistogramSummary()

    def construct(self, x: Any) -> Any:
        self.scalar("a [:b]/c", x.sum())
        self.histogram("row", x)
        return x * 2


@pytest.mark.parametrize("mode", [mindspore.GRAPH_MODE, mindspore.PYNATIVE_MODE])
def test_values_of_operators_are_taken_once(mode: int) -> None:
    trainings.begin(mode)
    values = OperatorValues()
    values.discard()
    network = Called()
    network(Tensor(np.ones(3, np.float32)))
    network(Tensor(np.full(3, 2, np.float32)))
    taken = {(plugin, tag): value.asnumpy().tolist() for plugin, tag, value in values.take()}
    assert taken == {("scalar", "a [:b]/c"): 6.0, ("histogram", "row"): [2, 2, 2]}
    assert not values.take()


def test_another_way_of_handing_values_over_is_an_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from mindspore.train.summary import summary_record

    monkeypatch.delattr(summary_record, "_get_summary_tensor_data")
    with pytest.raises(FrameworkError, match=r"has no .*_get_summary_tensor_data, by which 2\.7 to 2\.10"):
        SummaryCollector(str(tmp_path))


def test_recorder_takes_values_in_training_only(tmp_path: Path) -> None:
    network = Called()
    with SummaryRecord(str(tmp_path)) as record:
        for step, mode in enumerate(("train", "eval", "train"), start=1):
            record.set_mode(mode)
            network(Tensor(np.full(2, step, np.float32)))
            record.record(step)
    assert list(mindscope.open_run(tmp_path).scalars("a [:b]/c").step) == [1, 3]


def test_network_of_another_kind_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match=r"network is str, want a mindspore\.nn\.Cell"):
        SummaryRecord(str(tmp_path), network="net")  # type: ignore[arg-type]


def test_structure_of_cells_stands_for_a_graph_in_pynative_mode() -> None:
    assert graph_of(Convolutions()) is None
    trainings.begin(mindspore.PYNATIVE_MODE)
    graph = graph_of(Convolutions())
    assert graph is not None
    assert "cell structure" in graph["name"]
    scopes = {node["op_type"]: node["scope"] for node in graph["node"]}
    assert scopes["Conv2d"] == "Default/conv2-Conv2d"
    (dense,) = [node for node in graph["node"] if node["instance_name"] == "fc3"]
    assert [each["name"] for each in dense["input"]] == ["fc3.weight", "fc3.bias"]
    (weight,) = [each for each in graph["parameters"] if each["name"] == "fc3.weight"]
    assert [each["size"] for each in weight["type"]["tensor_type"]["shape"]["dim"]] == [10, 8]


class Sunk(Callback):
    """Says that the data is sunk, which the CPU never does."""

    def on_train_begin(self, run_context: Any) -> None:
        run_context.original_args().dataset_sink_mode = True


def test_sunk_data_is_collected_by_epoch(tmp_path: Path) -> None:
    network = Perceptron()
    model = Model(network, loss_function(), nn.SGD(network.trainable_params(), 0.1))
    model.train(4, digits(64, 32), callbacks=[Sunk(), SummaryCollector(str(tmp_path), 2)])
    assert list(mindscope.open_run(tmp_path).scalars("loss/auto").step) == [2, 4, 8]


def test_large_batches_of_pictures_are_recorded_whole(tmp_path: Path) -> None:
    network = Convolutions()
    model = Model(network, loss_function(), nn.SGD(network.trainable_params(), 0.1))
    data = mnist(write_mnist(tmp_path / "mnist") / "train", 96, batch_size=48)
    model.train(1, data, callbacks=[SummaryCollector(str(tmp_path / "run"))])
    (picture,) = mindscope.open_run(tmp_path / "run").images("input_data/auto")[0].value
    assert (picture.height, picture.width) == (6 * trainings.SIZE, 8 * trainings.SIZE)


def evaluated_model() -> Any:
    network, metrics = Perceptron(), {"Loss": Loss()}
    return Model(network, loss_function(), metrics=metrics), network, digits(64, 32), metrics


def kept_weights(directory: Path) -> None:
    network = Perceptron()
    model = Model(network, loss_function(), nn.SGD(network.trainable_params(), 0.1))
    landscape = {"landscape_size": 3, "intervals": [[1, 2, 3, 4]]}
    collector = SummaryCollector(str(directory), collect_specified_data={"collect_landscape": landscape})
    model.train(1, digits(128, 32), callbacks=[collector])


def test_directory_of_weights_may_be_moved_and_devices_share_the_work(tmp_path: Path) -> None:
    kept_weights(tmp_path / "before")
    shutil.move(tmp_path / "before", tmp_path / "after")
    drawn: list[Any] = []
    for devices, output in (([0, 1], "two"), (None, "one")):
        landscape = SummaryLandscape(str(tmp_path / "after"))
        landscape.gen_landscapes_with_multi_process(
            evaluated_model, {"create_landscape": {"result": False}}, devices, output=str(tmp_path / output)
        )
        drawn.append(mindscope.open_run(tmp_path / output).landscapes()["landscape_[1, 4]"])
    np.testing.assert_allclose(drawn[0].z, drawn[1].z, rtol=1e-6)
    SummaryLandscape(str(tmp_path / "after")).clean_ckpt()
    assert not (tmp_path / "after" / "ckpt_dir").exists()


@pytest.mark.parametrize(("devices", "error"), [("0", TypeError), ([0.5], TypeError), ([-1], ValueError)])
def test_devices_are_checked(tmp_path: Path, devices: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match=r"device_ids is .* want a list of whole numbers"):
        SummaryLandscape(str(tmp_path)).gen_landscapes_with_multi_process(evaluated_model, device_ids=devices)


def test_missing_and_broken_files_of_weights_are_told(tmp_path: Path) -> None:
    landscape = SummaryLandscape(str(tmp_path))
    with pytest.raises(FileNotFoundError, match="first train with a collector"):
        landscape.gen_landscapes_with_multi_process(evaluated_model)
    (tmp_path / "ckpt_dir").mkdir()
    (tmp_path / "ckpt_dir" / "train_metadata.json").write_text('{"unit": "step"}')
    with pytest.raises(FormatError, match="want what a SummaryCollector writes"):
        landscape.gen_landscapes_with_multi_process(evaluated_model)


def test_source_of_another_kind_is_refused() -> None:
    with pytest.raises(TypeError, match="source is int, want columns"):
        ArrayRows(5)


def test_columns_have_one_length() -> None:
    with pytest.raises(ValueError, match=r"columns have \[2, 3\] rows"):
        ArrayRows((np.zeros(2), np.zeros(3)))
    rows = ArrayRows({"data": np.zeros((4, 2)), "label": [1, 2, 3, 4]})
    assert len(rows) == 4
    assert [each.shape for each in rows[1]] == [(2,), ()]
