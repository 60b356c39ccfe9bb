# SPDX-License-Identifier: Apache-2.0
"""The files of our SummaryWriter beside those of PyTorch's, event by event, with TensorBoard's own classes."""

from __future__ import annotations

import io
import re
import warnings
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mindscope import SummaryWriter, open_run
from mindscope.formats.frames import FrameReader
from tests import summary_writer_calls as everything

pytestmark = pytest.mark.framework
pytest.importorskip("tensorboard")
matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")

ONLY_OURS = {"video"}  # PyTorch writes no video with the moviepy of today


@pytest.fixture(scope="module")
def figure() -> Any:
    import matplotlib.pyplot as plt

    drawn = plt.figure(figsize=(2, 1.5))
    drawn.add_subplot().plot([1, 3, 2])
    return drawn


@pytest.fixture(scope="module")
def onnx_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    onnx: Any = pytest.importorskip("onnx")
    helper = onnx.helper
    ends = [helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [2, 3]) for name in ("x", "y")]
    nodes = [helper.make_node("Relu", ["x"], ["h"]), helper.make_node("Exp", ["h"], ["y"])]
    path = tmp_path_factory.mktemp("onnx") / "model.onnx"
    onnx.save(helper.make_model(helper.make_graph(nodes, "g", ends[:1], ends[1:])), str(path))
    return path


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory, figure: Any, onnx_file: Path) -> tuple[Path, Path]:
    """The directories that PyTorch's writer and ours wrote."""
    from torch.utils.tensorboard import SummaryWriter as TorchWriter

    directory = tmp_path_factory.mktemp("logs")
    for name, kind in (("torch", TorchWriter), ("ours", SummaryWriter)):
        with warnings.catch_warnings(), kind(str(directory / name), purge_step=7, filename_suffix=".x") as writer:
            warnings.simplefilter("ignore", DeprecationWarning)  # of the tracer that PyTorch's writer uses
            everything.call_everything(writer, figure, onnx_file)
    return directory / "torch", directory / "ours"


def untyped(module: str, name: str) -> Any:
    """A class or function of a package without types."""
    return getattr(import_module(module), name)


def events(directory: Path) -> list[Any]:
    Event = untyped("tensorboard.compat.proto.event_pb2", "Event")

    found: list[Any] = []
    for path in sorted(directory.glob("*tfevents*")):
        reader, content = FrameReader(str(path)), path.read_bytes()
        found += [Event.FromString(bytes(payload)) for _, payload in reader.records(content)]
        assert reader.damages == ()
        assert reader.position == len(content)
    return found


def values(directory: Path) -> Iterator[tuple[Any, Any]]:
    for event in events(directory):
        for value in event.summary.value:
            yield event, value


def plain(value: Any) -> Any:
    """What a value says, however it is encoded."""
    from PIL import Image

    Layout = untyped("tensorboard.plugins.custom_scalar.layout_pb2", "Layout")
    HParamsPluginData = untyped("tensorboard.plugins.hparams.plugin_data_pb2", "HParamsPluginData")
    make_ndarray = untyped("tensorboard.util.tensor_util", "make_ndarray")

    form, plugin = value.WhichOneof("value"), value.metadata.plugin_data
    content: Any = plugin.content
    if plugin.plugin_name == "hparams":
        content = HParamsPluginData.FromString(plugin.content)
    what = value.metadata.display_name, value.metadata.summary_description, plugin.plugin_name, content
    if form == "image":
        image = value.image
        pixels = np.asarray(Image.open(io.BytesIO(image.encoded_image_string)).convert("RGB"))
        return form, what, image.height, image.width, image.colorspace, pixels.shape, pixels.tobytes()
    if form == "tensor":
        array = make_ndarray(value.tensor)
        if plugin.plugin_name == "custom_scalars":
            return form, what, Layout.FromString(array.item())
        return form, what, array.dtype, array.shape, array.tolist()
    return form, what, str(getattr(value, form)) if form else ""


