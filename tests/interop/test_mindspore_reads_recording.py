# SPDX-License-Identifier: Apache-2.0
"""Files of SummaryRecord, read by TensorBoard's record reader and MindSpore's own protobuf classes."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from PIL import Image

from mindscope.capture import SummaryRecord
from mindscope.types import Landscape, LandscapeFacts

pytestmark = pytest.mark.framework
summary_pb2 = pytest.importorskip("mindspore.train.summary_pb2")
lineage_pb2 = pytest.importorskip("mindspore.train.lineage_pb2")
anf_ir_pb2 = pytest.importorskip("mindspore.train.anf_ir_pb2")
pywrap = pytest.importorskip("tensorboard.compat.tensorflow_stub.pywrap_tensorflow")
errors = pytest.importorskip("tensorboard.compat.tensorflow_stub.errors")

DTYPES = {"DT_BOOL": "bool", "DT_FLOAT16": "float16", "DT_FLOAT32": "float32", "DT_FLOAT64": "float64"}
DTYPES |= {f"DT_{sign}INT{bits}": f"{sign.lower()}int{bits}" for sign in ("", "U") for bits in (8, 16, 32, 64)}
DTYPES["DT_BFLOAT16"] = ml_dtypes.bfloat16  # type: ignore[assignment]


def payloads(path: Path) -> Iterator[bytes]:
    """The records of a file; the reader verifies both checksums."""
    reader = pywrap.PyRecordReader_New(str(path))
    with contextlib.suppress(errors.OutOfRangeError):
        while True:
            reader.GetNext()
            yield reader.record()


def read_events(directory: Path, suffix: str = "_MS", message: Any = summary_pb2.Event) -> list[Any]:
    (path,) = directory.glob(f"events.out.events.summary.*{suffix}")
    return [message.FromString(payload) for payload in payloads(path)]


@pytest.fixture
def record(tmp_path: Path) -> Iterator[SummaryRecord]:
    with SummaryRecord(tmp_path, raise_exception=True) as record:
        yield record


def value_of(record: SummaryRecord, plugin: str, value: Any) -> Any:
    """The one ``Summary.Value`` that ``value`` becomes."""
    record.add_value(plugin, "tag", value)
    record.record(3)
    record.flush()
    version, event = read_events(Path(record.log_dir).parent)
    assert version.version == "MindSpore.Event:1"
    assert event.step == 3
    assert event.wall_time >= version.wall_time - 60
    (read,) = event.summary.value
    assert read.tag == "tag"
    return read


def array_of(tensor: Any) -> np.ndarray[Any, Any]:
    """The array of a TensorProto as our readers take it: ``raw_data`` where it is, else ``float_data``."""
    dtype = np.dtype(DTYPES[anf_ir_pb2.DataType.Name(tensor.data_type)])
    flat = np.frombuffer(tensor.raw_data, dtype) if tensor.raw_data else np.array(tensor.float_data, np.float32)
    return flat.astype(dtype).reshape(tuple(tensor.dims))


@pytest.mark.parametrize("value", [0.1, 3, True, np.float64(1 / 3), np.int8(-7), float("inf"), -0.0])
def test_scalar(record: SummaryRecord, value: Any) -> None:
    read = value_of(record, "scalar", value)
    assert read.WhichOneof("value") == "scalar_value"
    assert read.scalar_value == np.float32(value)


@pytest.mark.parametrize("value", [2**24 + 1, 1e300, -1e-300, 1234567890.125])
def test_readers_skip_the_field_of_a_scalar_beyond_float32(record: SummaryRecord, value: float) -> None:
    event_pb2 = pytest.importorskip("tensorboard.compat.proto.event_pb2")
    read = value_of(record, "scalar", value)
    with np.errstate(over="ignore"):
        assert read.scalar_value == np.float32(value)
    assert read.WhichOneof("value") == "scalar_value"
    _, event = read_events(Path(record.log_dir).parent, message=event_pb2.Event)
    assert [each.tag for each in event.summary.value] == ["tag"]  # TensorBoard has no field 3 either


@pytest.mark.parametrize("shape", [(5, 7), (3, 5, 7), (5, 7, 4), (2, 1, 5, 7), (11, 5, 7, 3)])
def test_image(record: SummaryRecord, shape: tuple[int, ...]) -> None:
    read = value_of(record, "image", np.random.default_rng(1).integers(0, 256, shape, np.uint8)).image
    with Image.open(io.BytesIO(read.encoded_image)) as picture:
        assert picture.format == "PNG"
        assert picture.size == (read.width, read.height)
        assert len(picture.getbands()) == read.colorspace


def test_histogram(record: SummaryRecord) -> None:
    values = np.append(np.arange(1000) % 10, [np.nan, np.inf, np.inf, -np.inf])
    read = value_of(record, "histogram", values).histogram
    assert (read.count, read.nan_count, read.pos_inf_count, read.neg_inf_count) == (1004, 1, 2, 1)
    assert (read.min, read.max, read.sum) == (0, 9, 4500)
    assert len(read.buckets) == 90
    assert sum(bucket.count for bucket in read.buckets) == 1000
    assert all(bucket.width > 0 for bucket in read.buckets)


@pytest.mark.parametrize("dtype", DTYPES.values())
def test_tensor(record: SummaryRecord, dtype: Any) -> None:
    bits = np.random.default_rng(2).integers(0, 256, 96, np.uint8)
    array = np.array([[True, False]]) if dtype == "bool" else bits.view(dtype).reshape(2, 1, -1)
    read = value_of(record, "tensor", array).tensor
    assert array_of(read).tobytes() == array.tobytes() or np.isnan(array.astype(float)).any()
    np.testing.assert_array_equal(array_of(read).astype(float), array.astype(float))
    with np.errstate(over="ignore", invalid="ignore"):
        np.testing.assert_array_equal(np.array(read.float_data, np.float32), array.astype(np.float32).reshape(-1))


@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2)])
def test_tensor_of_few_elements(record: SummaryRecord, shape: tuple[int, ...]) -> None:
    read = value_of(record, "tensor", np.ones(shape)).tensor
    assert array_of(read).shape == shape


def test_landscape(record: SummaryRecord) -> None:
    x, y = np.linspace(-1, 1, 4), np.linspace(-2, 2, 3)
    z = np.add.outer(y**2, x**2)
    path = np.array([0.1, 0.2], np.float32)
    landscape = Landscape(x, y, z, (1, 2), path, path, path, (0.0, 0.0, 0.5), "PCA", "epoch", 10, LandscapeFacts("pca"))
    read = value_of(record, "landscape", landscape).loss_landscape
    np.testing.assert_array_equal(array_of(read.landscape.z), z)
    np.testing.assert_array_equal(array_of(read.landscape.x), x)
    assert list(read.loss_path.intervals) == [1, 2]
    np.testing.assert_array_equal(array_of(read.loss_path.points.y), path)
    assert (read.metadata.decomposition, read.metadata.unit, read.metadata.step_per_epoch) == ("PCA", "epoch", 10)
    assert array_of(read.convergence_point.z) == [0.5]


def test_landscape_message(record: SummaryRecord) -> None:
    message = summary_pb2.Summary.Value().loss_landscape
    message.metadata.unit = "step"
    message.landscape.x.dims.append(0)
    message.landscape.x.data_type = 12
    message.landscape.y.CopyFrom(message.landscape.x)
    message.landscape.z.CopyFrom(message.landscape.x)
    assert value_of(record, "landscape", message).loss_landscape == message


def graph_message() -> Any:
    graph = anf_ir_pb2.GraphProto(name="net")
    node = graph.node.add(name="1", op_type="Add", scope="Default/net")
    node.input.add(name="x", type=anf_ir_pb2.InputProto.DATA_EDGE)
    node.attribute.add(name="k").value.int_val = 3
    graph.parameters.add(name="x").type.data_type = 12
    return graph


def graph_bytes(graph: Any) -> Any:
    return graph.SerializeToString()


def graph_in_model(graph: Any) -> Any:
    model = anf_ir_pb2.ModelProto(ir_version=1, domain="d", model_version=1)
    model.graph.CopyFrom(graph)
    return model.SerializeToString()


@pytest.mark.parametrize("form", [lambda graph: graph, graph_bytes, graph_in_model])
def test_graph(record: SummaryRecord, form: Any) -> None:
    record.add_value("graph", "", form(graph_message()))
    record.add_value("scalar", "loss", 1.0)
    record.record(1)
    record.flush()
    _, graph, step = read_events(Path(record.log_dir).parent)
    assert graph.graph_def == graph_message()
    assert not graph.HasField("step")
    assert step.step == 1


def test_lineage_dicts(record: SummaryRecord, tmp_path: Path) -> None:
    train = {
        "hyper_parameters": {"optimizer": "Adam", "learning_rate": np.float32(0.25), "epoch": np.int64(3)},
        "train_dataset": {"train_dataset_path": "/data", "train_dataset_size": 100},
        "algorithm": {"network": "LeNet", "loss": 0.5},
        "model": {"path": {"ckpt": None}, "size": 1 << 40},
    }
    sampler = {"operationParam": {"mapInt": {"shard": 3}}, "size": [1, 2], "weights": [0.5]}
    child = {"parameter": {"mapStrList": {"columns": {"strValue": ['"image"']}}, "mapBool": {"shuffle": True}}}
    record.add_value("dataset_graph", "", {"children": [child], "sampler": sampler})
    record.add_value("train_lineage", "", train)
    record.add_value("eval_lineage", "", {"metric": {"Accuracy": np.array([0.5, 1])}, "valid_dataset": {}})
    record.add_value("custom_lineage_data", "", {"a": 1, "b": 0.5, "c": "text", "d": 1 << 40})
    record.record(1)
    record.flush()
    graph, trained, evaluated, own = read_events(tmp_path, "_lineage", lineage_pb2.LineageEvent)
    assert graph.dataset_graph.children[0].parameter.mapStrList["columns"].strValue == ['"image"']
    assert graph.dataset_graph.sampler.operationParam.mapInt["shard"] == 3
    assert trained.train_lineage.hyper_parameters.learning_rate == 0.25
    assert trained.train_lineage.hyper_parameters.epoch == 3
    assert trained.train_lineage.model.size == 1 << 40
    assert json.loads(trained.train_lineage.model.path) == {"ckpt": None}
    assert json.loads(evaluated.evaluation_lineage.metric) == {"Accuracy": [0.5, 1.0]}
    first, second, third, fourth = own.user_defined_info.user_info
    assert (dict(first.map_int32), dict(second.map_double)) == ({"a": 1}, {"b": 0.5})
    assert (dict(third.map_str), dict(fourth.map_str)) == ({"c": "text"}, {"d": str(1 << 40)})
    assert not graph.HasField("step")


def test_lineage_messages_of_mindspore(record: SummaryRecord, tmp_path: Path) -> None:
    train = lineage_pb2.TrainLineage()
    train.algorithm.network = "LeNet"
    own = lineage_pb2.UserDefinedInfo()
    own.user_info.add().map_int32["a"] = 1
    record.add_value("train_lineage", "train_lineage", train)
    record.add_value("custom_lineage_data", "custom", own.SerializeToString())
    record.record(1)
    record.flush()
    first, second = read_events(tmp_path, "_lineage", lineage_pb2.LineageEvent)
    assert first.train_lineage == train
    assert second.user_defined_info == own


def test_step_is_any_int64(record: SummaryRecord, tmp_path: Path) -> None:
    steps = [0, -1, 1 << 40, (1 << 63) - 1, -(1 << 63)]
    for step in steps:
        record.add_value("scalar", "损失/loss", 1.0)
        record.record(step)
    record.flush()
    events = read_events(tmp_path)[1:]
    assert [event.step for event in events] == steps
    assert {value.tag for event in events for value in event.summary.value} == {"损失/loss"}