def test_files_are_named_as_by_pytorch(tmp_path: Path) -> None:
    from torch.utils.tensorboard import SummaryWriter as TorchWriter

    names = list[set[str]]()
    for kind in (TorchWriter, SummaryWriter):
        directory = tmp_path / kind.__module__
        with kind(str(directory), filename_suffix=".x") as writer:
            writer.add_scalar("a", 1, 0)
            writer.add_scalars("m/n", {"a": 1, "b/c": 2}, 0)
            writer.add_hparams({"lr": 1}, {"best": 2}, run_name="session")
        files = [path.relative_to(directory) for path in directory.rglob("*") if path.is_file()]
        names.append({str(path.with_name(re.sub(r"\.\d+(?=\.|$)", "", path.name))) for path in files})
    assert names[0] == names[1]
    assert len(names[0]) == 4
    assert [name.endswith(".x") for name in sorted(names[0])] == [True, True, True, False]


def test_each_event_says_the_same(logs: tuple[Path, Path]) -> None:
    theirs, ours = ([(event, each) for event, each in values(log) if each.tag not in ONLY_OURS] for log in logs)
    assert [(each.tag, event.step) for event, each in ours] == [(each.tag, event.step) for event, each in theirs]
    for (their_event, their_value), (our_event, our_value) in zip(theirs, ours, strict=True):
        assert plain(our_value) == plain(their_value), our_value.tag
        if their_event.wall_time < everything.WALL + 100:
            assert our_event.wall_time == their_event.wall_time


def test_files_begin_and_are_named_the_same(logs: tuple[Path, Path]) -> None:
    theirs, ours = map(events, logs)
    assert [(each.file_version, each.step) for each in ours[:2]] == [("brain.Event:2", 0), ("brain.Event:2", 7)]
    assert [(each.file_version, each.step) for each in theirs[:2]] == [("brain.Event:2", 0), ("brain.Event:2", 7)]
    assert ours[2].session_log.status == theirs[2].session_log.status == 1
    assert ours[2].step == theirs[2].step == 7
    assert ours[0].source_metadata.writer == "mindscope"
    names = [
        sorted(path.name.split(".")[:3] + path.name.split(".")[-1:] for path in log.glob("events*")) for log in logs
    ]
    assert [[part for part in name if not part.isdigit()] for name in names[1]] == [["events", "out", "tfevents", "x"]]


def test_runs_below_are_the_same(logs: tuple[Path, Path]) -> None:
    theirs, ours = ({str(path.parent.relative_to(log)) for path in log.rglob("*tfevents*")} for log in logs)
    assert ours == theirs == {".", "group_of_a", "group_of_b/c", "session"}
    for name in ours - {"."}:
        their_values, our_values = (list(values(log / name)) for log in logs)
        assert [(event.step, each.tag, plain(each)) for event, each in our_values] == [
            (event.step, each.tag, plain(each)) for event, each in their_values
        ]


def test_projector_files_are_the_same(logs: tuple[Path, Path]) -> None:
    text_format = untyped("google.protobuf", "text_format")
    from PIL import Image

    ProjectorConfig = untyped("tensorboard.plugins.projector.projector_config_pb2", "ProjectorConfig")

    theirs, ours = logs
    configs = [text_format.Parse((log / "projector_config.pbtxt").read_text(), ProjectorConfig()) for log in logs]
    assert configs[0] == configs[1]
    names = {str(path.relative_to(theirs)) for path in theirs.rglob("*.tsv")}
    assert {str(path.relative_to(ours)) for path in ours.rglob("*.tsv")} == names
    assert len(names) == 4
    for name in names - {each for each in names if "tensors" in each}:
        assert (ours / name).read_bytes() == (theirs / name).read_bytes()
    for name in {each for each in names if "tensors" in each}:
        assert np.array_equal(np.loadtxt(ours / name), np.loadtxt(theirs / name))
    pictures = [np.asarray(Image.open(log / "00005/embed%2fone/sprite.png")) for log in logs]
    assert np.array_equal(pictures[0], pictures[1])


def test_graphs(logs: tuple[Path, Path]) -> None:
    GraphDef = untyped("tensorboard.compat.proto.graph_pb2", "GraphDef")

    theirs, ours = ([GraphDef.FromString(each.graph_def) for each in events(log) if each.graph_def] for log in logs)
    assert len(ours) == len(theirs) == 2
    network, model = ours
    by_op = {node.op: node for node in network.node}
    names = {node.name for node in network.node}
    assert all(name.lstrip("^") in names for node in network.node for name in node.input)
    shapes = [[dim.size for dim in node.attr["_output_shapes"].list.shape[0].dim] for node in network.node]
    assert [2, 2] in shapes
    assert any("relu" in op.lower() for op in by_op)
    assert [(node.name, node.op, list(node.input)) for node in model.node] == [
        (node.name, node.op, list(node.input)) for node in theirs[1].node
    ]


def test_video_is_written(logs: tuple[Path, Path]) -> None:
    assert [each.HasField("image") for _, each in values(logs[0]) if each.tag == "video"] in ([], [False])
    video = open_run(str(logs[1])).videos("video")[0].value
    frames = list(video.frames())
    assert len(frames) == 3
    given = everything.arrays()["video"]
    assert frames[0].shape == (8, 16, 3)
    assert np.abs(frames[1][:, :8].astype(int) - given[0, 1].transpose(1, 2, 0)).mean() < 12  # 256 colors


def test_tensorboard_reads_all(logs: tuple[Path, Path]) -> None:
    EventAccumulator = untyped("tensorboard.backend.event_processing.event_accumulator", "EventAccumulator")

    tags: list[Any] = []
    for log in logs:
        accumulator = EventAccumulator(str(log), size_guidance={"scalars": 0, "tensors": 0, "images": 0})
        accumulator.Reload()
        tags.append(accumulator.Tags())
        assert len(accumulator.Scalars("loss/train")) == 20
    theirs, ours = tags
    assert set(ours["images"]) == {*theirs["images"], "video"}
    for kind in ("audio", "histograms", "scalars", "tensors", "graph"):
        assert ours[kind] == theirs[kind]


@pytest.mark.filterwarnings("ignore")  # tbparse uses what pandas deprecated
def test_tbparse_reads_the_same(logs: tuple[Path, Path]) -> None:
    tbparse: Any = pytest.importorskip("tbparse")
    # without tensorflow, tbparse decodes neither media nor tensors of any writer
    kinds = ("scalars", "hparams", "histograms")
    readers = [tbparse.SummaryReader(str(log), event_types=set(kinds), extra_columns={"dir_name"}) for log in logs]
    columns = ["dir_name", "step", "tag", "value"]
    for kind in kinds:
        left, right = (getattr(reader, kind) for reader in readers)
        assert len(left) > 0, kind
        used = [name for name in columns if name in left.columns]
        assert left[used].astype(str).values.tolist() == right[used].astype(str).values.tolist(), kind


def test_mindscope_reads_the_same(logs: tuple[Path, Path]) -> None:
    theirs, ours = (open_run(str(log)) for log in logs)
    for tag in theirs.tags("scalar"):
        left, right = theirs.scalars(tag), ours.scalars(tag)
        assert left.step.tolist() == right.step.tolist()
        assert np.array_equal(left.value, right.value, equal_nan=True)
    assert ours.tags("hparams") == theirs.tags("hparams")


def test_double_precision_alone_is_exact(tmp_path: Path) -> None:
    with SummaryWriter(tmp_path) as writer:
        writer.add_scalar("exact", 0.1, 1, double_precision=True)
        writer.add_scalar("exact", 1e300, 2, double_precision=True)
        writer.add_scalar("plain", 0.1, 1)
    run = open_run(str(tmp_path))
    assert run.scalars("exact").value.tolist() == [0.1, 1e300]
    assert run.scalars("plain").value.tolist() == [float(np.float32(0.1))]
